// The program lab: the host code of a CUDA program. Its stages are whole programs. The lab builds and runs
// them and checks their output.
#include "lab/lab.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "messages/lab_program.h"

namespace cudalab::lab::program {
namespace {

constexpr std::int64_t kLargestEighth =
    800;  // elements are multiples of 1/8 up to 100, which short decimal texts represent exactly
constexpr float kEighths = 8;
constexpr double kUsPerMs = 1000;

std::vector<float> eighths(std::size_t count, std::uint64_t stream) {
  std::vector<float> values = random_integers<float>(count, stream, -kLargestEighth, kLargestEighth);
  for (float& value : values) value /= kEighths;
  return values;
}

// ---- what a program reads and writes --------------------------------------------------------------------

void append(std::string& text, std::span<const float> values) {
  for (const float value : values) text += fmt::format("{}\n", value);
}

std::string input_of(std::span<const float> a, std::span<const float> b) {
  std::string text = fmt::format("{}\n", a.size());
  append(text, a);
  append(text, b);
  return text;
}

// Parses the words of a text as numbers. A word that is not a number becomes NaN.
std::vector<float> numbers_in(const std::string& text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<float> numbers;
  for (std::size_t at = text.find_first_not_of(kBlanks); at < text.size();
       at = text.find_first_not_of(kBlanks, at)) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    float number = std::numeric_limits<float>::quiet_NaN();
    const auto [rest, failed] = std::from_chars(text.data() + at, text.data() + end, number);
    const bool is_number = failed == std::errc{} && rest == text.data() + end;
    numbers.push_back(is_number ? number : std::numeric_limits<float>::quiet_NaN());
    at = end;
  }
  return numbers;
}

// Missing numbers count as NaN. Surplus numbers together count as one more mismatch.
Check compared(const std::string& output, std::span<const float> a, std::span<const float> b,
               std::span<const float> expected) {
  std::vector<float> found = numbers_in(output);
  const std::size_t numbers = found.size(), surplus = numbers - std::min(numbers, expected.size());
  found.resize(expected.size(), std::numeric_limits<float>::quiet_NaN());
  Check check = same_bits<float>(found, expected);
  check.mismatches += surplus > 0;
  if (numbers != expected.size()) check.patterns = {msg::wrong_number_count(numbers, expected.size())};
  if (check.mismatches > 0 && check.patterns.empty())
    if (Message pattern = pattern_of_operands(found, {"a", a}, '+', {"b", b}); !pattern.empty())
      check.patterns.push_back(std::move(pattern));
  return check;
}

// The kernel time that a program printed, from "kernel: 0.002656 ms".
std::optional<double> said_ms(const std::string& errors) {
  const std::size_t end = errors.find(" ms");
  if (end == std::string::npos) return std::nullopt;
  const std::size_t begin = errors.find_last_of(" \n=:", end - 1) + 1;
  double ms = 0;
  const auto [rest, failed] = std::from_chars(errors.data() + begin, errors.data() + end, ms);
  return failed == std::errc{} && rest == errors.data() + end ? std::optional(ms) : std::nullopt;
}

// ---- what a program did -----------------------------------------------------------------------------------

struct Timeline {
  double elapsed_ms = 0, kernels_ms = 0, copies_ms = 0;
  std::size_t copies = 0;
};

Timeline timeline_of(const device::ProgramLog& log) {
  double begin = std::numeric_limits<double>::infinity(), end = 0;
  Timeline found;
  for (const device::TimelineEntry& entry : log.timeline) {
    begin = std::min(begin, entry.span.start_ms);
    end = std::max(end, entry.span.end_ms);
    found.copies += entry.copy.has_value();
    (entry.copy ? found.copies_ms : found.kernels_ms) += entry.span.end_ms - entry.span.start_ms;
  }
  found.elapsed_ms = std::max(0.0, end - begin);
  return found;
}

void add_columns(Row& row) {
  if (!row.program->log.timeline.empty()) {
    const Timeline timeline = timeline_of(row.program->log);
    row.extra.emplace_back("copies", static_cast<double>(timeline.copies));
    row.extra.emplace_back("copies_us", timeline.copies_ms * kUsPerMs);
    row.extra.emplace_back("kernels_us", timeline.kernels_ms * kUsPerMs);
    row.extra.emplace_back("in_all_us", timeline.elapsed_ms * kUsPerMs);
    row.extra.emplace_back("overlap", (timeline.copies_ms + timeline.kernels_ms) / timeline.elapsed_ms);
  }
  if (const auto ms = said_ms(row.program->errors)) row.extra.emplace_back("said_us", *ms * kUsPerMs);
}

// ---- the lab

struct Addition {
  LabRun& run;
  std::size_t n = static_cast<std::size_t>(run.options().integer("n"));
  std::int64_t block = run.options().integer("block");
  ArrayOf<float>& a = run.input<float>("a", eighths(n, run.random("a")));
  ArrayOf<float>& b = run.input<float>("b", eighths(n, run.random("b")));
  ArrayOf<float>& c = run.output<float>("c", n);
  std::vector<float> expected = sums();

