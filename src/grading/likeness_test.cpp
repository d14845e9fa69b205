// Tests tokens, and which changes leave a source equal to another.
#include "grading/likeness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"

namespace cudalab::grading {

namespace {

using testing::ElementsAre;

std::vector<std::string> texts_of(std::string_view source) {
  std::vector<std::string> texts;
  for (const Token& token : tokens_of(source)) texts.emplace_back(token.text);
  return texts;
}

TEST(Tokens, AreIdentifiersNumbersStringsAndOperators) {
  EXPECT_THAT(texts_of("a+=0x1p-3f; k<<<1, 2>>>(\"x\\\"y\", 'c')"),
              ElementsAre("a", "+=", "0x1p-3f", ";", "k", "<<<", "1", ",", "2", ">>>", "(", "\"x\\\"y\"", ",",
                          "'c'", ")"));
  EXPECT_THAT(texts_of("R\"x(a\")x\" b"), ElementsAre("R\"x(a\")x\"", "b"));
}

TEST(Tokens, OmitBlanksAndComments) {
  EXPECT_EQ(texts_of("a // b \\\n c\n+ /* d\n e */ f"), texts_of("a+f"));
  EXPECT_EQ(tokens_of("a /*\n\n*/ b")[1].line, 3);
}

TEST(Tokens, OfADirectiveEndWithItsLine) {
  EXPECT_THAT(texts_of("#define A b\nc"), ElementsAre("#", "define", "A", "b", "\n", "c"));
  EXPECT_THAT(texts_of("#define A \\\n b"), ElementsAre("#", "define", "A", "b", "\n"));
}

TEST(Tokens, OmitCodeUnderIfZero) {
  EXPECT_THAT(texts_of("#if 0\na b\n#endif\nc"), ElementsAre("#", "if", "0", "\n", "#", "endif", "\n", "c"));
}

TEST(Tokens, KnowTheirLines) {
  const auto tokens = tokens_of("a\n#define B \\\n c\nd");
  ASSERT_EQ(tokens.size(), 7u);
  EXPECT_EQ(tokens[4].line, 3);
  EXPECT_EQ(tokens[6].line, 4);
}

TEST(Tokens, EndForUnterminatedText) {
  for (const char* source : {"\"abc", "'", "/* x", "R\"(", "R\"", "// \\", "\"\\", "\xff\xfe", "#", "1e"})
    EXPECT_LE(tokens_of(source).size(), 3u) << source;
}

constexpr const char* kSource =
    "#define WARPS (BLOCK / 32)\n"
    "__device__ TYPE twice(TYPE value) { return 2 * value; }\n"
    "__global__ void k(const TYPE* in, TYPE* out, unsigned n) {\n"
    "  unsigned i = blockIdx.x * BLOCK + threadIdx.x, j = i + WARPS;\n"
    "  if (i < n) atomicAdd(&out[j], twice(in[i])); }";

std::string with(std::string_view what, std::string_view instead) {
  std::string text = kSource;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + instead.size()))
    text.replace(at, what.size(), instead);
  return text;
}

TEST(Names, OwnNamesDoNotDistinguishSources) {
  EXPECT_TRUE(differs_in_names_only(kSource, kSource));
  EXPECT_TRUE(differs_in_names_only(kSource, with("twice", "doubled")));
  EXPECT_TRUE(differs_in_names_only(kSource, with("value", "x")));
  EXPECT_TRUE(differs_in_names_only(kSource, with("WARPS", "OF_WARPS")));
  EXPECT_TRUE(differs_in_names_only(kSource, with("out", "result")));
  EXPECT_TRUE(differs_in_names_only(kSource, with("  ", "\t// nothing\n")));
}

TEST(Names, OtherNamesDistinguishSources) {
  EXPECT_FALSE(differs_in_names_only(kSource, with("atomicAdd", "atomicSub")));
  EXPECT_FALSE(differs_in_names_only(kSource, with("threadIdx.x", "threadIdx.y")));
  EXPECT_FALSE(differs_in_names_only(kSource, with("BLOCK", "TILE")));
  EXPECT_FALSE(differs_in_names_only(kSource, with("unsigned n", "int n")));
  EXPECT_FALSE(differs_in_names_only(kSource, with("in[i]", "in[j]")));
  EXPECT_FALSE(differs_in_names_only(kSource, with("2 *", "3 *")));
  EXPECT_FALSE(
      differs_in_names_only(kSource, with("const TYPE* in, TYPE* out", "const TYPE* out, TYPE* in")));
}

