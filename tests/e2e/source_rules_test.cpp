// Rules for sources that the compiler, the linker and the formatter do not check. CONTRIBUTING.md lists all
// rules, and what checks each of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The included names, each with its first delimiter: "\"core/error.h", "<vector".
std::vector<std::string> includes_of(const fs::path& file) {
  constexpr std::string_view kInclude = "#include ";
  std::vector<std::string> includes;
  for (const std::string& line : lines_of(read_file(file)))
    if (line.starts_with(kInclude))
      includes.push_back(line.substr(kInclude.size(), line.find_last_of(">\"") - kInclude.size()));
  return includes;
}

std::vector<std::string> quoted_includes_of(const fs::path& file) {
  std::vector<std::string> quoted;
  for (const std::string& include : includes_of(file))
    if (include.starts_with('"')) quoted.push_back(include.substr(1));
  return quoted;
}

bool is_source(const fs::path& path) { return path.extension() == ".h" || path.extension() == ".cpp"; }

std::vector<fs::path> sources_below(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && is_source(entry.path())) files.push_back(entry.path());
  return files;
}

// Headers that tests share may include any module.
bool is_for_tests(const fs::path& file) {
  const std::string stem = file.stem().string();
  return stem.ends_with("_test") || stem.ends_with("_testing") || stem.ends_with("_fuzz") ||
         stem.ends_with("_bench");
}

// ---- includes ----------------------------------------------------------------------------------------

// The modules of a layer are its folders, from the bottom up. A module includes itself and the modules before
// it; modules of one row do not include each other. The target header_checks checks the order of layers.
struct Layer {
  std::string name;
  std::vector<std::vector<std::string>> rows;
  // The layer's own files that are above all modules (without extension). If there are any, the layer's other
  // files are data: every module may include them, and they include only the lowest module.
  std::vector<std::string> above;
};

const std::vector<Layer> kLayers{
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
    {"compile", {{"nvrtc"}, {"sources"}, {"clang"}, {"explain"}}, {}},
    {"device", {{"cuda", "virtual", "programs"}}, {}},
    {"runtime", {{"modules"}, {"streams"}, {"api"}, {"driver"}}, {}},
    {"libraries", {{"blas", "fft", "rand"}, {"sparse"}}, {}},
    {"lab", {{"verification"}, {"running"}, {"any_kernel"}}, {}},
    {"report", {{"text"}, {"pictures"}, {"warp"}, {"formats"}, {"page"}}, {}},
    {"course", {{"cases", "reasons", "repair", "texts"}, {"learner"}}, {"screen", "author_check"}},
    {"grading", {{"book"}}, {}},
    {"serve", {{"http"}}, {}},
    {"cli", {{"terminal"}, {"options"}, {"cluster"}, {"debug"}, {"verbs"}}, {}},
    {"ptx", {{"debug"}}, {}},
};

// "decode" of "vgpu/decode/forms.h"; empty for a file of the layer itself.
std::string module_of(const std::string& path) {
  const std::size_t first = path.find('/'), last = path.rfind('/');
  return first == last ? "" : path.substr(first + 1, last - first - 1);
}

std::optional<std::size_t> row_of(const Layer& layer, const std::string& module) {
  for (std::size_t row = 0; row < layer.rows.size(); ++row)
    if (std::ranges::count(layer.rows[row], module)) return row;
  return std::nullopt;
}

bool is_above(const Layer& layer, const std::string& path) {
  const fs::path name = fs::path(path).filename();
  return std::ranges::any_of(layer.above, [&](const std::string& file) {
    return name.string() == file || name.stem().string() == file;
  });
}

// The reason why an include within a layer is wrong; empty if it is not. Paths are relative to src/.
std::string objection(const Layer& layer, const std::string& file, const std::string& included) {
  const std::string from = module_of(file), to = module_of(included);
  if (from.empty() && (layer.above.empty() || is_above(layer, file))) return "";
  const std::string name = from.empty() ? "data" : from;
  if (to.empty()) return is_above(layer, included) ? name + " is below " + included : "";
  if (from == to) return "";
  const std::size_t from_row = from.empty() ? 0 : row_of(layer, from).value();
  const std::size_t to_row = row_of(layer, to).value();
  if (from.empty()) return to_row == 0 ? "" : name + " is below " + to;
  if (from_row == to_row) return from + " and " + to + " are side by side";
  return to_row < from_row ? "" : from + " is below " + to;
}

