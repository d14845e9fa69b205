// What a program did, as text for a terminal: its kernels, copies, and what is wrong with it.
#pragma once

#include <string>

#include "device/programs/program_log.h"
#include "lab/result.h"
#include "report/text/table.h"

namespace cudalab::report {

// A row a kernel; what is said about the host, its memory and its calls stands in the notes. `wording` is of
// the lines of its figure.
lab::Result result_of(const device::ProgramLog& log, const Wording& wording = {});

// Nothing where the program never called CUDA and ended by itself.
std::string program_text(const device::ProgramLog& log, const TableStyle& style);

}  // namespace cudalab::report
