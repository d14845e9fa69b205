// Tests PTX that is shipped with the program.
#include "compile/compile_kernels.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "core/files.h"
#include "core/temporary_folder_testing.h"

namespace cudalab::compile {
namespace {
namespace fs = std::filesystem;

CompileRequest request_with_tile(const std::string& tile) {
  return {.source = "extern \"C\" __global__ void k() {}\n",
          .file_name = "labs/sample/1_k.cu",
          .defines = {{"TILE", tile}},
          .wants_resources = true};
}

class ShippedKernels : public testing::Test {
 protected:
  ShippedKernels() {
    ::setenv("CUDALAB_KEEP_PTX", folder_.path().c_str(), 1);
    CompiledSource compiled{.ptx = "ptx of 16", .file_name = "labs/sample/1_k.cu"};
    compiled.resources["k"] = {.registers = 12};
    keep_for_shipping(request_with_tile("16"), compiled);
    ::setenv("CUDALAB_PTX", folder_.path().c_str(), 1);
  }
  ~ShippedKernels() override {
    for (const char* name : {"CUDALAB_KEEP_PTX", "CUDALAB_PTX"}) ::unsetenv(name);
  }
  fs::path only_file() const { return read_folder(folder_.path()).entries.at(0); }

  TemporaryFolder folder_;
};

TEST_F(ShippedKernels, AreFoundByAllThatTheyWereCompiledWith) {
  const auto found = find_shipped(request_with_tile("16"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ptx, "ptx of 16");
  EXPECT_EQ(found->resources.at("k").registers, 12u);
  EXPECT_FALSE(find_shipped(request_with_tile("32")));
  CompileRequest other = request_with_tile("16");
  other.compute_major = 8;
  EXPECT_FALSE(find_shipped(other));
  other = request_with_tile("16");
  other.source += "// changed\n";
  EXPECT_FALSE(find_shipped(other));
  other = request_with_tile("16");
  other.options.emplace_back("--std=c++20");
  EXPECT_FALSE(find_shipped(other));
}

TEST_F(ShippedKernels, AreNoneOnceAByteIsAnother) {
  const fs::path file = only_file();
  std::string bytes = read_file(file).value();
  bytes.at(bytes.find("16")) = '7';
  std::ofstream(file, std::ios::binary) << bytes;
  EXPECT_FALSE(find_shipped(request_with_tile("16")));
}

TEST_F(ShippedKernels, BelongToTheirKeyAlone) {
  keep_for_shipping(request_with_tile("32"), {.ptx = "ptx of 32"});
  const auto files = read_folder(folder_.path()).entries;
  ASSERT_EQ(files.size(), 2u);
  fs::copy_file(files[0], files[1], fs::copy_options::overwrite_existing);
  const auto one = find_shipped(request_with_tile("16")), other = find_shipped(request_with_tile("32"));
  EXPECT_NE(one.has_value(), other.has_value()) << "the one that was copied over is no entry of its key";
}

TEST_F(ShippedKernels, AreKeptOnlyWhereSomebodyAsks) {
  ::unsetenv("CUDALAB_KEEP_PTX");
  keep_for_shipping(request_with_tile("64"), {.ptx = "ptx"});
  EXPECT_FALSE(find_shipped(request_with_tile("64")));
}

}  // namespace
}  // namespace cudalab::compile
