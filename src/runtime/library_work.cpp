// Runs the work of our libraries: checks its memory, estimates its time, and reports it as a launch.
#include "runtime/library_work.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "messages/runtime.h"
#include "runtime/call.h"
#include "runtime/host_memory.h"
#include "runtime/missing.h"
#include "runtime/streams/launching.h"

namespace cudalab::runtime {
namespace {

std::uint64_t address_of(const LibraryMemory& memory) {
  return reinterpret_cast<std::uint64_t>(memory.address);
}

std::size_t extent_of(const LibraryMemory& memory) {
  if (memory.rows == 0 || memory.row_bytes == 0) return 0;
  return (memory.rows - 1) * memory.pitch + memory.row_bytes;
}

// ---- time ----------------------------------------------------------------------------------------------

double once(const vgpu::Card&) { return 1; }
// The tensor cores of compute capability 8.0 and 9.0 multiply FP64 at twice the rate of the FP64 units; those
// of other GPUs do not. (NVIDIA A100 and H100 Tensor Core GPU Architecture, peak rates)
double of_fp64_tensor_cores(const vgpu::Card& card) {
  return card.compute_major == 9 || (card.compute_major == 8 && card.compute_minor == 0) ? 2 : 1;
}

struct UnitRate {
  LibraryUnit unit;
  const char* resource;               // as in predictions
  double vgpu::Card::*fma_per_clock;  // of an SM
  double (*factor)(const vgpu::Card&) = once;
};
constexpr UnitRate kRates[] = {
    {LibraryUnit::kFp32, "fp32", &vgpu::Card::fp32_lanes},
    {LibraryUnit::kFp64, "fp64", &vgpu::Card::fp64_lanes},
    {LibraryUnit::kHalf, "fp32", &vgpu::Card::half_lanes},
    {LibraryUnit::kInt, "int", &vgpu::Card::int_lanes},
    {LibraryUnit::kTensor, "tensor", &vgpu::Card::tensor_f16_fma},
    {LibraryUnit::kFp64Tensor, "fp64", &vgpu::Card::fp64_lanes, of_fp64_tensor_cores},
};

// Fitted to calls of CUDA 13's libraries on an H200, timed with events. 248 calls of cuBLAS
// (expected/h200/cublas.jsonl): half of the estimates are within 11 %, nine in ten are within 46 %, and the
// worst is off by a factor of 2.6 (ssyrk of 32 x 32). 53 transforms (expected/h200/transforms.jsonl): 8 %, 25
// %, 1.5. 20 sparse products (the same file): 4 %, 13 %, 1.2.
struct PatternTime {
  LibraryPattern pattern;
  double fixed_us, share, step_us;
};
constexpr PatternTime kPatterns[] = {
    {LibraryPattern::kUpdate, 7, 0.65, 0},        {LibraryPattern::kReduce, 14, 0.7, 0},
    {LibraryPattern::kMatrixVector, 12, 0.8, 0},  {LibraryPattern::kProduct, 18, 0.77, 0},
    {LibraryPattern::kSolve, 7, 0.6, 0.12},       {LibraryPattern::kTransform, 3.5, 0.75, 3},
    {LibraryPattern::kSparseVector, 13, 0.65, 0}, {LibraryPattern::kSparseMatrix, 15, 0.45, 0},
};

PatternTime time_of_pattern(LibraryPattern pattern, const vgpu::Card& card) {
  const auto* found = std::ranges::find(kPatterns, pattern, &PatternTime::pattern);
  return found != std::end(kPatterns) ? *found : PatternTime{pattern, card.launch_us, 1, 0};
}

double bytes_of(const LibraryWork& work) {
  double bytes = work.cost.bytes;
  for (const LibraryMemory& memory : work.memory)
    bytes += static_cast<double>(memory.row_bytes * memory.rows) * (memory.is_read + memory.is_written);
  return bytes;
}

Prediction estimate(const LibraryWork& work, const vgpu::Card& card) {
  constexpr double kOperationsPerFma = 2, kMsPerUs = 1e-3;
  Prediction prediction;
  prediction.card = card.id;
  const PatternTime pattern = time_of_pattern(work.cost.pattern, card);
  const double bytes = bytes_of(work), dram_per_us = card.dram_gb_per_second * 1e3 * pattern.share;
  const double dram_us = bytes / dram_per_us;
  double unit_us = 0;
  prediction.limits.push_back({"dram", dram_us, bytes, dram_per_us * 1e6, "B"});
  if (const auto* rate = std::ranges::find(kRates, work.cost.unit, &UnitRate::unit);
      rate != std::end(kRates)) {
    const double per_us = kOperationsPerFma * card.*(rate->fma_per_clock) * rate->factor(card) *
                          card.multiprocessors * card.clock_mhz * pattern.share;
    unit_us = work.cost.operations / per_us;
    prediction.limits.push_back({rate->resource, unit_us, work.cost.operations, per_us * 1e6, "operations"});
  }
  const double fixed_us = pattern.fixed_us + work.cost.steps * pattern.step_us + work.cost.latency_us;
  prediction.limits.push_back({"launch", fixed_us, 1, 1e6 / fixed_us, "launches"});
  const double us = fixed_us + std::max(dram_us, unit_us);
  prediction.ms = us * kMsPerUs;
  for (Limit& limit : prediction.limits) limit.share /= us;
  std::ranges::stable_sort(prediction.limits, std::ranges::greater{}, &Limit::share);
  return prediction;
}

// ---- memory --------------------------------------------------------------------------------------------

// Thrown to end the call as an illegal address ends a kernel.
struct IllegalAddress {
  MistakeKind kind;
  Message what, fix;
};

IllegalAddress unreachable(const LibraryMemory& memory) {
  const Code parameter{memory.parameter};
  const std::uint64_t address = address_of(memory);
  if (const MemoryBlock* freed = the_runtime().memory.freed_at(address))
    return {MistakeKind::kUseAfterFree,
            msg::library_memory_freed(parameter, Address{address}, Code{freed->name}),
            msg::advice_free_behind_last_use()};
  return {MistakeKind::kHostPointerInKernel,
          mapped_bytes(address, 1) > 0 ? msg::library_memory_on_host(parameter, Address{address})
                                       : msg::library_memory_nowhere(parameter, Address{address}),
          msg::advice_pass_device_pointer()};
}

// The host address of the memory. Throws IllegalAddress.
std::byte* reached(const LibraryMemory& memory) {
  const std::size_t bytes = extent_of(memory);
  if (bytes == 0) return nullptr;
  Runtime& state = the_runtime();
  const std::uint64_t address = address_of(memory);
  const MemoryBlock* block = state.memory.find(address);
  if (!block) throw unreachable(memory);
  if (bytes > block->end() - address)
    throw IllegalAddress{
        MistakeKind::kBeyondTheEnd,
        msg::library_memory_too_small(Code{memory.parameter}, bytes, address - block->address,
                                      Code{block->name}, block->bytes),
        msg::advice_check_sizes_of_call()};
  return state.gpu.host_bytes(address, bytes);
}

class Reach final : public LibraryReach {
 public:
  std::byte* of(const LibraryMemory& memory) override {
    std::byte* found = reached(memory);
    if (memory.is_written && found) written_.push_back(memory);
    return found;
  }
  [[noreturn]] void wrong_index(const char* parameter, std::int64_t position, std::int64_t value,
                                std::int64_t lowest, std::int64_t limit) override {
    throw IllegalAddress{MistakeKind::kBeyondTheEnd,
                         msg::library_index_outside(Code{parameter}, position, value, lowest, limit - 1),
                         msg::advice_check_indices_of_call()};
  }
  unsigned threads() const override { return the_runtime().gpu.host_threads(); }
  void mark_written() const {
    for (const LibraryMemory& memory : written_)
      for (std::size_t row = 0; row < memory.rows; ++row)
        the_runtime().gpu.note_written(address_of(memory) + row * memory.pitch, memory.row_bytes);
  }

