// Threads that help where the machine has room for them: limits on processes and on memory count threads,
// too.
#pragma once

#include <system_error>
#include <thread>
#include <utility>

namespace cudalab {

// One that does `work`; none (not joinable) where the machine has no further thread: those that are there do
// all, then.
template <class Work>
std::jthread further_thread(Work&& work) try {
  return std::jthread(std::forward<Work>(work));
} catch (const std::system_error&) {
  return {};
}

}  // namespace cudalab
