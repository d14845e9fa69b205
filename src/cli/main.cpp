// The entry of the program: arguments in, exit code out.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "cli/program.h"
#include "core/error.h"
#include "core/processes/stack.h"
#include "core/processes/this_program.h"

namespace {

// Said without anything that takes stack.
int complain_of_the_stack() {
  constexpr std::string_view kWords =
      "cudalab: the limit on the stack is too low; raise it, as by `ulimit -s 8192`, and start again\n";
  return ::write(STDERR_FILENO, kWords.data(), kWords.size()),
         static_cast<int>(cudalab::ExitCode::kUnavailable);
}

// Threads of OpenMP turn on the spot while they wait, half of the processor time of a short check. It is
// worth it where a CPU version's time is taken, and these take none.
constexpr std::array<std::string_view, 3> kTakeNoTimes{"check", "watch", "author"};
constexpr const char* kHowToWait = "OMP_WAIT_POLICY";

// The library has read the environment before main() begins. Where starting again fails, this process goes
// on.
void start_again_with_patient_threads(int argc, char** argv) {
  if (argc < 2 || std::ranges::find(kTakeNoTimes, argv[1]) == kTakeNoTimes.end()) return;
  if (std::getenv(kHowToWait) || std::getenv("GOMP_SPINCOUNT")) return;  // the user's own wish
  if (::setenv(kHowToWait, "passive", 1) == 0) ::execv(cudalab::this_program().c_str(), argv);
}

}  // namespace

int main(int argc, char** argv) {
  if (!cudalab::has_room_on_the_stack()) return complain_of_the_stack();
  start_again_with_patient_threads(argc, argv);
  cudalab::cli::Console console = cudalab::cli::console_of_this_process();
  return cudalab::cli::run_program({argv + 1, argv + argc}, console);
}
