// Controls a recorded launch like a debugger: breakpoints, steps forward and back, and the values that the
// lanes of a warp have before a line.
//
// The launch is replayed for one warp at a time (report/warp/walk.h), and every visited warp keeps its own
// position. Switching between warps is cheap, and a warp's values never depend on the positions of other
// warps.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/debug/lane_values.h"
#include "report/warp/walk.h"

namespace cudalab::cli {

struct LineBreakpoint {
  int id = 0, line = 0;
  std::string condition;                    // evaluated per lane; empty: no condition
  std::uint64_t hits = 0, wanted_hits = 0;  // stop from this hit on; 0: at every hit
  std::string log;  // log point: printed with its {expressions} evaluated, without a stop
};
struct FunctionBreakpoint {
  int id = 0;
  std::string function;  // without template arguments
};

// Stops before a line whose recorded access touches these bytes of shared or global memory.
struct DataBreakpoint {
  int id = 0;
  std::uint64_t address = 0, bytes = 0;     // generic address; shared memory: of any block
  bool on_read = false, on_write = true;    // an atomic reads and writes
  std::string condition;                    // as of a line, in the lanes that access the bytes
  std::uint64_t hits = 0, wanted_hits = 0;  // as of a line
};

struct Breakpoints {
  std::vector<LineBreakpoint> lines;
  std::vector<FunctionBreakpoint> functions;
  std::vector<DataBreakpoint> data;
  std::set<std::string, std::less<>> hazards;  // hazard kinds, as report::name_of spells them
};

struct Stop {
  enum Reason : std::uint8_t { kStep, kBreakpoint, kFunction, kData, kHazard, kPaused, kBegin, kEnd };
  Reason reason = kStep;
  int breakpoint = 0;    // its ID
  Message what, remedy;  // of a hazard
  std::string kind;      // of a hazard, as in Breakpoints
};

class LaunchDebugger {
 public:
  // `source`: the text of the launch's source file.
  LaunchDebugger(report::WalkedLaunch launch, std::string source, Wording wording);

  // These throw Error(kUsage) if the block, warp or lane does not exist, and then change nothing.
  void focus(const Dim3& block, std::uint32_t warp);
  void focus_lane(std::uint32_t lane);
  void focus_thread(const Dim3& block, const Dim3& thread);
  const Dim3& block() const { return block_; }
  std::uint32_t warp() const { return warp_; }
  std::uint32_t lane() const { return lane_; }  // the chosen lane while active, else the first active lane
  std::uint32_t warps() const;
  Dim3 thread_of(std::uint32_t lane) const;
  bool has_lane(std::uint32_t lane) const;  // the last warp of a block may have fewer than 32 lanes
  const report::WalkedLaunch& launch() const { return launch_; }
  const report::Moment* moment() { return walk().moment(); }
  // The line at which the warp stands, then its callers, as far as the kept window of steps contains the
  // calls.
  struct Frame {
    std::string function;
    SourceLine where;
    std::uint64_t instruction = 0;  // its index in the listing
  };
  std::vector<Frame> call_stack();
  report::Walk& walk() { return current().walk; }

  // `is_interrupted` is polled while the warp runs. `print` receives the output of log points.
  using Interrupted = std::function<bool()>;
  using Print = std::function<void(const std::string&)>;
  Stop proceed(Breakpoints& breakpoints, const Interrupted& is_interrupted, const Print& print);
  Stop reverse(Breakpoints& breakpoints, const Interrupted& is_interrupted, const Print& print);
  Stop step_over(Breakpoints& breakpoints);
  Stop step_in();
  Stop step_out(Breakpoints& breakpoints);
  Stop step_back();

