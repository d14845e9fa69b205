// A whole class, and the mark that each of its submissions must get: solutions, disguised starters, wrong
// kernels that differ from those of the exercises, independent correct ones, empty and hostile files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/text.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// ---- what each must get ------------------------------------------------------------------------------

struct Expected {
  std::string loses;  // the missed parts, separated by "; "; "nothing"; "everything"
};

struct Change {
  std::string exercise, name, loses;
  std::vector<std::pair<std::string, std::string>> replacements;
};

std::string with_line_ends(const std::string& text) { return replaced(text, "\\n", "\n"); }

// Parses a headline "= EXERCISE NAME: LOSES".
Change change_from(const std::string& headline) {
  const std::size_t name = headline.find(' '), colon = headline.find(": ");
  return {
      headline.substr(0, name), headline.substr(name + 1, colon - name - 1), headline.substr(colon + 2), {}};
}

std::vector<Change> changes() {
  std::vector<Change> all;
  std::ifstream file(kSource / "tests/class/changes.txt");
  for (std::string line; std::getline(file, line);) {
    const std::string rest = line.size() > 2 ? line.substr(2) : "";
    if (line.starts_with("= ")) all.push_back(change_from(rest));
    if (line.starts_with("- ")) all.back().replacements.emplace_back(rest, "");
    if (line.starts_with("+ ")) all.back().replacements.back().second = rest;
  }
  return all;
}

std::map<std::string, fs::path> folders_of_exercises() {
  std::map<std::string, fs::path> folders;
  for (const fs::directory_entry& lab : fs::directory_iterator(kSource / "labs")) {
    if (!fs::exists(lab.path() / "exercise")) continue;
    for (const fs::directory_entry& exercise : fs::directory_iterator(lab.path() / "exercise"))
      folders[exercise.path().filename()] = exercise.path();
  }
  return folders;
}

// Whole programs are graded in a sandbox, by another test.
bool is_a_program(const fs::path& exercise) {
  return exercise.parent_path().parent_path().filename() == "program";
}

// ---- the class ---------------------------------------------------------------------------------------

class Class {
 public:
  explicit Class(fs::path folder) : folder_(std::move(folder)) {}

  void hand_in(const std::string& student, const std::string& exercise, const std::string& kernel,
               const std::string& loses) {
    fs::create_directories(folder_ / student);
    write_file(folder_ / student / (exercise + ".cu"), kernel);
    expected_[student] = {loses};
  }
  const std::map<std::string, Expected>& expected() const { return expected_; }

 private:
  fs::path folder_;
  std::map<std::string, Expected> expected_;
};

void add_changed(Class& of, const std::map<std::string, fs::path>& exercises) {
  for (const Change& change : changes()) {
    ASSERT_TRUE(exercises.contains(change.exercise)) << change.exercise;
    std::string kernel = read_file(exercises.at(change.exercise) / "solution.cu");
    for (const auto& [what, instead] : change.replacements) {
      ASSERT_NE(kernel.find(with_line_ends(what)), std::string::npos)
          << change.exercise << " " << change.name << ": " << what;
      kernel = replaced(kernel, with_line_ends(what), with_line_ends(instead));
    }
    of.hand_in(change.exercise + "-" + change.name, change.exercise, kernel, change.loses);
  }
}

// Removes all comments, and adds blank lines.
std::string in_other_clothes(const std::string& kernel) {
  std::string text;
  std::istringstream lines(kernel);
  for (std::string line; std::getline(lines, line);) text += "\n" + line.substr(0, line.find("//")) + "\n";
  return text;
}

// The kernel with an empty body.
std::string emptied(const std::string& kernel) {
  const std::size_t body = kernel.find("\n{", kernel.find("__global__"));
  return kernel.substr(0, body) + "\n{\n}\n";
}

void add_handed_out(Class& of, const std::map<std::string, fs::path>& exercises) {
  for (const auto& [name, folder] : exercises) {
    if (is_a_program(folder)) continue;
    const std::string starter = read_file(folder / "starter.cu"),
                      solution = read_file(folder / "solution.cu");
    of.hand_in(name + "-solution", name, solution, "nothing");
    of.hand_in(name + "-retyped", name, in_other_clothes(solution), "nothing");
    of.hand_in(name + "-starter", name, starter, "everything");
    of.hand_in(name + "-dressed", name, in_other_clothes(starter), "everything");
    of.hand_in(name + "-emptied", name, emptied(solution), "everything");
  }
}

