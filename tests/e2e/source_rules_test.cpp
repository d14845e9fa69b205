// The rules of the house that a compiler does not enforce: who includes whom, and that an installed program
// works.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;

// From the bottom up: a layer includes itself and what stands before it.
const std::vector<std::string> kLayers{"core", "ptx",    "vgpu",   "compile", "device", "runtime",
                                       "lab",  "report", "course", "grading", "cli"};

std::size_t height_of(const std::string& layer) {
  return static_cast<std::size_t>(std::find(kLayers.begin(), kLayers.end(), layer) - kLayers.begin());
}

struct Include {
  std::string what;
  bool quoted = false;
};

std::vector<Include> includes_of(const fs::path& file) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> includes;
  std::ifstream text(file);
  std::smatch match;
  for (std::string line; std::getline(text, line);)
    if (std::regex_search(line, match, pattern)) includes.push_back({match[2], match[1] == "\""});
  return includes;
}

bool is_source(const fs::path& path) { return path.extension() == ".h" || path.extension() == ".cpp"; }

std::vector<fs::path> sources_below(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && is_source(entry.path())) files.push_back(entry.path());
  return files;
}

// It takes seconds to compile.
const fs::path kUserOfCli11 = "cli/command_line.cpp";

// What is wrong with an include of a file below src/; empty when nothing is.
std::string objection(const fs::path& file, const Include& include) {
  if (include.what.starts_with("CLI/") && file != kUserOfCli11)
    return "only " + kUserOfCli11.string() + " may include CLI11";
  if (!include.quoted) return "";
  const std::string layer = *file.begin();
  std::size_t slash = include.what.find('/');
  std::string included = include.what.substr(0, slash);
  if (included == "messages") return "";  // generated from the catalogue, and of core
  if (slash == std::string::npos || height_of(included) == kLayers.size()) return "write \"layer/file.h\"";
  return height_of(included) > height_of(layer) ? layer + " stands below " + included : "";
}

TEST(Layers, IncludeOnlyDownward) {
  for (const fs::path& file : sources_below(kSource / "src"))
    for (const Include& include : includes_of(file))
      EXPECT_EQ(objection(fs::relative(file, kSource / "src"), include), "")
          << file << " includes " << include.what;
}

TEST(Layers, TheCheckCatchesWhatItMust) {
  EXPECT_EQ(objection("ptx/parser.cpp", {"core/error.h", true}), "");
  EXPECT_EQ(objection("ptx/parser.cpp", {"ptx/module.h", true}), "");
  EXPECT_EQ(objection("ptx/parser.cpp", {"vector", false}), "");
  EXPECT_EQ(objection("ptx/parser.cpp", {"vgpu/warp.h", true}), "ptx stands below vgpu");
  EXPECT_EQ(objection("cli/command_line.cpp", {"CLI/CLI.hpp", false}), "");
  for (const char* file : {"report/command_line.cpp", "cli/command_line.h", "cli/verbs/command_line.cpp"})
    EXPECT_EQ(objection(file, {"CLI/CLI.hpp", false}), "only cli/command_line.cpp may include CLI11") << file;
  EXPECT_EQ(objection("cli/verbs/run.cpp", {"console.h", true}), "write \"layer/file.h\"");
}

TEST(Layers, NoSourceStandsOutsideThem) {
  for (const fs::directory_entry& entry : fs::directory_iterator(kSource / "src"))
    EXPECT_LT(height_of(entry.path().filename()), kLayers.size()) << entry.path();
}

// ---- rooms -------------------------------------------------------------------------------------------
// The folders of a layer, from the bottom up: a room includes itself and the rooms before it; those of one
// row do not include each other.
struct Rooms {
  std::string layer;
  std::vector<std::vector<std::string>> rows;
  // Of the layer's own files, those that stand above all rooms (without extension). Where there are any, the
  // others are data that every room may include and that itself includes only the lowest.
  std::vector<std::string> above;
};

