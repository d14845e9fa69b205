// The sizes beyond which PTX text is refused. No compiler comes near them; hostile text stops at them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cudalab::ptx {

inline constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxTokens = std::size_t{4} << 20;          // debug sections not counted
inline constexpr std::size_t kMaxStatements = std::size_t{1} << 19;      // of all functions together
inline constexpr std::size_t kMaxScopeDepth = 64;                        // `{ }` inside a function
inline constexpr std::size_t kMaxExpressionDepth = 64;                   // parentheses and unary operators
inline constexpr std::size_t kMaxOpcodeParts = 32;                       // `ld.global.v4.f32` has four
inline constexpr std::size_t kMaxDimensions = 8;                         // `x[2][3]` has two
inline constexpr std::size_t kMaxPaddedElements = std::size_t{1} << 20;  // zeros that `{{1}, {2}}` fills in
inline constexpr std::uint64_t kMaxRegistersPerFunction = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMaxVariableBytes = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kMaxAlignment = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMaxFiles = std::uint64_t{1} << 16;         // the highest `.file` number
inline constexpr std::size_t kMaxInlineDepth = 64;                         // lines kept in `inlined_at`
inline constexpr std::size_t kMaxLineTableBytes = std::size_t{256} << 20;  // of names, repeated
inline constexpr std::size_t kShownNameLength = 40;                        // of the text in a message

}  // namespace cudalab::ptx
