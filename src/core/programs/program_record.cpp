// Serialization of the records of program_record.h, which describe a CUDA program on the virtual GPU.
#include "core/programs/program_record.h"

#include <cstring>
#include <utility>

#include "core/measurement.h"
#include "core/programs/field_stream.h"

namespace cudalab {
namespace {

constexpr std::size_t kLongestMessage = 256u << 20;
constexpr std::size_t kMostElements = std::size_t{1} << 28;

}  // namespace

// ---- fields --------------------------------------------------------------------------------------------

template <class A>
void fields(A& a, LineAccess& x) {
  a(x.where, x.space, x.kind, x.bytes_per_lane, x.requests, x.transactions, x.fewest_transactions,
    x.distinct_bytes, x.lanes, x.lane_stride_bytes);
}
template <class A>
void fields(A& a, LineExecution& x) {
  a(x.where, x.warp_instructions, x.thread_instructions, x.branches, x.divergent_branches, x.barriers);
}
template <class A>
void fields(A& a, Occupancy& x) {
  a(x.blocks, x.warps, x.most_warps, x.limited_by, x.waves, x.tail, x.registers);
}
template <class A>
void fields(A& a, Limit& x) {
  a(x.resource, x.share, x.amount, x.rate, x.unit);
}
template <class A>
void fields(A& a, Prediction& x) {
  a(x.card, x.ms, x.limits, x.occupancy);
}
template <class A>
void fields(A& a, Counters& x) {
  for (const CounterInfo& row : kCounters) {
    std::optional<double> value = x.get(row.counter);
    a(value);
    if (value) x.set(row.counter, *value);
  }
}
template <class A>
void fields(A& a, WarpRequest& x) {
  a(x.block, x.warp, x.lanes, x.bytes_per_lane, x.transactions, x.fewest);
  for (std::uint64_t& address : x.address) a(address);
}
template <class A>
void fields(A& a, LineRequests& x) {
  a(x.where, x.space, x.kind, x.first, x.worst);
}
template <class A>
void fields(A& a, PathStep& x) {
  a(x.begin, x.end, x.lanes, x.alive, x.where);
}
template <class A>
void fields(A& a, WarpPaths& x) {
  a(x.block, x.warp, x.lanes, x.steps);
}
template <class A>
void fields(A& a, LaneExchange& x) {
  a(x.lanes, x.kind);
  for (std::uint8_t& lane : x.from) a(lane);
}
template <class A>
void fields(A& a, LineExchanges& x) {
  a(x.where, x.block, x.warp, x.first);
}
template <class A>
void fields(A& a, LaunchResult& x) {
  a(x.simulation_ms, x.counters, x.prediction, x.accesses, x.executions, x.hazards, x.completed, x.printed,
    x.children);
  bool is_recorded = x.recording != nullptr;
  a(is_recorded);
  if (!is_recorded) return;
  Recording recording = x.recording ? *x.recording : Recording();
  a(recording.lines, recording.warps, recording.exchanges);
  x.recording = std::make_shared<const Recording>(std::move(recording));
}
template <class A>
void fields(A& a, ChildLaunch& x) {
  a(x.kernel, x.spec, x.launches, x.result);
}
template <class A>
void fields(A& a, CallSite& x) {
  a(x.object, x.offsets);
}
template <class A>
void fields(A& a, PredictedSpan& x) {
  a(x.start_ms, x.end_ms);
}
template <class A>
void fields(A& a, ProgramStart& x) {
  a(x.process, x.program, x.card, x.compute_capability, x.devices, x.host_threads);
}
template <class A>
void fields(A& a, KernelBegin& x) {
  a(x.kernel, x.number);
}
template <class A>
void fields(A& a, KernelPace& x) {
  a(x.seconds, x.where);
}
template <class A>
void fields(A& a, ProgramLaunch& x) {
  a(x.kernel, x.library, x.spec, x.device, x.stream, x.from, x.span, x.result, x.pinned_bytes);
}
template <class A>
void fields(A& a, ProgramCopy& x) {
  a(x.call, x.direction, x.bytes, x.device, x.stream, x.span, x.memory, x.source, x.target, x.is_pageable,
    x.variable_bytes, x.printed, x.from, x.nans);
}
// Counts per element repeat: each run of equal counts is written as its length and its count.
void counts(FieldWriter& writer, const std::vector<std::uint32_t>& counts) {
  std::vector<std::uint32_t> runs;
  for (std::size_t i = 0; i < counts.size();) {
    std::size_t end = i;
    while (end < counts.size() && counts[end] == counts[i]) ++end;
    runs.push_back(static_cast<std::uint32_t>(end - i));
    runs.push_back(counts[i]);
    i = end;
  }
  writer(runs);
}
void counts(FieldReader& reader, std::vector<std::uint32_t>& counts) {
  std::vector<std::uint32_t> runs;
  reader(runs);
  for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
    if (runs[i] > kMostElements - counts.size()) throw bad_record();
    counts.insert(counts.end(), runs[i], runs[i + 1]);
  }
}
template <class A>
void fields(A& a, BufferUse::Line& x) {
  a(x.where, x.kind, x.accesses);
}
template <class A>
void fields(A& a, BufferUse& x) {
  a(x.name, x.space, x.element_bytes, x.lines);
  counts(a, x.loads);
  counts(a, x.stores);
  counts(a, x.updates);
}
template <class A>
void fields(A& a, KernelUse::Parameter& x) {
  a(x.position, x.use);
}
template <class A>
void fields(A& a, TextureUse& x) {
  a(x.where, x.texture, x.dimensions, x.extent, x.is_normalized, x.is_interpolated, x.least, x.most,
    x.fetches);
}
template <class A>
void fields(A& a, KernelUse& x) {
  a(x.kernel, x.parameters, x.others, x.textures);
}
template <class A>
void fields(A& a, ProgramAllocation& x) {
  a(x.call, x.name, x.address, x.bytes, x.from);
}
template <class A>
void fields(A& a, ProgramFree& x) {
  a(x.address);
}
template <class A>
void fields(A& a, FailedCall& x) {
  a(x.call, x.error, x.why, x.is_launch, x.is_asked_for, x.from, x.number);
}
template <class A>
void fields(A& a, ErrorAsked& x) {
  a(x.up_to);
}
template <class A>
void fields(A& a, HostMistake& x) {
  a(x.kind, x.what, x.fix, x.from, x.occurrences);
}

