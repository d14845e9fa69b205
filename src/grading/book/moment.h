// Moments in time, as platforms, rosters and people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cudalab::grading {

// What a day without a time of day means: students are given the doubt.
enum class DayMeans { kItsBeginning, kItsEnd };

// Seconds since 1970-01-01 00:00 UTC; nothing where the text is no time. "2026-01-31", "2026-01-31 17:05",
// "2026-01-31T17:05:00.125-08:00", with "Z", "UTC" or an offset behind it; without one, as the clocks here
// go.
std::optional<std::int64_t> moment_from(std::string_view text, DayMeans day);

// "26 hours", "3 days", in words: whole units, the largest of which there are two at least.
std::string span_in_words(std::int64_t seconds);

}  // namespace cudalab::grading
