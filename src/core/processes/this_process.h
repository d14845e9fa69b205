// Facts about this process: its executable, a mark that identifies it, and its stack limit.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace cudalab {

// The stack limit of this process, which the process that started it may have set too low.

// Raises limits that are too low, for the current thread and future ones. False if the system does not allow
// it. Needs almost no stack itself.
bool has_room_on_the_stack();

// A mark that identifies a process even if its id is reused. It labels resources that the process may leave
// behind.

std::string own_mark();  // "4711-1234567": the process id, and its start in clock ticks of the system

// Whether the process of a mark has ended. False for a text that is not a mark.
bool is_gone(std::string_view mark);

// The path of this program's file, on systems with and without /proc.

// Resolves links. Empty if the system does not provide the path.
std::filesystem::path this_program();

// The path to start this program again. With /proc this is the running program itself, even if its file has
// been replaced.
std::filesystem::path this_program_again();

}  // namespace cudalab
