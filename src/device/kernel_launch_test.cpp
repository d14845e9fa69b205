// Tests that kernels are found by each of their names, and that errors explain why one is not found.
#include "device/kernel_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"

namespace cudalab::device {

namespace {

// Names as from NVRTC: scale(float*, int); add<float>; add<double>; mm<float, 16>; float table[4].
constexpr const char* kTablePtx = R"(
.version 9.0
.target sm_90
.address_size 64
.visible .const .align 4 .b8 table[16];
.visible .entry _Z5scalePfi(.param .u64 .ptr .align 1 a, .param .u32 b) { ret; }
.visible .entry _Z3addIfEvPT_(.param .u64 a) { ret; }
.visible .entry _Z3addIdEvPT_(.param .u64 a) { ret; }
.visible .entry _Z2mmIfLi16EEvPT_(.param .align 8 .b8 a[24]) { ret; }
.visible .entry plain() { ret; }
)";

KernelTable table_of(const std::string& ptx) {
  compile::CompiledSource source;
  source.file_name = "a.cu";
  source.ptx = ptx;
  source.lowered_names = {{"mm<float,4*4>", "_Z2mmIfLi16EEvPT_"}};
  return KernelTable(source, ptx::parse(ptx, "a.cu"));
}

Message message_of(const KernelTable& table, const std::string& name) {
  return refused([&] { table.kernel(name); });
}

TEST(KernelTable, FindsKernelsByAllTheirNames) {
  const KernelTable table = table_of(kTablePtx);
  for (const char* name : {"scale", "_Z5scalePfi"})
    EXPECT_EQ(table.kernel(name).symbol, "_Z5scalePfi") << name;
  EXPECT_EQ(table.kernel("add<double>").symbol, "_Z3addIdEvPT_");
  for (const char* name : {"mm<float,16>", "mm<float, 16>", "mm<float, 4*4>", "mm"})
    EXPECT_EQ(table.kernel(name).symbol, "_Z2mmIfLi16EEvPT_") << name;
  EXPECT_EQ(table.kernel("plain").name, "plain");
}

TEST(KernelTable, NamesKernelsAsInTheSource) {
  const KernelTable table = table_of(kTablePtx);
  EXPECT_EQ(table.kernel("_Z5scalePfi").name, "scale");
  EXPECT_EQ(table.kernel("_Z3addIfEvPT_").name, "add<float>");
  EXPECT_EQ(table.kernel("mm").name, "mm<float,4*4>") << "the expression that asked for it";
}

TEST(KernelTable, KnowsTheParameters) {
  const KernelTable table = table_of(kTablePtx);
  const Kernel& scale = table.kernel("scale");
  ASSERT_EQ(scale.parameters.size(), 2u);
  EXPECT_EQ(scale.parameters[0].bytes, 8u);
  EXPECT_TRUE(scale.parameters[0].is_pointer);
  EXPECT_EQ(scale.parameters[1].ptx_type, "u32");
  EXPECT_EQ(table.kernel("mm").parameters[0].bytes, 24u);
}

TEST(KernelTable, ListsTheKernelsIfOneIsNotFound) {
  EXPECT_THAT(message_of(table_of(kTablePtx), "scal"),
              testing::AllOf(IsMessage("kernel_not_in_source"), HasArgument("file", "a.cu"),
                             HasArgument("kernel", Code{"scal"}),
                             HasArgument("kernels", "scale, add<float>, add<double>, mm<float,4*4>, plain")));
  EXPECT_THAT(message_of(table_of(".version 9.0\n.target sm_90\n.address_size 64\n"), "scale"),
              testing::AllOf(IsMessage("source_without_kernel"), HasArgument("file", "a.cu")));
}

TEST(KernelTable, RejectsAnAmbiguousName) {
  EXPECT_THAT(message_of(table_of(kTablePtx), "add"),
              testing::AllOf(IsMessage("kernel_name_ambiguous"),
                             HasArgument("kernels", "_Z3addIdEvPT_, _Z3addIfEvPT_")));
}

TEST(KernelTable, FindsVariables) {
  const KernelTable table = table_of(kTablePtx);
  EXPECT_EQ(table.variable_symbol("table"), "table");
  EXPECT_THROW(table.variable_symbol("scale"), Error);
}

TEST(SourceName, RemovesReturnTypeAndParameters) {
  EXPECT_EQ(source_name("_Z2mmIfLi16EEvPT_"), "mm<float, 16>");
  EXPECT_EQ(source_name("_ZN1n1kEPFivE"), "n::k");  // k(int (*)())
  EXPECT_EQ(source_name("scale"), "scale");
  EXPECT_EQ(source_name("__nv_static_39__eea09023_21_a_b_cu_main__Z5scalePf"), "scale");
  EXPECT_EQ(source_name("a"), "a");  // not `signed char`
  EXPECT_EQ(source_name("_ZN12_GLOBAL__N_16hiddenEPi"), "hidden");
}

// Invalid launches and their error messages.

class LaunchChecks : public testing::Test {
 protected:
  LaunchChecks() {
    kernel_.name = "scale";
    kernel_.parameters = {{8, "u64", true}, {4, "u32", false}};
    kernel_.static_shared_bytes = 1000;
    kernel_.registers = 128;
    launch_.kernel = &kernel_;
    launch_.arguments = {std::uint64_t{0}, 7};
    info_.max_threads_per_block = 1024;
    info_.max_shared_per_block_optin = 2000;
  }
  Message argument_message() const {
    return refused([&] { check_arguments(launch_); });
  }
  Message refusal() const { return refused_launch(launch_, info_, "CUDA_ERROR_INVALID_VALUE").what; }

