// Runs programs by fork, exec and wait, with their output in files.
#include "tests/e2e/program_testing.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

void redirect(const fs::path& file, int descriptor) {
  int opened = ::open(file.c_str(), O_WRONLY | O_CREAT, 0600);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(126);
}

[[noreturn]] void become(const std::vector<std::string>& words, const Settings& settings, const fs::path& out,
                         const fs::path& err) {
  redirect(out, STDOUT_FILENO);
  redirect(err, STDERR_FILENO);
  if (!settings.folder.empty() && ::chdir(settings.folder.c_str()) != 0) ::_exit(126);
  ::setenv("LC_ALL", "C", 1);  // English, whatever the tester's locale is
  for (const auto& [name, value] : settings.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

bool is_running(pid_t child) {
  siginfo_t ended{};
  return ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == 0;
}

void interrupt(pid_t child, const Settings& settings) {
  while (!fs::exists(settings.interrupt_when) && is_running(child)) std::this_thread::sleep_for(1ms);
  ::kill(child, settings.interrupt_with);
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

Outcome run_command(const std::vector<std::string>& words, const Settings& settings) {
  Folder outputs;
  fs::path out = settings.out_file.empty() ? outputs / "out" : fs::path(settings.out_file),
           err = outputs / "err";
  pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) become(words, settings, out, err);
  if (settings.interrupt_with != 0) interrupt(child, settings);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {code_of(status), settings.out_file.empty() ? read_file(out) : "", read_file(err)};
}

Outcome cudalab(const std::vector<std::string>& arguments, const Settings& settings) {
  std::vector<std::string> words{CUDALAB_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_command(words, settings);
}

Outcome by_ids(const std::vector<std::string>& arguments, const Settings& settings) {
  Settings with_ids = settings;
  with_ids.environment.emplace_back("CUDALAB_MESSAGE_IDS", "1");
  return cudalab(arguments, with_ids);
}

Outcome in_own_mounts(const std::string& commands, const Settings& settings) {
  const char* mode = ::geteuid() == 0 ? "-m" : "-rm";
  return run_command({"unshare", mode, "sh", "-ec", commands}, settings);
}

bool has_own_mounts() { return in_own_mounts("mount -t tmpfs none /proc").code == 0; }

std::string unwrapped(const std::string& text) { return std::regex_replace(text, std::regex("\\s+"), " "); }

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

nlohmann::json json_of(const fs::path& path) { return nlohmann::json::parse(read_file(path)); }

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<std::string> lab_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(kLabs))
    if (fs::exists(entry.path() / "lab.cpp")) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

nlohmann::ordered_json document_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--device", "virtual", "--json"});
  const Outcome outcome = cudalab(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  // A remark is in parentheses, for example that the run will take long on a busy machine.
  EXPECT_THAT(outcome.err, testing::AnyOf("", testing::StartsWith("(")));
  return nlohmann::ordered_json::parse(outcome.out);
}

nlohmann::ordered_json runs_of(const std::vector<std::string>& arguments) {
  return document_of(arguments)["runs"];
}

}  // namespace cudalab::e2e
