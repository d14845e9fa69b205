// Tests the replacement of 16-byte copies by vector accesses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/clang/clang.h"

namespace cudalab::compile {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string call(const std::string& to, const std::string& from, int bytes) {
  return "  call void @llvm.memcpy.p0.p0.i64(" + to + ", " + from + ", i64 " + std::to_string(bytes) +
         ", i1 false), !dbg !28, !tbaa.struct !29\n";
}

TEST(VectorCopies, TakeThePlaceOfCopiesOfAlignedStructures) {
  const std::string text = with_vector_copies(call("ptr align 16 %a", "ptr align 16 @b", 16));
  EXPECT_THAT(text, Not(HasSubstr("memcpy")));
  EXPECT_THAT(text, HasSubstr("getelementptr i8, ptr @b, i64 0, !dbg !28\n"));
  EXPECT_THAT(text, HasSubstr("load <4 x i32>, ptr %cudalab.0.0.from, align 16, !dbg !28\n"));
  EXPECT_THAT(text, HasSubstr("store <4 x i32> %cudalab.0.0, ptr %cudalab.0.0.to, align 16, !dbg !28\n"));
}

TEST(VectorCopies, LoadAllBeforeTheyStore) {
  const std::string text = with_vector_copies(call("ptr align 16 %a", "ptr align 32 %b", 32));
  EXPECT_LT(text.rfind("= load"), text.find("store"));
  EXPECT_THAT(text, HasSubstr("ptr %b, i64 16"));
}

TEST(VectorCopies, ReadOperandsThatAreExpressions) {
  const std::string from =
      "addrspacecast (ptr addrspace(3) getelementptr ([4 x i8], ptr addrspace(3) @s) to ptr)";
  EXPECT_THAT(with_vector_copies(call("ptr noundef align 16 %a", "ptr align 16 " + from, 16)),
              HasSubstr("getelementptr i8, ptr " + from + ", i64 0"));
}

TEST(VectorCopies, LeaveWhatIsNotAlignedOrNotAMultiple) {
  for (const std::string& line :
       {call("ptr align 8 %a", "ptr align 16 %b", 16), call("ptr align 16 %a", "ptr align 4 %b", 16),
        call("ptr align 16 %a", "ptr align 16 %b", 12), call("ptr align 16 %a", "ptr align 16 %b", 4096),
        std::string("  store i32 0, ptr %a\n"), std::string("no line break")})
    EXPECT_EQ(with_vector_copies(line), line);
}

}  // namespace
}  // namespace cudalab::compile
