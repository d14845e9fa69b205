// A block that is being executed: its warps, shared memory, barriers and output; and state shared by all
// blocks of a launch.
#include "vgpu/block.h"

#include <iterator>

#include "core/text.h"
#include "messages/vgpu.h"

namespace cudalab::vgpu {

void PrintLog::add(std::uint64_t block, std::string_view text) {
  const std::lock_guard lock(mutex_);
  std::string& printed = blocks_[block];
  // One byte more than can be shown records that text is missing.
  text = text.substr(0, kMostBytes + 1 - std::min(kMostBytes + 1, printed.size()));
  printed += text;
  bytes_ += text.size();
  // The last blocks are not needed once earlier blocks fill the log.
  while (blocks_.size() > 1 && bytes_ - blocks_.rbegin()->second.size() > kMostBytes) {
    bytes_ -= blocks_.rbegin()->second.size();
    blocks_.erase(std::prev(blocks_.end()));
  }
}

void PrintLog::clear() {
  blocks_.clear();
  bytes_ = 0;
}

std::string PrintLog::text(std::uint64_t last_block) const {
  std::string all;
  for (const auto& [block, printed] : blocks_) {
    if (block > last_block) break;
    all += printed;
  }
  if (all.size() <= kMostBytes) return all;
  all.resize(kMostBytes);
  return all + "\n[the kernel printed more than 1 MiB; the rest is left out]\n";
}

Dim3 block_with_number(const Launch& launch, std::uint64_t number) {
  const Dim3 &grid = launch.request->spec.grid, &shape = launch.cluster;
  const Dim3 clusters{grid.x / shape.x, grid.y / shape.y, grid.z / shape.z};
  const Dim3 cluster = position_in(clusters, number / shape.volume());
  const Dim3 within = position_in(shape, number % shape.volume());
  return {cluster.x * shape.x + within.x, cluster.y * shape.y + within.y, cluster.z * shape.z + within.z};
}

std::uint64_t number_of_block(const Launch& launch, Dim3 block) {
  const Dim3 &grid = launch.request->spec.grid, &shape = launch.cluster;
  const Dim3 clusters{grid.x / shape.x, grid.y / shape.y, grid.z / shape.z};
  const Dim3 cluster{block.x / shape.x, block.y / shape.y, block.z / shape.z};
  const Dim3 within{block.x % shape.x, block.y % shape.y, block.z % shape.z};
  return linear_index(clusters, cluster) * shape.volume() + linear_index(shape, within);
}

Dim3 thread_of(const Warp& warp, int lane) {
  return position_in(warp.launch->request->spec.block, std::uint64_t{warp.index} * kWarpSize + lane);
}

Message verb_of(AccessMode mode) {
  switch (mode) {
    case AccessMode::kRead: return msg::verb_reads();
    case AccessMode::kWrite: return msg::verb_writes();
    case AccessMode::kReadWrite: break;
  }
  return msg::verb_updates();
}

SourceLine line_of(const Warp& warp, const Inst* inst) { return warp.launch->program->lines[inst->source]; }

namespace {

// The function that contains the instruction, for the lane: of several calls, the innermost.
const Frame* frame_of(const Inst* inst, const Warp& warp, int lane) {
  const Frame* found = nullptr;
  for (const Frame& frame : warp.frames) {
    const std::vector<Inst>& code = frame.function->code;
    const bool is_inside = inst >= code.data() && inst < code.data() + code.size();
    if (is_inside && (frame.lanes >> lane & 1) && (!found || frame.depth > found->depth)) found = &frame;
  }
  return found;
}

std::optional<SourceLine> call_of(const Inst* inst, const Warp& warp, int lane) {
  const Frame* frame = frame_of(inst, warp, lane);
  if (!frame) return std::nullopt;
  const FunctionCode& function = *frame->function;
  const auto statement = function.statements[static_cast<std::size_t>(inst - function.code.data())];
  if (const auto inlined = function.call_lines.find(statement); inlined != function.call_lines.end())
    return warp.launch->program->lines[inlined->second];
  if (!frame->call) return std::nullopt;
  const SourceLine call = line_of(warp, frame->call);
  return call.line > 0 ? std::optional(call) : std::nullopt;
}

}  // namespace

Hazard hazard_at(const Inst* inst, const Warp& warp, int lane, HazardKind kind) {
  Hazard hazard;
  hazard.kind = kind;
  hazard.kernel = warp.launch->kernel->symbol;
  hazard.where = line_of(warp, inst);
  hazard.block = warp.block->index;
  hazard.thread = thread_of(warp, lane);
  hazard.called_from = call_of(inst, warp, lane);
  return hazard;
}

Argument line_argument(const SourceLine& at, const SourceLine& from) {
  if (at.file.empty()) return msg::source_line_unknown();
  return at.file == from.file ? Argument(msg::source_line_number(at.line)) : Argument(at);
}

void report_hazard(Block& block, Hazard hazard) {
  for (Hazard& known : block.hazards) {
    if (known.kind != hazard.kind || known.where != hazard.where || known.other != hazard.other ||
        known.buffer != hazard.buffer)
      continue;
    known.occurrences += hazard.occurrences;
    return;
  }
  block.hazards.push_back(std::move(hazard));
}

}  // namespace cudalab::vgpu
