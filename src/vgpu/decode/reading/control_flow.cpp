#include "vgpu/decode/reading/control_flow.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace cudalab::vgpu {
namespace {

constexpr std::uint32_t kUnvisited = 0, kFinished = std::numeric_limits<std::uint32_t>::max();

// Numbers of the blocks, kept from one part of the graph to the next: a part is done in time that its own
// size decides.
struct Scratch {
  explicit Scratch(std::size_t blocks)
      : number(blocks, kUnvisited), low(blocks), numbered_in(blocks, kNoPart) {}
  static constexpr std::uint32_t kNoPart = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number, low;
  std::vector<std::uint32_t> numbered_in;  // the part that `number` is from
};

// Tarjan's strongly connected components of a part of the graph, in topological order, without recursion.
class Components {
 public:
  Components(const BasicBlockGraph& graph, const std::vector<std::uint32_t>& part_of, std::uint32_t part,
             std::uint32_t excluded, Scratch& scratch)
      : graph_(graph), part_of_(part_of), part_(part), excluded_(excluded), scratch_(scratch) {}

  void visit(std::uint32_t root) {
    if (!belongs(root) || number(root) != kUnvisited) return;
    enter(root);
    while (!walk_.empty()) step();
  }

  std::vector<std::vector<std::uint32_t>> in_order() && {
    std::reverse(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  struct Visit {
    std::uint32_t block;
    std::size_t next_successor;
  };

  bool belongs(std::uint32_t block) const { return part_of_[block] == part_ && block != excluded_; }

  std::uint32_t& number(std::uint32_t block) {
    if (scratch_.numbered_in[block] != part_) {
      scratch_.numbered_in[block] = part_;
      scratch_.number[block] = kUnvisited;
    }
    return scratch_.number[block];
  }
  std::uint32_t& low(std::uint32_t block) { return scratch_.low[block]; }

  void enter(std::uint32_t block) {
    number(block) = low(block) = ++counter_;
    open_.push_back(block);
    walk_.push_back({block, 0});
  }

  void step() {
    Visit& visit = walk_.back();
    const auto& successors = graph_.successors[visit.block];
    if (visit.next_successor == successors.size()) return leave(visit.block);
    const std::uint32_t next = successors[visit.next_successor++];
    if (!belongs(next) || number(next) == kFinished) return;
    if (number(next) == kUnvisited) return enter(next);
    low(visit.block) = std::min(low(visit.block), number(next));
  }

  void leave(std::uint32_t block) {
    walk_.pop_back();
    if (!walk_.empty()) low(walk_.back().block) = std::min(low(walk_.back().block), low(block));
    if (low(block) != number(block)) return;
    auto& component = found_.emplace_back();
    std::uint32_t member;
    do {
      member = open_.back();
      open_.pop_back();
      number(member) = kFinished;
      component.push_back(member);
    } while (member != block);
    // The block that was entered first is the component's head.
    std::reverse(component.begin(), component.end());
  }

  const BasicBlockGraph& graph_;
  const std::vector<std::uint32_t>& part_of_;
  std::uint32_t part_, excluded_, counter_ = 0;
  Scratch& scratch_;
  std::vector<std::uint32_t> open_;
  std::vector<Visit> walk_;
  std::vector<std::vector<std::uint32_t>> found_;
};

// Loops nested deeper keep the order of the text: any order is right, and time is short.
constexpr int kDeepestLoop = 64;

}  // namespace

std::vector<std::uint32_t> layout_order(const BasicBlockGraph& graph) {
  const auto blocks = static_cast<std::uint32_t>(graph.successors.size());
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> order, part_of(blocks, 0);
  std::uint32_t parts = 1;
  // Work still to do, last first: a block to emit, or a part of the graph to order from its head on.
  struct Work {
    std::uint32_t head, part;
    bool emit;
    int depth;
  };
  std::vector<Work> work{{0, 0, false, 0}};
  Scratch scratch(blocks);
  while (!work.empty()) {
    const Work item = work.back();
    work.pop_back();
    if (item.emit) {
      order.push_back(item.head);
      continue;
    }
    // In a loop, the head comes first and edges back to it do not count; the whole function has no such head.
    const bool is_loop = item.part != 0;
    Components components(graph, part_of, item.part, is_loop ? item.head : kNone, scratch);
    if (is_loop) {
      order.push_back(item.head);
      for (std::uint32_t next : graph.successors[item.head]) components.visit(next);
    } else {
      components.visit(item.head);
    }
    auto found = std::move(components).in_order();
    for (auto component = found.rbegin(); component != found.rend(); ++component) {
      const std::uint32_t head = component->front();
      if (component->size() == 1) {
        work.push_back({head, 0, true, 0});
        continue;
      }
      if (item.depth == kDeepestLoop) {
        std::sort(component->begin(), component->end(), std::greater<>());
        for (std::uint32_t member : *component) work.push_back({member, 0, true, 0});
        continue;
      }
      for (std::uint32_t member : *component) part_of[member] = parts;
      work.push_back({head, parts++, false, item.depth + 1});
    }
  }
  return order;
}

}  // namespace cudalab::vgpu
