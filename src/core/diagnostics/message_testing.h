// Matchers for the ids and arguments of messages. Tests never depend on the wording.
//
//   EXPECT_THAT(hazard.what, IsMessage("access_past_end", {{"count", 1}}));
//   EXPECT_THAT(hazard.what, MentionsMessage("verb_reads"));
//   EXPECT_THAT(hazard.what, HasArgument("count", 1));
//   EXPECT_THAT(refused([&] { parse("x"); }), IsMessage("option_out_of_range"));
//
// For output in which messages appear by their ids (Wording::of_ids, CUDALAB_MESSAGE_IDS):
//
//   EXPECT_THAT(outcome.err, Says("lab_unknown", {{"lab", "transpos"}}));
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnostics/catalogue.h"
#include "core/diagnostics/message.h"
#include "core/error.h"

namespace cudalab {

// Arguments that a test expects, by name: {{"file", "k.cu"}, {"line", 3}}.
using ExpectedArguments = std::vector<std::pair<std::string, Argument>>;

namespace message_matching {

// Calls `visit` for the message and its nested messages until a call returns true. Returns whether one did.
template <class Visit>
bool any_message(const Message& message, const Visit& visit) {
  if (visit(message)) return true;
  bool found = false;
  for_each_argument(message, [&](const Argument& argument) {
    const auto* inner = argument.as<Message>();
    found = found || (inner && visit(*inner));
  });
  return found;
}

// Whether the argument `name` of the message, or of a message nested in it, is displayed like `value`. The
// outermost message with this slot decides.
inline bool has_argument(const Message& message, std::string_view name, const Argument& value) {
  const auto fits = [&](const Message& each) {
    const Argument* argument = each.argument(name);
    return argument && shown_in_english(*argument) == shown_in_english(value);
  };
  return message.argument(name) ? fits(message) : any_message(message, fits);
}

inline bool has_arguments(const Message& message, const ExpectedArguments& expected) {
  return std::ranges::all_of(
      expected, [&](const auto& each) { return has_argument(message, each.first, each.second); });
}

// "option_out_of_range(option=--tile, value=99)": what a matcher expects, in the form of `with_ids`.
inline std::string described(std::string_view id, const ExpectedArguments& arguments) {
  std::string text = std::string(id) + "(";
  for (const auto& [name, value] : arguments)
    text += (text.back() == '(' ? "" : ", ") + name + "=" + shown_in_english(value);
  return text + ")";
}

// With an ID that is in no catalogue, a negated matcher would always succeed. The empty ID stands for no
// message.
inline std::string known_id(std::string id) {
  EXPECT_TRUE(id.empty() || find_message(id)) << "no message has the id " << id;
  return id;
}

class MessageMatcher {
 public:
  MessageMatcher(std::string id, ExpectedArguments arguments, bool is_any_depth)
      : id_(std::move(id)), arguments_(std::move(arguments)), is_any_depth_(is_any_depth) {}

  bool MatchAndExplain(const Message& message, testing::MatchResultListener* listener) const {
    *listener << "which is " << with_ids(message);
    const auto fits = [this](const Message& each) {
      return each.id() == id_ && has_arguments(each, arguments_);
    };
    return is_any_depth_ ? any_message(message, fits) : fits(message);
  }
  void DescribeTo(std::ostream* out) const {
    *out << (is_any_depth_ ? "is or contains " : "is ") << described(id_, arguments_);
  }
  void DescribeNegationTo(std::ostream* out) const {
    *out << (is_any_depth_ ? "neither is nor contains " : "is not ") << described(id_, arguments_);
  }

 private:
  std::string id_;
  ExpectedArguments arguments_;  // of the message itself or of those nested in it
  bool is_any_depth_;
};

}  // namespace message_matching

inline testing::PolymorphicMatcher<message_matching::MessageMatcher> IsMessage(
    std::string id, ExpectedArguments arguments = {}) {
  return testing::MakePolymorphicMatcher(message_matching::MessageMatcher(
      message_matching::known_id(std::move(id)), std::move(arguments), /*is_any_depth=*/false));
}

inline testing::PolymorphicMatcher<message_matching::MessageMatcher> MentionsMessage(
    std::string id, ExpectedArguments arguments = {}) {
  return testing::MakePolymorphicMatcher(message_matching::MessageMatcher(
      message_matching::known_id(std::move(id)), std::move(arguments), /*is_any_depth=*/true));
}

MATCHER_P2(HasArgument, name, value,
           "has the argument " + std::string(name) + " = " + shown_in_english(value)) {
  return message_matching::has_argument(arg, name, value);
}

// ---- messages in output --------------------------------------------------------------------------------

namespace message_matching {

// The text with runs of blanks and line breaks as one blank: lines break at the terminal's width.
inline std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank)
      line += c;
    else if (line.empty() || line.back() != ' ')
      line += ' ';
  }
  return line;
}

// The end of the arguments that begin at `begin`, after "id(". An argument may contain parentheses; if they
// do not match, the arguments reach to the end of the text.
inline std::size_t end_of_arguments(std::string_view text, std::size_t begin) {
  int depth = 1;
  for (std::size_t at = begin; at < text.size(); ++at)
    if (text[at] == '(')
      ++depth;
    else if (text[at] == ')' && --depth == 0)
      return at;
  return text.size();
}

// Whether `arguments`, in the form of `with_ids`, contain name=value at any depth.
inline bool shows_argument(std::string_view arguments, std::string_view name, std::string_view value) {
  const std::string wanted = std::string(name) + "=" + std::string(value);
  for (std::size_t at = arguments.find(wanted); at != arguments.npos; at = arguments.find(wanted, at + 1)) {
    const std::size_t end = at + wanted.size();
    const bool begins = at == 0 || arguments[at - 1] == '(' || arguments.substr(0, at).ends_with(", ");
    const bool ends = end == arguments.size() || arguments[end] == ')' || arguments[end] == ',';
    if (begins && ends) return true;
  }
  return false;
}

// Whether a message with this id and these arguments is in the text.
inline bool says(std::string_view output, std::string_view id, const ExpectedArguments& expected) {
  const std::string text = in_one_line(output);
  const std::string call = std::string(id) + "(";
  for (std::size_t at = text.find(call); at != text.npos; at = text.find(call, at + 1)) {
    const bool is_part_of_id =
        at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '_');
    if (is_part_of_id) continue;
    const std::size_t begin = at + call.size();
    const auto arguments = std::string_view(text).substr(begin, end_of_arguments(text, begin) - begin);
    if (std::ranges::all_of(expected, [&](const auto& each) {
          return shows_argument(arguments, each.first, in_one_line(shown_in_english(each.second)));
        }))
      return true;
  }
  return false;
}

class SaidMatcher {
 public:
  SaidMatcher(std::string id, ExpectedArguments arguments)
      : id_(std::move(id)), arguments_(std::move(arguments)) {}

  bool MatchAndExplain(const std::string& text, testing::MatchResultListener*) const {
    return says(text, id_, arguments_);
  }
  void DescribeTo(std::ostream* out) const { *out << "says " << described(id_, arguments_); }
  void DescribeNegationTo(std::ostream* out) const { *out << "does not say " << described(id_, arguments_); }

 private:
  std::string id_;
  ExpectedArguments arguments_;
};

}  // namespace message_matching

inline testing::PolymorphicMatcher<message_matching::SaidMatcher> Says(std::string id,
                                                                       ExpectedArguments arguments = {}) {
  return testing::MakePolymorphicMatcher(
      message_matching::SaidMatcher(message_matching::known_id(std::move(id)), std::move(arguments)));
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
