// The result of one run of a lab as plain data: rows, figures and charts, for tables, JSON and explanations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compile/diagnosis.h"
#include "core/diagnostics/message.h"
#include "core/measurement.h"
#include "device/programs/program_log.h"
#include "vgpu/card.h"

namespace cudalab::lab {

// Related numbers of a figure: curves over an axis, or time spans in rows. Plain data that labs fill and
// reports draw.

struct ChartAxis {
  std::string name, unit;  // "offset", "elements"; the unit may be empty
  bool is_logarithmic = false;
};

struct ChartCurve {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

// A reference line on doubly logarithmic axes: y proportional to x^exponent.
struct ChartSlope {
  std::string name;  // "order 2"
  double exponent = 0;
};

struct ChartSpan {
  std::string row, name;
  double begin = 0, end = 0;  // in the unit of x
};

struct Chart {
  ChartAxis x, y;
  std::vector<ChartCurve> curves;
  std::vector<ChartSlope> slopes;
  std::vector<ChartSpan> spans;
};

// The result of one run: the table shows it, the JSON stores it, and the explanations read it.

struct Chart;           // lab/result.h
struct WrongMap;        // lab/verification/verification.h
struct ComparedValues;  // lab/verification/patterns.h

enum class Verdict { kPass, kFail, kNotAssessed };

// The first wrong element: its place, the value found and the value expected.
struct Mismatch {
  std::vector<std::int64_t> at;  // coordinates, outermost first: {row, column}
  std::string found, expected;   // shortest text that reads back to the same value
  bool never_written = false;    // the value found is the poison that outputs are filled with before a run
};

struct Check {
  double max_error = 0;        // largest |found - expected|, or in the unit that `unit` names
  double allowed = 0;          // 0: bit for bit
  Message bound;               // where `allowed` comes from: "moves data only", "n·eps/2·sum|a_i·b_i|"
  std::uint64_t compared = 0;  // number of compared elements
  std::uint64_t mismatches = 0;
  std::optional<Mismatch> first_mismatch;
  // Sentences on what the wrong elements have in common (verification/patterns.h).
  std::vector<Message> patterns;
  std::string digest;                            // XXH3-128 of the output's bytes, hexadecimal
  std::shared_ptr<const WrongMap> wrong;         // where the wrong elements are; null: none, or unknown
  std::shared_ptr<const ComparedValues> values;  // if some are wrong and there are not too many; else null
};

// Rates derived from a predicted time; empty if they cannot be computed.
struct Rates {
  std::optional<double> gb_s, gflop_s, percent_of_ceiling;
  std::optional<double> speedup_1_thread, speedup_all_threads;  // over the CPU versions
};

// A reason why a whole program fails, other than hazards of its kernels and wrong results.
struct ProgramFault {
  enum Kind { kMistake, kUncheckedLaunch, kEnd };
  Kind kind = kMistake;
  MistakeKind mistake{};  // of kMistake
  Message what, fix;
  SourceLine where;
};

// The part of a row that only whole programs have.
struct ProgramPart {
  int exit_code = 0;             // 128 + N if signal N ended it
  std::string errors;            // its standard error
  std::size_t output_bytes = 0;  // of its standard output
  device::ProgramLog log;        // the log that its runtime library wrote; empty on a GPU
  // What is wrong with its exit code and output, judged without the log; empty: nothing. It may be empty
  // although the row failed.
  Message wrong_outside;
  std::optional<ProgramFault> fault;
};

enum class RowKind { kCpu, kKernel, kCeiling, kLibrary, kCopy };

// How many blocks of a stage's launches ran, and how many there are. The counters of a sample are scaled to
// all blocks, and its predicted time is for all blocks.
struct BlockSample {
  std::uint64_t blocks = 0, of = 0;
};

struct Row {
  std::string name;  // "cpu-1-thread", "naive"
  RowKind kind{};
  std::string source;       // "labs/transpose/3_padded.cu"; empty for a CPU version
  std::string source_hash;  // XXH3-128 of the kernel's text
  std::string kernel;       // the kernel's name in that file
  std::string compiler;  // the compiler that made a user's file into PTX: "nvcc"; empty for a lab's own file
  LaunchSpec spec;
  int threads = 0;  // host threads of a CPU version

  Verdict verdict = Verdict::kNotAssessed;
  Message reason;  // why it did not pass, as a sentence; empty if it passed
  // The stage shows a wrong result on purpose: it ran as its lab intended and has no verdict.
  bool is_experiment = false;
  std::optional<Check> check;

  std::optional<TimeSummary> time_ms, transfer_ms;
  std::optional<double> simulation_ms;
  std::optional<Prediction> prediction;  // the predicted time on the GPU that the virtual GPU simulates
  // Empty if all blocks ran. Otherwise verdict, check and hazards come from the run at Result::checked_at.
  std::optional<BlockSample> sample;
  // The minimum bytes (or operations) of the problem: each input read once, each output written once.
  double useful_bytes = 0, useful_flops = 0;
  std::optional<double> gb_s, gflop_s, percent_of_ceiling;
  std::optional<double> speedup_1_thread, speedup_all_threads;
  Rates predicted;                    // the same rates, from the predicted time
  std::optional<double> recorded_ms;  // the time recorded on an H200, at the recording's size

