// A filter of system calls for untrusted programs and for the compilers of untrusted kernels.
#pragma once

#include <string>

namespace cudalab {

// The filter denies what no program of a course needs and what has often led out of sandboxes: namespaces,
// mounts, keyrings, ptrace, io_uring, bpf, perf and kernel modules. A denied call fails with EPERM, so the
// program sees an error; clone3, whose arguments a filter cannot read, fails with ENOSYS, and the C library
// uses clone instead.

// The filter as the kernel and bubblewrap's --seccomp take it (struct sock_filter, in the order of
// execution). Empty on processors whose system calls are not listed here.
std::string syscall_filter();

// Applies the filter to this process and its children; it cannot be removed. Returns whether it holds.
bool filter_own_syscalls();

}  // namespace cudalab
