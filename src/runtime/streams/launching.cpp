// Queues work on streams or into a captured graph, launches kernels, and stops at launches that another
// process inspects.
#include "runtime/streams/launching.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/error.h"
#include "core/work_budget.h"
#include "messages/core.h"
#include "messages/runtime.h"
#include "runtime/inspection.h"
#include "runtime/modules/modules.h"
#include "runtime/runtime.h"
#include "runtime/streams/changed_launch.h"
#include "runtime/streams/graph.h"
#include "runtime/streams/launch_reasons.h"
#include "runtime/streams/results_exchange.h"
#include "vgpu/stepping/step_messages.h"
#include "vgpu/vgpu.h"

namespace cudalab::runtime {

namespace {

// The file of the kernel's first line; for inlined code, the file of the caller.
std::string file_of(const ptx::Module& text, const std::string& symbol) {
  const ptx::Function* function = text.find_function(symbol);
  if (!function) return "";
  for (const ptx::Statement& statement : function->body)
    if (const auto* instruction = std::get_if<ptx::Instruction>(&statement))
      if (!instruction->where.file.empty())
        return instruction->inlined_at.empty() ? instruction->where.file
                                               : instruction->inlined_at.back().file;
  return "";
}

vgpu::StepAnswer answer_to(const vgpu::StepQuestion& question, const LoadedKernel& kernel,
                           const vgpu::LaunchRequest& request) {
  vgpu::VirtualGpu& gpu = the_runtime().gpu;
  vgpu::StepAnswer answer;
  try {
    if (question.kind == vgpu::StepQuestion::kRehearsal) {
      answer.result = gpu.rehearse(*kernel.module, request);
    } else {
      vgpu::TraceRequest wanted = question.trace;
      wanted.variables = &kernel.text->variables;
      answer.trace = gpu.trace(*kernel.module, kernel.text->module, request, wanted);
    }
  } catch (const Error& error) {
    answer.error = error.message();
  }
  return answer;
}

// `number` counts launches from 1.
void stop_if_inspected(const LoadedKernel& kernel, const vgpu::LaunchRequest& request,
                       const std::string& symbol, std::uint64_t number) {
  Inspection& inspection = the_inspection();
  if (!kernel.text || !inspection.is_on() || !inspection.wants_launch(number, readable(symbol))) return;
  vgpu::StepStop here{readable(symbol), file_of(kernel.text->module, symbol), number, request.spec};
  inspection.stop(std::move(here),
                  [&](const vgpu::StepQuestion& question) { return answer_to(question, kernel, request); });
}

void require_shape(const KernelRef& kernel, const KernelLaunch& shape, const vgpu::KernelInfo& info,
                   int device) {
  const std::size_t most = most_dynamic_shared(kernel, info);
  if (shape.spec.dynamic_shared_bytes > most)
    throw Failure{cudaErrorInvalidValue,
                  msg::launch_shared_memory_beyond_limit(shape.spec.dynamic_shared_bytes, most)};
  if (!shape.is_cooperative) return;
  const auto each = static_cast<std::uint64_t>(blocks_on_multiprocessor(
      kernel, device, static_cast<int>(shape.spec.block.volume()), shape.spec.dynamic_shared_bytes));
  const std::uint64_t at_once = each * the_runtime().card().multiprocessors;
  if (shape.spec.grid.volume() > at_once)
    throw Failure{cudaErrorCooperativeLaunchTooLarge,
                  msg::launch_cooperative_too_large(shape.spec.grid.volume(), at_once)};
}

vgpu::LaunchRequest request_of(const LoadedKernel& kernel, const KernelLaunch& shape, void** arguments) {
  const Settings& settings = the_runtime().settings;
  vgpu::LaunchRequest request;
  request.kernel = kernel.index;
  request.spec = shape.spec;
  request.options = settings.launch;
  if (kernel.info().communicates || shape.is_cooperative) request.options.most_blocks = 0;
  request.is_cooperative = shape.is_cooperative;
  request.parameters.resize(kernel.info().parameter_bytes);
  const auto& parameters = kernel.info().parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    std::memcpy(request.parameters.data() + parameters[i].offset, arguments[i], parameters[i].bytes);
  return request;
}

bool is_fault(const Hazard& hazard) {
  return !hazard.cuda_error.empty() && hazard.kind != HazardKind::kInvalidLaunch;
}

// After a fault, CUDA returns the same error from every later call.
void note_fault(const LaunchResult& result) {
  if (result.completed) return;
  Runtime& state = the_runtime();
  for (const Hazard& hazard : result.hazards)
    if (is_fault(hazard)) state.lost = error_of_driver(hazard.cuda_error);
  if (state.lost == cudaSuccess) state.lost = cudaErrorLaunchFailure;
}

struct QueuedLaunch {
  LoadedKernel kernel;
  vgpu::LaunchRequest request;
  std::string symbol;
  int device = 0;
  CallSite from;
  std::uint64_t pinned_bytes = 0;
  void* stub = nullptr;
  std::vector<void*> arguments = {};  // addresses of the arguments within the request

