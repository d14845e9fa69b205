// Source lines of call sites, as addr2line reads them from a program's debug information.
#pragma once

#include <map>
#include <span>

#include "core/programs/program_record.h"

namespace cudalab::device {

// The innermost line of each site that is the program's own: not of the toolkit's headers, and not of the
// stub that nvcc writes for a kernel. Sites of which nothing is known are left out, all where addr2line is
// not installed.
std::map<CallSite, SourceLine> source_lines(std::span<const CallSite> sites);

}  // namespace cudalab::device
