// Parses small PTX texts, one for each rule of the grammar, and looks at the module that comes out.
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "ptx/module.h"

namespace cudalab::ptx {
namespace {

constexpr std::string_view kHeader = ".version 8.0\n.target sm_90\n.address_size 64\n";

Module parse_items(std::string_view items) { return parse(std::string(kHeader) + std::string(items), "test.ptx"); }

Function parse_body(std::string_view statements) {
  return parse_items(".visible .entry f()\n{\n" + std::string(statements) + "\n}\n").functions.at(0);
}

std::vector<Instruction> instructions(const Function& function) {
  std::vector<Instruction> result;
  for (const Statement& statement : function.body)
    if (const Instruction* instruction = std::get_if<Instruction>(&statement)) result.push_back(*instruction);
  return result;
}

Instruction parse_one(std::string_view statement) { return instructions(parse_body(statement)).at(0); }

std::string message_of(std::string_view text) {
  try {
    parse(text, "test.ptx");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "no error";
}

TEST(PtxParser, ReadsTheHeader) {
  const Module module = parse(".version 8.10\n.target sm_90a, debug\n.address_size 64\n", "test.ptx");
  EXPECT_EQ(module.version_major, 8);
  EXPECT_EQ(module.version_minor, 10);
  EXPECT_EQ(module.target, "sm_90a");
  EXPECT_EQ(module.target_options, std::vector<std::string>{"debug"});
  EXPECT_EQ(module.address_size, 64);
}

TEST(PtxParser, SplitsAnOpcodeAtItsDots) {
  const Instruction load = parse_one("ld.global.L1::no_allocate.v4.f32 {%f1, %f2, _, %f4}, [%rd1+-16];");
  EXPECT_EQ(load.opcode, "ld.global.L1::no_allocate.v4.f32");
  EXPECT_EQ(load.parts, (std::vector<std::string>{"ld", "global", "L1::no_allocate", "v4", "f32"}));
  ASSERT_EQ(load.operands.size(), 2u);
  EXPECT_EQ(std::get<Vector>(load.operands[0].value).elements.size(), 4u);
  EXPECT_EQ(std::get<Address>(load.operands[1].value).offset, -16);
  EXPECT_EQ(load.ptx_line, 6);
}

TEST(PtxParser, RenamesWhatAnInnerScopeHides) {
  const Function function = parse_body(
      ".reg .b32 t;\n mov.b32 t, 1;\n"
      "{ .reg .b32 t; mov.b32 t, 2; L: bra L; }\n"
      "{ .reg .b32 t; mov.b32 t, 3; bra L; L: }\n"
      "mov.b32 t, 4;");
  ASSERT_EQ(function.registers.size(), 3u);
  const auto moves = instructions(function);
  EXPECT_EQ(std::get<Register>(moves[0].operands[0].value).name, "t");
  EXPECT_EQ(std::get<Register>(moves[1].operands[0].value).name, "t@2");
  EXPECT_EQ(std::get<Symbol>(moves[2].operands[0].value).name, "L@2");
  EXPECT_EQ(std::get<Register>(moves[3].operands[0].value).name, "t@3");
  EXPECT_EQ(std::get<Symbol>(moves[4].operands[0].value).name, "L@3");
  EXPECT_EQ(std::get<Register>(moves[5].operands[0].value).name, "t");
}

TEST(PtxParser, SaysWhereAndWhatItExpected) {
  EXPECT_EQ(message_of("hello"), "test.ptx:1:1: expected `.version`, found `hello`");
  EXPECT_EQ(message_of(".version 8.0\n.target sm_90\n.visible .entry f() {\n  mov.b32 %r1 %r2;\n}"),
            "test.ptx:4:15: expected `;`, found `%r2`");
  EXPECT_EQ(message_of(".version 8.0\n.target sm_90\n.visible .entry f() {"),
            "test.ptx:3:22: expected an instruction, a label or a declaration, found the end of the text");
}

}  // namespace
}  // namespace cudalab::ptx
