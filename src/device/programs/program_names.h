// Names things as a program's source does: variables for memory and pointers, and source lines for call
// sites.
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

// Source lines of call sites, as addr2line reads them from a program's debug information.

// The innermost line of each site that is the program's own: not of the toolkit's headers, and not of the
// stub that nvcc writes for a kernel. Sites of which nothing is known are left out, all where addr2line is
// not installed.
std::map<CallSite, SourceLine> source_lines(std::span<const CallSite> sites);

// Those of all call sites that a report of it shows, and the names of its variables for its memory.
void add_source_lines(ProgramLog& log);

// Calls things as the program's own source does: memory and pointers by the variables that hold them.

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
