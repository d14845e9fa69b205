// Tests the explanations of the mistakes in tests/mistakes/compile, with recorded messages of nvcc and clang
// (scripts/record-compile-errors).
#include "compile/explain/explain.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "compile/diagnosis.h"
#include "core/diagnostics/message_testing.h"
#include "core/files.h"
#include "core/text.h"

namespace cudalab::compile {
namespace {

namespace fs = std::filesystem;

struct Mistake {
  std::string name;
  std::vector<std::string> ids;                            // accepted answers
  std::vector<std::pair<std::string, std::string>> edits;  // old and new lines, without their indentation
};

const fs::path kFolder = fs::path(CUDALAB_SOURCE_DIR) / "tests/mistakes/compile";

// Blocks of "= name", "! ids", "< old lines", "> new lines": the format of scripts/mistakes.
std::vector<Mistake> mistakes(const std::string& program) {
  std::vector<Mistake> found;
  char before = ' ';
  const std::string list = read_text(kFolder / (program + ".txt"));
  for (const std::string_view line : split(list, '\n')) {
    if (line.empty()) continue;
    const std::string text(line.substr(std::min<std::size_t>(2, line.size())));
    if (line[0] == '=') found.push_back({text, {}, {}});
    if (line[0] == '!')
      for (const std::string_view id : split(text, ' ')) found.back().ids.emplace_back(id);
    auto& edits = found.back().edits;
    if (line[0] == '<' && before != '<') edits.emplace_back();
    if (line[0] == '<') edits.back().first += text + "\n";
    if (line[0] == '>') edits.back().second += text + "\n";
    before = line[0];
  }
  return found;
}

std::map<std::string, std::string> logs_of(const std::string& program, const std::string& compiler) {
  std::map<std::string, std::string> logs;
  std::string* log = nullptr;
  const std::string text = read_text(kFolder / fmt::format("{}.{}.log", program, compiler));
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("= "))
      log = &logs[std::string(line.substr(2))];
    else if (log)
      *log += std::string(line.substr(std::min<std::size_t>(2, line.size()))) + "\n";
  }
  return logs;
}

struct Planted {
  std::string source;
  std::vector<int> lines;  // the lines that the mistake changes
};

std::vector<std::string_view> lines_of(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text.empty() ? std::vector<std::string_view>() : split(text, '\n');
}

// The offset and length of `old` in `source`: consecutive lines with any indentation.
std::pair<std::size_t, std::size_t> place_of(std::string_view source, const std::string& old) {
  const auto lines = lines_of(old);
  for (std::size_t at = source.find(lines[0]); at != std::string_view::npos;
       at = source.find(lines[0], at + 1)) {
    std::size_t end = at + lines[0].size();
    bool fits = true;
    for (std::size_t i = 1; fits && i < lines.size(); ++i) {
      end = source.find_first_not_of(" \n", end);
      fits = end != std::string_view::npos && source.substr(end).starts_with(lines[i]);
      end += lines[i].size();
    }
    if (fits) return {at, end - at};
  }
  return {std::string_view::npos, 0};
}