  // Values before the line at which the warp stands. `depth` is a frame of the call stack.
  std::vector<LaneVariable> locals(std::uint32_t lane, std::size_t depth = 0);
  std::vector<LaneVariable> registers(std::uint32_t lane);
  std::vector<LaneVariable> shared_arrays();
  // The buffers of global memory, and some elements of one.
  struct Buffer {
    std::string name, type;  // of its elements
    std::uint64_t address = 0, elements = 0;
    std::uint32_t element = 4;  // bytes
    ptx::Type value{};
  };
  std::vector<Buffer> buffers(std::uint32_t lane);
  std::vector<LaneVariable> elements(const Buffer& buffer, std::uint64_t first, std::uint64_t count);
  // The readable beginning of a range of generic addresses, as the warp finds it before the line.
  std::vector<std::byte> memory(std::uint64_t address, std::uint64_t bytes);
  // All instructions of the module.
  const std::vector<vgpu::ListedInstruction>& listing();
  std::vector<LaneVariable> builtins(std::uint32_t lane);
  // Throws like evaluate_in_lane.
  double evaluate(const std::string& expression, std::uint32_t lane);
  std::optional<LaneVariable> variable(const std::string& name, std::uint32_t lane);
  // The variable or element that the expression names, such as "s[threadIdx.x]"; kNone if it is no name.
  ValuePlace place_of(const std::string& expression, std::uint32_t lane);
  // Changes a value before the line at which the warp stands, by running the launch again with the change.
  // From now on, the change happens whenever this warp reaches this step. Throws Error(kUsage) if the place
  // cannot be changed, or if `value`, an expression, does not fit.
  void change(const ValuePlace& place, const std::string& value);

 private:
  struct Position {
    report::Walk walk;
    bool is_exhausted = false;  // no line is left to stop at
  };
  struct SharedArray {
    std::string name;
    ptx::Type type{};
    std::uint64_t offset = 0, bytes = 0, element = 4;
    std::vector<std::uint64_t> inner;  // all dimensions except the first
  };
  Position& current();
  Position& position(const Dim3& block, std::uint32_t warp);
  std::uint32_t call_here();
  // The last step before the line, if there is one, then the line's first step, with a view before it.
  const vgpu::WarpTrace& before();
  const vgpu::WarpView& view();
  std::vector<std::size_t> frames();  // indices into the trace: the last step of each call
  const std::vector<report::KnownValue>& known_here();
  std::vector<report::KnownValue> known_in(std::size_t depth);
  // `is_here`: of the innermost frame, whose variables can be changed.
  std::vector<LaneVariable> in_lane(const std::vector<report::KnownValue>& values, std::uint32_t lane,
                                    bool is_here) const;
  std::optional<double> number_called(const std::string& name, std::uint32_t lane);
  std::optional<double> shared_number(const std::string& name);
  ValuePlace shared_place(const std::string& name);
  ValuePlace element_called(const std::string& name, std::uint32_t lane);  // of a buffer
  std::optional<double> number_at(const ValuePlace& place);
  std::uint64_t bits_of(const ValuePlace& place, const std::string& value);
  SharedArray described(const vgpu::TracedVariable& variable);
  LaneVariable rows(const SharedArray& array, std::size_t dimension, std::uint64_t first,
                    std::uint64_t elements, const std::string& name, const std::string& path);
  std::uint64_t element_bits(const SharedArray& array, std::uint64_t index);

  bool stops_at(const report::Moment& moment, Breakpoints& breakpoints, const Print& print, Stop& stop);
  bool stops_at_line(const report::Moment& moment, LineBreakpoint& breakpoint, const Print& print);
  bool stops_at_data(const report::Moment& moment, DataBreakpoint& breakpoint);
  bool holds_somewhere(const std::string& condition, std::uint32_t active);
  std::string filled(const std::string& log);
  bool hazard_of(const report::Moment& moment, const Breakpoints& breakpoints, Stop& stop);
  std::optional<Stop> go_on_in_this_warp(Breakpoints& breakpoints, const Interrupted& is_interrupted,
                                         const Print& print);
  std::optional<Stop> go_on_in_others(Breakpoints& breakpoints, const Interrupted& is_interrupted,
                                      const Print& print);
  std::optional<Stop> go_to_launch_hazard(const Breakpoints& breakpoints);
  // Runs to the next line of a call with a smaller number.
  Stop step_to_call_below(std::uint32_t call, Breakpoints& breakpoints);
  Stop arrived(Stop::Reason reason);
  void forget_position();

  report::WalkedLaunch launch_;
  std::string source_;
  Wording wording_;
  Dim3 block_{0, 0, 0};
  std::uint32_t warp_ = 0, lane_ = 0;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Position> positions_;  // of the block in focus
  std::shared_ptr<std::vector<vgpu::TraceChange>> changes_;                // part of each trace of launch_
  std::vector<vgpu::ListedInstruction> listing_;
  std::optional<vgpu::WarpTrace> before_;
  std::uint64_t before_step_ = 0;
  std::optional<std::vector<report::KnownValue>> known_;      // before the line; points into the trace
  std::optional<std::vector<Hazard>> hazards_;                // of the whole launch
  std::set<std::tuple<std::string, int, std::string>> told_;  // hazards already reported: file, line, kind
};

}  // namespace cudalab::cli