const std::vector<Rooms> kRooms{
    {"vgpu",
     {{"memory"},
      {"counters"},
      {"flow"},
      {"hand_overs"},
      {"time"},
      {"checks"},
      {"builtins"},
      {"execute"},
      {"running"},
      {"stepping"},
      {"matrices"},
      {"opcodes"},
      {"opcodes/rare"},
      {"decode/reading"},
      {"decode"},
      {"probes"}},
     {"launch", "child_launches", "vgpu.cpp"}},
    {"core", {{"diagnostics"}, {"processes"}, {"programs"}, {"languages"}}, {}},
    {"compile", {{"nvrtc"}, {"sources"}, {"clang"}}, {}},
    {"device", {{"cuda", "virtual", "programs"}}, {}},
    {"runtime", {{"modules"}, {"streams"}, {"api"}}, {}},
    {"lab", {{"verification"}, {"running"}, {"any_kernel"}}, {}},
    {"report", {{"text"}, {"pictures"}, {"warp"}, {"formats"}, {"page"}}, {}},
    {"course", {{"cases", "texts"}}, {"workspace", "screen", "author_check"}},
    {"grading", {{"book"}}, {}},
    {"cli", {{"terminal"}, {"options"}, {"cluster"}, {"verbs"}}, {}},
    {"ptx", {{"debug"}}, {}},
};

// "decode" of "vgpu/decode/forms.h"; empty for a file of the layer itself.
std::string room_of(const std::string& path) {
  const std::size_t first = path.find('/'), last = path.rfind('/');
  return first == last ? "" : path.substr(first + 1, last - first - 1);
}

std::optional<std::size_t> row_of(const Rooms& rooms, const std::string& room) {
  for (std::size_t row = 0; row < rooms.rows.size(); ++row)
    if (std::count(rooms.rows[row].begin(), rooms.rows[row].end(), room)) return row;
  return std::nullopt;
}

bool stands_above(const Rooms& rooms, const std::string& path) {
  const fs::path name = fs::path(path).filename();
  return std::any_of(rooms.above.begin(), rooms.above.end(), [&](const std::string& file) {
    return name.string() == file || name.stem().string() == file;
  });
}

// What is wrong with an include within a layer; empty when nothing is. Paths are relative to src/.
std::string room_objection(const Rooms& rooms, const std::string& file, const std::string& included) {
  const std::string from = room_of(file), to = room_of(included);
  if (from.empty() && (rooms.above.empty() || stands_above(rooms, file))) return "";
  const std::string name = from.empty() ? "data" : from;
  if (to.empty()) return stands_above(rooms, included) ? name + " stands below " + included : "";
  if (from == to) return "";
  const std::size_t from_row = from.empty() ? 0 : row_of(rooms, from).value();
  const std::size_t to_row = row_of(rooms, to).value();
  if (from.empty()) return to_row == 0 ? "" : name + " stands below " + to;
  if (from_row == to_row) return from + " and " + to + " stand side by side";
  return to_row < from_row ? "" : from + " stands below " + to;
}

// What tests share may take from any room.
bool is_for_tests(const fs::path& file) {
  const std::string stem = file.stem().string();
  return stem.ends_with("_test") || stem.ends_with("_testing") || stem.ends_with("_fuzz") ||
         stem.ends_with("_bench");
}

TEST(Rooms, IncludeOnlyDownward) {
  for (const Rooms& rooms : kRooms)
    for (const fs::path& file : sources_below(kSource / "src" / rooms.layer)) {
      const std::string path = fs::relative(file, kSource / "src").generic_string();
      if (is_for_tests(file)) continue;
      for (const Include& include : includes_of(file)) {
        if (!include.quoted || !include.what.starts_with(rooms.layer + "/")) continue;
        EXPECT_EQ(room_objection(rooms, path, include.what), "") << path << " includes " << include.what;
      }
    }
}