// Copies are detected despite changes, and independent work is not flagged.

const std::string kHead =
    "extern \"C\" __global__ void k(const float* in, float* out, unsigned rows, unsigned cols)\n";
const std::string kOne = kHead + R"({
  __shared__ float tile[32][33];
  unsigned row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
  __syncthreads();
  row = blockIdx.x * 32 + threadIdx.y; col = blockIdx.y * 32 + threadIdx.x;
  if (row < cols && col < rows) out[row * rows + col] = tile[threadIdx.x][threadIdx.y];
})";
const std::string kAnother = kHead + R"({
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < size_t(rows) * cols;
       i += gridDim.x * blockDim.x) {
    const unsigned r = i / cols, c = i % cols;
    float held = __ldg(&in[i]);
    while (held != held) { held = 0; break; }
    out[size_t(c) * rows + r] = held;
  }
})";

std::string disguised() {
  std::string text = replaced(replaced(kOne, "tile", "block_of_numbers"), "row", "line");
  return "// my own work\n" + replaced(replaced(text, "33", "35"), ";", " ;\n\n");
}

// Each source belongs to a different student.
std::vector<LikePair> pairs_of(const std::vector<std::string>& sources,
                               const std::vector<std::string>& known = {}) {
  std::vector<HandedIn> handed_in;
  for (const std::string& source : sources) handed_in.push_back({std::to_string(handed_in.size()), source});
  return like_pairs(handed_in, known);
}

TEST(Winnowing, FindsADisguisedCopy) {
  const Likeness found = likeness(fingerprints_of(kOne), fingerprints_of(disguised()), {});
  EXPECT_GT(found.share, 0.95);
  EXPECT_EQ(found.line, 1);
  EXPECT_GT(found.other_line, 1);
}

TEST(Winnowing, IgnoresIndependentWork) {
  EXPECT_LT(likeness(fingerprints_of(kOne), fingerprints_of(kAnother), {}).share, 0.3);
  EXPECT_TRUE(pairs_of({kOne, kAnother}).empty());
}

TEST(Winnowing, IgnoresCodeThatTheCourseHandsOut) {
  EXPECT_EQ(likeness(fingerprints_of(kOne), fingerprints_of(disguised()), fingerprints_of(kOne)).shared, 0u);
  EXPECT_TRUE(pairs_of({kOne, disguised()}, {kOne}).empty());
  ASSERT_EQ(pairs_of({kOne, disguised(), kAnother}, {kAnother}).size(), 2u);
  EXPECT_EQ(pairs_of({kOne, disguised(), kAnother}, {kAnother})[0].other, 1u);
}

TEST(Winnowing, ACopierWithTwoFilesIsFoundAllTheSame) {
  const std::string changed = replaced(disguised(), "__syncthreads()", "__syncwarp(), __syncthreads()");
  const std::vector<LikePair> pairs = like_pairs({{"ada", kOne}, {"eve", changed}, {"eve", changed}}, {});
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs[1].other, 0u);
  EXPECT_EQ(pairs[2].other, 0u);
  EXPECT_TRUE(like_pairs({{"eve", kOne}, {"eve", disguised()}}, {}).empty());
}

TEST(Winnowing, FindsALongCommonPartAnywhere) {
  const std::string body = kOne.substr(kOne.find('{'));
  const Likeness found = likeness(fingerprints_of(body), fingerprints_of(kAnother + body), {});
  EXPECT_GT(found.share, 0.9);
}

// However many hand in the same kernel: what more than ten students share is an idiom only in different
// kernels.
TEST(Winnowing, FindsARingOfCopiesLargerThanTheThresholdOfIdioms) {
  const std::vector<std::string> ring(2 * kFewOwners, kOne);
  EXPECT_EQ(pairs_of(ring).size(), ring.size());
  std::vector<std::string> with_another = ring;
  with_another.push_back(kAnother);
  EXPECT_EQ(pairs_of(with_another).size(), ring.size());
}

TEST(Winnowing, FindsNothingInTinySources) {
  for (const char* text : {"", "a", "int x;"}) EXPECT_TRUE(fingerprints_of(text).empty());
  EXPECT_TRUE(pairs_of({"", ""}).empty());
}

}  // namespace
}  // namespace cudalab::grading
