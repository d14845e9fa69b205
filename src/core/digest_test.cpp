// The digests match XXH3's published values, and hashing in parts gives the same result as hashing at once.
#include "core/digest.h"

#include <gtest/gtest.h>

#include <vector>

namespace cudalab {
namespace {

// The values are from the list published by the authors (Fowler, Noll, Vo).
TEST(FnvHash, MatchesTheAuthorsValues) {
  EXPECT_EQ(fnv_hash(""), 0xcbf29ce484222325u);
  EXPECT_EQ(fnv_hash("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(fnv_hash("foobar"), 0x85944171f73967e8u);
}

TEST(FnvHash, TreatsBytesAsUnsigned) { EXPECT_EQ(fnv_hash("\xff"), fnv_hash(kFnvBasis, 255)); }

TEST(Digest, MatchesThePublishedValueOfTheEmptyInput) {
  EXPECT_EQ(digest(std::string_view()), "99aa06d3014798d86001c324468d497f");
}

TEST(Digest, HasThirtyTwoHexadecimalDigitsAndChangesWithOneByte) {
  const std::string first = digest("transpose"), second = digest("transposf");
  EXPECT_EQ(first.size(), 32u);
  EXPECT_EQ(first.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(first, second);
}

TEST(Digester, EqualsTheDigestOfTheWholeForAnyDivision) {
  std::string text(5000, 'x');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 31);
  for (std::size_t cut : {std::size_t{0}, std::size_t{1}, std::size_t{240}, std::size_t{4999}}) {
    Digester digester;
    digester.add(std::string_view(text).substr(0, cut));
    digester.add(std::string_view(text).substr(cut));
    EXPECT_EQ(digester.hex(), digest(text)) << cut;
  }
}

TEST(Digester, FieldBoundariesChangeTheDigest) {
  Digester first, second;
  first.add_field("ab");
  first.add_field("c");
  second.add_field("a");
  second.add_field("bc");
  EXPECT_NE(first.hex(), second.hex());
}

}  // namespace
}  // namespace cudalab