TEST(Modules, IncludeOnlyDownward) {
  for (const Layer& layer : kLayers)
    for (const fs::path& file : sources_below(kSource / "src" / layer.name)) {
      const std::string path = fs::relative(file, kSource / "src").generic_string();
      const std::string module = module_of(path);
      EXPECT_TRUE(module.empty() || row_of(layer, module)) << path << " is in no module of the table";
      if (is_for_tests(file) || file.filename() == "precompiled.h") continue;  // above all modules
      for (const std::string& include : quoted_includes_of(file))
        if (include.starts_with(layer.name + "/"))
          EXPECT_EQ(objection(layer, path, include), "") << path << " includes " << include;
    }
}

const Layer& layer_named(std::string_view name) { return *std::ranges::find(kLayers, name, &Layer::name); }

TEST(Modules, TheCheckCatchesWhatItMust) {
  const Layer &vgpu = layer_named("vgpu"), &device = layer_named("device"), &lab = layer_named("lab");
  EXPECT_EQ(objection(vgpu, "vgpu/checks/observer.cpp", "vgpu/counters/patterns.h"), "");
  EXPECT_EQ(objection(vgpu, "vgpu/memory/footprint.cpp", "vgpu/warp.h"), "");
  EXPECT_EQ(objection(vgpu, "vgpu/warp.h", "vgpu/memory/footprint.h"), "");
  EXPECT_EQ(objection(vgpu, "vgpu/launch.cpp", "vgpu/decode/decode.h"), "");
  EXPECT_EQ(objection(vgpu, "vgpu/vgpu.cpp", "vgpu/launch.h"), "");
  EXPECT_EQ(objection(vgpu, "vgpu/warp.h", "vgpu/launch.h"), "data is below vgpu/launch.h");
  EXPECT_EQ(objection(vgpu, "vgpu/block.h", "vgpu/checks/observer.h"), "data is below checks");
  EXPECT_EQ(objection(vgpu, "vgpu/counters/counting.cpp", "vgpu/execute/lane_access.h"),
            "counters is below execute");
  EXPECT_EQ(objection(vgpu, "vgpu/decode/forms.h", "vgpu/launch.h"), "decode is below vgpu/launch.h");
  EXPECT_EQ(objection(device, "device/cuda/a.cpp", "device/virtual/b.h"),
            "cuda and virtual are side by side");
  EXPECT_EQ(objection(device, "device/open_device.cpp", "device/cuda/cuda_device.h"), "");
  EXPECT_EQ(objection(lab, "lab/verification/bounds.cpp", "lab/running/runner.h"),
            "verification is below running");
}

TEST(Labs, IncludeOnlyTheHeaderForLabsAndTheirOwn) {
  const auto is_own = [](const fs::path& file, const std::string& what) {
    std::string lab = file.parent_path().filename();
    std::ranges::replace(lab, '-', '_');
    return what == "messages/lab_" + lab + ".h" ||
           (what.find('/') == std::string::npos && fs::exists(file.parent_path() / what));
  };
  for (const fs::path& file : sources_below(kSource / "labs"))
    for (const std::string& include : quoted_includes_of(file))
      EXPECT_TRUE(include == "lab/lab.h" || is_own(file, include)) << file << " includes " << include;
}

// Compiling CLI11 takes seconds.
TEST(Sources, IncludeCli11OnceAndOthersByTheirLayer) {
  for (const fs::path& file : sources_below(kSource / "src"))
    for (const std::string& include : includes_of(file)) {
      EXPECT_TRUE(!include.starts_with("<CLI/") || fs::relative(file, kSource) == "src/cli/command_line.cpp")
          << "only src/cli/command_line.cpp includes CLI11, not " << file;
      EXPECT_TRUE(include.starts_with('<') || include.find('/') != std::string::npos)
          << file << ": write \"layer/file.h\", not " << include;
    }
}

// ---- files -------------------------------------------------------------------------------------------

