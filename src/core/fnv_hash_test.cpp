#include "core/fnv_hash.h"

#include <gtest/gtest.h>

namespace cudalab {
namespace {

// The values of the authors' own list (Fowler, Noll, Vo).
TEST(FnvHash, IsThatOfItsAuthors) {
  EXPECT_EQ(fnv_hash(""), 0xcbf29ce484222325u);
  EXPECT_EQ(fnv_hash("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(fnv_hash("foobar"), 0x85944171f73967e8u);
}

TEST(FnvHash, TakesBytesAboveAsciiAsNumbersWithoutSign) {
  EXPECT_EQ(fnv_hash("\xff"), fnv_hash(kFnvBasis, 255));
}

}  // namespace
}  // namespace cudalab
