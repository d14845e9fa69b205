// Tests which declarations of arrays are found, and that uncertain sizes are left out.
#include "compile/sources/declared_arrays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cudalab::compile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::uint64_t> inner_of(const std::string& declaration) {
  const std::vector<DeclaredArray> shapes = array_shapes(declaration);
  return shapes.size() == 1 ? shapes[0].inner : std::vector<std::uint64_t>{};
}

TEST(ArrayShapes, AreNumbersSumsMacrosAndConstants) {
  EXPECT_THAT(inner_of("__shared__ float tile[32][33];"), ElementsAre(33));
  EXPECT_THAT(inner_of("__shared__ float t[2][TILE][3];\n#define TILE 8 // rows"), ElementsAre(8, 3));
  EXPECT_THAT(inner_of("#define TILE 16\n__shared__ int t[TILE][TILE + 1];"), ElementsAre(17));
  EXPECT_THAT(inner_of("constexpr int kA = 4, kB = 2 * (kA + 1);\n__constant__ double m[kA][kB];"),
              ElementsAre(10));
  EXPECT_THAT(inner_of("__shared__ alignas(16) float t[4][(2 + 1) * 3];"), ElementsAre(9));
  EXPECT_THAT(inner_of("static __device__ int a[9], b[N][12u];"), ElementsAre(12));
  const auto two = array_shapes("__shared__ float a[4][5], b[6][7];");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[1].name, "b");
}

TEST(ArrayShapes, WhatIsNotCertainIsNoShape) {
  for (const char* source :
       {"__shared__ float tile[32];", "float tile[32][33];", "__shared__ float t[4][N];",
        "#define N 4\n#undef N\n#define N 5\n__shared__ float t[4][N];",
        "template <int N> __device__ int f(int x[4][4]) { return 1; }", "__shared__ float t[4][sizeof(int)];",
        "__shared__ float t[4][8 - 9];", "#define A B\n#define B A\n__shared__ float t[4][A];",
        "// __shared__ int t[4][4];"})
    EXPECT_THAT(array_shapes(source), IsEmpty()) << source;
}

// Macros on the compiler's command line override the source's defaults.
TEST(ArrayShapes, KnowTheMacrosThatTheCompilerWasTold) {
  const std::string source =
      "#ifndef TILE\n#define TILE 16\n#endif\n__shared__ float tile[TILE][TILE + PAD];";
  EXPECT_THAT(array_shapes(source), IsEmpty());
  const auto shapes = array_shapes(source, {{"TILE", "32"}, {"PAD", "1"}});
  ASSERT_EQ(shapes.size(), 1u);
  EXPECT_EQ(shapes[0].inner, (std::vector<std::uint64_t>{33}));
}

}  // namespace
}  // namespace cudalab::compile
