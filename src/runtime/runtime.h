// The state of the runtime in one process: the virtual GPU, its memory, streams, modules, and the last error.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/programs/program_variant.h"
#include "runtime/contexts.h"
#include "runtime/guard.h"
#include "runtime/memory.h"
#include "runtime/modules/modules.h"
#include "runtime/records.h"
#include "runtime/streams/queue.h"
#include "vgpu/builtins/device_runtime.h"
#include "vgpu/vgpu.h"

namespace cudalab::runtime {

// The settings that `cudalab exec` passes through the environment.
struct Settings {
  const vgpu::Card* card = nullptr;
  int devices = 1;
  LaunchOptions launch;  // for each kernel; `most_blocks`: with --sample
  LaunchChange change;   // of a variant (runtime/variants.h)
  // Odd: after each launch, some of its results are exchanged in memory (results_exchange.h).
  std::uint64_t seed = 0;
  static Settings from_environment();
};

inline constexpr const char *kCardVariable = "CUDALAB_CARD", *kGpusVariable = "CUDALAB_GPUS",
                            *kCheckVariable = "CUDALAB_CHECK", *kPredictVariable = "CUDALAB_PREDICT",
                            *kMaxStepsVariable = "CUDALAB_MAX_STEPS", *kRecordVariable = "CUDALAB_RECORD",
                            *kSeedVariable = "CUDALAB_SEED", *kSampleVariable = "CUDALAB_SAMPLE";

// One virtual GPU serves all devices. Each device has its own streams, modules and accounting of memory; the
// API decides which device may access the memory of another.
struct Runtime : WorkWatch {
  Runtime();
  void queued() override;
  void before(const Work& work) override;
  void after(const Work& work, const Outcome& outcome) override;

  std::recursive_mutex mutex;
  Settings settings;
  vgpu::VirtualGpu gpu;
  Records records;
  Memory memory;
  Modules modules;
  Guard guard;
  ManagedRanges managed;
  StreamRaces races;
  Clock clock;
  Queue queue;
  vgpu::GraphConditions conditions;
  std::set<Event*> events;
  std::set<std::pair<int, int>> peers;  // (from, to), connected by cudaDeviceEnablePeerAccess
  cudaError_t lost = cudaSuccess;       // the error of a kernel's fault, which every later call returns
  std::uint64_t launches = 0, failures = 0;
  bool has_refused_work = false;      // a launch, copy or memset failed, so its output is missing
  std::uint64_t searched_bytes = 0;   // in the search for bytes that launches touched
  std::set<std::string> recorded;     // kernels whose first launch is recorded
  std::uint64_t calls = 0;            // API calls so far
  std::uint64_t synchronized_at = 0;  // the number of the last call that does nothing but synchronize
  std::map<std::thread::id, HostMistake> timed_too_early;  // see look_at_clock()
  int watched_process = 0;                 // id of the process in which the thread for idle hosts runs
  bool is_ending = false;                  // main has returned
  std::set<std::string> unprinted;         // symbols of kernels that printed something after that
  bool is_initialized = false;             // the program called cuInit or the runtime API
  std::set<int> used_by_runtime_api = {};  // devices whose primary context it has retained
  std::uint64_t next_context = 1;
  std::atomic<bool> is_library_computing = false;
  bool has_dirty_heap = true;  // the runtime has freed much memory since keep_free_memory()

  const vgpu::Card& card() const { return gpu.card(); }
};

// Created at the first use and never destroyed, because the program's exit handlers may still call the API.
Runtime& the_runtime();
bool is_runtime_made();

// The state of the runtime when a thread last read the host's clock.
struct ClockReading {
  bool is_first = true;
  std::uint64_t last_work = 0, waits = 0, launches = 0;
  std::int64_t ns_in_calls = 0;
  double predicted_ms = 0;  // model time of the host
};

// State of the calling thread.
struct ThreadState {
  int device = 0;
  cudaError_t last_error = cudaSuccess;
  std::uint64_t last_failure = 0;     // its number
  bool is_default_its_own = false;    // during a call from code compiled with --default-stream per-thread
  int calls = 0;                      // depth of nested API calls
  std::vector<Context*> contexts;     // of the driver API; the last one is current
  const char* driver_call = nullptr;  // the function of the driver API that is running
  ClockReading clock;
  std::map<int, Stream*> own;  // cudaStreamPerThread for each device; kept until the program ends
};
ThreadState& this_thread();

// The name of the running call as the program wrote it: the driver API's name if the program called that
// function.
inline const char* called(const char* runtime_name) {
  const char* driver_call = this_thread().driver_call;
  return driver_call ? driver_call : runtime_name;
}

// Returns the stream of a handle, on the thread's device. Throws Failure(cudaErrorInvalidResourceHandle).
Stream& stream_of(cudaStream_t handle);

// Installs the fault handler (guard.cpp), which reports accesses of the host to device addresses.
void watch_for_faults();

// Called when the program reads the host's clock. Finds out whether the program times a launch without
// waiting for it. Such a reading is reported at the thread's next reading or at the end of the program. It is
// not reported if nothing but a synchronization comes before the next reading: then the program measures
// launch and kernel separately.
void look_at_clock();

// Reports a mistake in host code, with the current call site.
void report_mistake(MistakeKind kind, Message what, Message fix);

}  // namespace cudalab::runtime
