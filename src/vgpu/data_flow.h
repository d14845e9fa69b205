// Finds out by experiment through which instructions of a kernel data flows from its inputs to its outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vgpu/vgpu.h"

namespace cudalab::vgpu {

struct FlowRequest {
  std::uint64_t seed = 0;
  std::size_t statements = 0;  // with taps, numbered from 0 (value_taps.h)
};

// Of the outputs that depend on some input words: those that depend on them only through tapped statements.
struct FlowShare {
  std::size_t changed = 0, carried = 0;
  void add(const FlowShare& other) { changed += other.changed, carried += other.carried; }
  bool is_mostly_carried() const { return changed > 0 && 2 * carried >= changed; }
};

struct DataFlow {
  FlowShare together;  // through all tapped statements
  // Through each statement: those that depend only on it, or else those that the others do not carry without
  // it. Empty if the outputs depend on too many inputs.
  std::vector<FlowShare> by_statement;
  void add(const DataFlow& other);
};

// Runs the launch again and again, and restores memory each time:
//
//     A   as it is, recording the values at the taps
//     B   with a few words of the inputs replaced by others of the same input
//     H   as B, but the tapped statements yield what they yielded in A
//
// An output word that differs between A and B depends on a replaced word. If it is in H as it was in A, the
// word reached it only through the tapped statements. A kernel that merely compares what a statement yields
// with what it expects has neither A's output in H nor B's. The module must have been loaded from a text with
// taps.
DataFlow data_flow(VirtualGpu& gpu, const LoadedModule& module, const LaunchRequest& request,
                   const FlowRequest& wanted);

}  // namespace cudalab::vgpu