namespace {

template <std::size_t kIndex = 0>
ProgramRecord record_of(std::uint8_t kind, FieldReader& reader) {
  if constexpr (kIndex == std::variant_size_v<ProgramRecord>) {
    throw bad_record();
  } else {
    if (kind != kIndex) return record_of<kIndex + 1>(kind, reader);
    std::variant_alternative_t<kIndex, ProgramRecord> record;
    reader(record);
    return record;
  }
}

}  // namespace

std::string bytes_of(Message message) {
  FieldWriter writer;
  writer(message);
  return writer.take();
}

Message message_in(std::string_view bytes) {
  FieldReader reader(bytes);
  Message message;
  reader(message);
  return message;
}

std::string message_of(const ProgramRecord& record) {
  FieldWriter writer;
  std::uint32_t length = 0;
  auto kind = static_cast<std::uint8_t>(record.index());
  writer(length, kind);
  std::visit([&](const auto& held) { writer(held); }, record);
  std::string message = writer.take();
  length = static_cast<std::uint32_t>(message.size() - sizeof length);
  std::memcpy(message.data(), &length, sizeof length);
  return message;
}

std::optional<ProgramRecord> RecordReader::next() {
  const std::string_view rest = std::string_view(unread_).substr(taken_);
  std::uint32_t length = 0;
  if (rest.size() < sizeof length) return std::nullopt;
  std::memcpy(&length, rest.data(), sizeof length);
  if (length == 0 || length > kLongestMessage) throw bad_record();
  if (rest.size() - sizeof length < length) {
    unread_.erase(0, std::exchange(taken_, 0));
    return std::nullopt;
  }
  FieldReader reader(rest.substr(sizeof length + 1, length - 1));
  ProgramRecord record = record_of(static_cast<std::uint8_t>(rest[sizeof length]), reader);
  if (!reader.is_at_end()) throw bad_record();
  taken_ += sizeof length + length;
  return record;
}

}  // namespace cudalab
