// Names memory and pointers by the variables in a program's source, and finds the source lines of call sites.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/programs/program_record.h"
#include "device/programs/program_log.h"

namespace cudalab::device {

// Source lines of call sites, read by addr2line from the program's debug information.

// The innermost line of each site that belongs to the program, not to headers of the toolkit or to nvcc's
// launch stub. Sites without a known line are omitted; without addr2line, all are.
std::map<CallSite, SourceLine> source_lines(std::span<const CallSite> sites);

// Adds the lines of all call sites that a report shows, and names the program's memory by its variables.
void add_source_lines(ProgramLog& log);

// Names memory and pointers by the variables that hold them.

// The text of a line; empty if the file is not available.
using LineText = std::function<std::string(const SourceLine&)>;

// Replaces `cudaMalloc #1` by `d` of `cudaMalloc(&d, …)`, and a host pointer that was passed to a launch by
// `h` of `k<<<1, 32>>>(h)`, if the lines show it.
void name_memory(ProgramLog& log, const LineText& line_of);

// Whether a message of the report mentions memory by this name.
bool mentions(const ProgramLog& log, const std::string& name);

// The allocating calls of a line and the variables that they fill, in order: {"cudaMalloc", "d"} for
// "cudaMalloc((void**)&d, bytes);".
std::vector<std::pair<std::string, std::string>> allocations_in(const std::string& line);
// The arguments of the last launch of the kernel that begins in the text: {"h", "n + 1"} for "k<<<1, 32>>>(h,
// n + 1);".
std::vector<std::string> arguments_in(const std::string& text, const std::string& kernel);

}  // namespace cudalab::device
