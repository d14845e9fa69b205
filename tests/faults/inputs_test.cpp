// Every verb that reads an input reports any odd file in its place in one line.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "tests/faults/verbs_testing.h"

namespace cudalab::faults {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// The odd path is appended to the words, or after the "=" of the last word.
const std::vector<Verb>& readers() {
  static const std::vector<Verb> table{
      {"run", {"run"}},
      {"lab with a kernel", {"transpose", "--stage", "naive", "--kernel"}},
      {"check", {"check", "--exercise", "padded-tile"}},
      {"quiz", {"quiz", "transpose", "--answers"}},
      {"learn", {"learn", "transpose", "--answers"}},
      {"verify", {"verify"}},
      {"report", {"report"}},
      {"grade with a key", {"grade", "result.json", "--key"}},
      {"grade with cases", {"grade", "class", "--exercise", "padded-tile", "--cases"}},
      {"grade with a roster", {"grade", "class", "--exercise", "padded-tile", "--roster"}},
      {"grade of it", {"grade", "--exercise", "padded-tile"}},
      {"compare", {"compare", "result.json"}},
      {"step", {"step", "--trace", "--stage", "naive"}},
      {"a buffer of a kernel",
       {"run", "k.cu", "--kernel", "k", "--grid", "1", "--block", "32", "--arg", "buf:f32:32:file="}},
      {"a card", {"transpose", "--stage", "naive", "--device", "virtual", "--card"}},
      {"cards", {"cards"}},
      {"course with a key", {"course", "bundle", "--for", "canvas", "--output", "bundle", "--key"}},
      {"course with a package",
       {"course", "bundle", "--for", "gradescope", "--exercise", "padded-tile", "--output", "b.zip",
        "--package"}},
  };
  return table;
}

struct Oddity {
  const char* name;
  std::string path;
  std::function<void(const fs::path&)> make;
};

void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

const std::vector<Oddity>& oddities() {
  const auto nothing = [](const fs::path&) {};
  static const std::vector<Oddity> table{
      {"nothing", "odd.cu", nothing},
      {"a pipe", "odd.cu", [](const fs::path& path) { ::mkfifo(path.c_str(), 0600); }},
      {"a folder", "odd.cu", [](const fs::path& path) { fs::create_directories(path / "deep"); }},
      {"a link to itself", "odd.cu", [](const fs::path& path) { fs::create_symlink(path.filename(), path); }},
      {"a link to nothing", "odd.cu", [](const fs::path& path) { fs::create_symlink("nowhere", path); }},
      {"a device without end", "/dev/zero", nothing},
      {"memory", "/proc/self/mem", nothing},
      {"a terabyte", "odd.cu",
       [](const fs::path& path) { write(path, "x"), fs::resize_file(path, std::uintmax_t(1) << 40); }},
      {"zeros", "odd.cu", [](const fs::path& path) { write(path, std::string(1000, '\0')); }},
      {"an empty file", "odd.cu", [](const fs::path& path) { write(path, ""); }},
      {"what is no text", "odd.cu",
       [](const fs::path& path) { write(path, "\xff\xfe\x00\xd8\x80\x80\x01"); }},
      {"brackets", "odd.json", [](const fs::path& path) { write(path, std::string(1'000'000, '[')); }},
      {"a long name", std::string(300, 'x') + ".cu", nothing},
  };
  return table;
}

// A compiler error is followed by its source line and further errors, a few lines in all.
long lines_that_say_why(const std::string& err) {
  constexpr long kMostOfACompiler = 24;
  const long lines = std::count(err.begin(), err.end(), '\n');
  const bool is_of_compiler = err.substr(0, err.find('\n')).find(": error: ") != std::string::npos;
  return is_of_compiler && lines <= kMostOfACompiler ? 1 : lines;
}

std::string what_is_wrong(const Verb& reader, const Oddity& oddity) {
  const Place place;
  fill(place, true);
  oddity.make(place.work() / fs::path(oddity.path).filename());
  const auto before = place.files();
  Words words = reader.words;
  if (words.back().ends_with('='))
    words.back() += oddity.path;
  else
    words.push_back(oddity.path);
  const Ending ending = run(place, words);
  std::string problems;
  if (ending.code < 0 || ending.code > 2) problems += "\nthe exit code is not documented";
  if (ending.code == 2 && lines_that_say_why(ending.err) != 1)
    problems += "\nit does not say why in one line";
  if (ending.code != 0 && ending.out.empty() && ending.err.empty()) problems += "\nit fails without a word";
  for (const std::string& survivor : ending.survivors) problems += "\nstill runs: " + survivor;
  problems += leftovers(place, before, {{"cudalab.json", ""}});
  return problems.empty() ? ""
                          : fmt::format("{}, {}, code {}: {}{}\n", reader.name, oddity.name, ending.code,
                                        ending.err, problems);
}

TEST(OddInputs, AreNamedByEveryReader) {
  const std::size_t count = readers().size() * oddities().size();
  std::vector<std::string> problems(count);
  side_by_side(count, [&](std::size_t i) {
    if (is_wanted(i))
      problems[i] = what_is_wrong(readers()[i % readers().size()], oddities()[i / readers().size()]);
  });
  for (const std::string& problem : problems) EXPECT_EQ(problem, "");
}

// Odd standard input for the verbs that read answers.
TEST(OddStreams, EndAnswersInOneLine) {
  for (const char* verb : {"quiz", "learn"})
    for (const char* stream : {"/dev/zero", "/dev/full", "/", "answers", "&-"}) {
      const Place place;
      fill(place, true);
      const Ending ending =
          run(place, {verb, "transpose"}, {.shell = fmt::format("exec \"$@\" <{}", stream)});
      EXPECT_TRUE(ending.code >= 0 && ending.code <= 2) << verb << " < " << stream << ": " << ending.code;
      EXPECT_LE(std::count(ending.err.begin(), ending.err.end(), '\n'), 1) << ending.err;
      const bool is_endless = std::string_view(stream).starts_with("/dev/");
      EXPECT_EQ(ending.err.find("the answer is longer than 10000 characters") != std::string::npos,
                is_endless)
          << ending.err;
    }
}

}  // namespace
}  // namespace cudalab::faults
