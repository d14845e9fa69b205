// Modules of PTX become one: definitions replace declarations, and what is an object's own stays its own.
#include "runtime/modules/linking.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace cudalab::runtime {
namespace {

ptx::Module module(const std::string& body) {
  return ptx::parse(".version 9.0\n.target sm_90\n.address_size 64\n" + body, "test.ptx");
}

const char* const kCaller =
    ".extern .func twice;\n.global .b8 text[4] = {1, 2, 3, 4};\n.visible .entry first() {\n  .reg .b64 "
    "%rd<2>;\n"
    "  mov.u64 %rd1, text;\n  call twice;\n  ret;\n}\n";
const char* const kCallee =
    ".global .b8 text[4] = {5, 6, 7, 8};\n.visible .func twice {\n  .reg .b64 %rd<2>;\n  mov.u64 %rd1, "
    "text;\n"
    "  ret;\n}\n";

TEST(Linking, ADefinitionReplacesADeclarationInEitherOrder) {
  for (const bool callee_first : {false, true}) {
    std::vector<ptx::Module> parts;
    parts.push_back(module(callee_first ? kCallee : kCaller));
    parts.push_back(module(callee_first ? kCaller : kCallee));
    const ptx::Module whole = linked(std::move(parts));
    EXPECT_EQ(whole.functions.size(), 2u);
    EXPECT_FALSE(whole.find_function("twice")->is_declaration);
  }
}

TEST(Linking, WhatIsAnObjectsOwnGetsAnotherName) {
  std::vector<ptx::Module> parts;
  parts.push_back(module(kCaller));
  parts.push_back(module(kCallee));
  const ptx::Module whole = linked(std::move(parts));
  ASSERT_EQ(whole.variables.size(), 2u);
  EXPECT_EQ(whole.variables[0].name, "text");
  EXPECT_EQ(whole.variables[1].name, "text@object1");
  const auto& instruction = std::get<ptx::Instruction>(whole.find_function("twice")->body[0]);
  EXPECT_EQ(std::get<ptx::Symbol>(instruction.operands[1].value).name, "text@object1");
}

TEST(Linking, TwoDefinitionsOfOneNameAreRefused) {
  std::vector<ptx::Module> parts;
  parts.push_back(module(kCallee));
  parts.push_back(module(kCallee));
  EXPECT_THROW(linked(std::move(parts)), Error);
}

}  // namespace
}  // namespace cudalab::runtime
