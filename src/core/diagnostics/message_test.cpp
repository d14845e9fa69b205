// Arguments of messages are found, visited and replaced at any depth.
#include "core/diagnostics/message.h"

#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "messages/core.h"

namespace cudalab {
namespace {

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

}  // namespace
}  // namespace cudalab
