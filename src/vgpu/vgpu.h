// The virtual GPU: loads PTX modules, holds their memory, runs kernels and reports counters and hazards.
// It prints nothing and reads no file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
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
  std::optional<KernelResources> resources;  // what ptxas makes of it, where that is known
  Dim3 cluster{0, 0, 0};                     // __cluster_dims__: of how many blocks; 0: the launch says
  // It has volatile accesses or atomics that answer: it may wait for another block, or for the host.
  bool communicates = false;
  Message refusal;  // why it cannot be run: an opcode that it reaches is not supported; else empty
};

struct VariableInfo {
  std::string symbol;
  std::uint64_t address = 0;
  std::size_t bytes = 0;
};

// A loaded module. Valid as long as the VirtualGpu that loaded it.
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

// What a launch did to some bytes of global memory: the gravest of its accesses.
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
  const std::atomic<bool>* stop = nullptr;      // set by another thread: the launch ends as soon as it can
  WarpWatch* watch = nullptr;                   // then only what it needs is run, on one host thread
  std::vector<TouchedSpan>* touched = nullptr;  // with races checked: what the launch did to memory
  GraphConditions* conditions = nullptr;        // what cudaGraphSetConditional sets
  // Called about once a second of a long launch, on one of its host threads, with a line that it executes.
  const std::function<void(const SourceLine&)>* on_line = nullptr;
};

struct Options {
  const Card* card = nullptr;    // nullptr: the first of cards()
  unsigned host_threads = 0;     // 0: as many as the host has
  std::size_t memory_bytes = 0;  // limit of all allocations; 0: half of the host's memory
  std::uint64_t first_address =
      0;  // of allocations, at least kFirstGlobal (memory/memory.h); 0: kGlobalStart
};

class VirtualGpu {
 public:
  explicit VirtualGpu(const Options& options);
  ~VirtualGpu();
  const Card& card() const;
  unsigned host_threads() const;
  std::size_t memory_bytes() const;

  // Throws Error(kUnavailable) beyond the memory limit. Addresses are 256-byte aligned; a gap follows every
  // buffer, so that an access past its end never lands in a neighbour.
  std::uint64_t allocate(std::string name, std::size_t bytes);
  // Memory of the host that kernels reach at the host's own address, until it is freed here. It stays the
  // caller's.
  void adopt(std::string name, std::span<std::byte> host);
  void free(std::uint64_t address);
  // Host access to device memory. Throws Error(kUsage) when the range is not inside one allocation.
  void write(std::uint64_t address, std::span<const std::byte> from);
  void read(std::uint64_t address, std::span<std::byte> to) const;
  void fill(std::uint64_t address, std::size_t bytes, std::uint8_t value, bool poison);
  // What was never written in `from` counts as unwritten in `to`.
  void copy(std::uint64_t to, std::uint64_t from, std::size_t bytes);
  // The bytes of a range that nobody wrote, counted from its beginning.
  std::vector<ByteRun> unwritten(std::uint64_t address, std::size_t bytes) const;

  // What kernels take with malloc() and new: how much there can be, and what no kernel has freed.
  void set_heap_bytes(std::size_t bytes);
  const std::map<std::uint64_t, std::size_t>& heap_pieces() const;  // address, bytes
  void free_heap();

  // Arrays, textures and surfaces: their handles are arguments of kernels.
  TextureTable& textures();

  // Decodes a module and allocates its variables. Opcodes that are not supported refuse the kernels that
  // reach them (KernelInfo::refusal); where that is every kernel, Error(kUsage) names the opcodes with file
  // and line.
  // `resources`: what is known of its kernels, by their symbols.
  std::shared_ptr<const LoadedModule> load(const ptx::Module& module, std::string_view source_name,
                                           const ResourcesBySymbol& resources = {});

  // What the card refuses about a launch, as `launch` would say it, without running anything.
  std::optional<Hazard> refusal(const LoadedModule& module, const LaunchRequest& request);
  // Throws Error(kUsage) for a kernel that was refused: never in the middle of a run.
  LaunchResult launch(const LoadedModule& module, const LaunchRequest& request);

  // What one warp does in this launch. `text`: what the module was loaded from. Of a kernel whose blocks do
  // not communicate, only the block is run. Memory is then as it was before. Throws Error(kUsage) for a block
  // or a warp that the launch does not have, and for what the card refuses.
  WarpTrace trace(const LoadedModule& module, const ptx::Module& text, const LaunchRequest& request,
                  const TraceRequest& wanted);
  // The whole launch, with memory as it was before.
  LaunchResult rehearse(const LoadedModule& module, const LaunchRequest& request);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The instruction-set level that the lane loops were compiled for and this host can run: "x86-64-v4",
// "generic".
std::string_view instruction_set_level();

}  // namespace cudalab::vgpu
