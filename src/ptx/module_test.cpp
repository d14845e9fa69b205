// Checks the table of types against the enumeration and PTX's sizes.
#include "ptx/module.h"

#include <gtest/gtest.h>

namespace cudalab::ptx {

namespace {

TEST(PtxTypes, EachRowIsAtItsIndexAndFoundByName) {
  for (int index = 1; index <= static_cast<int>(Type::kSurfref); ++index) {
    const Type type = static_cast<Type>(index);
    EXPECT_EQ(info(type).type, type);
    EXPECT_EQ(type_named(info(type).name), type);
  }
}

TEST(PtxTypes, HavePtxSizes) {
  EXPECT_EQ(info(Type::kB8).bytes, 1u);
  EXPECT_EQ(info(Type::kF16x2).bytes, 4u);
  EXPECT_EQ(info(Type::kF64).bytes, 8u);
  EXPECT_EQ(info(Type::kB128).bytes, 16u);
  EXPECT_EQ(info(Type::kPred).bytes, 0u);
}

TEST(PtxTypes, OtherNamesAreNotTypes) {
  EXPECT_FALSE(type_named(""));
  EXPECT_FALSE(type_named("u3"));
  EXPECT_FALSE(type_named(".u32"));
}

}  // namespace
}  // namespace cudalab::ptx
