#include "vgpu/vgpu.h"

#include <unistd.h>

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "messages/vgpu.h"
#include "vgpu/builtins/device_runtime.h"
#include "vgpu/checks/child_races.h"
#include "vgpu/child_launches.h"
#include "vgpu/decode/decode.h"
#include "vgpu/launch.h"
#include "vgpu/memory/memory.h"
#include "vgpu/memory/texture_table.h"
#include "vgpu/repeated_launches.h"
#include "vgpu/stepping/warp_tracer.h"

namespace cudalab::vgpu {
namespace {

std::size_t half_of_host_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  constexpr std::size_t kAtLeast = 1ull << 30;
  if (pages <= 0 || page <= 0) return kAtLeast;
  return std::max(kAtLeast, static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) / 2);
}

const Card& modelled_card(const Options& options) { return options.card ? *options.card : cards().front(); }

}  // namespace

namespace {

// The ancestry of a kernel that another kernel launched.
struct Descent {
  int depth = 0;
  const Birth* birth = nullptr;
  SiblingRaces* siblings = nullptr;
  std::uint32_t number = SiblingRaces::kFirst;
};

}  // namespace

struct VirtualGpu::State {
  const Card* card;
  unsigned host_threads;
  GlobalMemory memory;
  DeviceHeap heap{memory};
  TextureTable textures{memory};
  RepeatedLaunches repeated{memory};

  ChildRun run(const Program& program, const LaunchRequest& request, const Descent& descent);
};

VirtualGpu::VirtualGpu(const Options& options)
    : state_(new State{
          &modelled_card(options),
          options.host_threads ? options.host_threads : std::max(1u, std::thread::hardware_concurrency()),
          GlobalMemory(options.memory_bytes
                           ? options.memory_bytes
                           : std::min(half_of_host_memory(), modelled_card(options).memory_bytes),
                       options.first_address ? options.first_address : kGlobalStart)}) {}
VirtualGpu::~VirtualGpu() = default;

const Card& VirtualGpu::card() const { return *state_->card; }
unsigned VirtualGpu::host_threads() const { return state_->host_threads; }
std::size_t VirtualGpu::memory_bytes() const { return state_->memory.limit_bytes(); }

std::uint64_t VirtualGpu::allocate(std::string name, std::size_t bytes) {
  return state_->memory.allocate(std::move(name), bytes);
}
void VirtualGpu::adopt(std::string name, std::span<std::byte> host) {
  state_->memory.adopt(std::move(name), host);
}
void VirtualGpu::free(std::uint64_t address) { state_->memory.free(address); }
void VirtualGpu::write(std::uint64_t address, std::span<const std::byte> from) {
  state_->memory.write(address, from);
}
void VirtualGpu::read(std::uint64_t address, std::span<std::byte> to) const {
  state_->memory.read(address, to);
}
void VirtualGpu::fill(std::uint64_t address, std::size_t bytes, std::uint8_t value, bool poison) {
  state_->memory.fill(address, bytes, value, poison);
}
void VirtualGpu::copy(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  state_->memory.copy(to, from, bytes);
}
std::byte* VirtualGpu::host_bytes(std::uint64_t address, std::size_t bytes) {
  return state_->memory.host_bytes(address, bytes);
}
void VirtualGpu::note_written(std::uint64_t address, std::size_t bytes) {
  state_->memory.note_written(address, bytes);
}
std::vector<ByteRun> VirtualGpu::unwritten(std::uint64_t address, std::size_t bytes) const {
  return state_->memory.unwritten(address, bytes);
}

std::vector<MemorySpan> VirtualGpu::allocations() const {
  std::vector<MemorySpan> spans;
  for (const auto& allocation : state_->memory.allocations())
    spans.push_back({allocation->base, allocation->bytes});
  return spans;
}

void VirtualGpu::set_heap_bytes(std::size_t bytes) { state_->heap.set_bytes(bytes); }
const std::map<std::uint64_t, std::size_t>& VirtualGpu::heap_pieces() const { return state_->heap.pieces(); }
void VirtualGpu::free_heap() { state_->heap.free_all(); }