  Outcome run() const;
  cudaGraphNodeParams as_node() const;
};

cudaGraphNodeParams QueuedLaunch::as_node() const {
  const auto dim3_of = [](const Dim3& size) { return dim3(size.x, size.y, size.z); };
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel = {stub,
                   dim3_of(request.spec.grid),
                   dim3_of(request.spec.block),
                   static_cast<unsigned>(request.spec.dynamic_shared_bytes),
                   const_cast<void**>(arguments.data()),
                   nullptr};
  return params;
}

void* stub_of(const KernelRef& kernel) {
  for (const auto& [stub, symbol] : kernel.binary->functions)
    if (symbol == kernel.symbol) return const_cast<void*>(stub);
  return nullptr;
}

// Written to the program's standard error, because the report comes too late to warn of a long run.
void say_on_stderr(const Message& message) { std::fprintf(stderr, "(%s)\n", message.text().c_str()); }

// Finding the touched bytes of a launch searches all memory. The limit keeps this to a few seconds per
// program.
bool is_worth_searching(int device) {
  constexpr std::uint64_t kMostSearched = 32ull << 30;
  Runtime& state = the_runtime();
  if (!state.queue.may_run_side_by_side() || state.searched_bytes > kMostSearched) return false;
  state.searched_bytes += state.memory.used_bytes(device);
  return true;
}

// Announces how long the queued launches of a kernel will take, from the times of those before.
class LaunchesAhead {
 public:
  void begin(const std::string& symbol) {
    constexpr double kLong = 0.05;  // seconds; shorter launches are not worth counting
    Spent& spent = spent_[symbol];
    const double launches = static_cast<double>(spent.launches);
    spent.queued = spent.launches == 0 || spent.seconds > kLong * launches ? launches_queued(symbol) : 1;
  }
  // `seconds`: the estimate for the launch that runs. May be called from any thread.
  void tell(const std::string& symbol, double seconds) {
    const Spent& spent = spent_.at(symbol);
    if (spent.queued > 1)
      warning_.expect(msg::work_queued_launches(readable(symbol)), spent.seconds + seconds * spent.queued,
                      advice());
    else
      warning_.expect(readable(symbol), seconds, advice());
  }
  void end(const std::string& symbol, double seconds) {
    constexpr double kFirstLook = 1;  // second
    Spent& spent = spent_[symbol];
    spent.seconds += seconds;
    ++spent.launches;
    if (spent.seconds < std::max(kFirstLook, 2 * spent.told_at)) return;
    spent.told_at = spent.seconds;
    const double each = spent.seconds / static_cast<double>(spent.launches),
                 left = launches_queued(symbol) - 1;
    if (left > 0)
      warning_.expect(msg::work_queued_launches(readable(symbol)), spent.seconds + each * left, advice());
  }

