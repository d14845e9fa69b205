// Source lines of call sites, as addr2line reads them from a program's debug information.
#pragma once

#include <map>
#include <span>

#include "core/programs/program_record.h"
#include "device/programs/program_log.h"

namespace cudalab::device {

// The innermost line of each site that is the program's own: not of the toolkit's headers, and not of the
// stub that nvcc writes for a kernel. Sites of which nothing is known are left out, all where addr2line is
// not installed.
std::map<CallSite, SourceLine> source_lines(std::span<const CallSite> sites);

// Those of all call sites that a report of it shows, and the names of its variables for its memory.
void add_source_lines(ProgramLog& log);

}  // namespace cudalab::device