  std::size_t launches = 0;  // kernel launches of its file, in one run of the stage
  std::optional<Counters> counters;
  bool is_profiled = false;  // counted by Nsight Compute on a GPU: no data per line and no hazards
  std::vector<LineAccess> accesses;
  std::vector<LineExecution> executions;
  std::shared_ptr<const Recording> recording;  // of the first launch; null: not requested
  std::vector<Hazard> hazards;
  std::string printed;                          // what the kernel printed
  std::optional<compile::Diagnosis> diagnosis;  // the compiler's error, if the source does not compile
  std::vector<compile::Diagnosis> warnings;     // the compiler's, about a user's source
  // Extra numbers of this lab, in the order to show them: {"error_order", 3.99}.
  std::vector<std::pair<std::string, double>> extra;
  std::optional<ProgramPart> program;  // set if a whole program ran
  // One warp follows a dependency chain of accesses, so few threads are intended.
  bool measures_latency = false;
  bool in_figure = false;  // shown in a figure: the table and the sentences leave it out if it passed
};

inline bool is_cpu(const Row& row) { return row.kind == RowKind::kCpu; }

// The row's representative time, in milliseconds: the minimum of a CPU version's samples, because other
// programs on the machine can only lengthen a sample; the median of a kernel's samples.
inline std::optional<double> measured_ms(const Row& row) {
  if (!row.time_ms) return std::nullopt;
  return is_cpu(row) ? row.time_ms->min : row.time_ms->median;
}

// Whether the machine was too busy for a CPU version's time to be compared: at least half of its samples took
// more than kBusyRatio times the minimum. docs/performance.md says why the median decides, not the maximum.
inline constexpr double kBusyRatio = 2;
inline bool is_disturbed(const Row& row) {
  return is_cpu(row) && row.time_ms && row.time_ms->median > kBusyRatio * row.time_ms->min;
}

// Lines of text shown unchanged in a fixed-width font: one bar per row, the 32 banks, a timeline.
struct Figure {
  Message title;
  std::vector<std::string> lines;
  std::vector<std::size_t> marked;     // lines that show a cost: coloured if the terminal has colours
  std::shared_ptr<const Chart> chart;  // the same data as numbers, if it is a curve or a timeline; or null
  bool is_of_sizes = false;            // shows time against size, for a lab that was run at several sizes
};

using OptionValue = std::variant<bool, std::int64_t, double, std::string>;

// A lab's own table column: the key of the number in Row::extra, and the heading, which may contain line
// breaks.
struct ExtraColumn {
  std::string key;
  Message (*heading)() = nullptr;
};

// An experiment that a lab suggests: a question, and the options of the lab that answer it.
struct Suggestion {
  Message (*question)() = nullptr;
  std::string options;  // "--stage copy,padded"
};

// The user's request as far as it affects the outcome: enough to repeat the run.
struct Request {
  std::string student;              // the author of the result; empty: not given
  std::vector<std::string> given;   // the options that the user set; all others have the device's defaults
  std::vector<std::string> stages;  // empty: the lab's choice
  std::string checks;               // "all"
  std::uint64_t max_steps = 0;
  std::string card;          // the `--card` that the user named; empty: the default
  std::string kernel_stage;  // the stage that the user's kernel ran as; empty: the lab's choice
};

struct Result {
  std::string lab;
  Request request;
  std::vector<std::pair<std::string, OptionValue>> options;  // effective values, in declaration order
  std::vector<std::string> sizes;  // the options that together are the size, if there are several
  std::string device_kind, device_name, compute_capability, driver;
  std::optional<vgpu::Card> card;  // the GPU model that the virtual GPU simulates; empty on a real GPU
  std::string host_cpu;
  unsigned host_threads = 0;
  std::vector<Row> rows;
  std::vector<ExtraColumn> columns;  // of Row::extra
  // The size at which rows with a sample of their blocks were checked; empty if no row has one.
  std::vector<std::pair<std::string, OptionValue>> checked_at;
  std::vector<Message> notes;      // the lab's notes on the whole run
  std::vector<Figure> figures;     // in the order to show them, below the table
  bool has_marked_inputs = false;  // RunSettings asked for marks, and the lab has random inputs
  Message recorded;  // the conditions of Row::recorded_ms: "recorded: an NVIDIA H200, n 33554432"; or empty
  Verdict verdict = Verdict::kNotAssessed;
  std::string evidence;            // "virtual" or "gpu"
  bool stopped = false;            // a step or time limit ended it: exit code 4
  std::optional<Suggestion> next;  // what to try after this run
};

// Whether every row without a verdict is an experiment that ran as its lab intended.
inline bool is_experiment(const Result& result) {
  const auto open = [](const Row& row) { return row.verdict == Verdict::kNotAssessed; };
  return std::ranges::any_of(result.rows, &Row::is_experiment) &&
         std::ranges::all_of(result.rows, [&](const Row& row) { return !open(row) || row.is_experiment; });
}

}  // namespace cudalab::lab