 private:
  struct Spent {
    double seconds = 0, told_at = 0;
    double queued = 1;  // launches that have not ended
    std::uint64_t launches = 0;
  };
  static Message advice() {
    return the_runtime().settings.launch.most_blocks > 0 ? msg::advice_smaller_size()
                                                         : msg::advice_smaller_size_or_sample();
  }
  static double launches_queued(const std::string& symbol) {
    return static_cast<double>(std::ranges::count_if(
        the_runtime().queue.pending_work(),
        [&](const auto& each) { return each.second->job.is_kernel && each.second->job.name == symbol; }));
  }
  std::map<std::string, Spent> spent_;
  Forewarning warning_{say_on_stderr};
};

LaunchResult launch_at_a_pace(const QueuedLaunch& launch, std::vector<vgpu::TouchedSpan>& touched) {
  static LaunchesAhead ahead;
  ahead.begin(launch.symbol);
  Pace pace([&](double seconds) {
    the_runtime().records.send(KernelPace{.seconds = seconds});
    ahead.tell(launch.symbol, seconds);
  });
  vgpu::LaunchRequest request = launch.request;
  request.options.pace = &pace;
  const std::function<void(const SourceLine&)> tell_line = [](const SourceLine& where) {
    the_runtime().records.send(KernelPace{.where = where});
  };
  request.on_line = &tell_line;
  request.may_reuse = true;
  Runtime& state = the_runtime();
  if (state.guard.wants_touched() || is_worth_searching(launch.device)) request.touched = &touched;
  request.conditions = &state.conditions;
  const bool is_first = state.recorded.insert(launch.symbol).second;
  state.has_dirty_heap |= is_first;  // later launches of a kernel free little memory
  request.options.record_uses = state.settings.launch.record_uses;
  request.options.record = request.options.record_uses || (state.settings.launch.record && is_first);
  const ResultsExchange exchange(state.gpu, state.settings.seed);
  const double begin = now_seconds();
  LaunchResult result = state.gpu.launch(*launch.kernel.module, request);
  ahead.end(launch.symbol, now_seconds() - begin);
  exchange.apply();
  const std::uint64_t blocks = request.spec.grid.volume(), ran = request.options.most_blocks;
  if (ran > 0 && ran < blocks) scale_counts(result, static_cast<double>(blocks) / static_cast<double>(ran));
  return result;
}

// The memory uses of each parameter. Memory that two parameters point to counts for both.
KernelUse uses_of_parameters(const QueuedLaunch& launch, const LaunchResult& result) {
  KernelUse uses{launch.symbol, {}};
  if (!result.recording || !the_runtime().settings.launch.record_uses) return uses;
  uses.textures = result.recording->textures;
  for (const TextureUse& texture : uses.textures) uses.others.push_back({.name = texture.texture});
  const std::vector<vgpu::KernelParameter>& parameters = launch.kernel.info().parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    std::uint64_t pointer = 0;
    if (parameters[i].bytes != sizeof pointer) continue;
    std::memcpy(&pointer, launch.request.parameters.data() + parameters[i].offset, sizeof pointer);
    const MemoryBlock* block = the_runtime().memory.find(pointer);
    if (!block) continue;
    const auto use = std::ranges::find(result.recording->uses, block->name, &BufferUse::name);
    uses.parameters.push_back(
        {i, use != result.recording->uses.end() ? *use : BufferUse{.name = block->name}});
  }
  for (const BufferUse& use : result.recording->uses)
    if (use.space == MemorySpace::kShared ||
        std::ranges::none_of(uses.parameters, [&](const auto& one) { return one.use.name == use.name; }))
      uses.others.push_back(use);
  return uses;
}

std::uint64_t pinned_bytes_of(const std::vector<MemoryUse>& uses) {
  std::uint64_t bytes = 0;
  for (const MemoryUse& use : uses) {
    const MemoryBlock* block = the_runtime().memory.find(use.begin);
    const bool is_pinned =
        block && (block->kind == MemoryKind::kPinned || block->kind == MemoryKind::kRegistered);
    if (is_pinned) bytes += use.end - use.begin;
  }
  return bytes;
}

Outcome QueuedLaunch::run() const {
  Runtime& state = the_runtime();
  state.records.send(KernelBegin{symbol, ++state.launches});
  stop_if_inspected(kernel, request, symbol, state.launches);
  LaunchResult result;
  WrittenBefore before;
  Outcome outcome;
  try {
    change_memory(state.settings.change, symbol, kernel.info(), request);
    before = written_before(kernel.info(), request);
    result = launch_at_a_pace(*this, outcome.touched);
  } catch (const Error& error) {
    result.completed = false;
    result.hazards.push_back({.kind = HazardKind::kInvalidLaunch, .kernel = symbol, .what = error.message()});
  }
  if (!state.is_ending)
    std::fwrite(result.printed.data(), 1, result.printed.size(), stdout);
  else if (!result.printed.empty())
    state.unprinted.insert(symbol);
  explain_by_program(result, kernel.info(), request, before);
  note_fault(result);
  outcome.ms =
      kernel_ms(result, state.card()) + children_ms(result, state.card(), request.spec.grid.volume());
  outcome.load.share = share_of_card(result, state.card(), request.spec.grid.volume());
  outcome.load.wave_ms = wave_ms(outcome.ms, result);
  auto record = std::make_shared<ProgramLaunch>();
  record->kernel = symbol;
  record->spec = request.spec;
  record->device = device;
  record->from = from;
  record->pinned_bytes = pinned_bytes;
  record->result = std::move(result);
  outcome.tell = [record, uses = uses_of_parameters(*this, record->result)](const Ran& ran) {
    record->span = ran.span;
    record->stream = ran.stream;
    the_runtime().records.send(*record);
    if (!uses.parameters.empty()) the_runtime().records.send(uses);
    if (the_runtime().lost != cudaSuccess) the_runtime().queue.drop_pending();
  };
  return outcome;
}

}  // namespace