  std::vector<float> sums() const {
    std::vector<float> values(n);
    std::transform(a.host().begin(), a.host().end(), b.host().begin(), values.begin(), std::plus<float>());
    return values;
  }

  bool is_refused() const { return block > static_cast<std::int64_t>(run.device().max_threads_per_block); }

  ProgramStage stage(std::string name, std::string file) const {
    return {
        .name = std::move(name),
        .file = std::move(file),
        .arguments = {std::to_string(block)},
        .input = input_of(a.host(), b.host()),
        .must_refuse = is_refused(),
        .check = [this](const std::string& output) { return compared(output, a.host(), b.host(), expected); },
        .measure = add_columns};
  }

  void cpu_version() {
    run.cpu({.run = [this](int threads) {
      const std::span<float> out = c.host();
#pragma omp parallel for num_threads(threads)
      for (std::size_t i = 0; i < n; ++i) out[i] = a.host()[i] + b.host()[i];
    }});
  }

  // Runs the kernel of the first program without its host code.
  void kernel_alone() {
    const std::uint32_t threads =
        std::min(static_cast<std::uint32_t>(block), run.device().max_threads_per_block);
    run.kernel({.name = "kernel",
                .file = "1_first.cu",
                .launch = {.kernel = "add",
                           .spec = {.grid = {ceil_div(n, threads)}, .block = {threads}},
                           .arguments = {a.device(), b.device(), c.device(), static_cast<int>(n)}}});
  }
};

void run(LabRun& run) {
  Addition lab{run};
  run.set_work(
      {.bytes = 3.0 * static_cast<double>(lab.n) * sizeof(float), .flops = static_cast<double>(lab.n)});
  run.set_check([&lab] { return same_bits<float>(lab.c.host(), lab.expected); });
  lab.cpu_version();
  lab.kernel_alone();
  run.program(lab.stage("first", "1_first.cu"));
  run.program(lab.stage("checked", "2_checked.cu"));
  run.program(lab.stage("timed", "3_timed.cu"));
  run.program(lab.stage("streams", "4_streams.cu"));
  run.program(lab.stage("managed", "5_managed.cu"));
}

const RegisterLab registered{Lab{
    .name = "program",
    .alias = "",
    .title = "A whole program: allocate, copy, launch, check, time, free",
    .teaches = "the host's half: memory, copies, errors, events, streams",
    .examples = {"cudalab program", "cudalab program --stage first,checked --block 2048",
                 "cudalab program --stage timed,streams --n 200000"},
    .stages = {"cpu", "kernel", "first", "checked", "timed", "streams", "managed"},
    .programs = {"first", "checked", "timed", "streams", "managed"},
    .options = {integer("n", "elements of each vector", 50'000, 1, 1'000'000),
                integer("block", "threads per block; above 1024 the GPU refuses the launch", 256, 1, 4096)},
    .columns = {{"copies", msg::column_copies},
                {"copies_us", msg::column_copies_us},
                {"kernels_us", msg::column_kernels_us},
                {"in_all_us", msg::column_total_us},
                {"overlap", msg::column_overlap},
                {"said_us", msg::column_reported_us}},
    .next = {{msg::next_larger_copies, "--stage timed,streams --n 200000"}},
    .run = run,
}};

}  // namespace
}  // namespace cudalab::lab::program