TEST(Rooms, StandInTheTable) {
  for (const Rooms& rooms : kRooms)
    for (const fs::path& file : sources_below(kSource / "src" / rooms.layer)) {
      const std::string room = room_of(fs::relative(file, kSource / "src").generic_string());
      EXPECT_TRUE(room.empty() || row_of(rooms, room)) << file;
    }
}

TEST(Rooms, TheCheckCatchesWhatItMust) {
  const Rooms &vgpu = kRooms[0], &device = kRooms[3], &lab = kRooms[5];
  EXPECT_EQ(room_objection(vgpu, "vgpu/checks/observer.cpp", "vgpu/counters/patterns.h"), "");
  EXPECT_EQ(room_objection(vgpu, "vgpu/memory/footprint.cpp", "vgpu/warp.h"), "");
  EXPECT_EQ(room_objection(vgpu, "vgpu/warp.h", "vgpu/memory/footprint.h"), "");
  EXPECT_EQ(room_objection(vgpu, "vgpu/launch.cpp", "vgpu/decode/decode.h"), "");
  EXPECT_EQ(room_objection(vgpu, "vgpu/vgpu.cpp", "vgpu/launch.h"), "");
  EXPECT_EQ(room_objection(vgpu, "vgpu/warp.h", "vgpu/launch.h"), "data stands below vgpu/launch.h");
  EXPECT_EQ(room_objection(vgpu, "vgpu/block.h", "vgpu/checks/observer.h"), "data stands below checks");
  EXPECT_EQ(room_objection(vgpu, "vgpu/counters/counting.cpp", "vgpu/execute/lane_access.h"),
            "counters stands below execute");
  EXPECT_EQ(room_objection(vgpu, "vgpu/decode/forms.h", "vgpu/launch.h"),
            "decode stands below vgpu/launch.h");
  EXPECT_EQ(room_objection(device, "device/cuda/a.cpp", "device/virtual/b.h"),
            "cuda and virtual stand side by side");
  EXPECT_EQ(room_objection(device, "device/open_device.cpp", "device/cuda/cuda_device.h"), "");
  EXPECT_EQ(room_objection(lab, "lab/verification/bounds.cpp", "lab/running/runner.h"),
            "verification stands below running");
}

TEST(Labs, IncludeOnlyTheHeaderForLabsAndTheirOwn) {
  const auto is_own = [](const fs::path& file, const std::string& what) {
    std::string lab = file.parent_path().filename();
    std::ranges::replace(lab, '-', '_');
    return what == "messages/lab_" + lab + ".h" ||
           (what.find('/') == std::string::npos && fs::exists(file.parent_path() / what));
  };
  for (const fs::path& file : sources_below(kSource / "labs"))
    for (const Include& include : includes_of(file))
      EXPECT_TRUE(!include.quoted || include.what == "lab/lab.h" || is_own(file, include.what))
          << file << " includes " << include.what;
}

TEST(Headers, OpenWithASentenceAndAreGuarded) {
  for (const fs::path& file : sources_below(kSource / "src")) {
    if (file.extension() != ".h") continue;
    std::string text = read_file(file);
    EXPECT_TRUE(text.starts_with("// ")) << file;
    EXPECT_NE(text.find("\n#pragma once\n"), std::string::npos) << file;
  }
}

TEST(Headers, OfTestsSaySo) {
  for (const std::string_view part : {"tests/e2e", "tests/faults"})
    for (const fs::path& file : sources_below(kSource / part))
      if (file.extension() == ".h") {
        EXPECT_TRUE(file.filename().string().ends_with("_testing.h")) << file;
      }
}

