// Functions that the CUDA device runtime provides to kernels: vprintf, malloc, free, __assertfail and others.
#include "vgpu/builtins/builtins.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "core/alignment.h"
#include "messages/vgpu.h"
#include "vgpu/builtins/device_runtime.h"
#include "vgpu/builtins/math_functions.h"
#include "vgpu/checks/observer.h"

namespace cudalab::vgpu {
namespace {

constexpr int kMostWidth = 1024;  // a kernel must not make the host print megabytes of spaces

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

  // Returns false if it is no conversion; its text is then printed unchanged.
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

  // The host formats one value, with a format assembled here from checked parts.
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

std::byte* memory_at(const Warp& warp, int lane, std::uint64_t address, std::size_t bytes) {
  const auto inside = [&](std::uint64_t window, std::size_t size) {
    return address >= window && address - window <= size && bytes <= size - (address - window);
  };
  if (inside(kSharedWindow, warp.shared_bytes)) return warp.shared + (address - kSharedWindow);
  if (inside(kLocalWindow, warp.local_bytes))
    return warp.local + lane * warp.local_bytes + (address - kLocalWindow);
  const Allocation* allocation = warp.launch->memory->find(address);
  if (!allocation || bytes > allocation->end() - address) return nullptr;
  return allocation->host.get() + (address - allocation->base);
}

namespace {

// A C string, truncated at a length beyond any useful message.
std::string text_at(const Warp& warp, int lane, std::uint64_t address) {
  constexpr std::size_t kMost = 4096;
  if (address == 0) return "(null)";
  std::string text;
  while (text.size() < kMost) {
    const std::byte* next = memory_at(warp, lane, address + text.size(), 1);
    if (!next) return text.empty() ? "?" : text;
    if (*next == std::byte{0}) break;
    text += static_cast<char>(*next);
  }
  return text;
}

// Cost of functions, in warp instructions.
constexpr std::uint64_t kStepsOfALetter = 2, kStepsOfALane = 64;

std::uint64_t active_lanes(const Warp& warp) { return static_cast<std::uint64_t>(std::popcount(warp.exec)); }

void add_effort(const Warp& warp, std::uint64_t steps) {
  if (warp.observed) warp.block->observer->add_effort(steps);
}

// ---- the builtins ------------------------------------------------------------------------------------
// void __assertfail(const char* message, const char* file, unsigned line, const char* function, size_t
// char_size)
[[noreturn]] void assertion_failed(const Inst* inst, Warp& warp, const CallInfo& info) {
  const int lane = std::countr_zero(warp.exec);
  Hazard hazard = hazard_at(inst, warp, lane, HazardKind::kAssertion);
  hazard.what = msg::assertion_failed(Code{text_at(warp, lane, argument<std::uint64_t>(warp, info, 0, lane))},
                                      text_at(warp, lane, argument<std::uint64_t>(warp, info, 3, lane)));
  hazard.fix = msg::advice_assertion();
  hazard.cuda_error = "CUDA_ERROR_ASSERT";
  throw KernelFault{std::move(hazard)};
}

// int vprintf(const char* format, va_list arguments)
void print(const Inst*, Warp& warp, const CallInfo& info) {
  std::string text;
  for_each_lane(warp, [&](int lane) {
    const std::uint64_t at = argument<std::uint64_t>(warp, info, 1, lane);
    const PrintfArguments arguments{[&](std::size_t offset, std::size_t bytes) {
                                      std::uint64_t value = 0;
                                      if (const std::byte* from = memory_at(warp, lane, at + offset, bytes))
                                        std::memcpy(&value, from, bytes);
                                      return value;
                                    },
                                    [&](std::uint64_t address) { return text_at(warp, lane, address); }};
    int conversions = 0;
    text += format_printf(text_at(warp, lane, argument<std::uint64_t>(warp, info, 0, lane)), arguments,
                          conversions);
    set_result<std::int32_t>(warp, info, lane, conversions);
  });
  add_effort(warp, kStepsOfALetter * text.size() + kStepsOfALane * active_lanes(warp));
  warp.launch->printed.add(warp.block->number, text);
}

// void* malloc(size_t bytes)
void take_memory(const Inst*, Warp& warp, const CallInfo& info) {
  add_effort(warp, kStepsOfALane * active_lanes(warp));
  for_each_lane(warp, [&](int lane) {
    set_result(warp, info, lane, warp.launch->heap->take(argument<std::uint64_t>(warp, info, 0, lane)));
  });
}

// void free(void* memory)
void give_memory_back(const Inst* inst, Warp& warp, const CallInfo& info) {
  add_effort(warp, kStepsOfALane * active_lanes(warp));
  for_each_lane(warp, [&](int lane) {
    const auto address = argument<std::uint64_t>(warp, info, 0, lane);
    if (address == 0 || warp.launch->heap->give_back(address)) return;
    Hazard hazard = hazard_at(inst, warp, lane, HazardKind::kOutOfBounds);
    hazard.address = address;
    hazard.what = msg::free_of_no_memory(msg::verb_frees(), Address{address});
    hazard.fix = msg::advice_free_malloc_once();
    hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
    throw KernelFault{std::move(hazard)};
  });
}

constexpr std::array<Builtin, 4> kOfEveryKernel{{
    {"__assertfail", assertion_failed, false},
    {"vprintf", print, false},
    {"malloc", take_memory, true},
    {"free", give_memory_back, true},
}};

const std::vector<Builtin>& builtins() {
  static const std::vector<Builtin> all = [] {
    std::vector<Builtin> rows(kOfEveryKernel.begin(), kOfEveryKernel.end());
    std::ranges::copy(device_runtime_builtins(), std::back_inserter(rows));
    std::ranges::copy(math_builtins(), std::back_inserter(rows));
    return rows;
  }();
  return all;
}

}  // namespace

int find_builtin(std::string_view name) {
  constexpr std::string_view kOfAThreadsStream = "_ptsz";  // suffix with --default-stream per-thread
  if (name.ends_with(kOfAThreadsStream)) name.remove_suffix(kOfAThreadsStream.size());
  for (std::size_t i = 0; i < builtins().size(); ++i)
    if (builtins()[i].name == name) return static_cast<int>(i);
  return -1;
}

bool needs_block_order(int builtin) {
  return builtins().at(static_cast<std::size_t>(builtin)).needs_block_order;
}

bool launches_kernels(int builtin) {
  const std::string_view name = builtins().at(static_cast<std::size_t>(builtin)).name;
  return name.find("LaunchDevice") != std::string_view::npos;
}

void run_builtin(const Inst* inst, Warp& warp, const CallInfo& info) {
  builtins()[static_cast<std::size_t>(info.builtin)].run(inst, warp, info);
}

}  // namespace cudalab::vgpu
