// Feeds the parser damaged and hostile text: it must answer with a module or an error, soon and in little
// memory.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/error.h"
#include "ptx/lexer.h"
#include "ptx/module.h"
#include "ptx/sample_ptx_testing.h"
#include "ptx/text.h"

namespace cudalab::ptx {
namespace {

// "" when the text parses, else the message. What parses must also survive being written.
std::string outcome(const std::string& text) {
  try {
    const std::string written = to_text(parse(text, "hostile.ptx"));
    EXPECT_EQ(to_text(parse(written, "written.ptx")), written) << text;
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
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

TEST_P(Damaged, MayBeCutAnywhere) {
  for (std::size_t length = 0; length < GetParam().size(); ++length)
    outcome(std::string(GetParam().substr(0, length)));
}

INSTANTIATE_TEST_SUITE_P(PtxRobustness, Damaged, testing::ValuesIn(kSamples));

// ---- limits ------------------------------------------------------------------------------------------

struct Hostile {
  const char* name;
  std::string (*text)();  // megabytes of it, made where they are tried: each test is a process that lists all
  const char* part_of_message;
};
void PrintTo(const Hostile& one, std::ostream* out) { *out << one.name; }

class HostileText : public testing::TestWithParam<Hostile> {};

TEST_P(HostileText, IsRefused) {
  const std::string said = outcome(GetParam().text());
  EXPECT_NE(said.find(GetParam().part_of_message), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(
    PtxRobustness, HostileText,
    testing::Values(
        Hostile{"Empty", [] { return std::string(); }, "expected `.version`, found the end"},
        Hostile{"Binary",
                [] {
                  return std::string(1000, '\0') +
                         "\x7f"
                         "ELF";
                },
                "expected `.version`"},
        Hostile{"DeepScopes", [] { return in_body(repeated("{", 100000)); }, "scopes are nested too deeply"},
        Hostile{"DeepParentheses", [] { return in_body("mov.u32 %r1, " + repeated("(", 100000)); },
                "nested too deeply"},
        Hostile{"DeepSigns", [] { return in_body("mov.u32 %r1, " + repeated("-", 100000) + "1;"); },
                "nested too deeply"},
        Hostile{"DeepConditions", [] { return in_body("mov.u32 %r1, " + repeated("1?", 100000)); },
                "nested too deeply"},
        Hostile{"DeepCasts", [] { return in_body("mov.u32 %r1, " + repeated("(.s64)", 100000)); },
                "nested too deeply"},
        Hostile{"DeepVectors", [] { return in_body("mov.u32 " + repeated("{", 100000)); },
                "expected an operand"},
        Hostile{"DeepInitialisers", [] { return in_module(".global .u32 x[2] = " + repeated("{", 100000)); },
                "too many braces"},
        Hostile{"HugeRange", [] { return in_body(".reg .b32 %r<4000000000>;"); }, "registers are too many"},
        Hostile{"NegativeRange", [] { return in_body(".reg .b32 %r<-1>;"); }, "registers are too many"},
        Hostile{"ManyRanges", [] { return in_body(".reg .b32 a<900000>, b<900000>;"); },
                "too many registers"},
        Hostile{"HugeArray", [] { return in_module(".global .b8 x[1000000][1000000][1000000];"); },
                "larger than any memory"},
        Hostile{"HugeLength", [] { return in_module(".global .b8 x[0xFFFFFFFFFFFFFFFF];"); }, "at most"},
        Hostile{"ManyDimensions", [] { return in_module(".global .b8 x" + repeated("[1]", 1000) + ";"); },
                "too many dimensions"},
        Hostile{"HugePadding", [] { return in_module(".global .u8 x[2][1000000000] = {{1}, {2}};"); },
                "leaves too many elements out"},
        Hostile{"RepeatedPadding",
                [] { return in_module(".global .u8 x[9999][900000] = {" + repeated("{1},", 900) + "{2}};"); },
                "leaves too many elements out"},
        Hostile{"HugeFileNumber", [] { return in_module(".file 4000000000 \"x\""); }, "at most"},
        Hostile{"LongOpcode", [] { return in_body("a" + repeated(".b", 100000) + ";"); }, "too many parts"},
        Hostile{"LongName", [] { return in_body(repeated("x", 1000000) + " %r1 %r2;"); }, "expected `;`"},
        Hostile{"LongDigits",
                [] { return in_body(".reg .b32 t<9>; mov.b32 t" + repeated("1", 1000000) + " t;"); },
                "expected `;`"},
        Hostile{"OpenSection", [] { return in_module(".section .debug_info { .b8 1"); }, "expected `}`"},
        Hostile{"SecondHeader", [] { return in_module(".version 8.0"); }, "expected a function"},
        Hostile{"TooLong", [] { return std::string(kMaxTextBytes + 1, ' '); }, "bytes of PTX are more than"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(PtxRobustness, ManyTokensAreRefused) {
  EXPECT_NE(outcome(in_body("x " + repeated("_,", kMaxTokens / 2) + "_;")).find("too many tokens"),
            std::string::npos);
}

TEST(PtxRobustness, ManyInstructionsAreRefused) {
  EXPECT_NE(outcome(in_body(repeated("ret;", kMaxStatements + 1))).find("too many instructions"),
            std::string::npos);
}

TEST(PtxRobustness, RepeatedFileNamesAreBounded) {
  const std::string name(20000, 'n');
  const std::string text = in_body(".loc 1 1 1 " + repeated("ret;", 50000)) + ".file 1 \"" + name + "\"";
  EXPECT_NE(outcome(text).find("too much line information"), std::string::npos);
}

TEST(PtxRobustness, ManyScopesStayFast) {
  EXPECT_EQ(outcome(in_body(repeated("{ .reg .b32 t; L: mov.b32 t, 1; bra L; }", 20000))), "");
}

}  // namespace
}  // namespace cudalab::ptx
