// Checks that the names of hoisted scopes are unique and that each use refers to the right declaration.
#include "ptx/names.h"

#include <gtest/gtest.h>

namespace cudalab::ptx {
namespace {

constexpr auto kRegister = Names::Kind::kRegister;
constexpr auto kVariable = Names::Kind::kVariable;
constexpr auto kLabel = Names::Kind::kLabel;

Names names_beside(std::string module_name = "") {
  return Names([=](std::string_view name) { return name == module_name; });
}

TEST(PtxNames, UndeclaredNamesAreSpecialRegistersOrSymbols) {
  const Names names = names_beside();
  EXPECT_TRUE(names.resolve("%tid.x").is_register);
  EXPECT_EQ(names.resolve("%tid.x").name, "%tid.x");
  EXPECT_FALSE(names.resolve("printf").is_register);
}

TEST(PtxNames, ANameEndsWithItsScope) {
  Names names = names_beside();
  names.declare("x", kRegister);
  names.enter();
  EXPECT_EQ(names.declare("x", kVariable), "x@2");
  EXPECT_EQ(names.resolve("x").name, "x@2");
  EXPECT_FALSE(names.resolve("x").is_register);
  names.leave();
  EXPECT_EQ(names.resolve("x").name, "x");
  EXPECT_TRUE(names.resolve("x").is_register);
}

TEST(PtxNames, SiblingsGetDifferentNumbers) {
  Names names = names_beside();
  for (const char* expected : {"%tmp", "%tmp@2", "%tmp@3"}) {
    names.enter();
    EXPECT_EQ(names.declare("%tmp", kRegister), expected);
    EXPECT_EQ(names.resolve("%tmp.x").name, std::string(expected) + ".x");
    names.leave();
  }
}

TEST(PtxNames, AnInnerScopeHidesAModuleNameOnlyWhileOpen) {
  Names names = names_beside("buffer");
  EXPECT_EQ(names.declare("buffer", kVariable), "buffer");
  names.enter();
  EXPECT_EQ(names.declare("buffer", kVariable), "buffer@2");
}

TEST(PtxNames, RangesConflictThroughTheirMembers) {
  Names names = names_beside();
  EXPECT_EQ(names.declare_registers("%r", 12), "%r");
  EXPECT_EQ(names.declare_registers("t", 3), "t");
  EXPECT_TRUE(names.resolve("t2").is_register);
  EXPECT_FALSE(names.resolve("t3").is_register);
  EXPECT_FALSE(names.resolve("t02").is_register);
  names.enter();
  EXPECT_EQ(names.declare_registers("%r", 2), "%r@2_");
  EXPECT_EQ(names.resolve("%r1").name, "%r@2_1");
  EXPECT_EQ(names.resolve("%r7").name, "%r7");
  EXPECT_EQ(names.declare("%r11", kRegister), "%r11@2");
  names.leave();
  EXPECT_EQ(names.resolve("%r1").name, "%r1");
}

TEST(PtxNames, RangesAvoidSingleRegisters) {
  Names names = names_beside();
  names.declare("a1", kRegister);
  names.enter();
  EXPECT_EQ(names.declare_registers("a", 2), "a@2_");
  EXPECT_EQ(names.declare_registers("b1", 5), "b1");
  names.enter();
  EXPECT_EQ(names.declare_registers("b", 20), "b@2_");
}

TEST(PtxNames, InnerLabelsAreAlwaysRenamed) {
  Names names = names_beside();
  EXPECT_EQ(names.declare("top", kLabel), "top");
  names.enter();
  EXPECT_EQ(names.declare("loop", kLabel), "loop@2");
  EXPECT_EQ(names.resolve("loop").name, "loop");
  EXPECT_EQ(names.leave(), (std::vector<Names::Renaming>{{"loop", "loop@2"}}));
}

TEST(PtxNames, AScopeDeclaresANameOnlyOnce) {
  Names names = names_beside();
  EXPECT_TRUE(names.declare("x", kRegister));
  EXPECT_FALSE(names.declare("x", kLabel));
  EXPECT_TRUE(names.declare_registers("%r", 2));
  EXPECT_FALSE(names.declare_registers("%r", 5));
}

TEST(PtxNames, ARenamedNameAvoidsSimilarNames) {
  Names names = names_beside();
  names.declare("x", kRegister);
  names.declare("x@2", kRegister);
  names.enter();
  EXPECT_EQ(names.declare("x", kRegister), "x@3");
}

}  // namespace
}  // namespace cudalab::ptx
