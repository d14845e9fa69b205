// Attempts what the filter denies, in a process of its own.
#include "core/processes/syscall_filter.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <thread>

namespace cudalab {
namespace {

// What `attempt` returns in a process with the filter: 0 to 255.
int in_filtered_process(const std::function<int()>& attempt) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(filter_own_syscalls() ? attempt() : 254);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

int error_of(long result) { return result < 0 ? errno : 0; }

class SyscallFilter : public testing::Test {
 protected:
  void SetUp() override {
    if (syscall_filter().empty()) GTEST_SKIP() << "no filter for this processor";
  }
};

TEST_F(SyscallFilter, DeniesNamespaces) {
  EXPECT_EQ(in_filtered_process([] { return error_of(::unshare(CLONE_NEWUSER)); }), EPERM);
  EXPECT_EQ(
      in_filtered_process([] { return error_of(::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)); }),
      EPERM);
  EXPECT_EQ(in_filtered_process([] { return error_of(::syscall(SYS_clone3, nullptr, 0)); }), ENOSYS);
  EXPECT_EQ(in_filtered_process([] { return error_of(::syscall(SYS_mount, "none", "/", "tmpfs", 0, 0)); }),
            EPERM);
}

TEST_F(SyscallFilter, DeniesKeyringsTracingAndInterfacesOfTheKernel) {
  for (const long number : {SYS_keyctl, SYS_add_key, SYS_request_key, SYS_process_vm_readv,
                            SYS_io_uring_setup, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd})
    EXPECT_EQ(in_filtered_process([=] { return error_of(::syscall(number, 0, 0, 0, 0, 0)); }), EPERM)
        << number;
  EXPECT_EQ(in_filtered_process([] { return error_of(::ptrace(PTRACE_TRACEME, 0, 0, 0)); }), EPERM);
}

TEST_F(SyscallFilter, AllowsThreadsChildrenAndFiles) {
  EXPECT_EQ(in_filtered_process([] {
              int value = 0;
              std::thread([&] { value = 7; }).join();
              return value;
            }),
            7);
  EXPECT_EQ(in_filtered_process([] {
              const pid_t child = ::fork();
              if (child == 0) ::_exit(5);
              int status = 0;
              ::waitpid(child, &status, 0);
              return WEXITSTATUS(status);
            }),
            5);
  EXPECT_EQ(in_filtered_process([] { return error_of(::open("/dev/null", O_RDONLY)); }), 0);
}

}  // namespace
}  // namespace cudalab
