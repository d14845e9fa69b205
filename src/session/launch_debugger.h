// Controls a recorded launch like a debugger: breakpoints, steps forward and back, and the values that the
// lanes of a warp have before a line.
//
// The launch is replayed for one warp at a time (session/walk.h), and every visited warp keeps its own
// position. A warp is recorded from its first step; only a window of its steps is kept (kWindow in
// launch_debugger.cpp), and earlier ones are recorded again when they are needed. Switching between warps is
// cheap, and a warp's values never depend on the positions of other warps.
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

#include "session/breakpoints.h"
#include "session/lane_values.h"
#include "session/walk.h"

namespace cudalab::session {

// What a lane does while the warp is at a line. An inactive lane stays after the last instruction that it
// executed.
enum class LaneState : std::uint8_t { kActive, kDiverged, kAtBarrier, kWaitsForLanes, kEnded };

// "twice" of "float twice<float, 2>", the name of a template's instance.
std::string function_name(const std::string& symbol);

class LaunchDebugger {
 public:
  // `source`: the text of the launch's source file.
  LaunchDebugger(WalkedLaunch launch, std::string source, Wording wording);

  // The lanes that steps move to their next line; default: those of the warp.
  void set_step_scope(StepScope scope) { step_scope_ = scope; }

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
  const WalkedLaunch& launch() const { return launch_; }
  const Moment* moment() { return walk().moment(); }
  LaneState lane_state(std::uint32_t lane);
  // The line at which the warp stands, then its callers, as far as the kept window of steps contains the
  // calls. Functions that the compiler has inlined have frames, too.
  struct Frame {
    std::string function;  // empty: inlined from another file than the launch's
    SourceLine where;
    std::uint64_t instruction = 0;  // its index in the listing
  };
  std::vector<Frame> call_stack();
  Walk& walk() { return current().walk; }

  // `is_interrupted` is polled while the warp runs. `print` receives the output of log points.
  using Interrupted = std::function<bool()>;
  using Print = std::function<void(const std::string&)>;
  Stop proceed(Breakpoints& breakpoints, const Interrupted& is_interrupted, const Print& print);
  Stop reverse(Breakpoints& breakpoints, const Interrupted& is_interrupted, const Print& print);
  Stop step_over(Breakpoints& breakpoints, const Interrupted& is_interrupted);
  Stop step_in();
  Stop step_out(Breakpoints& breakpoints, const Interrupted& is_interrupted);
  Stop step_back();

  // Values before the line at which the warp stands. `depth` is a frame of the call stack.
  std::vector<LaneVariable> locals(std::uint32_t lane, std::size_t depth = 0);
  std::vector<LaneVariable> registers(std::uint32_t lane);
  std::vector<LaneVariable> shared_arrays();
  // Variables with __device__ and __constant__, except large ones.
  std::vector<LaneVariable> module_variables();
  // Other buffers of global memory, and some elements of one.
  struct Buffer {
    std::string name, type;  // "float[256]"
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
  // The lines of a file, as the launch names it, for which the module has code.
  std::set<int> code_lines(const std::string& file);
  bool has_function(const std::string& name);  // without template arguments
  // Whether the code names variables. Without -G, the compiler has optimised them away.
  bool names_variables();
  std::vector<LaneVariable> builtins(std::uint32_t lane);
  // Throws like evaluate_in_lane.
  double evaluate(const std::string& expression, std::uint32_t lane, std::size_t depth = 0);
  std::optional<LaneVariable> variable(const std::string& name, std::uint32_t lane, std::size_t depth = 0);
  // The variable or element that the expression names, such as "s[threadIdx.x]"; kNone if it is no name.
  ValuePlace place_of(const std::string& expression, std::uint32_t lane);
  // Changes a value before the line at which the warp stands, by running the launch again with the change.
  // From now on, the change happens whenever this warp reaches this step. Throws Error(kUsage) if the place
  // cannot be changed, or if `value`, an expression, does not fit.
  void change(const ValuePlace& place, const std::string& value);

