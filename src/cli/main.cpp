// The entry of the program: arguments in, exit code out.
#include <unistd.h>

#include <string_view>

#include "cli/program.h"
#include "core/error.h"
#include "core/processes/stack.h"

namespace {

// Said without anything that takes stack.
int complain_of_the_stack() {
  constexpr std::string_view kWords =
      "cudalab: the limit on the stack is too low; raise it, as by `ulimit -s 8192`, and start again\n";
  return ::write(STDERR_FILENO, kWords.data(), kWords.size()),
         static_cast<int>(cudalab::ExitCode::kUnavailable);
}

}  // namespace

int main(int argc, char** argv) {
  if (!cudalab::has_room_on_the_stack()) return complain_of_the_stack();
  cudalab::cli::Console console = cudalab::cli::console_of_this_process();
  return cudalab::cli::run_program({argv + 1, argv + argc}, console);
}
