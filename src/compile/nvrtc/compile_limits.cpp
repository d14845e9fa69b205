// Numbers and sentences.
#include "compile/nvrtc/compile_limits.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>

#include "compile/toolkit.h"

namespace cudalab::compile {
namespace {

double number_in(const char* variable, double otherwise) {
  const double number = std::atof(environment(variable).value_or("").c_str());
  return number > 0 ? std::min(number, 1e9) : otherwise;
}

double least(double wanted, int what, double unit) {
  rlimit own{};
  const bool is_limited =
      ::getrlimit(static_cast<__rlimit_resource>(what), &own) == 0 && own.rlim_cur != RLIM_INFINITY;
  return is_limited ? std::min(wanted, static_cast<double>(own.rlim_cur) / unit) : wanted;
}

std::string cause_text(CompilerStopped::Cause cause, const CompileLimits& limits, const std::string& how) {
  constexpr const char* kEndless = "look for templates or macros that unfold without end, or set";
  switch (cause) {
    case CompilerStopped::kTime:
      return fmt::format("took more than {:g} seconds; {} CUDALAB_COMPILE_SECONDS higher", limits.seconds,
                         kEndless);
    case CompilerStopped::kMemory:
      return fmt::format("needed more than {:g} MiB of memory; {} CUDALAB_COMPILE_MIB higher",
                         limits.memory_mib, kEndless);
    case CompilerStopped::kCrash: break;
  }
  return fmt::format("crashed ({}), a fault of its own; leave out parts of the file until it does not", how);
}

}  // namespace

CompileLimits compile_limits(const CompileLimits& usual) {
  return {least(number_in("CUDALAB_COMPILE_SECONDS", usual.seconds), RLIMIT_CPU, 1),
          least(number_in("CUDALAB_COMPILE_MIB", usual.memory_mib), RLIMIT_AS, 1 << 20)};
}

bool says_out_of_memory(std::string_view log) {
  return log.find("catastrophic error: out of memory") != std::string_view::npos;
}

CompilerStopped::CompilerStopped(const std::string& file_name, Cause cause, const CompileLimits& limits,
                                 const std::string& how)
    : CompileError(fmt::format("{}: error: the compiler {}", file_name, cause_text(cause, limits, how)), ""),
      cause_(cause) {}

}  // namespace cudalab::compile