TextureTable& VirtualGpu::textures() { return state_->textures; }

std::shared_ptr<const LoadedModule> VirtualGpu::load(const ptx::Module& module, std::string_view source_name,
                                                     const ResourcesBySymbol& resources) {
  std::unique_ptr<Program> program = decode(module, source_name, state_->memory, *state_->card);
  for (KernelInfo& kernel : program->kernels)
    if (const auto known = resources.find(kernel.symbol); known != resources.end())
      kernel.resources = known->second;
  return std::make_shared<LoadedModule>(std::move(program));
}

namespace {

// Removes the stores of a child's parameters, which the launch statement makes on its own line: a user cannot
// optimize them.
void leave_out_parameters(ChildRun& run) {
  std::erase_if(run.result.accesses, [&](const LineAccess& access) {
    const auto is_its_line = [&](const PendingWork& work) { return work.where == access.where; };
    return access.kind == AccessKind::kStore && access.space == MemorySpace::kGlobal &&
           std::ranges::any_of(run.work, is_its_line);
  });
}

}  // namespace

namespace {

// The host may change it while a kernel runs.
bool has_memory_of_host(const GlobalMemory& memory) {
  return std::ranges::any_of(memory.allocations(),
                             [](const auto& each) { return each->is_shared_with_host(); });
}

}  // namespace

ChildRun VirtualGpu::State::run(const Program& program, const LaunchRequest& request,
                                const Descent& descent) {
  DeviceRuntime runtime(memory, descent.depth);
  Launch launch;
  launch.program = &program;
  launch.request = &request;
  launch.kernel = &program.kernels[request.kernel];
  launch.code = &program.kernel_code[request.kernel];
  launch.memory = &memory;
  launch.heap = &heap;
  launch.runtime = &runtime;
  launch.birth = descent.birth;
  launch.siblings = descent.siblings;
  launch.number_in_family = descent.number;
  const auto for_children = std::make_shared<ParentAccesses>();
  if (launch.code->launches && request.options.checks_races()) launch.for_children = for_children.get();
  launch.textures = &textures;
  launch.card = card;
  if (!launch.kernel->refusal.empty()) throw usage_error(launch.kernel->refusal);
  if (request.parameters.size() != launch.kernel->parameter_bytes)
    throw usage_error(msg::kernel_parameter_bytes(Code{launch.kernel->symbol}, launch.kernel->parameter_bytes,
                                                  request.parameters.size()));
  try {
    ChildRun run{run_launch(launch, host_threads), {}, launch.steps.count};
    run.work = runtime.take_work();
    return run;
  } catch (const std::bad_alloc&) {
    throw unavailable_error(msg::kernel_no_host_memory(Code{launch.kernel->symbol}));
  }
}

std::optional<Hazard> VirtualGpu::refusal(const LoadedModule& module, const LaunchRequest& request) {
  const Program& program = module.program();
  Launch launch;
  launch.program = &program;
  launch.request = &request;
  launch.kernel = &program.kernels.at(request.kernel);
  launch.code = &program.kernel_code[request.kernel];
  launch.card = state_->card;
  return prepare_launch(launch);
}

