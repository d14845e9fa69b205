// A message to a person as data: an id of the catalogue and named arguments. It becomes a sentence in the
// reader's language only at output (`Wording::say`). Code never parses the sentence.
//
//   throw usage_error(msg::option_out_of_range("--tile", 40, 1, 32));
//   hazard.what = msg::access_past_end(verb, element, Address{0x7f00}, 1);
//
// The functions of `msg` are generated from languages/messages/*.pot. Each message has one function with one
// parameter for each slot of its English text, in the order of the slots.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/dim3.h"
#include "core/source_line.h"

namespace cudalab {

class Argument;
struct CatalogueEntry;

// Constructors and destructors are out of line, as those of Argument are: nearly every source file uses
// messages, but few access their arguments.
class Message {
 public:
  Message();  // no message
  Message(const CatalogueEntry& entry, std::vector<Argument> arguments);
  Message(const Message&);
  Message(Message&&) noexcept;
  Message& operator=(const Message&);
  Message& operator=(Message&&) noexcept;
  ~Message();

  // Text without words of the program: the output of a compiler, a path, a stage's name. It is shown
  // unchanged in every language.
  static Message verbatim(std::string text);

  // A text of the course or of a lab, such as "offset". Its translation is found by the text itself.
  static Message of_course(std::string text);

  bool empty() const { return entry_ == nullptr; }
  std::string_view id() const;  // empty if there is no message
  const CatalogueEntry* entry() const { return entry_; }
  const std::vector<Argument>& arguments() const { return arguments_; }

  // The argument for the slot `name`; null if the message has no such slot.
  const Argument* argument(std::string_view name) const;

  std::string text() const;  // in English
  explicit operator std::string() const { return text(); }

  friend bool operator==(const Message&, const Message&);

 private:
  const CatalogueEntry* entry_ = nullptr;
  std::vector<Argument> arguments_;  // one per slot of the entry, in the same order
};

// ---- types of arguments besides numbers and text ------------------------------------------------------

struct Quantity {  // a number with its unit: 3.2 ms
  double value = 0;
  std::string unit;
  friend bool operator==(const Quantity&, const Quantity&) = default;
};

struct Code {  // a name or an expression of a program; never translated, shown between backticks
  std::string text;
  friend bool operator==(const Code&, const Code&) = default;
};

struct Address {  // shown as 0x7f0000000190
  std::uint64_t value = 0;
  friend bool operator==(const Address&, const Address&) = default;
};

struct ThreadIndex {  // shown as "thread (1, 2, 0)"
  Dim3 at;
  friend bool operator==(const ThreadIndex&, const ThreadIndex&) = default;
};

struct BlockIndex {  // shown as "block (0, 0, 3)"
  Dim3 at;
  friend bool operator==(const BlockIndex&, const BlockIndex&) = default;
};

// An element of a buffer or an array by its index in one or more dimensions: `in[100]`, `tile[1][0]`. If the
// buffer's name is a description ("the dynamic shared memory"), it is shown as "element 100 of the dynamic
// shared memory".
struct Element {
  std::string buffer;
  std::vector<std::int64_t> index;
  friend bool operator==(const Element&, const Element&) = default;
};

// One value of a message. A list is shown with commas. Copies share the value, which never changes.
class Argument {
 public:
  using List = std::vector<Argument>;
  using Value = std::variant<std::string, std::int64_t, std::uint64_t, double, Quantity, Code, Address,
                             SourceLine, ThreadIndex, BlockIndex, Element, Message, List>;

  // NOLINTBEGIN(google-explicit-constructor): callers of `msg` pass plain values
  Argument(std::string text);
  Argument(std::string_view text);
  Argument(const char* text);
  template <class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  Argument(Number number) : value_(shared(widened(number))) {}
  Argument(Quantity value);
  Argument(Code value);
  Argument(Address value);
  Argument(SourceLine value);
  Argument(ThreadIndex value);
  Argument(BlockIndex value);
  Argument(Element value);
  Argument(Message value);
  Argument(List value);
  // NOLINTEND(google-explicit-constructor)
  Argument(const Argument&);
  Argument(Argument&&) noexcept;
  Argument& operator=(const Argument&);
  Argument& operator=(Argument&&) noexcept;
  ~Argument();

  const Value& value() const { return *value_; }
  template <class Kind>
  const Kind* as() const {
    return std::get_if<Kind>(value_.get());
  }

  friend bool operator==(const Argument&, const Argument&);

 private:
  using Shared = std::shared_ptr<const Value>;

  template <class Number>
  static auto widened(Number number) {
    if constexpr (std::is_floating_point_v<Number>)
      return static_cast<double>(number);
    else if constexpr (std::is_signed_v<Number>)
      return static_cast<std::int64_t>(number);
    else
      return static_cast<std::uint64_t>(number);
  }
  static Shared shared(double number);
  static Shared shared(std::int64_t number);
  static Shared shared(std::uint64_t number);

  Shared value_;
};

// The argument `name` of the message; if it has no such slot, that of a message nested in it; null if there
// is none.
const Argument* find_argument(const Message& message, std::string_view name);

// Calls `visit` for each argument of the message, also for those in nested messages and lists.
void for_each_argument(const Message& message, const std::function<void(const Argument&)>& visit);

// The message with replaced arguments, at any depth. If `change` returns an argument, it replaces the
// original; otherwise the original stays and its parts are visited.
using ChangeArgument = std::function<std::optional<Argument>(const Argument&)>;
Message with_changed_arguments(const Message& message, const ChangeArgument& change);

// "access_past_end(element=`in[100]`, count=1)": for tests and logs, which must not depend on the wording.
std::string with_ids(const Message& message);

std::ostream& operator<<(std::ostream& out, const Message& message);  // the English text

// An argument as it appears in an English sentence.
std::string shown_in_english(const Argument& argument);

}  // namespace cudalab