 private:
  // A change of a variable, made by change().
  struct ChangedLocal {
    std::string name;
    vgpu::TraceChange change;
  };
  struct Position {
    Walk walk;
    bool is_exhausted = false;  // no line is left to stop at
  };
  // An array in shared memory, or a variable of the module.
  struct Array {
    std::string name;
    ptx::Type type{};
    std::uint64_t address = 0, bytes = 0, element = 4;  // a generic address; bytes of an element
    std::vector<std::uint64_t> inner;                   // all dimensions except the first
    std::string element_name;                           // as in the source: "float"
  };
  // A row of an array, or an element.
  struct Part {
    std::size_t dimension = 0;
    std::uint64_t first = 0, elements = 0;
    std::string name, path;  // "[3]", "tile[2][3]"
  };
  Position& current();
  Position& position(const Dim3& block, std::uint32_t warp);
  std::uint32_t call_here();
  // The last step before the line, if there is one, then the line's first step, with a view before it.
  const vgpu::WarpTrace& before();
  const vgpu::WarpView& view();
  // A frame of the call stack: the last step of its call in the trace, and its line.
  struct OpenFrame {
    std::size_t step = 0;
    SourceLine where;
    bool is_inlined = false;
  };
  std::vector<OpenFrame> frames();
  const std::vector<KnownValue>& known_here();
  std::vector<KnownValue> known_in(std::size_t depth);
  // `call`: that of the variables, if they can be changed.
  std::vector<LaneVariable> in_lane(const std::vector<KnownValue>& values, std::uint32_t lane,
                                    std::optional<std::uint32_t> call) const;
  std::optional<std::uint64_t> changed_bits(const std::string& name, std::uint32_t call, std::uint32_t lane);
  std::optional<double> number_called(const std::string& name, std::uint32_t lane, std::size_t depth);
  ValuePlace local_place(const std::string& name, std::uint32_t lane);
  void find_register(const ValuePlace& place, vgpu::TraceChange& change);
  ValuePlace array_place(const std::vector<Array>& arrays, const std::string& name);
  ValuePlace element_called(const std::string& name, std::uint32_t lane);  // of a buffer
  ValuePlace memory_place(const std::string& name, std::uint32_t lane);
  bool is_constant(std::uint64_t address);
  std::optional<double> number_at(const ValuePlace& place);
  std::uint64_t bits_of(const ValuePlace& place, const std::string& value);
  Array described(const std::string& name, std::uint64_t address, std::uint64_t bytes);
  std::vector<Array> shared_descriptions();
  std::vector<Array> module_descriptions();
  std::vector<std::byte> content_of(const Array& array);
  LaneVariable rows(const Array& array, const std::vector<std::byte>& content, const Part& part);
  std::vector<LaneVariable> shown(const std::vector<Array>& arrays);

  bool stops_at(const Moment& moment, Breakpoints& breakpoints, const Print& print, Stop& stop);
  bool is_at(const Moment& moment, const LineBreakpoint& breakpoint);
  bool begins_function(const Moment& moment);
  // Whether the condition holds in one of the lanes, which then has the focus, and the hits suffice.
  bool fires(Trigger& trigger, std::uint32_t lanes);
  bool stops_at_line(const Moment& moment, LineBreakpoint& breakpoint, const Print& print);
  bool stops_at_function(const Moment& moment, Breakpoints& breakpoints, Stop& stop);
  bool stops_at_data(const Moment& moment, DataBreakpoint& breakpoint);
  bool holds_somewhere(const std::string& condition, std::uint32_t active);
  std::string filled(const std::string& log);
  bool hazard_of(const Moment& moment, const Breakpoints& breakpoints, Stop& stop);
  std::optional<Stop> go_on_in_this_warp(Breakpoints& breakpoints, const Interrupted& is_interrupted,
                                         const Print& print);
  std::optional<Stop> go_on_in_others(Breakpoints& breakpoints, const Interrupted& is_interrupted,
                                      const Print& print);
  std::optional<Stop> go_to_launch_hazard(const Breakpoints& breakpoints);
  // Runs to the next line of a call with a smaller number.
  Stop step_to_call_below(std::uint32_t call, Breakpoints& breakpoints, const Interrupted& is_interrupted);
  bool is_of_step(const Moment& moment) const;
  // The other warps of the block make the same step, without stops.
  void step_others(const std::function<void()>& step);
  Stop arrived(Stop::Reason reason);
  void forget_position();

  WalkedLaunch launch_;
  std::string source_;
  Wording wording_;
  Dim3 block_{0, 0, 0};
  std::uint32_t warp_ = 0, lane_ = 0;
  StepScope step_scope_ = StepScope::kWarp;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Position> positions_;  // of the block in focus
  std::shared_ptr<std::vector<vgpu::TraceChange>> changes_;                // part of each trace of launch_
  std::vector<ChangedLocal> changed_locals_;
  std::vector<vgpu::ListedInstruction> listing_;
  std::optional<vgpu::WarpTrace> before_;
  std::uint64_t before_step_ = 0;
  std::optional<std::vector<KnownValue>> known_;             // before the line; points into the trace
  std::optional<std::vector<Hazard>> hazards_;               // of the whole launch
  std::set<std::tuple<std::string, int, HazardKind>> told_;  // hazards already reported: file, line, kind
};

}  // namespace cudalab::session
