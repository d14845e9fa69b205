// The contexts of the driver API: primary contexts, and the stack of each thread.
#include "runtime/contexts.h"

#include <map>

#include "runtime/runtime.h"

namespace cudalab::runtime {

Context& primary_context(int device) {
  static auto& contexts = *new std::map<int, Context>;  // the program's exit handlers may still need them
  const auto [found, is_new] = contexts.try_emplace(device);
  if (is_new) found->second = {.device = device, .is_primary = true, .number = the_runtime().next_context++};
  return found->second;
}

Context* current_context() {
  const ThreadState& thread = this_thread();
  return thread.contexts.empty() ? nullptr : thread.contexts.back();
}

void set_current_context(Context* context) {
  ThreadState& thread = this_thread();
  if (!thread.contexts.empty()) thread.contexts.pop_back();
  if (!context) return;
  thread.contexts.push_back(context);
  thread.device = context->device;
}

void enter_runtime_api(bool needs_context) {
  ThreadState& thread = this_thread();
  if (thread.driver_call) return;  // a driver function calls its twin of the runtime API
  the_runtime().is_initialized = true;
  if (!needs_context) return;
  Context* current = current_context();
  if (!current || current->users == 0) {
    current = &primary_context(thread.device);
    set_current_context(current);
  }
  if (current->is_primary && !the_runtime().used_by_runtime_api.contains(current->device)) {
    the_runtime().used_by_runtime_api.insert(current->device);
    ++current->users;
  }
}

}  // namespace cudalab::runtime
