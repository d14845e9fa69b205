#include "vgpu/child_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "core/measurement.h"
#include "messages/vgpu.h"

namespace cudalab::vgpu {
namespace {

struct Waiting {
  PendingWork work;
  int depth = 1;
  std::uint32_t parent = SiblingRaces::kFirst;  // number of the parent
  bool has_company = false;                     // SiblingRaces::add
};

bool is_launch(const PendingWork& work) { return std::holds_alternative<ChildLaunchRequest>(work.work); }

// Whether the work goes to more than one queue. Tail launches run alone at the end.
bool is_company(const std::vector<PendingWork>& work) {
  const LaunchQueue* first = nullptr;
  for (const PendingWork& one : work) {
    if (!is_launch(one) || one.is_tail) continue;
    if (first && !(one.queue == *first)) return true;
    first = &one.queue;
  }
  return false;
}

Hazard hazard_of(const PendingWork& work, const Message& verb, std::size_t bytes, std::uint64_t address) {
  Hazard hazard;
  hazard.kind = HazardKind::kOutOfBounds;
  hazard.kernel = work.by;
  hazard.where = work.where;
  hazard.address = address;
  hazard.what = msg::child_bytes_outside(verb, bytes, Address{address});
  hazard.fix = msg::advice_compare_bytes();
  hazard.cuda_error = "CUDA_ERROR_ILLEGAL_ADDRESS";
  return hazard;
}

bool is_inside(GlobalMemory& memory, std::uint64_t address, std::size_t bytes) {
  const Allocation* allocation = memory.find(address);
  return allocation && bytes <= allocation->end() - address;
}

std::optional<Hazard> do_work(const PendingWork& pending, const ChildCopy& copy, GlobalMemory& memory) {
  for (const std::uint64_t address : {copy.to, copy.from})
    if (copy.bytes > 0 && !is_inside(memory, address, copy.bytes))
      return hazard_of(pending, msg::verb_copies(), copy.bytes, address);
  std::vector<std::byte> bytes(copy.bytes);
  if (bytes.empty()) return std::nullopt;
  memory.read(copy.from, bytes);
  memory.write(copy.to, bytes);
  return std::nullopt;
}

std::optional<Hazard> do_work(const PendingWork& pending, const ChildFill& fill, GlobalMemory& memory) {
  if (fill.bytes == 0) return std::nullopt;
  if (!is_inside(memory, fill.to, fill.bytes))
    return hazard_of(pending, msg::verb_fills(), fill.bytes, fill.to);
  memory.fill(fill.to, fill.bytes, fill.value, false);
  return std::nullopt;
}

ChildLaunch& row_of(const Program& program, const ChildLaunchRequest& request, LaunchResult& parent) {
  const std::string& symbol = program.kernels[request.kernel].symbol;
  for (ChildLaunch& child : parent.children)
    if (child.kernel == symbol) return child;
  return parent.children.emplace_back(ChildLaunch{symbol, request.spec, 0, {}});
}

class Children {
 public:
  Children(const Program& program, GlobalMemory& memory, const RunChild& run, SiblingRaces& siblings,
           LaunchResult& parent)
      : program_(program), memory_(memory), run_(run), siblings_(siblings), parent_(parent) {}

  void run(std::vector<PendingWork> work) {
    put_in_front(std::move(work), 1, SiblingRaces::kFirst);
    while (!waiting_.empty() && parent_.completed) {
      const Waiting next = std::move(waiting_.front());
      waiting_.pop_front();
      if (const auto* request = std::get_if<ChildLaunchRequest>(&next.work.work))
        launch(*request, next);
      else if (const auto* copy = std::get_if<ChildCopy>(&next.work.work))
        stop_at(do_work(next.work, *copy, memory_));
      else
        stop_at(do_work(next.work, std::get<ChildFill>(next.work.work), memory_));
    }
  }

 private:
  // A child ends when its own children have ended, so their work precedes waiting work.
  void put_in_front(std::vector<PendingWork> work, int depth, std::uint32_t parent) {
    const bool of_parent = siblings_.has_company(parent), of_these = is_company(work);
    for (auto one = work.rbegin(); one != work.rend(); ++one) {
      const int of_one = depth - (one->is_tail ? 1 : 0);  // a tail launch takes the place of its parent
      const bool has_company = of_parent || (of_these && !one->is_tail);
      waiting_.push_front({std::move(*one), of_one, parent, has_company});
    }
  }

  // A tail launch is ordered after everything that its parent launched, so it gets the parent's number.
  std::uint32_t number_of(const Waiting& waiting) {
    if (waiting.work.is_tail) return waiting.parent;
    return siblings_.add(waiting.parent, waiting.work.queue, waiting.work.where, waiting.has_company);
  }

  void launch(const ChildLaunchRequest& request, const Waiting& waiting) {
    const std::uint32_t number = number_of(waiting);
    ChildRun child = run_(request, {waiting.depth, number});
    ChildLaunch& row = row_of(program_, request, parent_);
    ++row.launches;
    for (Hazard& hazard : std::exchange(child.result.hazards, {})) {
      if (hazard.kind == HazardKind::kInvalidLaunch) hazard.where = waiting.work.where;
      add(std::move(hazard));
    }
    parent_.printed += child.result.printed;
    parent_.completed = child.result.completed;
    add_launch(row.result, std::move(child.result));
    put_in_front(std::move(child.work), waiting.depth + 1, number);
  }

  // The same hazard of many launches is merged.
  void add(Hazard hazard) {
    const auto known = std::ranges::find_if(parent_.hazards, [&](const Hazard& one) {
      return one.kind == hazard.kind && one.kernel == hazard.kernel && one.where == hazard.where &&
             one.other == hazard.other;
    });
    if (known != parent_.hazards.end())
      known->occurrences += hazard.occurrences;
    else
      parent_.hazards.push_back(std::move(hazard));
  }

  void stop_at(std::optional<Hazard> hazard) {
    if (!hazard) return;
    parent_.hazards.push_back(*std::move(hazard));
    parent_.completed = false;
  }

  const Program& program_;
  GlobalMemory& memory_;
  const RunChild& run_;
  SiblingRaces& siblings_;
  LaunchResult& parent_;
  std::deque<Waiting> waiting_;
};

}  // namespace

void run_children(const Program& program, GlobalMemory& memory, std::vector<PendingWork> work,
                  const RunChild& run, SiblingRaces& siblings, LaunchResult& parent) {
  Children(program, memory, run, siblings, parent).run(std::move(work));
}

}  // namespace cudalab::vgpu
