// Numbers with their units, as a reader wants them: three significant digits, a fitting unit.
#pragma once

#include <string>

namespace cudalab::report {

std::string significant(double value, int digits = 3);  // "1.93", "41", "1050", "12300"
std::string three_digits(double value);                 // the same, but zeros stay, for columns: "41.0"
std::string duration(double milliseconds);              // "12.3 us", "1.93 ms", "1.20 s"
std::string memory(double bytes);                       // "228 KiB", "139 GiB"
std::string distance(double bytes);                     // "4 KB" (of 1024 bytes), "132 bytes"
std::string percent(double value);                      // "13 %", "<1 %", "100 %"

}  // namespace cudalab::report
