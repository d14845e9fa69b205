// Compiles the kernels of tests/kernels with nvcc, if it is installed, and parses the PTX that it emits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "core/temporary_folder_testing.h"
#include "ptx/module.h"
#include "ptx/text.h"

namespace cudalab::ptx {
namespace {

namespace fs = std::filesystem;

constexpr int kArchitectures[] = {75, 90, 100, 120};
constexpr const char* kFlags[] = {"", "-lineinfo", "-G", "-use_fast_math"};
constexpr const char* kFlagNames[] = {"plain", "lineinfo", "debug", "fast"};
constexpr std::size_t kVariants = std::size(kArchitectures) * std::size(kFlags);

fs::path find_nvcc() {
  std::vector<fs::path> directories{"/usr/local/cuda/bin", "/opt/cuda/bin"};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(variable)) directories.push_back(fs::path(home) / "bin");
  std::istringstream path(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string directory; std::getline(path, directory, ':');) directories.emplace_back(directory);
  for (const fs::path& directory : directories)
    if (fs::exists(directory / "nvcc")) return directory / "nvcc";
  return {};
}

std::vector<fs::path> files_with(const fs::path& directory, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string contents(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::vector<const Instruction*> instructions(const Module& module) {
  std::vector<const Instruction*> result;
  for (const Function& function : module.functions)
    for (const Statement& statement : function.body)
      if (const Instruction* instruction = std::get_if<Instruction>(&statement))
        result.push_back(instruction);
  return result;
}

void check(const fs::path& file, bool has_lines) {
  SCOPED_TRACE(file.filename());
  const std::string text = contents(file);
  const Module module = parse(text, file.filename().string());
  const auto is_entry = [](const Function& function) { return function.is_entry; };
  EXPECT_EQ(std::count_if(module.functions.begin(), module.functions.end(), is_entry),
            count(text, ".entry "));
  const auto all = instructions(module);
  EXPECT_GT(all.size(), 0u);
  EXPECT_EQ(std::any_of(all.begin(), all.end(), [](auto* i) { return i->where.file.ends_with(".cu"); }),
            has_lines);
  const std::string written = to_text(module);
  EXPECT_EQ(to_text(parse(written, "written.ptx")), written);
}

// Each variant compiles its share of the kernels. The variants run in parallel, so the whole takes seconds.
class Compiled : public testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {};

TEST_P(Compiled, KernelsParse) {
  const fs::path nvcc = find_nvcc();
  if (nvcc.empty()) GTEST_SKIP() << "no nvcc in $CUDA_HOME/bin, /usr/local/cuda/bin or $PATH";
  const auto [architecture, flag] = GetParam();
  const TemporaryFolder folder;
  const fs::path& out = folder.path();
  std::string command = "'" + nvcc.string() + "' -ptx -std=c++17 -arch=compute_" +
                        std::to_string(kArchitectures[architecture]) + " " + kFlags[flag] + " -odir '" +
                        out.string() + "'";
  const auto kernels = files_with(fs::path(CUDALAB_SOURCE_DIR) / "tests/kernels", ".cu");
  for (std::size_t k = architecture * std::size(kFlags) + flag; k < kernels.size(); k += kVariants)
    command += " '" + kernels[k].string() + "'";
  const fs::path log = out / "log";
  const int status = std::system((command + " > '" + log.string() + "' 2>&1").c_str());
  if (contents(log).find("Unsupported gpu architecture") != std::string::npos)
    GTEST_SKIP() << "this nvcc does not know compute_" << kArchitectures[architecture];
  ASSERT_EQ(status, 0) << contents(log);
  const bool has_lines = flag == 1 || flag == 2;
  const auto compiled = files_with(out, ".ptx");
  EXPECT_FALSE(compiled.empty());
  for (const fs::path& file : compiled) check(file, has_lines);
}

INSTANTIATE_TEST_SUITE_P(PtxCompiler, Compiled,
                         testing::Combine(testing::Range<std::size_t>(0, std::size(kArchitectures)),
                                          testing::Range<std::size_t>(0, std::size(kFlags))),
                         [](const auto& test) {
                           return "compute" + std::to_string(kArchitectures[std::get<0>(test.param)]) +
                                  kFlagNames[std::get<1>(test.param)];
                         });

}  // namespace
}  // namespace cudalab::ptx
