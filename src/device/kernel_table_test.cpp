// Kernels found by each of their names, and the messages where none is.
#include "device/kernel_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/refusal_testing.h"

namespace cudalab::device {
namespace {
using testing::HasSubstr;

// Names as NVRTC gives them to: scale(float*, int); add<float>; add<double>; mm<float, 16>; float table[4].
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

std::string message_of(const KernelTable& table, const std::string& name) {
  return refusal_of([&] { table.kernel(name); });
}

TEST(KernelTable, FindsKernelsByEveryNameTheyHave) {
  const KernelTable table = table_of(kTablePtx);
  for (const char* name : {"scale", "_Z5scalePfi"})
    EXPECT_EQ(table.kernel(name).symbol, "_Z5scalePfi") << name;
  EXPECT_EQ(table.kernel("add<double>").symbol, "_Z3addIdEvPT_");
  for (const char* name : {"mm<float,16>", "mm<float, 16>", "mm<float, 4*4>", "mm"})
    EXPECT_EQ(table.kernel(name).symbol, "_Z2mmIfLi16EEvPT_") << name;
  EXPECT_EQ(table.kernel("plain").name, "plain");
}

TEST(KernelTable, NamesKernelsAsTheSourceDoes) {
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

TEST(KernelTable, ListsTheKernelsWhereOneIsNotFound) {
  EXPECT_EQ(message_of(table_of(kTablePtx), "scal"),
            "a.cu has no kernel `scal`; it has scale, add<float>, add<double>, mm<float,4*4>, plain");
  EXPECT_THAT(message_of(table_of(".version 9.0\n.target sm_90\n.address_size 64\n"), "scale"),
              HasSubstr("a.cu has no kernel: mark one with __global__"));
}

TEST(KernelTable, RefusesANameOfSeveral) {
  EXPECT_EQ(message_of(table_of(kTablePtx), "add"),
            "`add` names several kernels of a.cu; choose one of _Z3addIdEvPT_, _Z3addIfEvPT_");
}

TEST(KernelTable, FindsVariables) {
  const KernelTable table = table_of(kTablePtx);
  EXPECT_EQ(table.variable_symbol("table"), "table");
  EXPECT_THROW(table.variable_symbol("scale"), Error);
}

TEST(SourceName, CutsReturnTypeAndParameters) {
  EXPECT_EQ(source_name("_Z2mmIfLi16EEvPT_"), "mm<float, 16>");
  EXPECT_EQ(source_name("_ZN1n1kEPFivE"), "n::k");  // k(int (*)())
  EXPECT_EQ(source_name("scale"), "scale");
  EXPECT_EQ(source_name("a"), "a");  // not `signed char`
  EXPECT_EQ(source_name("_ZN12_GLOBAL__N_16hiddenEPi"), "hidden");
}

}  // namespace
}  // namespace cudalab::device