Job kernel_job(const KernelRef& kernel, const KernelLaunch& given, void** arguments, int device) {
  Runtime& state = the_runtime();
  auto queued = std::make_shared<QueuedLaunch>();
  queued->kernel = state.modules.load(kernel, device);  // a variant of the program begins here
  const KernelLaunch shape = changed(state.settings.change, kernel.symbol, given);
  const vgpu::KernelInfo& info = queued->kernel.info();
  if (!info.refusal.empty()) {
    report_mistake(MistakeKind::kUnsupported, info.refusal, {});
    throw Failure{cudaErrorNotSupported, info.refusal};
  }
  require_shape(kernel, shape, info, device);
  queued->request = request_of(queued->kernel, shape, arguments);
  change_arguments(state.settings.change, kernel.symbol, info, queued->request);
  if (const auto hazard = state.gpu.refusal(*queued->kernel.module, queued->request))
    throw Failure{error_of_driver(hazard->cuda_error),
                  msg::message_and_addition(msg::launch_refused(hazard->what), hazard->fix)};
  queued->symbol = kernel.symbol;
  queued->device = device;
  if (state.records.is_watched()) queued->from = call_site();
  Job job;
  job.name = kernel.symbol;
  job.engine = Engine::kCompute;
  job.is_kernel = true;
  job.communicates = info.communicates;
  job.has_effect = info.has_effect;
  job.from = queued->from;
  job.uses = memory_of_arguments(state.memory, queued->request.parameters);
  queued->pinned_bytes = pinned_bytes_of(job.uses);
  job.run = [queued] { return queued->run(); };
  job.as_node = [queued, kernel = &kernel] {
    queued->stub = stub_of(*kernel);
    queued->arguments.clear();
    for (const vgpu::KernelParameter& parameter : queued->kernel.info().parameters)
      queued->arguments.push_back(queued->request.parameters.data() + parameter.offset);
    return queued->as_node();
  };
  return job;
}

WorkRef submit(Stream& stream, Job job) {
  if (stream.capture) {
    capture(stream, std::move(job));
    return nullptr;
  }
  Queue& queue = the_runtime().queue;
  const WorkRef work = queue.enqueue(stream, std::move(job));
  if (the_runtime().settings.change.kind == LaunchChange::Kind::kInOrder) queue.wait_for_all();
  return work;
}

void launch(const KernelRef& kernel, const KernelLaunch& shape, void** arguments, Stream& stream) {
  the_runtime().clock.host_works(kLaunchCallMs);
  submit(stream, kernel_job(kernel, shape, arguments, stream.device));
}

}  // namespace cudalab::runtime
