// Tests that damaged and hostile text yields a module or an error, quickly and with little memory.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/diagnostics/message_testing.h"
#include "ptx/lexer.h"
#include "ptx/module.h"
#include "ptx/sample_ptx_testing.h"
#include "ptx/text.h"

namespace cudalab::ptx {
namespace {

// The error, or an empty message if the text parses. A text that parses must also survive writing and parsing
// again.
Message outcome(const std::string& text) {
  return refused([&] {
    const std::string written = to_text(parse(text, "hostile.ptx"));
    EXPECT_EQ(to_text(parse(written, "written.ptx")), written) << text;
  });
}

std::string in_module(const std::string& items) { return ".version 8.0\n.target sm_90\n" + items; }
std::string in_body(const std::string& statements) { return in_module(".entry f() {" + statements + "}"); }

std::string repeated(const std::string& text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

// ---- damage ------------------------------------------------------------------------------------------

class Damaged : public testing::TestWithParam<std::string_view> {
 protected:
  std::string damaged(std::string text) {
    for (int edits = below(4); edits >= 0; --edits) damage_once(text);
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  void damage_once(std::string& text) {
    static constexpr std::string_view kMeaningful = "{}[]()<>,;:.@!|%_-+\"/*0 \nx";
    if (text.empty()) return;
    const std::size_t where = below(text.size());
    switch (below(5)) {
      case 0: text.resize(where); break;
      case 1: text[where] = static_cast<char>(text[where] ^ (1u << below(8))); break;
      case 2: text[where] = kMeaningful[below(kMeaningful.size())]; break;
      case 3: text.erase(where, below(40)); break;
      case 4: text.insert(where, text.substr(below(text.size()), below(60))); break;
    }
  }

  std::mt19937 random_{12345};
};

TEST_P(Damaged, GivesAModuleOrAnError) {
  constexpr int kInputs = 1500;
  int refused = 0;
  for (int input = 0; input < kInputs; ++input) refused += !outcome(damaged(std::string(GetParam()))).empty();
  EXPECT_GT(refused, kInputs / 4);
  EXPECT_LT(refused, kInputs);
}

TEST_P(Damaged, MayBeTruncatedAnywhere) {
  for (std::size_t length = 0; length < GetParam().size(); ++length)
    outcome(std::string(GetParam().substr(0, length)));
}

INSTANTIATE_TEST_SUITE_P(PtxRobustness, Damaged, testing::ValuesIn(kSamples));

// ---- limits ------------------------------------------------------------------------------------------

struct Hostile {
  const char* name;
  std::string (
      *text)();  // megabytes of text, generated when the test runs, because each test process lists all tests
  const char* problem;  // the id of a message
};
void PrintTo(const Hostile& one, std::ostream* out) { *out << one.name; }

class HostileText : public testing::TestWithParam<Hostile> {};

TEST_P(HostileText, IsRejected) {
  EXPECT_THAT(outcome(GetParam().text()), MentionsMessage(GetParam().problem));
}

INSTANTIATE_TEST_SUITE_P(
    PtxRobustness, HostileText,
    testing::Values(
        Hostile{"Empty", [] { return std::string(); }, "ptx_found_end"},
        Hostile{"Binary",
                [] {
                  return std::string(1000, '\0') +
                         "\x7f"
                         "ELF";
                },
                "ptx_expected"},
        Hostile{"DeepScopes", [] { return in_body(repeated("{", 100000)); }, "ptx_scopes_too_deep"},
        Hostile{"DeepParentheses", [] { return in_body("mov.u32 %r1, " + repeated("(", 100000)); },
                "expression_too_deep"},
        Hostile{"DeepSigns", [] { return in_body("mov.u32 %r1, " + repeated("-", 100000) + "1;"); },
                "expression_too_deep"},
        Hostile{"DeepConditions", [] { return in_body("mov.u32 %r1, " + repeated("1?", 100000)); },
                "expression_too_deep"},
        Hostile{"DeepCasts", [] { return in_body("mov.u32 %r1, " + repeated("(.s64)", 100000)); },
                "expression_too_deep"},
        Hostile{"DeepVectors", [] { return in_body("mov.u32 " + repeated("{", 100000)); },
                "ptx_term_operand"},
        Hostile{"DeepInitialisers", [] { return in_module(".global .u32 x[2] = " + repeated("{", 100000)); },
                "ptx_braces_too_many"},
        Hostile{"HugeRange", [] { return in_body(".reg .b32 %r<4000000000>;"); },
                "ptx_register_count_too_large"},
        Hostile{"NegativeRange", [] { return in_body(".reg .b32 %r<-1>;"); }, "ptx_register_count_too_large"},
        Hostile{"ManyRanges", [] { return in_body(".reg .b32 a<900000>, b<900000>;"); },
                "ptx_registers_too_many"},
        Hostile{"HugeArray", [] { return in_module(".global .b8 x[1000000][1000000][1000000];"); },
                "ptx_variable_too_large"},
        Hostile{"HugeLength", [] { return in_module(".global .b8 x[0xFFFFFFFFFFFFFFFF];"); },
                "ptx_number_too_large"},
        Hostile{"ManyDimensions", [] { return in_module(".global .b8 x" + repeated("[1]", 1000) + ";"); },
                "ptx_dimensions_too_many"},
        Hostile{"HugePadding", [] { return in_module(".global .u8 x[2][1000000000] = {{1}, {2}};"); },
                "ptx_elements_left_out"},
        Hostile{"RepeatedPadding",
                [] { return in_module(".global .u8 x[9999][900000] = {" + repeated("{1},", 900) + "{2}};"); },
                "ptx_elements_left_out"},
        Hostile{"HugeFileNumber", [] { return in_module(".file 4000000000 \"x\""); }, "ptx_number_too_large"},
        Hostile{"LongOpcode", [] { return in_body("a" + repeated(".b", 100000) + ";"); },
                "ptx_opcode_parts_too_many"},
        Hostile{"LongName", [] { return in_body(repeated("x", 1000000) + " %r1 %r2;"); }, "ptx_expected"},
        Hostile{"LongDigits",
                [] { return in_body(".reg .b32 t<9>; mov.b32 t" + repeated("1", 1000000) + " t;"); },
                "ptx_expected"},
        Hostile{"OpenSection", [] { return in_module(".section .debug_info { .b8 1"); }, "ptx_expected"},
        Hostile{"SecondHeader", [] { return in_module(".version 8.0"); }, "ptx_term_module_item"},
        Hostile{"TooLong", [] { return std::string(kMaxTextBytes + 1, ' '); }, "ptx_text_too_long"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(PtxRobustness, TooManyTokensAreRejected) {
  EXPECT_THAT(outcome(in_body("x " + repeated("_,", kMaxTokens / 2) + "_;")),
              MentionsMessage("ptx_tokens_too_many"));
}

TEST(PtxRobustness, TooManyInstructionsAreRejected) {
  EXPECT_THAT(outcome(in_body(repeated("ret;", kMaxStatements + 1))),
              MentionsMessage("ptx_instructions_too_many"));
}

TEST(PtxRobustness, RepeatedFileNamesAreLimited) {
  const std::string name(20000, 'n');
  const std::string text = in_body(".loc 1 1 1 " + repeated("ret;", 50000)) + ".file 1 \"" + name + "\"";
  EXPECT_THAT(outcome(text), MentionsMessage("ptx_line_information_too_large"));
}

TEST(PtxRobustness, ManyScopesAreParsedQuickly) {
  EXPECT_EQ(outcome(in_body(repeated("{ .reg .b32 t; L: mov.b32 t, 1; bra L; }", 20000))), Message());
}

}  // namespace
}  // namespace cudalab::ptx
