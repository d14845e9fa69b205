// Calls things as the program's own source does: memory and pointers by the variables that hold them.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "device/programs/program_log.h"

namespace cudalab::device {

// A line's text; empty where the file is not at hand.
using LineText = std::function<std::string(const SourceLine&)>;

// `cudaMalloc #1` becomes `d` of `cudaMalloc(&d, …)`, and a pointer of the host that a launch was given `h`
// of `k<<<1, 32>>>(h)`, where the lines show it.
void name_memory(ProgramLog& log, const LineText& line_of);

// Whether some text of the report calls memory by this name.
bool mentions(const ProgramLog& log, const std::string& name);

// Calls that allocate, and the variables that they fill, in their order: {"cudaMalloc", "d"} of
// "cudaMalloc((void**)&d, bytes);".
std::vector<std::pair<std::string, std::string>> allocations_in(const std::string& line);
// The arguments of the last launch of the kernel that begins in the text: {"h", "n + 1"} of
// "k<<<1, 32>>>(h, n + 1);".
std::vector<std::string> arguments_in(const std::string& text, const std::string& kernel);

}  // namespace cudalab::device
