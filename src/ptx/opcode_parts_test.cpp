// Tests access to opcode parts and operand elements.
#include "ptx/opcode_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ptx/parser.h"

namespace cudalab::ptx {
namespace {

using testing::ElementsAre;

// The registers of an operand's elements: "" for an element of another kind, "[…]" for an address.
std::vector<std::string> elements_of(const std::string& instruction, std::size_t operand) {
  const Module module = parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n" + instruction + "\nret;\n}\n",
      "k.ptx");
  std::vector<std::string> names;
  for_each_element(std::get<Instruction>(module.functions.at(0).body.at(0)).operands.at(operand),
                   [&](const Operand& element) {
                     const Register* name = register_of(element);
                     const Register* base = base_register_of(element);
                     names.push_back(name ? name->name : base ? "[" + base->name + "]" : "");
                   });
  return names;
}

TEST(OperandElements, AreTheOperandOrItsElements) {
  EXPECT_THAT(elements_of("mov.u32 %r1, %r2;", 1), ElementsAre("%r2"));
  EXPECT_THAT(elements_of("mov.u32 %r1, 7;", 1), ElementsAre(""));
  EXPECT_THAT(elements_of("ld.global.v2.u32 {%r1, %r2}, [%rd1+8];", 0), ElementsAre("%r1", "%r2"));
  EXPECT_THAT(elements_of("ld.global.v2.u32 {%r1, %r2}, [%rd1+8];", 1), ElementsAre("[%rd1]"));
  EXPECT_THAT(elements_of("st.global.v2.u32 [%rd1], {%r1, 5};", 1), ElementsAre("%r1", ""));
  EXPECT_THAT(elements_of("setp.lt.and.u32 %p1|%p2, %r1, %r2, !%p3;", 0), ElementsAre("%p1", "%p2"));
  EXPECT_THAT(elements_of("setp.lt.and.u32 %p1|%p2, %r1, %r2, !%p3;", 3), ElementsAre("%p3"));
}

}  // namespace
}  // namespace cudalab::ptx
