// Matchers for the ids and arguments of messages. Tests never depend on the wording.
//
//   EXPECT_THAT(hazard.what, IsMessage("access_past_end"));
//   EXPECT_THAT(hazard.what, HasArgument("count", 1));
//   EXPECT_THAT(refused([&] { parse("x"); }), IsMessage("option_not_a_number"));
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "core/diagnostics/message.h"
#include "core/error.h"

namespace cudalab {

// Whether the message, or an argument at any depth, has this id.
inline bool mentions(const Message& message, std::string_view id) {
  if (message.id() == id) return true;
  for (const Argument& argument : message.arguments())
    if (const auto* inner = argument.as<Message>(); inner && mentions(*inner, id)) return true;
  return false;
}

inline std::optional<Argument> argument_called(const Message& message, std::string_view name) {
  if (const Argument* argument = message.argument(name)) return *argument;
  for (const Argument& argument : message.arguments())
    if (const auto* inner = argument.as<Message>())
      if (auto found = argument_called(*inner, name)) return found;
  return std::nullopt;
}

MATCHER_P(IsMessage, id, "is the message " + std::string(id)) { return arg.id() == std::string_view(id); }
MATCHER_P(MentionsMessage, id, "is or contains the message " + std::string(id)) { return mentions(arg, id); }

// The argument `name` of the message or of a nested message is displayed like `value`.
MATCHER_P2(HasArgument, name, value,
           "has the argument " + std::string(name) + " = " + shown_in_english(value)) {
  const std::optional<Argument> found = argument_called(arg, name);
  return found && shown_in_english(*found) == shown_in_english(value);
}

// The message of the Error that `work` throws; an empty message if it throws none.
template <class Work>
Message refused(const Work& work, ExitCode code = ExitCode::kUsage) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.message();
  }
  return {};
}

}  // namespace cudalab
