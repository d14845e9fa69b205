// /proc/self/exe, else what the kernel was told when it started the program.
#include "core/processes/this_program.h"

#include <sys/auxv.h>
#include <unistd.h>

namespace cudalab {
namespace fs = std::filesystem;
namespace {

constexpr const char* kItself = "/proc/self/exe";

}  // namespace

fs::path this_program() {
  std::error_code error;
  if (fs::path program = fs::read_symlink(kItself, error); !error) return program;
  const auto* started_as = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  return started_as ? fs::canonical(started_as, error) : fs::path();
}

fs::path this_program_again() { return ::access(kItself, X_OK) == 0 ? fs::path(kItself) : this_program(); }

}  // namespace cudalab
