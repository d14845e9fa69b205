// Tests that the PTX states the cluster dimensions of the LLVM IR's annotations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/clang/clang.h"

namespace cudalab::compile {
namespace {

constexpr const char* kLlvmText =
    "@.str = private unnamed_addr constant [21 x i8] c\"cudalab.cluster_dims\\00\", section "
    "\"llvm.metadata\"\n"
    "@.str1 = private unnamed_addr constant [5 x i8] c\"a.cu\\00\", section \"llvm.metadata\"\n"
    "@.str2 = private unnamed_addr constant [5 x i8] c\"used\\00\", section \"llvm.metadata\"\n"
    "@.args = private unnamed_addr constant { i32, i32 } { i32 4, i32 2 }, section \"llvm.metadata\"\n"
    "@llvm.global.annotations = appending global [2 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, "
    "ptr } "
    "{ ptr @k, ptr @.str, ptr @.str1, i32 2, ptr @.args }, { ptr, ptr, ptr, i32, ptr } "
    "{ ptr @other, ptr @.str2, ptr @.str1, i32 3, ptr null }], section \"llvm.metadata\"\n";
constexpr const char* kPtx =
    ".visible .entry other(\n)\n{\n}\n.visible .entry k(\n.param .u64 k_0\n)\n.maxntid 32\n{\n}\n";

TEST(ClusterDimensions, OfAnAnnotationStandBeforeTheKernelsBody) {
  EXPECT_EQ(with_cluster_dimensions(kPtx, kLlvmText),
            ".visible .entry other(\n)\n{\n}\n.visible .entry k(\n.param .u64 k_0\n)\n.maxntid 32\n"
            ".explicitcluster\n.reqnctapercluster 4, 2, 1\n{\n}\n");
}

TEST(ClusterDimensions, LeaveThePtxOfOtherSourcesAlone) {
  EXPECT_EQ(with_cluster_dimensions(kPtx, "define void @k() {\n}\n"), kPtx);
}

}  // namespace
}  // namespace cudalab::compile
