// For tests: the diagnosis of a source that does not compile.
#pragma once

#include "compile/compiler.h"
#include "core/diagnostics/message_testing.h"

namespace cudalab::compile {

// The diagnosis of the CompileError that `work` throws; an empty one if it throws none.
template <class Work>
Diagnosis diagnosis_of(const Work& work) {
  try {
    work();
  } catch (const CompileError& error) {
    return error.diagnosis();
  }
  return {};
}

}  // namespace cudalab::compile
