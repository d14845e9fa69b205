#include "core/processes/syscall_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cudalab {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
constexpr std::uint32_t kFirstOfOtherAbi = 0x4000'0000;  // x32
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t kFirstOfOtherAbi = ~0u;
#else
constexpr std::uint32_t kArchitecture = 0;
constexpr std::uint32_t kFirstOfOtherAbi = ~0u;
#endif

// Numbers that are the same on all processors but missing in old headers.
constexpr std::uint32_t kOpenTree = 428, kMoveMount = 429, kFsOpen = 430, kFsConfig = 431, kFsMount = 432,
                        kFsPick = 433, kPidfdGetfd = 438, kMountSetattr = 442;

constexpr auto kDenied = std::to_array<std::uint32_t>({
    // namespaces and mounts; `clone` is examined below
    SYS_unshare,
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    kOpenTree,
    kMoveMount,
    kFsOpen,
    kFsConfig,
    kFsMount,
    kFsPick,
    kMountSetattr,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    // keyrings
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    // other processes
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    kPidfdGetfd,
    // interfaces of the kernel with a long history of holes
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_personality,
    SYS_lookup_dcookie,
    // the machine itself
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_syslog,
    SYS_vhangup,
});
constexpr std::uint32_t kNewNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    skip_next_if(BPF_JEQ, kArchitecture);
    answer(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
    answer_if(BPF_JGE, kFirstOfOtherAbi, denial(EPERM));
    for (const std::uint32_t number : kDenied) answer_if(BPF_JEQ, number, denial(EPERM));
    answer_if(BPF_JEQ, SYS_clone3, denial(ENOSYS));
    skip_next_if(BPF_JEQ, SYS_clone);
    answer(SECCOMP_RET_ALLOW);
    load(offsetof(seccomp_data,
                  args));  // the low half of the flags: all supported processors are little-endian
    answer_if(BPF_JSET, kNewNamespaces, denial(EPERM));
    answer(SECCOMP_RET_ALLOW);
  }
  std::vector<sock_filter>& code() { return code_; }

 private:
  static constexpr std::uint32_t denial(int error) {
    return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
  }
  void load(std::size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void answer(std::uint32_t what) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, what)); }
  void skip_next_if(int test, std::uint32_t value) {
    code_.push_back(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, 1, 0));
  }
  void answer_if(int test, std::uint32_t value, std::uint32_t what) {
    code_.push_back(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, 0, 1));
    answer(what);
  }

  std::vector<sock_filter> code_;
};

}  // namespace

std::string syscall_filter() {
  if (kArchitecture == 0) return "";
  Filter filter;
  const std::vector<sock_filter>& code = filter.code();
  return {reinterpret_cast<const char*>(code.data()), code.size() * sizeof(sock_filter)};
}

bool filter_own_syscalls() {
  if (kArchitecture == 0) return false;
  Filter filter;
  const sock_fprog program{static_cast<unsigned short>(filter.code().size()), filter.code().data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

}  // namespace cudalab
