// A child of the program's process continues with the variant. It has one thread, the calling one: the
// interpreter's threads begin and end with a launch.
#include "runtime/variants.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <string>

#include "core/files.h"
#include "core/processes/message_socket.h"
#include "core/programs/program_variant.h"
#include "runtime/runtime.h"

namespace cudalab::runtime {
namespace {

void redirect(const char* path, int flags, int to) {
  constexpr int kReadsAndWrites = 0600;
  const int file = ::open(path, flags, kReadsAndWrites);
  if (file < 0 || ::dup2(file, to) < 0) ::_exit(1);
  ::close(file);
}

void end_after(double seconds) {
  constexpr double kMicroseconds = 1e6;
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * kMicroseconds);
  ::signal(SIGALRM, SIG_DFL);
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

void become(const ProgramVariant& variant) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  redirect(variant.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  redirect("/dev/null", O_WRONLY, STDERR_FILENO);
  end_after(variant.seconds);
  Runtime& state = the_runtime();
  state.settings.change = variant.change;
  state.settings.launch.max_steps = variant.max_steps;
  state.modules.replace_device_code(variant.device_code);
}

}  // namespace

void serve_variants() {
  const char* path = std::getenv(kVariantsVariable);
  static bool is_served = false;
  if (!path || std::exchange(is_served, true)) return;
  const Descriptor connection(connected_socket(path));
  if (connection.number() < 0) return;
  while (const auto fields = receive_fields(connection.number()).fields) {
    const pid_t child = ::fork();
    if (child == 0) return become(variant_in(*fields));
    int status = 0;
    while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (!send_fields(connection.number(), {std::to_string(child > 0 ? status : SIGKILL)})) break;
  }
  ::_exit(0);
}

}  // namespace cudalab::runtime
