// Everything a lab needs: it declares itself, receives a LabRun, and runs CPU versions and kernels through
// it.
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

// From the name of an element type on the command line to a C++ type.

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

// float and double to the type's row in the table.
template <class T>
inline constexpr ScalarType kRealType = sizeof(T) == sizeof(float) ? ScalarType::kF32 : ScalarType::kF64;

// "f32" to "float": for the define TYPE.
inline std::string cuda_name(std::string_view name) {
  const auto type = scalar_type_named(name);
  if (!type) throw std::logic_error("no type is called " + std::string(name));
  return std::string(info(*type).cuda_name);
}

// What is done with kernels that take long on the virtual GPU. kOff: all blocks run. kAutomatic: of a stage
// that would take more than a few seconds, a sample of the blocks runs.
enum class BlockSampling { kOff, kAutomatic };

// How something is run, whatever it is: where, watched for what, until when, how often, and who hears of it.

struct RunSettings {
  device::DeviceChoice device = device::DeviceChoice::kAuto;
  std::optional<vgpu::Card> card{};              // that the virtual GPU stands for; empty: its usual one
  LaunchOptions launch{};                        // of each kernel
  BlockSampling sampling = BlockSampling::kOff;  // of a lab's own kernels, where launch.most_blocks is 0
  int repeat = 0;                                // timed samples; 0: until the spread is small
  bool profiled = false;           // for a profiler: all once, neither timed nor beside a library
  bool kernels_only = false;       // CPU versions are left out, even where --stage names them
  bool inputs_are_ones = false;    // random inputs are 1 instead, so a sum is the number of its terms
  bool for_debugger = false;       // kernels are compiled with -G: not optimised, variables have names
  device::Onlooker onlooker = {};  // of each launch on the virtual GPU; may be empty
  std::function<void(const Message&)> progress;  // "compiling labs/transpose/3_padded.cu"; may be empty
  std::function<void(const Message&)> remark;    // before a run that takes long; may be empty
};

// Everything a lab needs: it declares itself, gets a LabRun, and runs CPU versions and kernels through it.
// The only header that labs/*/lab.cpp include.

struct Lab {
  std::string name;                   // the subcommand, and the folder under labs/
  std::string alias;                  // "readOffset"; may be empty
  std::string title;                  // one line for `list`
  std::string teaches;                // a few words for `list`
  std::vector<std::string> words{};   // headings and cells of its figures, for translators
  int order = 1000;                   // place in the course; equal ones go by name
  std::vector<std::string> examples;  // whole command lines for --help
  std::vector<std::string> stages;    // the names that --stage takes, in order; "cpu" for the CPU versions
  std::vector<std::string> programs = {};  // of the stages, those that run whole programs
  std::vector<OptionSpec> options;
  std::vector<std::string> sizes = {};  // options that together are its size; empty: `n`, where it has one
  // Values of options, at most, at which results are checked if only a sample of the blocks runs. Empty: the
  // lab takes no sample.
  std::vector<std::pair<std::string, std::int64_t>> check_size = {};
  std::vector<ExtraColumn> columns = {};  // of its rows' Row::extra: what criteria and tables may name
  std::vector<Suggestion> next = {};      // in order: the first that a run has not answered is shown after it
  std::function<void(LabRun&)> run;
};

// `const RegisterLab registered{Lab{…}};` at namespace scope of labs/NAME/lab.cpp.
struct RegisterLab {
  explicit RegisterLab(Lab lab);
};
std::span<const Lab> labs();  // in the order of the course, then by name
bool is_program(const Lab& lab, std::string_view stage);
const Lab* find_lab(std::string_view name_or_alias);

struct RunRequest {
  std::vector<std::pair<std::string, OptionValue>> options;  // what the user gave
  std::vector<std::string> stages;                           // empty: the lab's choice
  std::uint64_t seed = 1;
  std::string kernel_file;   // a user's kernel as one more stage; empty: none
  std::string kernel_stage;  // the stage that it runs as; empty: the only one chosen, else the lab's choice
  compile::CompilerChoice compiler;  // of that file
  bool kernel_alone = false;         // it is all that runs: no CPU version, no stage of the lab's own
  std::string student;               // whose result this is, for the document; empty: nobody said
  RunSettings settings;
};

// Runs a lab and returns everything it found. Throws Error for bad options, a missing device, memory or
// compiler.
Result run_lab(const Lab& lab, const RunRequest& request);

// The same on a given machine.
Result run_lab(const Lab& lab, const RunRequest& request, const Machine& machine);

}  // namespace cudalab::lab