TEST(Headers, OpenWithASentenceAndAreGuarded) {
  for (const fs::path& file : sources_below(kSource / "src")) {
    if (file.extension() != ".h") continue;
    const std::string text = read_file(file);
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

// Tests are beside the files that they test, so a folder has about thirty files and their tests.
TEST(Sources, NoFolderHoldsTwoSubjects) {
  constexpr std::size_t kMostInAFolder = 32;
  std::map<fs::path, std::size_t> folders;
  for (const fs::path& file : sources_below(kSource / "src"))
    if (!is_for_tests(file)) ++folders[file.parent_path()];
  for (const auto& [folder, sources] : folders) EXPECT_LE(sources, kMostInAFolder) << folder;
}

// ---- functions ---------------------------------------------------------------------------------------

// A function of std::filesystem throws unless its last argument is a std::error_code. The exception would end
// as an internal error, for example for a cycle of links or a folder without permission. Lists the functions
// of the standard library that the program's objects refer to; paths and folder elements throw nothing.
std::vector<std::string> throwing_file_queries(const std::string& symbols) {
  constexpr std::string_view kStart = " U std::filesystem::";
  std::vector<std::string> found;
  for (const std::string& line : lines_of(symbols)) {
    const std::size_t start = line.find(kStart);
    if (start == std::string::npos) continue;
    const std::string name = line.substr(start + kStart.size());
    const bool is_harmless =
        name.starts_with("__cxx11::path::") || name.find("::operator*") != std::string::npos ||
        name.find("::operator->") != std::string::npos || name.find("::~") != std::string::npos;
    const bool reports = name.ends_with("std::error_code&)") || name.ends_with("std::error_code*)");
    if (!is_harmless && !reports) found.push_back(name);
  }
  return found;
}

TEST(Sources, AskTheFileSystemNothingThatThrows) {
  const Outcome symbols = run_command({"sh", "-c", "nm -uC " CUDALAB_BINARY_DIR "/libcudalab_*.a"});
  ASSERT_EQ(symbols.code, 0) << symbols.err;
  EXPECT_THAT(symbols.out, testing::HasSubstr(" U std::filesystem::"));
  EXPECT_THAT(throwing_file_queries(symbols.out), testing::IsEmpty())
      << "core/files.h has queries that do not throw; nm -uA says which library calls these";
}

// Constructors of folder iterators have one symbol, whether they throw or not.
TEST(Sources, IterateOverFoldersWithAnErrorCode) {
  for (const fs::path& file : sources_below(kSource / "src"))
    for (const std::string& line : lines_of(read_file(file)))
      if (!is_for_tests(file) && line.find("directory_iterator ") != std::string::npos) {
        EXPECT_THAT(line, testing::AnyOf(testing::HasSubstr("failed)"), testing::HasSubstr("ignored)"),
                                         testing::HasSubstr("error)")))
            << file;
      }
}

TEST(Sources, TheSearchForQueriesCatchesWhatItMust) {
  for (const char* fine :
       {"status(std::filesystem::__cxx11::path const&, std::error_code&)",
        "__cxx11::path::parent_path() const", "__cxx11::directory_iterator::increment(std::error_code&)",
        "__cxx11::directory_iterator::directory_iterator(std::filesystem::__cxx11::path const&, "
        "std::filesystem::directory_options, std::error_code*)",
        "__cxx11::directory_iterator::operator*() const",
        "__cxx11::recursive_directory_iterator::~recursive_directory_iterator()"})
    EXPECT_THAT(throwing_file_queries(std::string("  U std::filesystem::") + fine), testing::IsEmpty())
        << fine;
  for (const char* throws :
       {"status(std::filesystem::__cxx11::path const&)", "current_path[abi:cxx11]()",
        "__cxx11::directory_iterator::operator++()", "file_size(std::filesystem::__cxx11::path const&)"})
    EXPECT_EQ(throwing_file_queries(std::string("  U std::filesystem::") + throws).size(), 1u) << throws;
}

// A clock that can be set may tell the date, but nothing else.
TEST(Sources, WaitForNoClockThatCanBeSet) {
  constexpr const char* kSettable[]{"system_clock", "std::time(", "gettimeofday", "CLOCK_REALTIME",
                                    ".wait_until("};
  const std::set<std::string> tell_the_date{
      "learn.cpp",         "learner.cpp",       "grade.cpp",
      "grade_cluster.cpp", "interposition.cpp", "advice.cpp"};  // advice.cpp names one in a text
  std::set<std::string> found;
  for (const fs::path& file : sources_below(kSource / "src"))
    for (const std::string text = read_file(file); const char* clock : kSettable)
      if (!is_for_tests(file) && text.find(clock) != std::string::npos) found.insert(file.filename());
  EXPECT_EQ(found, tell_the_date);
}

}  // namespace
}  // namespace cudalab::e2e
