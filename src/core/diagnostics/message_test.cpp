// Arguments of messages are found, visited and replaced at any depth.
#include "core/diagnostics/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "messages/core.h"

namespace cudalab {
namespace {

using testing::Not;

// "element [a, b] of element 7 of tile": a message that contains a list and another message.
Message nested() {
  return msg::element_of(Argument::List{"a", Code{"b"}}, msg::element_of(7, Element{"tile", {33}}));
}

TEST(MessageArguments, AreFoundByNameOutermostFirst) {
  ASSERT_NE(find_argument(nested(), "index"), nullptr);
  EXPECT_NE(find_argument(nested(), "index")->as<Argument::List>(), nullptr);
  EXPECT_EQ(find_argument(nested(), "address"), nullptr);
  EXPECT_EQ(find_argument(Message(), "index"), nullptr);
  EXPECT_EQ(shown_in_english(*find_argument(msg::element_of(1, msg::verbatim("x")), "text")), "x");
}

TEST(MessageArguments, AreVisitedInMessagesAndLists) {
  int strings = 0, codes = 0, elements = 0, all = 0;
  for_each_argument(nested(), [&](const Argument& argument) {
    ++all;
    strings += argument.as<std::string>() != nullptr;
    codes += argument.as<Code>() != nullptr;
    elements += argument.as<Element>() != nullptr;
  });
  EXPECT_EQ(strings, 1);
  EXPECT_EQ(codes, 1);
  EXPECT_EQ(elements, 1);
  EXPECT_EQ(all, 6);  // the list and its two elements, the nested message and its two arguments
}

TEST(MessageArguments, ChangingSomeLeavesTheOthersUnchanged) {
  const Message changed =
      with_changed_arguments(nested(), [](const Argument& argument) -> std::optional<Argument> {
        if (argument.as<Element>()) return Element{"tile", {1, 0}};
        if (argument.as<Code>()) return Code{"c"};
        return std::nullopt;
      });
  EXPECT_EQ(changed,
            msg::element_of(Argument::List{"a", Code{"c"}}, msg::element_of(7, Element{"tile", {1, 0}})));
  EXPECT_EQ(with_changed_arguments(nested(), [](const Argument&) { return std::optional<Argument>(); }),
            nested());
  EXPECT_TRUE(
      with_changed_arguments(Message(), [](const Argument&) { return std::optional<Argument>(); }).empty());
}

// ---- what tests ask of messages ---------------------------------------------------------------------

TEST(MessageMatchers, CompareIdAndArgumentsAtAnyDepth) {
  EXPECT_THAT(nested(), IsMessage("element_of", {{"index", Argument::List{"a", Code{"b"}}}}));
  EXPECT_THAT(nested(), Not(IsMessage("element_of", {{"index", 7}}))) << "the outermost index counts";
  EXPECT_THAT(nested(), Not(IsMessage("verbatim")));
  EXPECT_THAT(nested(), MentionsMessage("element_of", {{"index", 7}}));
  EXPECT_THAT(nested(), Not(MentionsMessage("verbatim")));
  EXPECT_THAT(Message(), Not(IsMessage("verbatim")));
  EXPECT_THAT(msg::verbatim("x"), HasArgument("text", "x"));
  EXPECT_THAT(msg::verbatim("x"), Not(HasArgument("text", "y")));
}

TEST(MessagesWithIds, AreNestedInArgumentsAndLists) {
  EXPECT_EQ(with_ids(msg::element_of(1, Argument::List{msg::element_of(2, "a"), msg::verbatim("b"), 3})),
            "element_of(index=1, buffer=element_of(index=2, buffer=a), b, 3)");
}

TEST(Says, FindsAMessageByIdAndArgumentsInOutput) {
  const std::string output = "error: element_of(index=3,\n    buffer=verbatim(text=f(int, char) and (x)))\n";
  EXPECT_THAT(output, Says("element_of"));
  EXPECT_THAT(output, Says("element_of", {{"index", 3}, {"text", "f(int, char) and (x)"}}));
  EXPECT_THAT(output, Says("verbatim", {{"text", "f(int, char) and (x)"}}));
  EXPECT_THAT(output, Not(Says("element_of", {{"index", 33}})));
  EXPECT_THAT(output, Not(Says("verbatim", {{"index", 3}}))) << "of the message around it";
  EXPECT_THAT("an_element_of(index=3)", Not(Says("element_of"))) << "another id";
  EXPECT_THAT("verbatim(text=xy)", Not(Says("verbatim", {{"text", "x"}})));
}

}  // namespace
}  // namespace cudalab
