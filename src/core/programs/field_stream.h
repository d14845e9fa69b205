// Serializes plain data for a socket between two processes of one machine. Numbers have their memory
// representation; texts and lists are preceded by their length, optional values by a byte.
//
// A type lists its fields once, for both directions:
//
//   template <class A>
//   void fields(A& a, Dim3& x) { a(x.x, x.y, x.z); }
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/diagnostics/catalogue.h"
#include "core/error.h"
#include "core/measurement.h"
#include "messages/core.h"

namespace cudalab {

inline Error bad_record() { return usage_error(msg::error_record_damaged()); }

inline constexpr int kDeepestFields = 32;  // nesting depth of child launches

class FieldWriter {
 public:
  template <class... Fields>
  void operator()(Fields&... fields) {
    (put(fields), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  template <class Value>
  void put(const Value& value);
  void put(const std::string& text) {
    put(text.size());
    bytes_ += text;
  }
  template <class Element>
  void put(const std::vector<Element>& list) {
    put(list.size());
    for (const Element& element : list) put(element);
  }
  template <class Element, std::size_t kCount>
  void put(const std::array<Element, kCount>& list) {
    for (const Element& element : list) put(element);
  }
  template <class Value>
  void put(const std::optional<Value>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  // The id, which is empty if there is no message, then its arguments.
  void put(const Message& message) {
    put(std::string(message.id()));
    for (const Argument& argument : message.arguments()) put(argument);
  }
  void put(const Argument& argument) {
    put(static_cast<std::uint8_t>(argument.value().index()));
    std::visit([this](const auto& value) { put(value); }, argument.value());
  }

  std::string bytes_;
};

class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : rest_(bytes) {}
  template <class... Fields>
  void operator()(Fields&... fields) {
    (get(fields), ...);
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  template <class Value>
  void get(Value& value);
  std::size_t length() {
    std::size_t length = 0;
    get(length);
    if (length > rest_.size()) throw bad_record();  // each element takes at least one byte
    return length;
  }
  void get(std::string& text) {
    const std::size_t bytes = length();
    text = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
  }
  void get(bool& value) {
    std::uint8_t byte = 0;
    get(byte);
    value = byte != 0;
  }
  template <class Element>
  void get(std::vector<Element>& list) {
    const std::size_t count = length();
    for (std::size_t i = 0; i < count; ++i) get(list.emplace_back());
  }
  template <class Element, std::size_t kCount>
  void get(std::array<Element, kCount>& list) {
    for (Element& element : list) get(element);
  }
  template <class Value>
  void get(std::optional<Value>& value) {
    bool is_there = false;
    get(is_there);
    if (is_there) get(value.emplace());
  }
  void get(Message& message) {
    std::string id;
    get(id);
    message = {};
    if (id.empty()) return;
    const CatalogueEntry* entry = find_message(id);
    if (!entry) throw bad_record();
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < entry->slots.size(); ++i) arguments.push_back(argument());
    message = {*entry, std::move(arguments)};
  }
  void get(std::vector<Argument>& list) {
    const std::size_t count = length();
    for (std::size_t i = 0; i < count; ++i) list.push_back(argument());
  }
  Argument argument() {
    if (++depth_ > kDeepestFields) throw bad_record();
    std::uint8_t kind = 0;
    get(kind);
    Argument read = argument_of(kind);
    --depth_;
    return read;
  }
  template <std::size_t kKind = 0>
  Argument argument_of(std::size_t kind) {
    if constexpr (kKind == std::variant_size_v<Argument::Value>) {
      throw bad_record();
    } else {
      if (kind != kKind) return argument_of<kKind + 1>(kind);
      std::variant_alternative_t<kKind, Argument::Value> value{};
      get(value);
      return value;
    }
  }

  std::string_view rest_;
  int depth_ = 0;
};

template <class Value>
constexpr bool kIsPlain = std::is_arithmetic_v<Value> || std::is_enum_v<Value>;

template <class Value>
void FieldWriter::put(const Value& value) {
  if constexpr (kIsPlain<Value>)
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  else
    // Writing only reads the value, but `fields` serves both directions.
    fields(*this, const_cast<Value&>(value));
}

template <class Value>
void FieldReader::get(Value& value) {
  if constexpr (kIsPlain<Value>) {
    if (rest_.size() < sizeof value) throw bad_record();
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
  } else {
    if (++depth_ > kDeepestFields) throw bad_record();
    fields(*this, value);
    --depth_;
  }
}

// ---- fields of common types --------------------------------------------------------------------------

template <class A>
void fields(A& a, Dim3& x) {
  a(x.x, x.y, x.z);
}
template <class A>
void fields(A& a, LaunchSpec& x) {
  a(x.grid, x.block, x.dynamic_shared_bytes, x.cluster);
}
template <class A>
void fields(A& a, SourceLine& x) {
  a(x.file, x.line);
}
template <class A>
void fields(A& a, Quantity& x) {
  a(x.value, x.unit);
}
template <class A>
void fields(A& a, Code& x) {
  a(x.text);
}
template <class A>
void fields(A& a, Address& x) {
  a(x.value);
}
template <class A>
void fields(A& a, ThreadIndex& x) {
  a(x.at);
}
template <class A>
void fields(A& a, BlockIndex& x) {
  a(x.at);
}
template <class A>
void fields(A& a, Element& x) {
  a(x.buffer, x.index);
}
template <class A>
void fields(A& a, Hazard& x) {
  a(x.kind, x.kernel, x.where, x.other, x.block, x.thread, x.address, x.buffer, x.what, x.fix, x.cuda_error,
    x.occurrences, x.pair, x.called_from);
}

}  // namespace cudalab
