// The grammar of expressions, the arithmetic of integers and doubles, and rejected input.
#include "core/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnostics/message_testing.h"
#include "core/text.h"

namespace cudalab {
namespace {

// Renders every operation with parentheses: "(1 + (2 * 3))".
struct Writer : ExpressionText {
  using Value = std::string;
  using ExpressionText::ExpressionText;

  std::size_t arguments() const { return token() == "f" ? 1 : token() == "g" ? 3 : 0; }
  bool at_cast() const { return token() == "unsigned"; }

  std::string operand() {
    if (!at_number() && !at_name()) throw usage_error(Message::verbatim("no operand"));
    std::string text(token());
    take();
    return text;
  }
  std::string apply(const Operation& operation, std::span<const std::string> values) const {
    const std::string sign(operation.text);
    if (operation.op == Operator::kCall) return sign + "(" + joined(values) + ")";
    if (operation.op == Operator::kCast) return "((" + sign + ") " + values[0] + ")";
    if (operation.op == Operator::kChoice)
      return "(" + values[0] + " ? " + values[1] + " : " + values[2] + ")";
    return values.size() == 1 ? "(" + sign + values[0] + ")"
                              : "(" + values[0] + " " + sign + " " + values[1] + ")";
  }
  [[noreturn]] void expected(std::string_view sign) const {
    throw usage_error(
        Message::verbatim("no " + std::string(sign) + " at " + std::to_string(column(token()))));
  }
  [[noreturn]] void refuse(Message why) const { throw usage_error(std::move(why)); }
};

struct WithoutChains : Writer {
  static constexpr bool kChainsComparisons = false;
  using Writer::Writer;
};

// The rendered expression, and the text after it.
template <class Client = Writer>
std::string grouped(std::string_view text) {
  Client client(text);
  std::string value = ExpressionParser<Client>(client).expression();
  return client.at_end() ? value : value + ", then " + std::string(client.token());
}

TEST(ExpressionGrammar, EachPrecedenceBindsTighterThanTheLower) {
  const std::vector<std::vector<std::string>> levels{
      {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="},
      {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
  for (std::size_t i = 0; i < levels.size(); ++i)
    for (const std::string& loose : levels[i])
      for (std::size_t k = i; k < levels.size(); ++k)
        for (const std::string& tight : levels[k]) {
          EXPECT_EQ(grouped("a" + tight + "b" + loose + "c"), "((a " + tight + " b) " + loose + " c)");
          const bool is_same_level = i == k;
          EXPECT_EQ(grouped("a" + loose + "b" + tight + "c"), is_same_level
                                                                  ? "((a " + loose + " b) " + tight + " c)"
                                                                  : "(a " + loose + " (b " + tight + " c))");
        }
}

TEST(ExpressionGrammar, SupportsSignsCastsChoicesAndFunctions) {
  EXPECT_EQ(grouped("-a * !b"), "((-a) * (!b))");
  EXPECT_EQ(grouped("~ - + a"), "(~(-(+a)))");
  EXPECT_EQ(grouped("(a + b) * c"), "((a + b) * c)");
  EXPECT_EQ(grouped("(unsigned) -a >> 1"), "(((unsigned) (-a)) >> 1)");
  EXPECT_EQ(grouped("a ? b : c ? d : e"), "(a ? b : (c ? d : e))");
  EXPECT_EQ(grouped("a || b ? c ? 1 : 2 : d"), "((a || b) ? (c ? 1 : 2) : d)");
  EXPECT_EQ(grouped("f(a + 1) * g(a, b ? 1 : 2, f(c))"), "(f((a + 1)) * g(a, (b ? 1 : 2), f(c)))");
}

TEST(ExpressionGrammar, StopsBeforeATokenThatDoesNotContinueIt) {
  EXPECT_EQ(grouped("a b"), "a, then b");
  EXPECT_EQ(grouped("a) + b"), "a, then )");
  EXPECT_EQ(grouped("0 < a < 1"), "((0 < a) < 1)");
  EXPECT_EQ(grouped<WithoutChains>("0 < a < 1"), "(0 < a), then <");
  EXPECT_EQ(grouped<WithoutChains>("(0 < a) < 1"), "((0 < a) < 1)");
}

TEST(ExpressionGrammar, RejectsInvalidExpressions) {
  for (const char* text : {"", "a +", "* a", "()", "a ? : b", "f()", "a + )", "."})
    EXPECT_EQ(refused([&] { grouped(text); }).text(), "no operand") << text;
  EXPECT_EQ(refused([] { grouped("(a"); }).text(), "no ) at 3");
  EXPECT_EQ(refused([] { grouped("a ? b  "); }).text(), "no : at 8");
  EXPECT_EQ(refused([] { grouped("f + 1"); }).text(), "no ( at 3");
  EXPECT_EQ(refused([] { grouped("g(a, b)"); }).text(), "no , at 7");
  EXPECT_EQ(refused([] { grouped("(unsigned a)"); }).text(), "no ) at 11");
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(ExpressionGrammar, RejectsTooDeepOrTooLongExpressions) {
  const std::size_t inside = kMaxExpressionDepth - 1;  // the outermost expression counts as the first level
  for (const auto& [open, close] :
       {std::pair("(", ")"), {"-", ""}, {"(unsigned)", ""}, {"a?b:", ""}, {"a?", ":b"}, {"f(", ")"}}) {
    const auto nested = [&](std::size_t times) {
      grouped(repeated(open, times) + "a" + repeated(close, times));
    };
    EXPECT_TRUE(refused([&] { nested(inside); }).empty()) << open;
    EXPECT_THAT(refused([&] { nested(inside + 1); }), IsMessage("expression_too_deep")) << open;
    EXPECT_THAT(refused([&] { nested(100000); }), IsMessage("expression_too_deep")) << open;
  }
}

// ---- numbers -------------------------------------------------------------------------------------------

// Integer expressions. The name `u` before a number makes it unsigned.
struct Integers : Writer {
  using Value = Integer;
  using Writer::Writer;
  Integer operand() {
    const bool is_unsigned = token() == "u";
    if (is_unsigned) take();
    const Integer value{natural(token()).value(), is_unsigned};
    take();
    return value;
  }
  Integer apply(const Operation& operation, std::span<const Integer> values) const {
    const auto value = apply_to_integers(operation.op, values);
    if (!value) throw usage_error(Message::verbatim("division by zero"));
    return *value;
  }
};

struct Doubles : Writer {
  using Value = double;
  using Writer::Writer;
  double operand() { return std::stod(Writer::operand()); }
  double apply(const Operation& operation, std::span<const double> values) const {
    const auto value = apply_to_doubles(operation.op, values);
    if (!value) throw usage_error(Message::verbatim("no operator of doubles"));
    return *value;
  }
};

std::int64_t integer(std::string_view text) {
  Integers client(text);
  return static_cast<std::int64_t>(ExpressionParser<Integers>(client).expression().bits);
}

double real(std::string_view text) {
  Doubles client(text);
  return ExpressionParser<Doubles>(client).expression();
}

TEST(ExpressionGrammar, LimitsTheNumberOfOperandsInASum) {
  EXPECT_EQ(integer("1" + repeated("+1", kMaxExpressionLength - 1)), std::int64_t{kMaxExpressionLength});
  EXPECT_THAT(refused([] { integer("1" + repeated("+1", kMaxExpressionLength)); }),
              IsMessage("expression_too_long"));
}

struct Row {
  const char* text;
  double value;
};

TEST(ExpressionNumbers, IntegersAndDoublesShareOperators) {
  for (const auto& [text, value] :
       {Row{"7 + 2", 9},  {"7 - 9", -2},   {"7 * 2", 14}, {"8 / 2", 4},  {"-7", -7},    {"+7", 7},
        {"!7", 0},        {"!0", 1},       {"2 == 2", 1}, {"2 == 3", 0}, {"2 != 2", 0}, {"2 != 3", 1},
        {"-1 < 0", 1},    {"2 < 2", 0},    {"2 <= 2", 1}, {"3 <= 2", 0}, {"0 > -1", 1}, {"2 > 2", 0},
        {"2 >= 2", 1},    {"2 >= 3", 0},   {"0 || 0", 0}, {"0 || 2", 1}, {"2 && 0", 0}, {"2 && 3", 1},
        {"2 ? 3 : 4", 3}, {"0 ? 3 : 4", 4}}) {
    EXPECT_EQ(static_cast<double>(integer(text)), value) << text;
    EXPECT_EQ(real(text), value) << text;
  }
}

TEST(ExpressionNumbers, DivisionFollowsTheType) {
  EXPECT_EQ(integer("-7 / 2"), -3);
  EXPECT_EQ(integer("-7 % 3"), -1);
  EXPECT_EQ(integer("-8 / u 2"), 0x7ffffffffffffffc);
  EXPECT_EQ(refused([] { integer("1 / 0"); }).text(), "division by zero");
  EXPECT_EQ(refused([] { integer("1 % 0"); }).text(), "division by zero");
  EXPECT_EQ(real("-7 / 2"), -3.5);
  EXPECT_TRUE(std::isinf(real("1 / 0")));
  EXPECT_EQ(real("1.5e1 + .5"), 15.5);
  for (const char* text : {"1 % 2", "1 & 2", "1 | 2", "1 ^ 2", "1 << 2", "1 >> 2", "~1"})
    EXPECT_EQ(refused([&] { real(text); }).text(), "no operator of doubles") << text;
}

TEST(ExpressionNumbers, SupportsBitOperators) {
  EXPECT_EQ(integer("12 & 10"), 8);
  EXPECT_EQ(integer("12 | 10"), 14);
  EXPECT_EQ(integer("12 ^ 10"), 6);
  EXPECT_EQ(integer("~12"), -13);
  EXPECT_EQ(integer("3 << 4"), 48);
  EXPECT_EQ(integer("-16 >> 2"), -4);
  EXPECT_EQ(integer("(u 0 - 16) >> 60"), 15);
}

TEST(ExpressionNumbers, OneUnsignedOperandMakesTheResultUnsigned) {
  EXPECT_EQ(integer("-1 > 0"), 0);
  EXPECT_EQ(integer("-1 > u 0"), 1);
  EXPECT_EQ(integer("-(u 1) > 0"), 1);
  EXPECT_EQ(integer("(u 2 > 1) - 2 < 0"), 1);  // a comparison yields a signed result
}

TEST(ExpressionNumbers, HasNoUndefinedBehaviour) {
  const std::string least = "(-9223372036854775807 - 1)";
  EXPECT_EQ(integer(least + " / -1"), INT64_MIN);
  EXPECT_EQ(integer(least + " % -1"), 0);
  EXPECT_EQ(integer("-" + least), INT64_MIN);
  EXPECT_EQ(integer("9223372036854775807 + 1"), INT64_MIN);
  EXPECT_EQ(integer("1 << 64"), 0);
  EXPECT_EQ(integer("-1 >> 100"), -1);
  EXPECT_EQ(integer("u 1 >> 100"), 0);
}

}  // namespace
}  // namespace cudalab
