// How long a compiler may work on one file, and with how much memory.
#pragma once

#include <string>
#include <string_view>

#include "compile/compiler.h"

namespace cudalab::compile {

// Far beyond what files need: a header of Thrust or CUB takes seconds and a gigabyte.
struct CompileLimits {
  double seconds = 120;
  double memory_mib = 4096;  // of address space
};

// $CUDALAB_COMPILE_SECONDS and $CUDALAB_COMPILE_MIB, where they hold numbers, else the usual ones; and no
// more than this process has itself.
CompileLimits compile_limits(const CompileLimits& usual = {});

// Whether a compiler ended because of its limit on memory: that is its last error, behind others that follow
// from it.
bool says_out_of_memory(std::string_view log);

// The compiler did not get to the end of the file, which is then a file that does not compile.
class CompilerStopped : public CompileError {
 public:
  enum Cause { kTime, kMemory, kCrash };
  // "a.cu: error: the compiler CAUSE; NEXT STEP". `how` it crashed.
  CompilerStopped(const std::string& file_name, Cause cause, const CompileLimits& limits,
                  const std::string& how = "");
  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

}  // namespace cudalab::compile
