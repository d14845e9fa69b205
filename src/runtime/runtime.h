// The state behind the API of one process: the virtual GPU, its memory, streams, modules, and the last error.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "runtime/guard.h"
#include "runtime/memory.h"
#include "runtime/modules/modules.h"
#include "runtime/records.h"
#include "runtime/streams/queue.h"
#include "vgpu/builtins/device_runtime.h"
#include "vgpu/vgpu.h"

namespace cudalab::runtime {

// What `cudalab exec` says through the environment.
struct Settings {
  const vgpu::Card* card = nullptr;
  int devices = 1;
  LaunchOptions launch;  // of each kernel
  static Settings from_environment();
};

inline constexpr const char *kCardVariable = "CUDALAB_CARD", *kGpusVariable = "CUDALAB_GPUS",
                            *kCheckVariable = "CUDALAB_CHECK", *kPredictVariable = "CUDALAB_PREDICT",
                            *kMaxStepsVariable = "CUDALAB_MAX_STEPS", *kRecordVariable = "CUDALAB_RECORD";

// One virtual GPU serves all devices, which have their own streams, modules and accounts of memory: what one
// may see of another's memory is the API's to say.
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
  std::set<std::pair<int, int>> peers;  // (from, to) that cudaDeviceEnablePeerAccess connected
  cudaError_t lost = cudaSuccess;       // what a kernel's fault answers to every call from then on
  std::uint64_t launches = 0, failures = 0;
  bool has_refused_work = false;      // a launch, copy or memset failed: what it was to write is missing
  std::uint64_t searched_bytes = 0;   // for what launches touched
  std::set<std::string> recorded;     // kernels: of each the first launch
  std::uint64_t calls = 0;            // of the API
  std::uint64_t synchronized_at = 0;  // the number of the last call that synchronizes and does nothing else
  std::map<std::thread::id, HostMistake> timed_too_early;  // see look_at_clock(); by thread
  int watched_process = 0;                                 // in which an idle host is watched for
  bool is_ending = false;                                  // main has returned
  bool has_dirty_heap = true;                              // it freed much memory since clear_free_memory()

  const vgpu::Card& card() const { return gpu.card(); }
};

// Made at the first use; never ends, because a program's own ends may still call.
Runtime& the_runtime();
bool is_runtime_made();

// When a thread last looked at the host's clock: what had happened by then.
struct ClockReading {
  bool is_first = true;
  std::uint64_t last_work = 0, waits = 0, launches = 0;
  std::int64_t ns_in_calls = 0;
  double predicted_ms = 0;  // the model's time of the host
};

// Of the calling thread.
struct ThreadState {
  int device = 0;
  cudaError_t last_error = cudaSuccess;
  std::uint64_t last_failure = 0;   // its number
  bool is_default_its_own = false;  // in a call of a program compiled with --default-stream per-thread
  int calls = 0;                    // of the API that it is in
  ClockReading clock;
  std::map<int, Stream*> own;  // cudaStreamPerThread on each device; as long as the program
};
ThreadState& this_thread();

// The stream that a handle stands for, on the thread's device. Throws
// Failure(cudaErrorInvalidResourceHandle).
Stream& stream_of(cudaStream_t handle);

// From the first use on: what a host's fault at a device address says (faults.cpp).
void watch_for_faults();

// The program reads the host's clock: whether it times a launch that it has not waited for. Such a reading is
// reported with the thread's next one, or at the end of the program, because it may be meant: where only a
// synchronization comes before the next reading, the program measures the call and the kernel apart.
void look_at_clock();

// Something the host did that a report shows.
void report_mistake(MistakeKind kind, Message what, Message fix);

}  // namespace cudalab::runtime