// Adds hand-written kernels EXERCISE-NAME.cu, whose first line states what each of them `loses`.
void add_written(Class& of, const std::map<std::string, fs::path>& exercises) {
  constexpr std::string_view kLoses = "// loses: ";
  for (const fs::directory_entry& file : fs::directory_iterator(kSource / "tests/class/kernels")) {
    const std::string name = file.path().stem(), kernel = read_file(file.path());
    const std::size_t from = std::min(kernel.find(kLoses), kernel.size());
    ASSERT_EQ(from, 0u) << file;
    const auto exercise = std::find_if(exercises.begin(), exercises.end(),
                                       [&](const auto& each) { return name.starts_with(each.first + "-"); });
    ASSERT_NE(exercise, exercises.end()) << file;
    of.hand_in("written-" + name, exercise->first, kernel,
               kernel.substr(kLoses.size(), kernel.find('\n') - kLoses.size()));
  }
}

void add_hostile(Class& of) {
  const std::string head =
      "extern \"C\" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)\n";
  const std::vector<std::pair<std::string, std::string>> kernels{
      {"nothing", ""},
      {"garbage", std::string(100'000, '(')},
      {"binary", std::string("\x7f"
                             "ELF\0\xff\xfe",
                             7)},
      {"loops", head + "{ while (true) out[0] = in[0]; }\n"},
      {"allocates", head + "{ for (;;) { char* p = (char*)malloc(1 << 30); if (p) p[0] = 1; } }\n"},
      {"includes", "#include \"/etc/passwd\"\n" + head + "{}\n"},
      {"computed", "#define F </etc/passwd>\n#include F\n" + head + "{}\n"},
      {"templates", "template <int N> struct T { T<N + 1> a; };\n" + head + "{ T<0> t; (void)t; }\n"},
      {"prints", "#include <cstdio>\n" + head + "{ for (;;) printf(\"aaaaaaaaaaaaaaaaaaaaaaaaaaaa\"); }\n"},
      {"traps", head + "{ __trap(); }\n"},
      {"far_away", head + "{ out[size_t(1) << 40] = in[0]; }\n"},
      {"another_kernel", "extern \"C\" __global__ void something() {}\n"}};
  for (const auto& [name, kernel] : kernels)
    of.hand_in("hostile-" + name, "padded-tile", kernel, "everything");
}

// ---- judging -----------------------------------------------------------------------------------------

bool lost(const Json& grade, const std::string& part) {
  for (const Json& mark : grade["marks"])
    if (mark["name"] == part) return mark["points"] < mark["most"];
  return false;
}

void expect_mark(const Json& grade, const Expected& expected) {
  const double points = grade["points"], most = grade["most"];
  EXPECT_GT(most, 0) << grade.dump(1);
  if (expected.loses == "nothing") {
    EXPECT_EQ(points, most) << grade.dump(1);
  } else if (expected.loses == "everything" || expected.loses == "right results") {
    EXPECT_EQ(points, 0) << grade.dump(1);
  } else {
    EXPECT_GT(points, 0) << grade.dump(1);
    std::istringstream parts(expected.loses);
    for (std::string part; std::getline(parts >> std::ws, part, ';');)
      EXPECT_TRUE(lost(grade, part)) << grade.dump(1);
  }
}

TEST(Class, EverySubmissionGetsTheMarkThatItMustGet) {
  const Folder folder;
  Class submissions(folder / "class");
  const std::map<std::string, fs::path> exercises = folders_of_exercises();
  add_changed(submissions, exercises);
  add_handed_out(submissions, exercises);
  add_written(submissions, exercises);
  add_hostile(submissions);
  ASSERT_GE(submissions.expected().size(), 300u);
  // Uses empty folders, so no compile cache of this machine helps. The limits leave time for other tests that
  // run at the same time.
  const Outcome outcome =
      cudalab({"grade", "class", "--seed", "20260131", "--format", "json", "--cpu", "20", "--seconds", "240"},
              {.folder = folder.path()});
  if (outcome.code == 3) GTEST_SKIP() << outcome.err;
  ASSERT_EQ(outcome.code, 1) << outcome.err;
  const Json document = Json::parse(outcome.out);
  ASSERT_EQ(document["grades"].size(), submissions.expected().size());
  for (const Json& grade : document["grades"]) {
    SCOPED_TRACE(grade["student"].get<std::string>());
    expect_mark(grade, submissions.expected().at(grade["student"]));
  }
}

TEST(Class, HoldsAHundredWrongKernelsThatTheExercisesDoNotHave) {
  const auto all = changes();
  EXPECT_GE(std::count_if(all.begin(), all.end(), [](const Change& one) { return one.loses != "nothing"; }),
            100);
}

}  // namespace
}  // namespace cudalab::e2e
