// Numbers and sentences.
#include "compile/nvrtc/compile_limits.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "compile/toolkit.h"

namespace cudalab::compile {
namespace {

double number_in(const char* variable, double otherwise) {
  const double number = std::atof(environment(variable).value_or("").c_str());
  return number > 0 ? std::min(number, 1e9) : otherwise;
}

constexpr double kMiB = 1 << 20;

// That this process has itself.
double own_limit(int what, double unit) {
  rlimit own{};
  const bool is_limited =
      ::getrlimit(static_cast<__rlimit_resource>(what), &own) == 0 && own.rlim_cur != RLIM_INFINITY;
  return is_limited ? static_cast<double>(own.rlim_cur) / unit : std::numeric_limits<double>::infinity();
}

// The next step is where the limit comes from.
std::string advice(bool is_our_own, const char* ulimit, const char* variable) {
  return fmt::format(
      "look for templates or macros that unfold without end, or {}",
      is_our_own ? fmt::format("raise the limit of `{}`", ulimit) : fmt::format("set {} higher", variable));
}

std::string cause_text(CompilerStopped::Cause cause, const CompileLimits& limits, const std::string& how) {
  switch (cause) {
    case CompilerStopped::kTime:
      return fmt::format(
          "took more than {:g} seconds; {}", limits.seconds,
          advice(limits.seconds >= own_limit(RLIMIT_CPU, 1), "ulimit -t", "CUDALAB_COMPILE_SECONDS"));
    case CompilerStopped::kMemory:
      return fmt::format(
          "needed more than {:.0f} MiB of memory; {}", limits.memory_mib,
          advice(limits.memory_mib >= own_limit(RLIMIT_AS, kMiB), "ulimit -v", "CUDALAB_COMPILE_MIB"));
    case CompilerStopped::kCrash: break;
  }
  return fmt::format("crashed ({}), a fault of its own; leave out parts of the file until it does not", how);
}

}  // namespace

CompileLimits compile_limits(const CompileLimits& usual) {
  return {std::min(number_in("CUDALAB_COMPILE_SECONDS", usual.seconds), own_limit(RLIMIT_CPU, 1)),
          std::min(number_in("CUDALAB_COMPILE_MIB", usual.memory_mib), own_limit(RLIMIT_AS, kMiB))};
}

bool says_out_of_memory(std::string_view log) {
  return log.find("catastrophic error: out of memory") != std::string_view::npos;
}

CompilerStopped::CompilerStopped(const std::string& file_name, Cause cause, const CompileLimits& limits,
                                 const std::string& how)
    : CompileError(fmt::format("{}: error: the compiler {}", file_name, cause_text(cause, limits, how)), ""),
      cause_(cause) {}

}  // namespace cudalab::compile
