// Breakpoints of a debug session, and the reasons for a stop.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/message.h"
#include "core/measurement.h"
#include "vgpu/warp_trace.h"

namespace cudalab::session {

// What all breakpoints have: a number, and when they stop.
struct Trigger {
  int id = 0;
  std::string condition;  // holds if it does in one active lane; empty: no condition
  std::string
      hit_rule;  // a comparison with the number of hits: "3" or ">= 3", "== 3", "> 3", "% 3" (every third)
  std::uint64_t hits = 0;
};
// Counts a hit. Returns whether the rule lets the breakpoint stop.
bool hit(Trigger& trigger);
// Whether the text is such a rule; an empty text is.
bool is_hit_rule(std::string_view text);

struct LineBreakpoint : Trigger {
  std::string file;  // as the launch names it
  int line = 0;
  std::string log;  // log point: printed with its {expressions} evaluated, without a stop
};
struct FunctionBreakpoint : Trigger {
  std::string function;  // without template arguments
};
// Stops before a line whose recorded access touches these bytes of shared or global memory. Its condition is
// evaluated in the lanes that access them.
struct DataBreakpoint : Trigger {
  std::uint64_t address = 0, bytes = 0;   // generic address; shared memory: of any block
  bool on_read = false, on_write = true;  // an atomic reads and writes
};
// The lanes whose access touches the bytes in the way that the breakpoint stops at.
std::uint32_t lanes_touching(const DataBreakpoint& breakpoint, const vgpu::TracedAccess& access);

struct Breakpoints {
  std::vector<LineBreakpoint> lines;
  std::vector<FunctionBreakpoint> functions;
  std::vector<DataBreakpoint> data;
  std::set<HazardKind> hazards;
};

struct Stop {
  enum Reason : std::uint8_t { kStep, kBreakpoint, kFunction, kData, kHazard, kPaused, kBegin, kEnd };
  Reason reason = kStep;
  int breakpoint = 0;    // its ID
  Message what, remedy;  // of a hazard
  std::optional<HazardKind> hazard;
};

// The lanes that a step moves to their next line.
enum class StepScope : std::uint8_t {
  kLane,  // the lane in focus: lines that it does not execute are passed
  kWarp,
  kBlock,  // each warp of the block makes the step
};

}  // namespace cudalab::session
