// Everything that a lab needs to declare itself and to run CPU versions and kernels. The only header that
// labs/*/lab.cpp include.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/scalar_type.h"
#include "device/device.h"
#include "lab/bank_picture.h"
#include "lab/expression.h"
#include "lab/lab_run.h"
#include "lab/options.h"
#include "lab/result.h"
#include "lab/verification/bounds.h"
#include "lab/verification/product_check.h"
#include "lab/verification/verification.h"
#include "vgpu/card.h"
#include "vgpu/levels.h"

namespace cudalab::lab {

// A C++ type as a value, for `with_real_type`.

template <class T>
struct TypeTag {
  using type = T;
};

// Calls work(TypeTag<float>{}) for "f32" and work(TypeTag<double>{}) for "f64":
// `with_real_type(run.options().text("type"), [&](auto tag) { transpose<typename decltype(tag)::type>(run);
// });`
template <class Function>
void with_real_type(std::string_view name, const Function& work) {
  if (name == "f32") return work(TypeTag<float>{});
  if (name == "f64") return work(TypeTag<double>{});
  throw std::logic_error("no real type is called " + std::string(name));
}

// From float or double to the type's row in the table of scalar types.
template <class T>
inline constexpr ScalarType kRealType = sizeof(T) == sizeof(float) ? ScalarType::kF32 : ScalarType::kF64;

// "f32" to "float": the value of the macro TYPE.
inline std::string cuda_name(std::string_view name) {
  const auto type = scalar_type_named(name);
  if (!type) throw std::logic_error("no type is called " + std::string(name));
  return std::string(info(*type).cuda_name);
}

// How the virtual GPU treats kernels that take long. kOff: all blocks run. kAutomatic: a stage that would
// take more than a few seconds runs only a sample of its blocks.
enum class BlockSampling { kOff, kAutomatic };

// The settings that every kind of run has: device, checks, limits, repetitions, and callbacks.

struct RunSettings {
  device::DeviceChoice device = device::DeviceChoice::kAuto;
  std::optional<vgpu::Card> card{};  // the GPU model that the virtual GPU simulates; empty: the default
  LaunchOptions launch{};            // of each kernel
  BlockSampling sampling = BlockSampling::kOff;  // for a lab's own kernels, if launch.most_blocks is 0
  int repeat = 0;                                // timed samples; 0: until the spread is small
  bool profiled = false;      // for a profiler: everything runs once, is not timed, and no library runs
  bool kernels_only = false;  // no CPU versions run, even if --stage names them
  std::optional<MarkedInputs> marked{};  // what random inputs hold instead
  bool for_debugger = false;             // kernels are compiled with -G: unoptimised, with variable names
  device::Onlooker onlooker = {};        // observes each launch on the virtual GPU; may be empty
  // Shows progress: "compiling labs/transpose/3_padded.cu"; may be empty.
  std::function<void(const Message&)> progress;
  std::function<void(const Message&)> remark;  // called before a run that takes long; may be empty
};

// A lab as it declares itself in labs/NAME/lab.cpp.

struct Lab {
  std::string name;                   // the subcommand, and the folder under labs/
  std::string alias;                  // "readOffset"; may be empty
  std::string title;                  // one line for `list`
  std::string teaches;                // a few words for `list`
  std::vector<std::string> words{};   // headings and cells of its figures, for translation
  std::vector<std::string> examples;  // whole command lines for --help
  std::vector<std::string> stages;    // the names that --stage takes, in order; "cpu" for the CPU versions
  std::vector<std::string> programs = {};  // the stages that run whole programs
  std::vector<OptionSpec> options;
  // The options that together are its size; empty: `n`, if the lab has one.
  std::vector<std::string> sizes = {};
  // Upper limits of options at which results are checked if only a sample of the blocks runs. Empty: the lab
  // does not support samples.
  std::vector<std::pair<std::string, std::int64_t>> check_size = {};
  // Its own columns, from Row::extra: the names that criteria and tables may use.
  std::vector<ExtraColumn> columns = {};
  std::vector<Suggestion> next = {};  // in order: a run shows the first one that it has not answered
  std::function<void(LabRun&)> run;
};

// Registers a lab: `const RegisterLab registered{Lab{…}};` at namespace scope of labs/NAME/lab.cpp.
struct RegisterLab {
  explicit RegisterLab(Lab lab);
};
// The labs that `arrange_labs` named, in its order, then the others by name.
std::span<const Lab> labs();
// Puts the labs of these names first, in this order. Names of no lab are ignored. Invalidates pointers to
// labs.
void arrange_labs(std::span<const std::string> names);
bool is_program(const Lab& lab, std::string_view stage);
const Lab* find_lab(std::string_view name_or_alias);

struct RunRequest {
  std::vector<std::pair<std::string, OptionValue>> options;  // the options that the user gave
  std::vector<std::string> stages;                           // empty: the lab's choice
  std::uint64_t seed = 1;
  std::string kernel_file;   // a user's kernel, run as one more stage; empty: none
  std::string kernel_stage;  // the stage that it replaces; empty: the only one chosen, else the lab's choice
  compile::CompilerChoice compiler;  // compiles that file
  bool kernel_alone = false;  // only the user's kernel runs: no CPU version, none of the lab's own stages
  std::string student;        // the author of the result, for the document; empty: not given
  RunSettings settings;
};

// Runs a lab and returns its result. Throws Error for bad options, or if a device, memory or a compiler is
// missing.
Result run_lab(const Lab& lab, const RunRequest& request);

// Runs the lab on a given machine.
Result run_lab(const Lab& lab, const RunRequest& request, const Machine& machine);

}  // namespace cudalab::lab