LaunchResult VirtualGpu::launch(const LoadedModule& module, const LaunchRequest& request) {
  const Program& program = module.program();
  if (request.kernel >= program.kernels.size())
    throw std::logic_error("launch of a kernel that the module does not have");
  const KernelCode& code = program.kernel_code[request.kernel];
  const bool may_reuse = request.may_reuse && !code.asks_outside && !request.watch && !request.taps &&
                         !request.options.history && !request.options.budget &&
                         request.options.max_steps == 0 &&
                         !(code.ordered && has_memory_of_host(state_->memory));
  if (auto known = state_->repeated.begin(program, request, may_reuse)) return std::move(*known);
  const double begin = now_seconds();
  ChildRun first = state_->run(program, request, {});
  SiblingRaces siblings;
  const auto run_child = [&, steps = first.steps](const ChildLaunchRequest& wanted,
                                                  const ChildPlace& place) mutable {
    LaunchRequest child = request;
    child.kernel = wanted.kernel;
    child.spec = wanted.spec;
    child.spec.cluster = request.spec.cluster;
    child.parameters = wanted.parameters;
    if (request.options.max_steps > 0)
      child.options.max_steps = request.options.max_steps > steps ? request.options.max_steps - steps : 1;
    SiblingRaces* const beside =
        request.options.checks_races() && siblings.has_company(place.number) ? &siblings : nullptr;
    ChildRun run = state_->run(program, child, {place.depth, wanted.birth.get(), beside, place.number});
    leave_out_parameters(run);
    steps += run.steps;
    return run;
  };
  leave_out_parameters(first);
  if (first.result.completed && !first.work.empty())
    run_children(program, state_->memory, std::move(first.work), run_child, siblings, first.result);
  state_->repeated.finish(request, first.result, now_seconds() - begin);
  return std::move(first.result);
}

namespace {

// While an object exists, a launch may change memory; the destructor restores it.
class Rehearsal {
 public:
  Rehearsal(GlobalMemory& memory, DeviceHeap& heap) : memory_(memory), heap_(heap), before_(memory) {}
  ~Rehearsal() {
    std::vector<std::uint64_t> taken;
    for (const auto& allocation : memory_.allocations())
      if (!before_.has(allocation->base)) taken.push_back(allocation->base);
    for (const std::uint64_t address : taken) heap_.give_back(address);
    before_.restore(memory_);
  }
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

 private:
  GlobalMemory& memory_;
  DeviceHeap& heap_;
  MemorySnapshot before_;
};

void require_warp(const LaunchRequest& request, const TraceRequest& wanted) {
  const Dim3 &grid = request.spec.grid, &block = wanted.block;
  if (block.x >= grid.x || block.y >= grid.y || block.z >= grid.z)
    throw usage_error(msg::warp_block_outside_grid(coordinates(block), grid.x, grid.y, grid.z));
  const std::uint64_t warps = warps_of(request.spec.block);
  if (wanted.warp >= warps) throw usage_error(msg::warp_outside_block(wanted.warp, warps));
}

}  // namespace

WarpTrace VirtualGpu::trace(const LoadedModule& module, const ptx::Module& text, const LaunchRequest& request,
                            const TraceRequest& wanted) {
  if (const auto hazard = refusal(module, request))
    throw usage_error(msg::launch_refused_with_advice(Code{hazard->kernel}, hazard->what, hazard->fix));
  require_warp(request, wanted);
  const Rehearsal rehearsal(state_->memory, state_->heap);
  WarpTracer tracer(text, wanted);
  LaunchRequest watched = request;
  watched.options.predict = false;
  watched.options.most_blocks = 0;
  watched.options.pace = nullptr;
  watched.watch = &tracer;
  const LaunchResult result = state_->run(module.program(), watched, {}).result;
  WarpTrace trace = tracer.take();
  if (!result.completed && !trace.ended) {
    const Hazard& fault = result.hazards.back();
    trace.stopped_by = {fault.kind, fault.what, fault.fix};
    trace.ended = true;
  }
  return trace;
}

LaunchResult VirtualGpu::rehearse(const LoadedModule& module, const LaunchRequest& request) {
  const Rehearsal rehearsal(state_->memory, state_->heap);
  return launch(module, request);
}

void VirtualGpu::rehearse(const std::function<void()>& work) {
  const Rehearsal rehearsal(state_->memory, state_->heap);
  work();
}

LoadedModule::LoadedModule(std::unique_ptr<Program> program) : program_(std::move(program)) {}
LoadedModule::~LoadedModule() = default;
std::span<const KernelInfo> LoadedModule::kernels() const { return program_->kernels; }
std::span<const VariableInfo> LoadedModule::variables() const { return program_->variables; }

}  // namespace cudalab::vgpu
