// What tells a process from all others, also from later ones with its number: for what it may leave behind.
#pragma once

#include <string>
#include <string_view>

namespace cudalab {

std::string own_mark();  // "4711-1234567": the number, and when it was started in the system's ticks

// Whether the process of a mark has ended. What is no mark belongs to nobody who has.
bool is_gone(std::string_view mark);

}  // namespace cudalab
