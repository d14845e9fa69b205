// Copies are found in other clothes, and work of one's own is not.
#include "grading/likeness/winnowing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"

namespace cudalab::grading {
namespace {

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

// Each of a student of its own.
std::vector<LikePair> pairs_of(const std::vector<std::string>& sources,
                               const std::vector<std::string>& known = {}) {
  std::vector<HandedIn> handed_in;
  for (const std::string& source : sources) handed_in.push_back({std::to_string(handed_in.size()), source});
  return like_pairs(handed_in, known);
}

TEST(Winnowing, FindsACopyInOtherClothes) {
  const Likeness found = likeness(fingerprints_of(kOne), fingerprints_of(disguised()), {});
  EXPECT_GT(found.share, 0.95);
  EXPECT_EQ(found.line, 1);
  EXPECT_GT(found.other_line, 1);
}

TEST(Winnowing, LeavesWorkOfOnesOwnAlone) {
  EXPECT_LT(likeness(fingerprints_of(kOne), fingerprints_of(kAnother), {}).share, 0.3);
  EXPECT_TRUE(pairs_of({kOne, kAnother}).empty());
}

TEST(Winnowing, MasksWhatTheCourseHandsOut) {
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

TEST(Winnowing, FindsAStretchThatIsLongEnoughWhereverItStands) {
  const std::string body = kOne.substr(kOne.find('{'));
  const Likeness found = likeness(fingerprints_of(body), fingerprints_of(kAnother + body), {});
  EXPECT_GT(found.share, 0.9);
}

TEST(Winnowing, OfNextToNothingFindsNothing) {
  for (const char* text : {"", "a", "int x;"}) EXPECT_TRUE(fingerprints_of(text).empty());
  EXPECT_TRUE(pairs_of({"", ""}).empty());
}

}  // namespace
}  // namespace cudalab::grading