// In characters; clang-format keeps this but for string literals.
std::size_t width(std::string_view line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

TEST(Sources, KeepToTheStatedWidth) {
  constexpr std::size_t kWidest = 110;  // .clang-format
  for (const std::string_view part : {"src", "labs", "tests"})
    for (const fs::path& file : sources_below(kSource / part)) {
      std::ifstream text(file);
      int number = 0;
      for (std::string line; std::getline(text, line);)
        EXPECT_LE((++number, width(line)), kWidest) << file << ":" << number;
    }
}

// Tests stand beside what they test, so a room has about thirty files and its tests.
TEST(Sources, NoRoomHoldsTwoSubjects) {
  constexpr std::size_t kMostInARoom = 32;
  std::map<fs::path, std::size_t> rooms;
  for (const fs::path& file : sources_below(kSource / "src"))
    if (!is_for_tests(file)) ++rooms[file.parent_path()];
  for (const auto& [room, sources] : rooms) EXPECT_LE(sources, kMostInARoom) << room;
}

// ---- questions to the file system --------------------------------------------------------------------
// A call of std::filesystem throws unless its last argument is a std::error_code, and what is thrown ends as
// an internal error, for a link that leads back to itself or a folder without permission.

std::string without_comments(std::string text) {
  return std::regex_replace(text, std::regex("//[^\\n]*"), "");
}

std::set<std::string> error_codes_in(const std::string& text) {
  static const std::regex pattern(R"(\berror_code\s*&?\s+(\w+))");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    names.insert((*at)[1]);
  return names;
}

// Of a call whose parenthesis opens there: "failed" of "(folder, options(a, b), failed)".
std::string last_argument(const std::string& text, std::size_t open) {
  int depth = 0;
  std::size_t begin = open + 1, at = open;
  for (; at < text.size(); ++at) {
    depth += (text[at] == '(' || text[at] == '{') - (text[at] == ')' || text[at] == '}');
    if (depth == 0) break;
    if (depth == 1 && text[at] == ',') begin = at + 1;
  }
  const std::string argument = text.substr(begin, at - begin);
  const std::size_t first = argument.find_first_not_of(" \n");
  return first == std::string::npos ? ""
                                    : argument.substr(first, argument.find_last_not_of(" \n") + 1 - first);
}

// The questions, and the iterators where one is made; a loop over one throws at each step.
std::vector<std::string> throwing_calls(const std::string& source) {
  static const std::regex pattern(
      R"((?:(:\s*)?\b(?:std::)?(?:fs|filesystem)::(\w+)(?:\s+\w+)?|(?:\.|->))"
      R"((is_[a-z]+_file|is_directory|is_symlink|is_other|file_size|last_write_time|hard_link_count|)"
      R"(symlink_status|increment|refresh))\s*[({])");
  static const std::set<std::string> data{"path",           "file_status", "file_type",
                                          "file_time_type", "perms",       "directory_options"};
  const std::string text = without_comments(source);
  const std::set<std::string> codes = error_codes_in(text);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    const std::size_t open = static_cast<std::size_t>(at->position() + at->length()) - 1;
    const std::string name = (*at)[2].matched ? (*at)[2] : (*at)[3];
    const bool is_looped_over = (*at)[1].matched && name.ends_with("directory_iterator");
    if (!data.contains(name) && (is_looped_over || !codes.contains(last_argument(text, open))))
      found.push_back(name);
  }
  return found;
}

TEST(Sources, AskTheFileSystemNothingThatThrows) {
  for (const fs::path& file : sources_below(kSource / "src")) {
    if (is_for_tests(file)) continue;
    EXPECT_THAT(throwing_calls(read_file(file)), testing::IsEmpty())
        << file << ": core/files.h has questions that do not throw";
  }
}

