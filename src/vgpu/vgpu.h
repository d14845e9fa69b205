// The virtual GPU: loads PTX modules, holds their memory, runs kernels, and reports counters and hazards. It
// prints nothing and reads no files.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/measurement.h"
#include "core/work_budget.h"
#include "ptx/module.h"
#include "vgpu/card.h"
#include "vgpu/launch_options.h"
#include "vgpu/memory/written_bits.h"

namespace cudalab::vgpu {

class GraphConditions;  // vgpu/builtins/device_runtime.h
class TextureTable;     // vgpu/memory/texture_table.h
class ValueTaps;        // vgpu/value_taps.h
class WarpWatch;        // vgpu/warp_trace.h
struct WarpTrace;       // vgpu/warp_trace.h
struct TraceRequest;

struct Program;  // decoded code, private to this folder

struct KernelParameter {
  std::size_t offset = 0, bytes = 0;  // in the parameter block
  ptx::Type type{};
  bool is_pointer = false;
};

struct KernelInfo {
  std::string symbol;  // as in the PTX
  std::vector<KernelParameter> parameters;
  std::size_t parameter_bytes = 0;
  std::size_t static_shared_bytes = 0;
  std::size_t local_bytes = 0;
  std::optional<KernelResources> resources;  // as reported by ptxas, if known
  Dim3 cluster{0, 0, 0};                     // __cluster_dims__, in blocks; 0: specified by the launch
  // The kernel has volatile accesses, or atomics whose result is used: it may wait for another block, or for
  // the host.
  bool communicates = false;
  bool has_effect = true;  // it stores, prints or calls something, as far as its instructions tell
  Message refusal;         // the unsupported opcode that it reaches; empty if it can be run
};

struct VariableInfo {
  std::string symbol;
  std::uint64_t address = 0;
  std::size_t bytes = 0;
};

// A loaded module. Must not outlive the VirtualGpu that loaded it.
class LoadedModule {
 public:
  explicit LoadedModule(std::unique_ptr<Program> program);
  ~LoadedModule();
  std::span<const KernelInfo> kernels() const;
  std::span<const VariableInfo> variables() const;
  const Program& program() const { return *program_; }

 private:
  std::unique_ptr<Program> program_;
};

// The kind of access of a launch to some bytes of global memory; the most severe one counts.
struct TouchedSpan {
  enum Kind : std::uint8_t { kNot, kRead, kAtomic, kWrite };
  std::uint64_t begin = 0, end = 0;
  Kind kind = kNot;
};

struct LaunchRequest {
  std::size_t kernel = 0;  // index into LoadedModule::kernels()
  LaunchSpec spec;
  std::vector<std::byte> parameters;  // KernelInfo::parameter_bytes
  LaunchOptions options;
  bool is_cooperative = true;               // grid.sync() works; else it traps, as after <<<>>>
  const std::atomic<bool>* stop = nullptr;  // set by another thread: the launch ends as soon as possible
  WarpWatch* watch = nullptr;  // if set, only the blocks that it needs are run, on one host thread
  std::vector<TouchedSpan>* touched = nullptr;  // with race checks: the memory that the launch accessed
  GraphConditions* conditions = nullptr;        // values for cudaGraphSetConditional
  bool may_reuse = false;     // the outcome of an equal launch may be taken instead (repeated_launches.h)
  ValueTaps* taps = nullptr;  // if set, records or replaces values, on one host thread
  // Called about once a second during a long launch, on one of its host threads, with a line that is being
  // executed.
  const std::function<void(const SourceLine&)>* on_line = nullptr;
};

// An allocation of device memory, as kernels see it.
struct MemorySpan {
  std::uint64_t address = 0;
  std::size_t bytes = 0;
};

struct Options {
  const Card* card = nullptr;    // nullptr: the first of cards()
  unsigned host_threads = 0;     // 0: one per hardware thread of the host
  std::size_t memory_bytes = 0;  // limit of all allocations; 0: half of the host's memory, at most the GPU's
  std::uint64_t first_address =
      0;  // lowest address of allocations, at least kFirstGlobal (memory/memory.h); 0: kGlobalStart
};

class VirtualGpu {
 public:
  explicit VirtualGpu(const Options& options);
  ~VirtualGpu();
  const Card& card() const;
  unsigned host_threads() const;
  std::size_t memory_bytes() const;

  // Throws Error(kUnavailable) if the memory limit is exceeded. Addresses are 256-byte aligned; a gap follows
  // every buffer, so an access past its end never hits another buffer.
  std::uint64_t allocate(std::string name, std::size_t bytes);
  // Makes host memory accessible to kernels at its host address, until it is freed here. The caller still
  // owns it.
  void adopt(std::string name, std::span<std::byte> host);
  void free(std::uint64_t address);
  // Host access to device memory. Throws Error(kUsage) if the range is not inside one allocation.
  void write(std::uint64_t address, std::span<const std::byte> from);
  void read(std::uint64_t address, std::span<std::byte> to) const;
  void fill(std::uint64_t address, std::size_t bytes, std::uint8_t value, bool poison);
  // Bytes never written in `from` count as unwritten in `to`.
  void copy(std::uint64_t to, std::uint64_t from, std::size_t bytes);
  // Where the host finds these bytes, for work that it computes in the GPU's place. What it writes there
  // counts as written once note_written() has said so.
  std::byte* host_bytes(std::uint64_t address, std::size_t bytes);
  void note_written(std::uint64_t address, std::size_t bytes);
  // The unwritten runs of a range, relative to its beginning.
  std::vector<ByteRun> unwritten(std::uint64_t address, std::size_t bytes) const;

  std::vector<MemorySpan> allocations() const;

  // The heap for malloc() and new in kernels: its size, and the blocks that no kernel has freed.
  void set_heap_bytes(std::size_t bytes);
  const std::map<std::uint64_t, std::size_t>& heap_pieces() const;  // address, bytes
  void free_heap();

  // Arrays, textures and surfaces; their handles are kernel arguments.
  TextureTable& textures();

  // Decodes a module and allocates its variables. Kernels that reach an unsupported opcode are refused
  // (KernelInfo::refusal); if this affects every kernel, throws Error(kUsage) that names the opcodes with
  // file and line. `resources`: known resources of its kernels, by symbol.
  std::shared_ptr<const LoadedModule> load(const ptx::Module& module, std::string_view source_name,
                                           const ResourcesBySymbol& resources = {});

  // The hazard if the GPU would reject the launch, as launch() would report it, without running anything.
  std::optional<Hazard> refusal(const LoadedModule& module, const LaunchRequest& request);
  // Throws Error(kUsage) for a refused kernel, before running anything.
  LaunchResult launch(const LoadedModule& module, const LaunchRequest& request);

  // Traces one warp of this launch. `text`: the text that the module was loaded from. If blocks do not
  // communicate, only the warp's block is run. Memory is restored afterwards. Throws Error(kUsage) if the
  // launch has no such block or warp, or if the GPU would reject the launch.
  WarpTrace trace(const LoadedModule& module, const ptx::Module& text, const LaunchRequest& request,
                  const TraceRequest& wanted);
  // Runs the whole launch, and restores memory afterwards.
  LaunchResult rehearse(const LoadedModule& module, const LaunchRequest& request);
  // Runs `work`, which may write memory and launch kernels, and restores memory afterwards.
  void rehearse(const std::function<void()>& work);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The instruction-set level of the lane loops on this host: "x86-64-v4", "generic".
std::string_view instruction_set_level();

}  // namespace cudalab::vgpu
