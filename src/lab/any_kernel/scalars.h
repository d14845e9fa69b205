// Arrays of a type that is known only at run time: from and to text, and filled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/scalar_type.h"

namespace cudalab::lab {

using Bytes = std::vector<std::byte>;

bool is_floating(ScalarType type);

// "-1", "0xff", "2.5e-3", "nan": its bytes; nothing where it is no number or not of the type's range.
std::optional<Bytes> scalar_from(ScalarType type, std::string_view text);

// The shortest text that reads back to the same value. `bytes` holds one element.
std::string scalar_text(ScalarType type, std::span<const std::byte> bytes);

// 0, 1, 2, … in the type's own arithmetic: u8 begins again after 255.
Bytes iota_values(ScalarType type, std::size_t count);

// Real numbers in [-1, 1), whole numbers over the type's whole range; the same for the same stream
// everywhere.
Bytes random_bytes(ScalarType type, std::size_t count, std::uint64_t stream);

// Numbers between blanks, commas or line ends. Throws Error(kUsage) that calls the text `name` and shows the
// first word that is no number of the type.
Bytes scalars_from_text(ScalarType type, std::string_view text, std::string_view name);

// One number a line.
std::string text_of_scalars(ScalarType type, std::span<const std::byte> bytes);

}  // namespace cudalab::lab
