// Tests that the virtual GPU loads every kernel file of tests/kernels, for each architecture and each
// compiler variant.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "compile/compile_kernels.h"
#include "device/device.h"

namespace cudalab::device {
namespace {

namespace fs = std::filesystem;

struct Variant {
  const char* name;
  int architecture;
  const char* option = "";
};

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

std::vector<fs::path> kernel_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(CUDALAB_SOURCE_DIR) / "tests/kernels"))
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

compile::CompiledSource compiled(const fs::path& file, const Variant& variant) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  compile::CompileRequest request;
  request.source = text.str();
  request.file_name = file.filename().string();
  request.compute_major = variant.architecture / 10;
  request.compute_minor = variant.architecture % 10;
  request.options = {"--device-int128"};
  if (*variant.option) request.options.emplace_back(variant.option);
  return compile::compile_kernels(request);
}

class KernelFiles : public testing::TestWithParam<Variant> {};

TEST_P(KernelFiles, Load) {
  if (!compile::compiler_version()) GTEST_SKIP() << "NVRTC is not installed";
  const auto gpu = open_virtual_device();
  for (const fs::path& file : kernel_files()) {
    const compile::CompiledSource source = compiled(file, GetParam());
    EXPECT_NO_THROW(gpu->load(source)) << file;
  }
}

constexpr Variant kVariants[] = {
    {"compute75", 75},
    {"compute75_fast_math", 75, "-use_fast_math"},
    {"compute75_debug", 75, "-G"},
    {"compute80", 80},
    {"compute80_debug", 80, "-G"},
    {"compute90", 90},
    {"compute90_fast_math", 90, "-use_fast_math"},
    {"compute90_debug", 90, "-G"},
    {"compute100", 100},
    {"compute100_debug", 100, "-G"},
    {"compute120", 120},
};
INSTANTIATE_TEST_SUITE_P(TestsKernels, KernelFiles, testing::ValuesIn(kVariants),
                         [](const auto& test) { return std::string(test.param.name); });

// Instructions of compute capability 9.0 and 10.0 that the virtual GPU does not support.
TEST(NewInstructions, AreRejectedByNameInOneLine) {
  const auto gpu = open_virtual_device();
  for (const std::string instruction :
       {"tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned", "fma.rn.f32x2 %rd1, %rd1, %rd1, %rd1",
        "wgmma.fence.sync.aligned", "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%rd1, {%r1}]"}) {
    compile::CompiledSource source;
    source.file_name = "new.cu";
    source.ptx =
        ".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<2>;\n"
        ".reg .b64 %rd<2>;\n" +
        instruction + ";\nret;\n}\n";
    try {
      gpu->load(source);
      ADD_FAILURE() << instruction;
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("`" + instruction.substr(0, instruction.find(' ')) + "`"), std::string::npos)
          << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace cudalab::device
