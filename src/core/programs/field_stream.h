// Plain data as bytes, for a socket between two processes of one machine: numbers as they are in memory,
// texts and lists behind their length, what may be absent behind a byte.
//
// A type says what it consists of once, for both directions:
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
#include <vector>

#include "core/error.h"
#include "core/measurement.h"

namespace cudalab {

inline Error bad_record() {
  return usage_error("the program's report of itself is damaged: it does not read back");
}

inline constexpr int kDeepestFields = 32;  // children of children

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
    if (length > rest_.size()) throw bad_record();  // an element takes a byte at least
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
    fields(*this, const_cast<Value&>(value));  // a list of fields serves both directions; this one only reads
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

// ---- what many consist of ----------------------------------------------------------------------------

template <class A>
void fields(A& a, Dim3& x) {
  a(x.x, x.y, x.z);
}
template <class A>
void fields(A& a, SourceLine& x) {
  a(x.file, x.line);
}
template <class A>
void fields(A& a, Hazard& x) {
  a(x.kind, x.kernel, x.where, x.other, x.block, x.thread, x.address, x.buffer, x.what, x.fix, x.cuda_error,
    x.occurrences, x.pair);
}

}  // namespace cudalab