Planted planted(std::string source, const Mistake& mistake) {
  Planted planted;
  for (const auto& [old, with] : mistake.edits) {
    const auto [at, length] = place_of(source, old);
    EXPECT_NE(at, std::string::npos) << mistake.name;
    if (at == std::string::npos) break;
    std::string text = with;
    while (text.ends_with('\n')) text.pop_back();
    source.replace(at, length, text);
    const int first = 1 + static_cast<int>(std::count(
                              source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    for (int line = first; line <= first + std::count(text.begin(), text.end(), '\n'); ++line)
      planted.lines.push_back(line);
  }
  planted.source = std::move(source);
  return planted;
}

// Whether the answer is one of those accepted. A cause found in the source must also be near the mistake.
bool is_right(const Diagnosis& answer, const Mistake& mistake, const Planted& planted) {
  const std::string id(answer.instead.empty() ? answer.advice.id() : answer.instead.id());
  const bool is_opening =
      id == "cause_brace_open";  // where the block begins; the missing brace is at its end
  if (answer.said.find("did you mean '") != std::string::npos)
    return std::ranges::find(mistake.ids, "cause_did_you_mean") != mistake.ids.end();
  const auto is_near = [&](int line) { return std::abs(line - answer.where.line) <= 1; };
  return std::ranges::find(mistake.ids, id) != mistake.ids.end() &&
         (!answer.is_cause || is_opening || std::ranges::any_of(planted.lines, is_near));
}

// A program and a compiler.
class CompileMistakes : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(CompileMistakes, GetTheirCause) {
  const auto& [program, compiler] = GetParam();
  const std::string base = read_text(kFolder / (program + ".cu")), file = program + ".cu";
  const auto logs = logs_of(program, compiler);
  std::size_t all = 0, right = 0;
  for (const Mistake& mistake : mistakes(program)) {
    const auto log = logs.find(mistake.name);
    ASSERT_NE(log, logs.end()) << mistake.name << ": run scripts/record-compile-errors";
    if (log->second.empty()) continue;  // this compiler accepts it
    const Planted source = planted(base, mistake);
    const CompileError answer =
        explained(CompileError(first_error(log->second, file), log->second), source.source, file);
    ++all;
    const bool named = is_right(answer.diagnosis(), mistake, source);
    right += named;
    if (!named)
      fmt::print("{}: {}: line {}: {}\n", compiler, mistake.name, answer.diagnosis().where.line,
                 answer.diagnosis().text().text());
  }
  EXPECT_GT(all, 80u);
  EXPECT_GE(right, all * 95 / 100) << right << " of " << all;
}

INSTANTIATE_TEST_SUITE_P(Each, CompileMistakes,
                         testing::Combine(testing::Values("block-sums", "tiled-product"),
                                          testing::Values("nvcc", "clang")));

TEST(Explained, ListsTheErrorsThatFollowOnce) {
  const std::string source = "__global__ void k(float* x) {\n  x[i] = 1;\n  x[i] = 2;\n  y[0] = 1;\n}\n";
  const std::string log =
      "a.cu(2): error: identifier \"i\" is undefined\na.cu(3): error: identifier \"i\" is undefined\n"
      "a.cu(4): error: identifier \"y\" is undefined\n";
  const Diagnosis answer = explained(CompileError(first_error(log, "a.cu"), log), source, "a.cu").diagnosis();
  EXPECT_EQ(answer.where, (SourceLine{"a.cu", 2}));
  EXPECT_EQ(answer.source_text, "  x[i] = 1;");
  ASSERT_EQ(answer.others.size(), 1u);
  EXPECT_EQ(answer.others[0].where.line, 4);
  EXPECT_EQ(answer.others[0].source_text, "  y[0] = 1;");
}

TEST(Explained, KeepsWhatIsNoTypicalMistake) {
  const std::string log = "a.cu(1): error: static assertion failed with \"N must be even\"\n";
  const Diagnosis answer =
      explained(CompileError(first_error(log, "a.cu"), log), "static_assert(false);\n", "a.cu").diagnosis();
  EXPECT_TRUE(answer.advice.empty());
  EXPECT_FALSE(answer.is_cause);
  EXPECT_TRUE(answer.others.empty());
}

TEST(Explained, FindsTheBraceThatIsNeverClosed) {
  const std::string source =
      "__global__ void a(int* x) {\n  if (x) {\n    x[0] = 1;\n}\n\n__global__ void b(int* x) {\n  x[0] = "
      "2;\n}\n";
  const std::string log = "a.cu(9): error: expected a \"}\"\n";
  const Diagnosis answer = explained(CompileError(first_error(log, "a.cu"), log), source, "a.cu").diagnosis();
  EXPECT_THAT(answer.instead, IsMessage("cause_brace_open"));
  EXPECT_EQ(answer.where.line, 2);
}

}  // namespace
}  // namespace cudalab::compile
