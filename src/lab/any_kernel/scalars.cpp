// Conversions of scalar values: one C++ type per row of the table of scalar types.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <system_error>
#include <type_traits>

#include "core/error.h"
#include "core/half.h"
#include "lab/any_kernel/argument_spec.h"
#include "lab/random.h"
#include "messages/lab.h"

namespace cudalab::lab {
namespace {

// An f16 or bf16 value as its own type.
template <const HalfFormat& kFormat>
struct Half {
  std::uint16_t bits = 0;
  Half() = default;
  explicit Half(double value) : bits(half_bits(value, kFormat)) {}
  explicit operator double() const { return half_value(bits, kFormat); }
};
using F16 = Half<kF16Format>;
using BF16 = Half<kBF16Format>;

template <class T>
constexpr bool kIsHalf = std::is_same_v<T, F16> || std::is_same_v<T, BF16>;

template <class T>
struct Tag {
  using type = T;
};

template <class Function>
auto with_type(ScalarType type, const Function& work) {
  switch (type) {
    case ScalarType::kU8: return work(Tag<std::uint8_t>{});
    case ScalarType::kI8: return work(Tag<std::int8_t>{});
    case ScalarType::kU16: return work(Tag<std::uint16_t>{});
    case ScalarType::kI16: return work(Tag<std::int16_t>{});
    case ScalarType::kU32: return work(Tag<std::uint32_t>{});
    case ScalarType::kI32: return work(Tag<std::int32_t>{});
    case ScalarType::kU64: return work(Tag<std::uint64_t>{});
    case ScalarType::kI64: return work(Tag<std::int64_t>{});
    case ScalarType::kF16: return work(Tag<F16>{});
    case ScalarType::kBF16: return work(Tag<BF16>{});
    case ScalarType::kF32: return work(Tag<float>{});
    case ScalarType::kF64: break;
  }
  return work(Tag<double>{});
}

template <class T>
Bytes bytes_of(std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  return Bytes(bytes.begin(), bytes.end());
}

template <class Number, class... Format>
std::optional<Number> whole_text_as(std::string_view text, Format... format) {
  Number value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, format...);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class T>
std::optional<T> number_from(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if constexpr (kIsHalf<T>) {
    const auto value = whole_text_as<double>(text);
    return value ? std::optional(T(*value)) : std::nullopt;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (std::is_same_v<T, float> && text.size() > 1 && text.ends_with('f') && text != "inf")
      text.remove_suffix(1);
    return whole_text_as<T>(text);
  } else {
    return text.starts_with("0x") ? whole_text_as<T>(text.substr(2), 16) : whole_text_as<T>(text, 10);
  }
}

template <class T>
std::string text_of(T value) {
  if constexpr (kIsHalf<T>) {
    return std::isnan(static_cast<double>(value))
               ? "nan"
               : fmt::format("{}", static_cast<float>(static_cast<double>(value)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(value) ? "nan" : fmt::format("{}", value);
  } else {
    return fmt::format("{}", value);
  }
}

template <class T>
std::vector<T> random_of(std::size_t count, std::uint64_t stream) {
  if constexpr (kIsHalf<T>) {
    const std::vector<double> reals = random_reals<double>(count, stream);
    return std::vector<T>(reals.begin(), reals.end());
  } else {
    return random_values<T>(count, stream);
  }
}

}  // namespace

bool is_floating(ScalarType type) {
  return with_type(type, [](auto tag) {
    using T = typename decltype(tag)::type;
    return kIsHalf<T> || std::is_floating_point_v<T>;
  });
}

std::optional<Bytes> scalar_from(ScalarType type, std::string_view text) {
  return with_type(type, [&](auto tag) -> std::optional<Bytes> {
    using T = typename decltype(tag)::type;
    const std::optional<T> value = number_from<T>(text);
    if (!value) return std::nullopt;
    return bytes_of(std::span<const T>(&*value, 1));
  });
}

std::string scalar_text(ScalarType type, std::span<const std::byte> bytes) {
  return with_type(type, [&](auto tag) {
    typename decltype(tag)::type value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return text_of(value);
  });
}

Bytes iota_values(ScalarType type, std::size_t count) {
  return with_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(i);
    return bytes_of(std::span<const T>(values));
  });
}

Bytes random_bytes(ScalarType type, std::size_t count, std::uint64_t stream) {
  return with_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return bytes_of(std::span<const T>(random_of<T>(count, stream)));
  });
}

Bytes scalars_from_text(ScalarType type, std::string_view text, std::string_view name) {
  constexpr std::string_view kBetween = " \t\r\n,;";
  Bytes all;
  for (std::size_t at = text.find_first_not_of(kBetween); at < text.size();
       at = text.find_first_not_of(kBetween, at)) {
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const std::optional<Bytes> bytes = scalar_from(type, word);
    if (!bytes) throw usage_error(msg::word_of_wrong_type(name, word.substr(0, 40), info(type).name));
    all.insert(all.end(), bytes->begin(), bytes->end());
    at = end;
  }
  return all;
}

std::string text_of_scalars(ScalarType type, std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += info(type).bytes)
    text += scalar_text(type, bytes.subspan(at)) + '\n';
  return text;
}

}  // namespace cudalab::lab