 private:
  std::vector<LibraryMemory> written_;
};

void report(const LibraryWork& work, const CallSite& from, MistakeKind kind, Message what, Message fix) {
  the_runtime().records.send(
      HostMistake{kind, msg::library_call(work.call, std::move(what)), std::move(fix), from, 1});
}

// Reports memory that the call reads but nothing has written, as the checks do for kernels.
void look_for_unwritten_input(const LibraryWork& work, const LibraryMemory& memory, const CallSite& from) {
  Runtime& state = the_runtime();
  if (!state.settings.launch.checks_memory() || state.has_refused_work) return;
  if (!memory.is_read || memory.is_read_in_part) return;
  const MemoryBlock* block = state.memory.find(address_of(memory));
  if (!block || block->kind != MemoryKind::kDevice) return;
  std::size_t bytes = 0, first = 0;
  if (state.gpu.unwritten(address_of(memory), extent_of(memory)).empty()) return;
  for (std::size_t row = 0; row < memory.rows; ++row) {
    const std::uint64_t begin = address_of(memory) + row * memory.pitch;
    for (const vgpu::ByteRun& gap : state.gpu.unwritten(begin, memory.row_bytes)) {
      if (bytes == 0) first = begin + gap.at - block->address;
      bytes += gap.bytes;
    }
  }
  if (bytes > 0)
    report(work, from, MistakeKind::kUnwrittenInput,
           msg::library_reads_unwritten(bytes, Code{memory.parameter}, first, Code{block->name}),
           msg::advice_write_before_call());
}

std::vector<vgpu::TouchedSpan> touched_by(const LibraryWork& work) {
  std::vector<vgpu::TouchedSpan> spans;
  for (const LibraryMemory& memory : work.memory)
    if (extent_of(memory) > 0)
      add_rows(address_of(memory), memory.row_bytes, memory.pitch, memory.rows,
               memory.is_written ? vgpu::TouchedSpan::kWrite : vgpu::TouchedSpan::kRead, spans);
  return spans;
}

std::vector<MemoryUse> uses_of_host_memory(const LibraryWork& work) {
  std::vector<MemoryUse> uses;
  for (const LibraryMemory& memory : work.memory) {
    const MemoryBlock* block = the_runtime().memory.find(address_of(memory));
    if (block && block->is_reached_by_host())
      uses.push_back({address_of(memory), address_of(memory) + extent_of(memory),
                      memory.is_written ? MemoryUse::kWrites : MemoryUse::kReads});
  }
  return uses;
}

// ---- running -------------------------------------------------------------------------------------------

struct Computing {
  Computing() { the_runtime().is_library_computing = true; }
  ~Computing() { the_runtime().is_library_computing = false; }
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;
};

// Returns whether the call ran to its end.
bool compute(const LibraryWork& work, const CallSite& from) try {
  Reach reach;
  std::vector<std::byte*> memory;
  for (const LibraryMemory& one : work.memory) {
    memory.push_back(reach.of(one));
    if (memory.back()) look_for_unwritten_input(work, one, from);
  }
  const Computing computing;
  work.run(memory, reach);
  reach.mark_written();
  return true;
} catch (IllegalAddress& why) {
  report(work, from, why.kind, std::move(why.what), std::move(why.fix));
  the_runtime().lost = cudaErrorIllegalAddress;
  return false;
}

Outcome run(const LibraryWork& work, ProgramLaunch record) {
  Runtime& state = the_runtime();
  state.records.send(KernelBegin{work.call, state.launches});
  const auto begin = std::chrono::steady_clock::now();
  record.result.completed = compute(work, record.from);
  record.result.simulation_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  const Prediction prediction = estimate(work, state.card());
  if (state.settings.launch.predict) record.result.prediction = prediction;
  Outcome outcome;
  outcome.ms = prediction.ms;
  if (state.queue.may_run_side_by_side() || state.guard.wants_touched()) outcome.touched = touched_by(work);
  outcome.tell = [record = std::move(record)](const Ran& ran) mutable {
    record.span = ran.span;
    record.stream = ran.stream;
    the_runtime().records.send(record);
    if (the_runtime().lost != cudaSuccess) the_runtime().queue.drop_pending();
  };
  return outcome;
}

Job job_of(const LibraryWork& work, const Stream& stream) {
  ProgramLaunch record;
  record.kernel = work.call;
  record.library = work.library;
  record.device = stream.device;
  if (the_runtime().records.is_watched()) record.from = call_site();
  Job job;
  job.name = work.call;
  job.engine = Engine::kCompute;
  job.is_kernel = true;
  job.uses = uses_of_host_memory(work);
  job.from = record.from;
  job.run = [work = std::make_shared<const LibraryWork>(work), record = std::move(record)] {
    return run(*work, record);
  };
  return job;
}

Message worded(const LibraryFailure& why) {
  const Code parameter{why.parameter};
  switch (why.kind) {
    case LibraryFailure::kNone: return {};
    case LibraryFailure::kNull: return msg::library_parameter_null(parameter);
    case LibraryFailure::kNegative: return msg::library_parameter_negative(parameter, why.value);
    case LibraryFailure::kBelow: return msg::library_parameter_below(parameter, why.value, why.limit);
    case LibraryFailure::kZero: return msg::library_parameter_zero(parameter);
    case LibraryFailure::kUnknown: return msg::library_parameter_unknown(parameter, why.value);
    case LibraryFailure::kUnsupported: return msg::library_combination_unsupported();
    case LibraryFailure::kOfOtherType: return msg::library_parameter_of_other_type(parameter);
    case LibraryFailure::kOtherSize:
      return msg::library_parameter_other_size(parameter, why.value, why.limit);
  }
  return {};
}

}  // namespace
}  // namespace cudalab::runtime

using namespace cudalab;
using namespace cudalab::runtime;

#pragma GCC visibility push(default)
extern "C" {

cudaError_t __cudalabLibraryWork(const LibraryWork& work) {
  return answer(work.call, [&] {
    Runtime& state = the_runtime();
    state.clock.host_works(kLaunchCallMs);
    Stream& stream = stream_of(work.stream);
    require(!work.waits || !stream.capture, cudaErrorStreamCaptureUnsupported, msg::stream_is_captured());
    const WorkRef queued = submit(stream, job_of(work, stream));
    if (work.waits) state.queue.wait(queued);
  });
}

void __cudalabLibraryFailed(const char* call, const char* status, const LibraryFailure& why) {
  const InCall in_call;
  FailedCall record;
  record.call = call;
  record.error = status;
  record.why = worded(why);
  record.is_asked_for = true;  // the call itself returned this error to the program
  record.from = call_site();
  record.number = ++the_runtime().failures;
  the_runtime().records.send(record);
}

void __cudalabLibraryMissing(const char* call) { answer_missing(call); }

}  // extern "C"
#pragma GCC visibility pop
