#include "vgpu/checks/bulk_watch.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace cudalab::vgpu {
namespace {

struct Range {
  std::uint64_t begin, bytes;
};

struct Meeting {
  int lane;
  std::uint64_t address;
};

// Where an access first touches a range.
std::optional<Meeting> first_touch(const ObservedAccess& access, Range range) {
  for (const Footprint::Span& span : access.footprint->spans)
    for (std::uint32_t g = 0; g < span.count; ++g) {
      const std::uint64_t address =
          access.base +
          static_cast<std::uint64_t>((span.first + g) * (std::int64_t{1} << access.granule_shift));
      if (address - range.begin < range.bytes)
        return Meeting{static_cast<int>(access.footprint->lane[span.lanes + g] >> kLaneShift), address};
    }
  return std::nullopt;
}

struct Words {
  std::string_view what, fix;
};
constexpr Words kDestination{"to which a bulk copy is still on its way",
                             "wait for the copy first: let every thread that uses the data wait on its "
                             "barrier, or wait for its group"};
constexpr Words kSource{
    "from which a bulk copy may still be reading",
    "wait for the copy's group (cp.async.bulk.wait_group.read) before its source changes"};

constexpr Words kOwnCopy{
    "to which the thread's cp.async is still on its way",
    "wait for it first: cp.async.wait_group (__pipeline_wait_prior(), cuda::pipeline's consumer_wait()), or, "
    "where it arrives at an mbarrier, wait on that"};

constexpr std::string_view kWaitThenMeet =
    "let every thread wait for its copies (cp.async.wait_group, __pipeline_wait_prior(), cuda::pipeline's "
    "consumer_wait(), cooperative_groups::wait()), and put __syncthreads() between that and the access";

void report(const ObservedAccess& access, const Inst* copy, const Meeting& at, const Words& words,
            HazardLog& log) {
  const Launch& launch = *access.warp->launch;
  const Place place = place_of(launch, at.address);
  const bool in_shared = at.address - kSharedWindow < kWindowBytes;
  const HazardKind kind = in_shared ? HazardKind::kSharedRace : HazardKind::kGlobalRace;
  log.add(kind, access.line(), copy->source, place.identity, [&] {
    Hazard hazard = hazard_at(access.inst, *access.warp, at.lane, kind);
    hazard.other = launch.program->lines[copy->source];
    hazard.address = at.address;
    hazard.buffer = place.name;
    hazard.what = fmt::format("{} {} ({:#x}), {}", verb_of(access), place.text(access.element_bytes()),
                              at.address, words.what);
    hazard.fix = words.fix;
    return hazard;
  });
}

}  // namespace

void BulkWatch::end(std::uint64_t number) {
  std::erase_if(in_flight_, [&](const Copy& copy) { return copy.number == number; });
}

void BulkWatch::end_reading(std::uint64_t number) {
  for (Copy& copy : in_flight_)
    if (copy.number == number) copy.from = 0;
}

void BulkWatch::check_each(const ObservedAccess& access, HazardLog& log) const {
  for (const Copy& copy : in_flight_) {
    if (copy.is_reduction && access.is_atomic()) continue;
    if (const auto at = first_touch(access, {copy.to, copy.bytes})) {
      report(access, copy.inst, *at, kDestination, log);
      continue;
    }
    if (!access.writes() || copy.from == 0) continue;
    if (const auto at = first_touch(access, {copy.from, copy.bytes}))
      report(access, copy.inst, *at, kSource, log);
  }
}

namespace {

// A lane that touches what it is having copied itself.
std::optional<Meeting> own_touch(const ObservedAccess& access, const AsyncCopy& copy) {
  const Pattern& pattern = *access.pattern;
  for (std::uint32_t left = copy.lanes & pattern.active; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t address = access.base + static_cast<std::uint64_t>(pattern.offset[lane]);
    const std::uint64_t end = address + static_cast<std::uint64_t>(access.info->bytes_per_lane);
    if (address < copy.to[lane] + copy.inst->imm && copy.to[lane] < end) return Meeting{lane, address};
  }
  return std::nullopt;
}

}  // namespace

namespace {

bool meet(const ObservedAccess& access, const AsyncCopy& copy) {
  const std::uint64_t from = access.base + static_cast<std::uint64_t>(access.pattern->low);
  const std::uint64_t to = access.base + static_cast<std::uint64_t>(access.pattern->high);
  return from < copy.end && copy.begin < to;
}

// Of a copy that the access comes after.
bool report_copy_of_other(const ObservedAccess& access, const Warp& issuer, const AsyncCopy& copy,
                          HazardLog& log) {
  for (std::uint32_t left = copy.lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto at = first_touch(access, {copy.to[lane], copy.inst->imm});
    if (!at) continue;
    const std::string what =
        fmt::format("to which the cp.async of {} is still on its way: nobody has waited for it",
                    thread_text(thread_of(issuer, lane)));
    report(access, copy.inst, *at, {what, kWaitThenMeet}, log);
    return true;
  }
  return false;
}

}  // namespace

bool check_copies_of_others(const ObservedAccess& access, const BlockClock& clock, HazardLog& log) {
  if (access.info->kind == SiteKind::kAsyncStore) return false;
  for (const Warp& issuer : access.warp->block->warps)
    for (const AsyncCopy& copy : issuer.copies.in_flight)
      if (meet(access, copy) && clock.has_seen(access.warp->index, issuer.index, copy.tick) &&
          report_copy_of_other(access, issuer, copy, log))
        return true;
  return false;
}

bool check_own_copies(const ObservedAccess& access, HazardLog& log) {
  if (access.info->kind == SiteKind::kAsyncStore) return false;  // it arrives
  for (const AsyncCopy& copy : access.warp->copies.in_flight)
    if (const auto at = own_touch(access, copy)) {
      report(access, copy.inst, *at, kOwnCopy, log);
      return true;
    }
  return false;
}

}  // namespace cudalab::vgpu
