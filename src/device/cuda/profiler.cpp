// Running ncu and reading what it wrote.
#include "device/cuda/profiler.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "compile/toolkit.h"
#include "core/error.h"
#include "core/text.h"

namespace cudalab::device {
namespace {

namespace fs = std::filesystem;

// The keys of our own counters begin so; Nsight Compute does not know them.
constexpr std::string_view kOurs = "ptx_";

// A file that goes with the object.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::string name = (fs::temp_directory_path() / "cudalab-XXXXXX").string();
    const int descriptor = ::mkstemp(name.data());
    if (descriptor < 0)
      throw unavailable_error("no file can be made in {}", fs::temp_directory_path().string());
    ::close(descriptor);
    path_ = name;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }
  std::string text() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

std::string metrics() {
  std::vector<std::string_view> keys;
  for (const CounterInfo& row : kCounters)
    if (!row.key.starts_with(kOurs)) keys.push_back(row.key);
  return joined(keys, ",");
}

std::vector<std::string> under_ncu(const std::string& ncu, const std::vector<std::string>& command,
                                   const std::string& log) {
  std::vector<std::string> words{ncu,
                                 "--csv",
                                 "--page",
                                 "raw",
                                 "--print-units",
                                 "base",
                                 "--log-file",
                                 log,
                                 "--force-overwrite",
                                 "--target-processes",
                                 "all",
                                 "--metrics",
                                 metrics()};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

// Runs it with its output in a file; its exit code.
int run(const std::vector<std::string>& words, const std::string& output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(), O_WRONLY | O_TRUNC, 0600);
  ::posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, arguments.front(), &files, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (failed != 0) throw unavailable_error("{} cannot be started; see `cudalab doctor`", words.front());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission …"
std::optional<std::string> error_in(const std::string& text) {
  constexpr std::string_view kMark = "==ERROR== ";
  const std::size_t begin = text.find(kMark);
  if (begin == std::string::npos) return std::nullopt;
  return text.substr(begin + kMark.size(), text.find('\n', begin) - begin - kMark.size());
}

[[noreturn]] void throw_refused(const std::string& error) {
  const bool is_forbidden = error.find("ERR_NVGPUCTRPERM") != std::string::npos;
  throw unavailable_error(
      "Nsight Compute: {}; {}", error,
      is_forbidden ? "let an administrator allow it (https://developer.nvidia.com/ERR_NVGPUCTRPERM)"
                   : "run without --profile");
}

// One line of CSV, every cell of which may stand in quotes.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  return cells;
}

// "1,048,576" and "12.50"
std::optional<double> number_in(std::string cell) {
  std::erase(cell, ',');
  double value = 0;
  const auto [end, failed] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (failed != std::errc{} || end != cell.data() + cell.size()) return std::nullopt;
  return value;
}

std::vector<std::vector<std::string>> rows_from_names_on(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::vector<std::string> cells = cells_of(text.substr(0, end));
    if (!rows.empty() || cells.front() == "ID") rows.push_back(std::move(cells));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rows;
}

Counters counters_of(const std::vector<std::string>& names, const std::vector<std::string>& cells) {
  Counters counters;
  for (const CounterInfo& row : kCounters) {
    const auto column = std::find(names.begin(), names.end(), row.key) - names.begin();
    if (column >= static_cast<std::ptrdiff_t>(std::min(names.size(), cells.size()))) continue;
    if (const auto value = number_in(cells[static_cast<std::size_t>(column)]))
      counters.set(row.counter, *value);
  }
  return counters;
}

}  // namespace

std::vector<Counters> counters_from_csv(std::string_view text) {
  const auto rows = rows_from_names_on(text);
  if (rows.empty()) throw unavailable_error("Nsight Compute measured no kernel; run without --profile");
  std::vector<Counters> kernels;
  for (std::size_t row = 2; row < rows.size(); ++row) kernels.push_back(counters_of(rows[0], rows[row]));
  return kernels;
}

std::vector<Counters> profile(const std::vector<std::string>& command) {
  const auto ncu = compile::find_program("ncu");
  if (!ncu)
    throw unavailable_error(
        "--profile needs Nsight Compute, and ncu was not found; install it "
        "(https://developer.nvidia.com/nsight-compute) and put it on the PATH");
  const TemporaryFile log, output;
  const int code = run(under_ncu(ncu->string(), command, log.path()), output.path());
  if (const auto error = error_in(log.text())) throw_refused(*error);
  if (const auto error = error_in(output.text())) throw_refused(*error);
  if (code != 0) throw_refused(fmt::format("it ended with exit code {}", code));
  return counters_from_csv(log.text());
}

}  // namespace cudalab::device
