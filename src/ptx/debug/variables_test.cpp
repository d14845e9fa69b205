// Tests variables from nvcc's debug information, and damaged debug information.
#include "ptx/debug/variables.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ptx/debug/debug_sample_testing.h"

namespace cudalab::ptx {
namespace {

std::string replaced_once(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// One line per variable with its scope, such as "int sum: %r1 L1-L2".
std::vector<std::string> described(std::string_view ptx) {
  std::vector<std::string> all;
  for (const DebugFunction& function : debug_functions(ptx))
    for (const DebugVariable& variable : function.variables) {
      std::string text =
          fmt::format("{} {} {}-{}:", variable.type, variable.name, variable.scope.begin, variable.scope.end);
      for (const DebugPlace& place : variable.places)
        text += fmt::format(" {}+{} {}-{}", place.name, place.offset, place.range.begin, place.range.end);
      all.push_back(text);
    }
  return all;
}

TEST(DebugVariables, HaveTypesScopesAndPlaces) {
  const std::vector<std::string> expected{
      "int* out $L__func_begin0-$L__func_end0: test_param_0+0 -",
      "int n $L__func_begin0-$L__func_end0: test_param_1+0 -",
      "Pair pair $L__tmp0-$L__tmp11: __local_depot0+0 -",
      "int sum $L__tmp0-$L__tmp11: %r1+0 -",
      "int i $L__tmp1-$L__tmp10: %r2+0 $L__tmp2-$L__tmp3 %r14+0 $L__tmp3-$L__tmp4 %r3+0 "
      "$L__tmp4-$L__tmp8 %r4+0 $L__tmp8-$L__tmp9 %r14+0 $L__tmp9-$L__func_end0",
      "unsigned char sum $L__tmp5-$L__tmp7: %r8+0 -"};
  EXPECT_EQ(described(kVariablesSample), expected);
}

TEST(DebugVariables, AreSplitIntoNumbers) {
  const std::vector<DebugFunction> functions = debug_functions(kVariablesSample);
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(functions[0].begin, "$L__func_begin0");
  const DebugVariable& pair = functions[0].variables.at(2);
  ASSERT_EQ(pair.parts.size(), 3u);
  EXPECT_EQ(pair.parts[0].name, "pair.x");
  EXPECT_EQ(pair.parts[0].type, Type::kF32);
  EXPECT_EQ(pair.parts[2].name, "pair.n[1]");
  EXPECT_EQ(pair.parts[2].type, Type::kS16);
  EXPECT_EQ(pair.parts[2].offset, 6u);
  EXPECT_EQ(pair.line, 3);
}

// Later compilers refer to location lists by labels in the section.
TEST(DebugVariables, AreFoundByLabelsInSections) {
  const std::string named = replaced_once(replaced_once(kVariablesSample, ".section .debug_loc\n{\n",
                                                        ".section .debug_loc\n{\n.b8 1,2\n$L__debug_loc0:\n"),
                                          ".b32 .debug_loc\n", ".b32 $L__debug_loc0\n");
  EXPECT_EQ(described(named), described(kVariablesSample));
}

// `short n[2]` becomes an array of 201 elements. Only the first 64 are listed.
TEST(DebugVariables, ListOnlyTheFirstElementsOfLongArrays) {
  const std::string longer = replaced_once(kVariablesSample, ".b32 128\n.b8 2,0,", ".b32 128\n.b8 201,0,");
  const DebugVariable pair = debug_functions(longer).at(0).variables.at(2);
  ASSERT_EQ(pair.parts.size(), kMostParts);
  EXPECT_EQ(pair.parts.back().name, "pair.n[62]");
}

TEST(DebugVariables, AreAbsentWithoutDebugInformation) {
  EXPECT_TRUE(debug_functions(".version 8.0\n.target sm_90\n").empty());
  EXPECT_TRUE(debug_functions(".section .debug_info\n{\n.b8 1,2\n}\n").empty());
}

// Tests a later DWARF version, an unknown form (the entries after it, including types, are lost) and an
// unknown kind of location.
TEST(DebugVariables, AreLeftOutIfTheyCannotBeRead) {
  EXPECT_TRUE(described(replaced_once(kVariablesSample, ".b32 394\n.b8 2,0", ".b32 394\n.b8 5,0")).empty());
  const std::string unknown_form = replaced_once(kVariablesSample, "52,0,2,6,3,8", "52,0,2,99,3,8");
  EXPECT_EQ(described(unknown_form),
            std::vector<std::string>{"Pair pair $L__tmp0-$L__tmp11: __local_depot0+0 -"});
  const std::string unknown_place =
      replaced_once(kVariablesSample, "12,5,144,177,228,149,1,2,115", "12,5,159,177,228,149,1,2,115");
  EXPECT_EQ(described(unknown_place).size(), 5u);
}

// Truncated text causes no fault, and a type that contains itself causes no endless recursion.
TEST(DebugVariables, HandleHostileText) {
  const std::string sample = kVariablesSample;
  for (std::size_t end = 0; end < sample.size(); end += 7) debug_functions(sample.substr(0, end));
  const std::string endless = replaced_once(sample, ".b32 373\n.b32 12", ".b32 364\n.b32 12");
  EXPECT_EQ(debug_functions(endless).at(0).variables.at(0).type, "void********************************");
}

}  // namespace
}  // namespace cudalab::ptx
