// Parses small PTX texts, one per grammar rule, and checks the resulting module.
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "ptx/module.h"
#include "ptx/ptx_error_testing.h"
#include "ptx/sample_ptx_testing.h"
#include "ptx/text.h"

namespace cudalab::ptx {
namespace {

constexpr std::string_view kHeader = ".version 8.0\n.target sm_90\n.address_size 64\n";

Module parse_items(std::string_view items) {
  return parse(std::string(kHeader) + std::string(items), "test.ptx");
}

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

Message parser_refusal(std::string_view text) {
  return refused([&] { parse(text, "test.ptx"); });
}

TEST(PtxParser, ReadsTheHeader) {
  const Module module = parse(".version 8.10\n.target sm_90a, debug\n.address_size 64\n", "test.ptx");
  EXPECT_EQ(module.version_major, 8);
  EXPECT_EQ(module.version_minor, 10);
  EXPECT_EQ(module.target, "sm_90a");
  EXPECT_EQ(module.target_options, std::vector<std::string>{"debug"});
  EXPECT_EQ(module.address_size, 64);
}

std::string opcode_of(const std::string& written) { return parse_one(written + " %f1, %f2;").opcode; }

// ptxas accepts both orders. CUTLASS and other libraries write .x4 before the shape.
TEST(PtxParser, PutsModifiersIntoTheOrderOfTheManual) {
  EXPECT_EQ(opcode_of("ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16"),
            "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16");
  EXPECT_EQ(opcode_of("shfl.down.sync.b32"), "shfl.sync.down.b32");
  EXPECT_EQ(opcode_of("match.sync.any.b64"), "match.any.sync.b64");
  EXPECT_EQ(opcode_of("cvt.f32.rn.ftz.f16"), "cvt.rn.ftz.f32.f16");
  EXPECT_EQ(opcode_of("add.f32.ftz.rn"), "add.rn.ftz.f32");
  EXPECT_EQ(opcode_of("ld.u32.volatile.global"), "ld.volatile.global.u32");
  EXPECT_EQ(opcode_of("mma.sync.aligned.row.col.m16n8k16.f32.f16.f16.f32"),
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  EXPECT_EQ(parse_one("add.f32.rn %f1, %f2, %f3;").parts, (std::vector<Word>{"add", "rn", "f32"}));
}

TEST(PtxParser, KeepsModifiersWithSignificantOrUnknownOrder) {
  for (const char* opcode :
       {"cvt.u64.s32", "cvt.rn.relu.f16x2.f32", "min.ftz.NaN.xorsign.abs.f32", "prmt.b32.f4e",
        "mad.lo.cc.u32", "setp.lt.and.ftz.f32", "ld.global.nc.L1::no_allocate.L2::128B.v4.f32",
        "atom.add.release.gpu.global.u32", "vote.ballot.sync.b32",
        "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32", "cvt.pack.sat.u16.s32.b32"})
    EXPECT_EQ(opcode_of(opcode), opcode);
}

TEST(PtxParser, SplitsAnOpcodeAtItsDots) {
  const Instruction load = parse_one("ld.global.L1::no_allocate.v4.f32 {%f1, %f2, _, %f4}, [%rd1+-16];");
  EXPECT_EQ(load.opcode, "ld.global.L1::no_allocate.v4.f32");
  EXPECT_EQ(load.parts, (std::vector<Word>{"ld", "global", "L1::no_allocate", "v4", "f32"}));
  ASSERT_EQ(load.operands.size(), 2u);
  EXPECT_EQ(std::get<Vector>(load.operands[0].value).elements.size(), 4u);
  EXPECT_EQ(std::get<Address>(load.operands[1].value).offset, -16);
  EXPECT_EQ(load.ptx_line, 6);
}

TEST(PtxParser, JoinsAnOpcodeThatIsWrittenWithBlanks) {
  EXPECT_EQ(parse_one("mov .u32 %r1, 1;").opcode, "mov.u32");
}

// ---- operands ----------------------------------------------------------------------------------------

const Address& address(const Instruction& instruction, std::size_t operand) {
  return std::get<Address>(instruction.operands.at(operand).value);
}

TEST(PtxParser, ReadsEveryKindOfAddress) {
  const Instruction by_register = parse_one("ld.u32 %r1, [%rd1+8-4];");
  EXPECT_EQ(std::get<Register>(address(by_register, 1).base).name, "%rd1");
  EXPECT_EQ(address(by_register, 1).offset, 4);
  const Instruction by_symbol = parse_one("ld.u32 %r1, [table + 4 * 3];");
  EXPECT_EQ(std::get<Symbol>(address(by_symbol, 1).base).name, "table");
  EXPECT_EQ(address(by_symbol, 1).offset, 12);
  const Instruction by_number = parse_one("ld.u32 %r1, [0x100];");
  EXPECT_EQ(address(by_number, 1).base.index(), 0u);
  EXPECT_EQ(address(by_number, 1).offset, 256);
}

TEST(PtxParser, ReadsTextureAddresses) {
  const Instruction plain = parse_one("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5, 0f3F000000}];");
  ASSERT_EQ(address(plain, 1).coordinates.size(), 2u);
  EXPECT_EQ(std::get<Immediate>(address(plain, 1).coordinates[1]).bits, 0x3F000000u);
  EXPECT_EQ(address(plain, 1).sampler.index(), 0u);
  const Instruction sampled =
      parse_one("tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}|%p1, [tex, smp, {%f5}], {1}, %f6;");
  EXPECT_EQ(std::get<Symbol>(address(sampled, 1).sampler).name, "smp");
  EXPECT_EQ(sampled.operands.size(), 4u);
  EXPECT_TRUE(std::holds_alternative<DestinationPair>(sampled.operands[0].value));
  const Instruction scalar = parse_one("suld.b.1d.b32.trap {%r1}, [%rd1, %r2];");
  EXPECT_EQ(std::get<Register>(address(scalar, 1).coordinates.at(0)).name, "%r2");
  EXPECT_EQ(address(scalar, 1).sampler.index(), 0u);
}

TEST(PtxParser, ReadsPairsSinksAndNegations) {
  const Instruction shuffle = parse_one("shfl.sync.down.b32 %r1|%p2, %r2, 16, 31, -1;");
  const DestinationPair& pair = std::get<DestinationPair>(shuffle.operands[0].value);
  EXPECT_EQ(std::get<Register>(pair.elements.at(1).value).name, "%p2");
  EXPECT_EQ(std::get<Immediate>(shuffle.operands[4].value).bits, ~0ull);
  const Instruction elect = parse_one("elect.sync _|%p1, -1;");
  EXPECT_TRUE(std::holds_alternative<Underscore>(
      std::get<DestinationPair>(elect.operands[0].value).elements.at(0).value));
  const Instruction compare = parse_one("setp.lt.and.s32 %p1, %r1, 0, !%p2;");
  EXPECT_EQ(std::get<Negated>(compare.operands[3].value).name.name, "%p2");
}

TEST(PtxParser, DistinguishesSymbolsFromRegistersWithoutPercent) {
  const Function function =
      parse_body(".reg .b64 base, part<3>; mov.u64 base, array+16; mov.u64 part2, part3;");
  const auto moves = instructions(function);
  EXPECT_EQ(std::get<Register>(moves[0].operands[0].value).name, "base");
  EXPECT_EQ(std::get<Symbol>(moves[0].operands[1].value).offset, 16);
  EXPECT_EQ(std::get<Register>(moves[1].operands[0].value).name, "part2");
  EXPECT_EQ(std::get<Symbol>(moves[1].operands[1].value).name, "part3");
}

TEST(PtxParser, DistinguishesPartsOfRegistersFromElements) {
  const Instruction video = parse_one("vadd4.u32.u32.u32 %r1.b210, %tid.x, %v.b, %r3;");
  const auto name_of = [&](std::size_t i) { return std::get<Register>(video.operands[i].value); };
  EXPECT_EQ(name_of(0).name, "%r1");
  EXPECT_EQ(name_of(0).part, "b210");
  EXPECT_EQ(name_of(1).name, "%tid.x");
  EXPECT_EQ(name_of(2).name, "%v.b");
  EXPECT_EQ(name_of(3).part, "");
  EXPECT_EQ(to_text(video.operands[0]), "%r1.b210");
}

TEST(PtxParser, ReadsGuards) {
  const Instruction branch = parse_one("@!%p1 bra $L__BB0_1;");
  EXPECT_EQ(branch.guard->predicate, "%p1");
  EXPECT_TRUE(branch.guard->negated);
  EXPECT_FALSE(parse_one("@%p1 bra x;").guard->negated);
  EXPECT_FALSE(parse_one("bra x;").guard);
}

// ---- calls and jumps ---------------------------------------------------------------------------------

TEST(PtxParser, ReadsDirectCalls) {
  const Instruction full = parse_one("call.uni (retval0), \n f, \n (\n param0, param1\n );");
  EXPECT_EQ(full.parts, (std::vector<Word>{"call", "uni"}));
  EXPECT_EQ(full.call_target, "f");
  EXPECT_EQ(full.call_returns.size(), 1u);
  EXPECT_EQ(full.call_arguments.size(), 2u);
  EXPECT_EQ(full.call_prototype, "");
  EXPECT_EQ(parse_one("call f;").call_target, "f");
  EXPECT_EQ(parse_one("call f, (param0);").call_arguments.size(), 1u);
}

TEST(PtxParser, ReadsIndirectCalls) {
  const Function function = parse_body(
      "proto : .callprototype (.param .align 8 .b8 _[16]) _ (.param .b64 _, .param .b32 _) .noreturn;\n"
      "none: .callprototype ()_ ();\n"
      "list: .calltargets f, g;\n"
      "call (r), %rd7, (p), proto;\n call %rd8, none;");
  ASSERT_EQ(function.prototypes.size(), 3u);
  EXPECT_EQ(function.prototypes[0].returns.at(0).bytes(), 16u);
  EXPECT_EQ(function.prototypes[0].parameters.size(), 2u);
  EXPECT_TRUE(function.prototypes[0].is_noreturn);
  EXPECT_EQ(function.prototypes[2].targets, (std::vector<std::string>{"f", "g"}));
  const auto calls = instructions(function);
  EXPECT_EQ(calls[0].call_target, "%rd7");
  EXPECT_EQ(calls[0].call_prototype, "proto");
  EXPECT_EQ(calls[1].call_prototype, "none");
}

TEST(PtxParser, ReadsJumpTables) {
  const Function function = parse_body("t: .branchtargets\n a,\n b;\n brx.idx %r1, t;\n a: b: ret;");
  EXPECT_EQ(function.branch_targets.at(0).label, "t");
  EXPECT_EQ(function.branch_targets.at(0).targets, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(std::get<Label>(function.body.at(2)).name, "b");
}

// ---- functions ---------------------------------------------------------------------------------------

TEST(PtxParser, ReadsTheHeadsOfFunctions) {
  const Module module = parse_items(
      ".extern .func (.param .b32 func_retval0) vprintf\n(.param .b64 a, .param .b64 b)\n;\n"
      ".weak .func g() .noreturn { trap; }\n"
      ".visible .entry k(.param .u64 .ptr .global .align 16 in, .param .align 8 .b8 s[88])\n"
      ".maxntid 256, 2\n.minnctapersm 2\n.maxnreg 32\n.explicitcluster\n.reqnctapercluster 2, 1, 1\n"
      ".reqntid 64\n.pragma \"nounroll\";\n{ ret; }\n"
      ".entry bare { ret; }");
  ASSERT_EQ(module.functions.size(), 4u);
  const Function& vprintf = module.functions[0];
  EXPECT_TRUE(vprintf.is_declaration && vprintf.is_extern && !vprintf.is_entry);
  EXPECT_EQ(vprintf.returns.size(), 1u);
  EXPECT_TRUE(module.functions[1].is_noreturn && module.functions[1].is_weak);
  const Function& k = module.functions[2];
  EXPECT_TRUE(k.is_entry && k.is_visible);
  EXPECT_TRUE(k.parameters[0].is_pointer);
  EXPECT_EQ(k.parameters[0].align, 16u);
  EXPECT_EQ(k.parameters[1].bytes(), 88u);
  EXPECT_EQ(k.max_threads, (Dim3{256, 2, 1}));
  EXPECT_EQ(k.required_threads, (Dim3{64, 1, 1}));
  EXPECT_EQ(k.required_cluster, (Dim3{2, 1, 1}));
  EXPECT_EQ(k.min_blocks, 2u);
  EXPECT_EQ(k.max_registers, 32u);
  EXPECT_EQ(k.ptx_line, 8);
}

TEST(PtxParser, ADefinitionReplacesItsDeclaration) {
  const Module module = parse_items(".func f();\n.func g() { ret; }\n.func f() { ret; }\n.func f();");
  ASSERT_EQ(module.functions.size(), 2u);
  EXPECT_EQ(module.functions[0].name, "f");
  EXPECT_FALSE(module.find_function("f")->is_declaration);
  EXPECT_EQ(module.find_function("h"), nullptr);
}

TEST(PtxParser, FollowsAliases) {
  const Module module = parse_items(".func real() { ret; }\n.func other();\n.alias other, real;");
  EXPECT_EQ(module.find_function("other")->name, "real");
}

TEST(PtxParser, ReadsRegisters) {
  const Function function = parse_body(".reg .b32 %r<23>, a; .reg .v4 .f32 quad; .reg.pred p;");
  ASSERT_EQ(function.registers.size(), 4u);
  EXPECT_EQ(function.registers[0].name, "%r");
  EXPECT_EQ(function.registers[0].count, 23u);
  EXPECT_EQ(function.registers[1].count, 0u);
  EXPECT_EQ(function.registers[2].vector_width, 4);
  EXPECT_EQ(function.registers[3].type, Type::kPred);
}

// ---- variables ---------------------------------------------------------------------------------------

TEST(PtxParser, ReadsVariables) {
  const Module module = parse_items(
      ".extern .shared .align 16 .b8 s[];\n.visible .global .align 8 .v2 .f32 pairs[3][2], one;\n"
      ".global .attribute(.managed) .align 4 .u32 m = 5;\n.common .global .u32 c;");
  const Variable& shared = *module.find_variable("s");
  EXPECT_EQ(shared.dimensions, std::vector<std::uint64_t>{0});
  EXPECT_EQ(shared.bytes(), 0u);
  EXPECT_TRUE(shared.is_extern);
  EXPECT_EQ(module.find_variable("pairs")->bytes(), 48u);
  EXPECT_EQ(module.find_variable("one")->bytes(), 8u);
  EXPECT_EQ(module.find_variable("one")->align, 8u);
  EXPECT_TRUE(module.find_variable("m")->is_managed);
  EXPECT_TRUE(module.find_variable("c")->is_common);
  EXPECT_EQ(module.find_variable("absent"), nullptr);
}

std::vector<std::uint64_t> initial_bits(const Variable& variable) {
  std::vector<std::uint64_t> bits;
  for (const Initializer& element : variable.initial) bits.push_back(std::get<Immediate>(element.value).bits);
  return bits;
}

TEST(PtxParser, FlattensInitializers) {
  const Module module = parse_items(
      ".global .u32 rows[2][3] = {{1}, {2, 3}};\n.global .u32 flat[2][3] = {1, 2, 3, 4};\n"
      ".global .b8 text[] = {104, 105, 0};\n.const .v2 .f32 v = {1.0, 0f40000000};\n.global .s32 x = -1;");
  EXPECT_EQ(initial_bits(*module.find_variable("rows")), (std::vector<std::uint64_t>{1, 0, 0, 2, 3}));
  EXPECT_EQ(initial_bits(*module.find_variable("flat")), (std::vector<std::uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(module.find_variable("text")->bytes(), 3u);
  EXPECT_EQ(initial_bits(*module.find_variable("v")),
            (std::vector<std::uint64_t>{0x3FF0000000000000u, 0x40000000u}));
  EXPECT_EQ(initial_bits(*module.find_variable("x")), std::vector<std::uint64_t>{~0ull});
}

TEST(PtxParser, ReadsAddressesInInitializers) {
  const Module module = parse_items(
      ".global .u64 a[4] = {0, f, generic(b)+8, c+4};\n.global .u8 d[2] = {0xFF(b), 0XFF00(generic(b)+4)};");
  const auto& a = module.find_variable("a")->initial;
  EXPECT_EQ(std::get<Symbol>(a[1].value).name, "f");
  EXPECT_TRUE(a[2].generic);
  EXPECT_EQ(std::get<Symbol>(a[2].value).offset, 8);
  EXPECT_FALSE(a[3].generic);
  const auto& d = module.find_variable("d")->initial;
  EXPECT_EQ(d[0].mask, 0xFFu);
  EXPECT_EQ(d[1].mask, 0xFF00u);
  EXPECT_EQ(std::get<Symbol>(d[1].value).offset, 4);
}

TEST(PtxParser, ADefinitionReplacesAnExternVariable) {
  const Module module = parse_items(".extern .global .u32 x;\n.global .u32 x = 3;\n.extern .global .u32 x;");
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_EQ(module.variables[0].initial.size(), 1u);
}

// ---- scopes ------------------------------------------------------------------------------------------

TEST(PtxParser, RenamesNamesThatAnInnerScopeHides) {
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

TEST(PtxParser, HoistsTheParametersOfCalls) {
  const Function function = parse_body(
      "{ .param .b32 param0; st.param.b32 [param0+0], %r1; call f, (param0); }\n"
      "{ .param .b32 param0; st.param.b32 [param0+0], %r2; call f, (param0); }");
  ASSERT_EQ(function.variables.size(), 2u);
  EXPECT_EQ(function.variables[1].name, "param0@2");
  const auto statements = instructions(function);
  EXPECT_EQ(std::get<Symbol>(address(statements[2], 0).base).name, "param0@2");
  EXPECT_EQ(std::get<Symbol>(statements[3].call_arguments.at(0).value).name, "param0@2");
}

TEST(PtxParser, RenamesJumpTablesAndPrototypesOfInnerScopes) {
  const Function function = parse_body(
      "{ t: .branchtargets a, b; brx.idx %r1, t; a: b: p: .callprototype _; call %rd1, p; }\n"
      "{ t: .branchtargets a, b; brx.idx %r1, t; a: b: p: .callprototype _; call %rd1, p; }");
  const BranchTargets& second = function.branch_targets.at(1);
  EXPECT_EQ(second.label, "t@3");
  EXPECT_EQ(second.targets, (std::vector<std::string>{"a@3", "b@3"}));
  const auto statements = instructions(function);
  EXPECT_EQ(std::get<Symbol>(statements[2].operands.at(1).value).name, "t@3");
  EXPECT_EQ(statements[3].call_prototype, "p@3");
  EXPECT_EQ(function.prototypes.at(1).label, "p@3");
}

// ---- lines -------------------------------------------------------------------------------------------

TEST(PtxParser, GivesInstructionsTheirLines) {
  const Module module = parse(kLineSample, "lines.ptx");
  const std::string file = "/home/student/inlining.cu";
  const auto statements = instructions(module.functions.at(0));
  EXPECT_EQ(statements[0].where, (SourceLine{file, 8}));
  const Instruction& load = statements[3];
  EXPECT_EQ(load.where, (SourceLine{file, 2}));
  EXPECT_EQ(load.inlined_at, (std::vector<SourceLine>{{file, 5}, {file, 10}}));
  EXPECT_EQ(statements[4].inlined_at, (std::vector<SourceLine>{{file, 10}}));
  EXPECT_EQ(statements[5].where.line, 5) << "line 0 is no line";
  EXPECT_EQ(statements[6].where.line, 10);
  EXPECT_TRUE(statements[6].inlined_at.empty());
}

TEST(PtxParser, LeavesLinesEmptyWithoutALineTable) { EXPECT_EQ(parse_one("ret;").where, SourceLine{}); }

// ---- errors ------------------------------------------------------------------------------------------

TEST(PtxParser, ReportsThePlaceAndTheExpectedTerm) {
  EXPECT_EQ(parser_refusal("hello"), error_at(1, 1, msg::ptx_expected(Code{".version"}, Code{"hello"})));
  EXPECT_EQ(parser_refusal(".version 8.0\n.target sm_90\n.visible .entry f() {\n  mov.b32 %r1 %r2;\n}"),
            error_at(4, 15, msg::ptx_expected(Code{";"}, Code{"%r2"})));
  EXPECT_EQ(parser_refusal(".version 8.0\n.target sm_90\n.visible .entry f() {"),
            error_at(3, 22, msg::ptx_expected(msg::ptx_term_statement(), msg::ptx_found_end())));
}

Message item_refusal(std::string_view items) {
  return parser_refusal(std::string(kHeader) + std::string(items));
}

TEST(PtxParser, RejectsUnknownAndDuplicateNames) {
  EXPECT_EQ(item_refusal("{ }"), error_at(4, 1, msg::ptx_expected(msg::ptx_term_module_item(), Code{"{"})));
  EXPECT_EQ(item_refusal(".global x;"), error_at(4, 9, msg::ptx_expected(msg::ptx_term_type(), Code{"x"})));
  EXPECT_EQ(item_refusal(".global .u33 x;"),
            error_at(4, 9, msg::ptx_expected(msg::ptx_term_type(), Code{".u33"})));
  EXPECT_EQ(item_refusal(".global .u32 a.b;"),
            error_at(4, 14, msg::ptx_expected(msg::ptx_term_name(), Code{"a.b"})));
  EXPECT_EQ(item_refusal(".global .u32 x; .global .u32 x;"),
            error_at(4, 30, msg::ptx_declared_twice(Code{"x"})));
  EXPECT_EQ(item_refusal(".func f() { ret; } .func f() { ret; }"),
            error_at(4, 26, msg::ptx_defined_twice(Code{"f"})));
  EXPECT_EQ(item_refusal(".func f() { .reg .b32 a, a; }"),
            error_at(4, 26, msg::ptx_declared_twice(Code{"a"})));
  EXPECT_EQ(item_refusal(".func f() { a: a: }"), error_at(4, 16, msg::ptx_declared_twice(Code{"a"})));
  EXPECT_EQ(item_refusal(".func f() { @x ret; }"), error_at(4, 14, msg::ptx_register_undeclared(Code{"x"})));
  EXPECT_EQ(item_refusal(".func f() { } }"),
            error_at(4, 15, msg::ptx_expected(msg::ptx_term_module_item(), Code{"}"})));
  EXPECT_EQ(item_refusal(".global .b8 x[2] = {1, 2, 3};"),
            error_at(4, 20, msg::ptx_initial_values_too_many(std::size_t{3}, std::uint64_t{2}, Code{"x"})));
  EXPECT_EQ(item_refusal(".global .align 3 .b8 x;"), error_at(4, 16, msg::ptx_alignment_wrong()));
}

TEST(PtxParser, ShowsUnprintableTextSafely) {
  EXPECT_EQ(item_refusal("\x01"), error_at(4, 1, msg::ptx_expected(msg::ptx_term_module_item(), Code{"?"})));
}

}  // namespace
}  // namespace cudalab::ptx
