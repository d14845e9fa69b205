// A program's report as text for a terminal: its kernels and copies, and what is wrong with it.
#pragma once

#include <string>

#include "device/programs/program_log.h"
#include "lab/result.h"
#include "report/text/table.h"

namespace cudalab::report {

// One row per kernel; sentences about the host, its memory and its calls are in the notes. `wording`: for the
// lines of its figure.
lab::Result result_of(const device::ProgramLog& log, const Wording& wording = {});

// Empty if the program never called CUDA and ended by itself.
std::string program_text(const device::ProgramLog& log, const TableStyle& style);

}  // namespace cudalab::report
