#include "vgpu/builtins/printf_format.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdint>
#include <cstdio>

#include "core/alignment.h"

namespace cudalab::vgpu {
namespace {

constexpr int kMostWidth = 1024;  // a kernel must not make the host print megabytes of blanks

// %[flags][width][.precision][length]conversion
struct Directive {
  std::string flags;
  int width = 0, precision = -1;
  int length = 0;  // 1: 64 bits; -1: 16 bits; -2: 8 bits
  char conversion = 0;
};

class Formatter {
 public:
  Formatter(std::string_view format, const PrintfArguments& arguments)
      : format_(format), arguments_(arguments) {}

  std::string run() {
    while (at_ < format_.size()) {
      if (format_[at_] != '%')
        out_ += format_[at_++];
      else
        directive();
    }
    return std::move(out_);
  }
  int conversions() const { return conversions_; }

 private:
  char peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }
  bool take(char c) { return peek() == c && (++at_, true); }

  std::uint64_t argument(std::size_t bytes) {
    offset_ = round_up(offset_, bytes);
    const std::uint64_t value = arguments_.value(offset_, bytes);
    offset_ += bytes;
    ++conversions_;
    return value;
  }

  int number() {
    if (take('*')) return static_cast<std::int32_t>(argument(4));
    int value = 0;
    while (std::isdigit(static_cast<unsigned char>(peek())))
      value = std::min(10 * value + (format_[at_++] - '0'), kMostWidth);
    return value;
  }

  void directive() {
    const std::size_t start = at_++;
    Directive d;
    while (peek() && std::string_view("-+ #0").find(peek()) != std::string_view::npos)
      d.flags += format_[at_++];
    d.width = number();
    if (d.width < 0) d.flags += '-';
    d.width = std::min(std::abs(std::max(d.width, -kMostWidth)), kMostWidth);
    if (take('.')) d.precision = std::min(number(), kMostWidth);
    while (peek() && std::string_view("hlLqjzt").find(peek()) != std::string_view::npos)
      d.length = format_[at_++] == 'h' ? d.length - 1 : 1;
    d.conversion = peek();
    if (d.conversion) ++at_;
    if (!print(d)) out_ += format_.substr(start, at_ - start);
  }

  // False for what is no conversion; the text then stands for itself.
  bool print(const Directive& d) {
    switch (d.conversion) {
      case '%': out_ += '%'; return true;
      case 'd':
      case 'i': return put(d, "lld", static_cast<long long>(signed_value(d)));
      case 'u': return put(d, "llu", static_cast<unsigned long long>(unsigned_value(d)));
      case 'o': return put(d, "llo", static_cast<unsigned long long>(unsigned_value(d)));
      case 'x': return put(d, "llx", static_cast<unsigned long long>(unsigned_value(d)));
      case 'X': return put(d, "llX", static_cast<unsigned long long>(unsigned_value(d)));
      case 'p': return put(d, "p", reinterpret_cast<void*>(argument(8)));
      case 'c': return put(d, "c", static_cast<int>(argument(4) & 0xff));
      case 's': return put(d, "s", arguments_.text(argument(8)).c_str());
      case 'a':
      case 'A':
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G': return put(d, std::string(1, d.conversion), std::bit_cast<double>(argument(8)));
      default: return false;
    }
  }

  std::int64_t signed_value(const Directive& d) {
    const std::uint64_t bits = argument(d.length > 0 ? 8 : 4);
    if (d.length > 0) return static_cast<std::int64_t>(bits);
    if (d.length == -1) return static_cast<std::int16_t>(bits);
    if (d.length < -1) return static_cast<std::int8_t>(bits);
    return static_cast<std::int32_t>(bits);
  }
  std::uint64_t unsigned_value(const Directive& d) {
    const std::uint64_t bits = argument(d.length > 0 ? 8 : 4);
    return d.length == -1 ? bits & 0xffff : d.length < -1 ? bits & 0xff : bits;
  }

  // The host formats one value by a format made here from checked parts.
  template <class T>
  bool put(const Directive& d, const std::string& conversion, T value) {
    std::string spec = "%" + d.flags;
    if (d.width > 0) spec += std::to_string(d.width);
    if (d.precision >= 0) spec += "." + std::to_string(d.precision);
    spec += conversion;
    const int length = std::snprintf(nullptr, 0, spec.c_str(), value);
    if (length <= 0) return length == 0;
    std::string text(static_cast<std::size_t>(length) + 1, '\0');
    std::snprintf(text.data(), text.size(), spec.c_str(), value);
    text.pop_back();
    out_ += text;
    return true;
  }

  std::string_view format_;
  const PrintfArguments& arguments_;
  std::size_t at_ = 0, offset_ = 0;
  int conversions_ = 0;
  std::string out_;
};

}  // namespace

std::string format_printf(std::string_view format, const PrintfArguments& arguments, int& conversions) {
  Formatter formatter(format, arguments);
  std::string text = formatter.run();
  conversions = formatter.conversions();
  return text;
}

}  // namespace cudalab::vgpu
