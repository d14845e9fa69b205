// The contexts of the driver API. Each device has a primary context, which the runtime API uses. All contexts
// of a device share its streams, modules and memory; a context that a program creates owns only the
// allocations that were made while it was current.
#pragma once

#include <cstdint>
#include <set>

namespace cudalab::runtime {

struct Context {
  int device = 0;
  bool is_primary = false;
  unsigned flags = 0;
  // How often the program retained a primary context, or created another one: 1 until it is destroyed. The
  // runtime API retains the primary context once, until the program ends.
  int users = 0;
  std::uint64_t number = 0;
  std::set<std::uint64_t> allocations = {};  // their addresses; not for primary contexts
};

Context& primary_context(int device);

// The current context of the calling thread; null if it has none.
Context* current_context();

// Makes the context the thread's only current one at this level of its stack. Null: removes the level.
void set_current_context(Context* context);

// Called by the runtime API: initializes the driver, and with `needs_context` makes the primary context of
// the thread's device current unless a context is.
void enter_runtime_api(bool needs_context);

}  // namespace cudalab::runtime
