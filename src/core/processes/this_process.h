// Facts about this process: its executable, a mark that identifies it, and its stack limit.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace cudalab {

// How much stack this process may take, which whoever started it may have made too little.

// Raises limits that are too low, for the thread that runs and those that will; false where the system does
// not let us. Needs next to no stack itself.
bool has_room_on_the_stack();

// What tells a process from all others, also from later ones with its number: for what it may leave behind.

std::string own_mark();  // "4711-1234567": the number, and when it was started in the system's ticks

// Whether the process of a mark has ended. What is no mark belongs to nobody who has.
bool is_gone(std::string_view mark);

// Where this program's own file is, on machines with /proc and on those without.

// Links resolved. Empty where the system does not say.
std::filesystem::path this_program();

// What to start in order to run it once more: where there is /proc the running program itself, even when
// another file stands in its place by now.
std::filesystem::path this_program_again();

}  // namespace cudalab