  Kernel kernel_;
  Launch launch_;
  DeviceInfo info_;
};

TEST_F(LaunchChecks, AcceptsMatchingArguments) { EXPECT_TRUE(argument_message().empty()); }

TEST_F(LaunchChecks, RejectsTooFewArguments) {
  launch_.arguments.pop_back();
  EXPECT_THAT(argument_message(),
              testing::AllOf(IsMessage("arguments_count_wrong"), HasArgument("kernel", Code{"scale"}),
                             HasArgument("expected", 2), HasArgument("given", 1)));
}

TEST_F(LaunchChecks, RejectsAnArgumentOfAnotherSize) {
  launch_.arguments[1] = 7.0;
  EXPECT_THAT(argument_message(),
              testing::AllOf(IsMessage("argument_size_wrong"), HasArgument("argument", 2),
                             HasArgument("kernel", Code{"scale"}), HasArgument("given", 8),
                             HasArgument("expected", 4), HasArgument("type", "u32")));
}

TEST_F(LaunchChecks, NamesTheExceededLimit) {
  launch_.spec.grid = {0, 1, 1};
  EXPECT_THAT(refusal(), testing::AllOf(IsMessage("card_grid_empty"), HasArgument("shape", "0x1x1")));
  launch_.spec.grid = {1, 65536, 1};
  EXPECT_THAT(refusal(), testing::AllOf(IsMessage("card_grid_too_large"), HasArgument("shape", "1x65536x1"),
                                        HasArgument("largest", "2147483647x65535x65535")));
  launch_.spec.grid = {1, 1, 1};
  launch_.spec.block = {1, 1, 128};
  EXPECT_THAT(refusal(), testing::AllOf(IsMessage("card_block_too_large"), HasArgument("shape", "1x1x128"),
                                        HasArgument("largest", "1024x1024x64")));
  launch_.spec.block = {64, 32, 1};
  EXPECT_THAT(refusal(),
              testing::AllOf(IsMessage("card_block_threads_too_many"), HasArgument("shape", "64x32x1"),
                             HasArgument("threads", 2048), HasArgument("most", 1024)));
  launch_.spec.block = {1024, 1, 1};
  EXPECT_THAT(refusal(), testing::AllOf(IsMessage("card_registers_too_few"), HasArgument("threads", 1024),
                                        HasArgument("each", 128)));
  launch_.spec.block = {32, 1, 1};
  launch_.spec.dynamic_shared_bytes = 1001;
  EXPECT_THAT(refusal(), testing::AllOf(IsMessage("card_shared_memory_too_small"),
                                        HasArgument("needed", 2001), HasArgument("available", 2000)));
  launch_.spec.dynamic_shared_bytes = 1000;
  EXPECT_THAT(refusal(), IsMessage("card_launch_refused"));
}

TEST_F(LaunchChecks, NamesInvalidClusters) {
  launch_.spec.block = {32, 1, 1};
  launch_.spec.grid = {5, 4, 1};
  launch_.spec.cluster = {2, 1, 1};
  EXPECT_THAT(refusal(), testing::AllOf(IsMessage("card_grid_not_in_clusters"), HasArgument("shape", "5x4x1"),
                                        HasArgument("cluster", "2x1x1")));
  launch_.spec.cluster = {5, 2, 1};
  EXPECT_THAT(refusal(), testing::AllOf(IsMessage("card_cluster_too_large"), HasArgument("shape", "5x2x1"),
                                        HasArgument("blocks", 10), HasArgument("most", 8)));
  const std::string invalid = "CUDA_ERROR_INVALID_CLUSTER_SIZE";
  launch_.spec.cluster = {1, 2, 1};
  EXPECT_THAT(refusal(), IsMessage("card_launch_refused"));
  EXPECT_THAT(refused_launch(launch_, info_, invalid).what,
              testing::AllOf(IsMessage("card_cluster_refused"), HasArgument("shape", "1x2x1")));
  launch_.spec.cluster = {0, 0, 0};
  EXPECT_THAT(refused_launch(launch_, info_, invalid).what, IsMessage("card_grid_not_in_own_clusters"));
}

TEST_F(LaunchChecks, ARefusalIsAHazardWithTheCudaError) {
  const Hazard hazard = refused_launch(launch_, info_, "CUDA_ERROR_INVALID_VALUE");
  EXPECT_EQ(hazard.kind, HazardKind::kInvalidLaunch);
  EXPECT_EQ(hazard.kernel, "scale");
  EXPECT_EQ(hazard.cuda_error, "CUDA_ERROR_INVALID_VALUE");
  EXPECT_FALSE(hazard.fix.empty());
}

TEST_F(LaunchChecks, TellsKernelFaultsFromDeviceErrors) {
  const auto fault = kernel_fault(launch_, "CUDA_ERROR_ILLEGAL_ADDRESS");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, HazardKind::kOutOfBounds);
  EXPECT_EQ(fault->cuda_error, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_FALSE(kernel_fault(launch_, "CUDA_ERROR_ECC_UNCORRECTABLE"));
}

}  // namespace
}  // namespace cudalab::device