TEST(Sources, TheSearchForQuestionsCatchesWhatItMust) {
  const auto calls = [](const std::string& text) {
    return throwing_calls("std::error_code failed, other;\n" + text);
  };
  for (const char* fine :
       {"fs::exists(path, failed)", "fs::path(name)", "fs::path folder(name);",
        "fs::absolute(a / b(c, d), failed)", "fs::directory_iterator at(folder, failed), end;",
        "at.increment(failed)", "// fs::exists(path)",
        "fs::recursive_directory_iterator entries(folder, options, failed);", "entry.is_regular_file(failed)",
        "fs::file_type::none", "std::filesystem::directory_iterator at(folder, failed), end;",
        "const fs::path& file : {one(), two()}"})
    EXPECT_THAT(calls(fine), testing::IsEmpty()) << fine;
  for (const char* throws :
       {"fs::exists(path)", "std::filesystem::current_path()", "fs::absolute(a(b, failed))",
        "fs::directory_iterator at(folder);", "for (auto& one : fs::directory_iterator(folder, failed))",
        "for (auto& one : std::filesystem::directory_iterator(folder, failed))", "entry.is_regular_file()",
        "entries->is_directory()", "fs::create_directories(folder / failed)", "f().is_symlink()",
        "fs::directory_entry entry(path);", "fs::exists(path, unheard_of)"})
    EXPECT_EQ(calls(throws).size(), 1u) << throws;
}

// What scripts/run builds first: the same loops that the whole program would choose here.
// A clock that is set tells what day it is, and nothing else.
TEST(Sources, WaitForNoClockThatCanBeSet) {
  constexpr const char* kSettable[]{"system_clock", "std::time(", "gettimeofday", "CLOCK_REALTIME",
                                    ".wait_until("};
  const std::set<std::string> tell_the_day{"learn.cpp", "learner.cpp", "grade.cpp", "grade_cluster.cpp",
                                           "interposition.cpp"};
  std::set<std::string> found;
  for (const fs::path& file : sources_below(kSource / "src"))
    for (const std::string text = read_file(file); const char* clock : kSettable)
      if (!is_for_tests(file) && text.find(clock) != std::string::npos) found.insert(file.filename());
  EXPECT_EQ(found, tell_the_day);
}

TEST(Build, OwnLevelIsTheOneThatTheProgramChoosesHere) {
  const Outcome doctor = cudalab({"doctor"});
  Folder folder;
  const Outcome configured =
      run_command({CUDALAB_CMAKE, "-S", CUDALAB_SOURCE_DIR, "-B", folder / "build", "-DCUDALAB_LEVELS=own",
                   "-DCUDALAB_BUILD_TESTS=OFF", "-DCMAKE_BUILD_TYPE=Release"});
  ASSERT_EQ(configured.code, 0) << configured.err;
  const std::string rows = read_file(folder / "build/generated/include/vgpu/levels.inc");
  ASSERT_EQ(std::count(rows.begin(), rows.end(), '\n'), 1) << rows;
  const std::size_t quote = rows.find('"') + 1;
  EXPECT_THAT(doctor.out, testing::HasSubstr(rows.substr(quote, rows.find('"', quote) - quote)));
}

TEST(Installation, FindsItsOwnLabsWhereverItLands) {
  Folder folder;
  fs::path first = folder / "first", moved = folder / "moved";
  Outcome installed =
      run_command({CUDALAB_CMAKE, "--install", CUDALAB_BINARY_DIR, "--prefix", first.string()});
  ASSERT_EQ(installed.code, 0) << installed.err;
  fs::rename(first, moved);
  std::vector<std::string> command{(moved / "bin" / "cudalab").string(),
                                   "transpose",
                                   "--device",
                                   "virtual",
                                   "--rows",
                                   "8",
                                   "--stage",
                                   "naive"};
  EXPECT_EQ(run_command(command).code, 0);
  write_file(moved / "share" / "cudalab" / "labs" / "transpose" / "1_naive.cu", "not a kernel");
  EXPECT_EQ(run_command(command).code, 1);  // its own kernel file, not that of the sources
  EXPECT_FALSE(fs::exists(moved / "share" / "cudalab" / "labs" / "transpose" / "lab.cpp"));
}

}  // namespace
}  // namespace cudalab::e2e
