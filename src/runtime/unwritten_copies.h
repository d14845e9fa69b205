// Finds bytes that are copied to the host although no kernel, copy or memset wrote them, as Compute
// Sanitizer's initcheck does of the source of a copy; what a struct's alignment leaves between its members is
// no mistake.
#pragma once

#include "core/programs/program_record.h"
#include "runtime/copies.h"

namespace cudalab::runtime {

// Before the copy runs: what it says of such bytes, if there are any.
void look_for_unwritten(const char* call, const Box& box, const CallSite& from);

}  // namespace cudalab::runtime
