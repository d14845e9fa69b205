#include "course/repair/launch_trials.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/compile_kernels.h"
#include "core/text.h"
#include "course/repair/kernel_source.h"
#include "device/kernel_launch.h"
#include "messages/course.h"

namespace cudalab::course {
namespace {

using device::ProgramKernel;
using Kind = LaunchChange::Kind;

struct LaunchTrial {
  LaunchChange change;
  LaunchReason reason;
};

// "float*" for `const float* __restrict__ x`: arguments of one kind can be exchanged.
std::string kind_of(const compile::DeclaredParameter& parameter) {
  std::string kind;
  for (const compile::SourceToken& token : compile::tokens_of(parameter.text))
    if (token.text != "const" && token.text != "__restrict__" && token.text != parameter.name)
      kind += std::string(token.text) + " ";
  return kind;
}

// Whether some device code assigns to an element of a pointer of that name, or passes it to an atomic
// function.
bool is_written(const compile::DeclaredParameter& parameter, const KernelSource& source) {
  static const std::set<std::string_view> kStores{"=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "++", "--"};
  if (parameter.text.find('*') == std::string::npos || parameter.text.starts_with("const ")) return false;
  for (std::size_t i = 1; i < source.size(); ++i) {
    if (source.at(i) != parameter.name) continue;
    const std::size_t last = source.at(i + 1) == "[" ? source.closing(i + 1) : i;
    const bool is_element = last > i || source.at(i - 1) == "*";
    const bool is_passed = source.at(i - 1) == "&" || source.at(i - 1) == "(";
    if (is_element && kStores.contains(source.at(last + 1))) return true;
    if (is_passed && i > 2 &&
        (source.at(i - 2).starts_with("atomic") || source.at(i - 3).starts_with("atomic")))
      return true;
  }
  return false;
}

constexpr std::uint64_t kAllAxes = 0b111;

class LaunchTrials {
 public:
  LaunchTrials(const ProgramKernel& kernel, const compile::KernelDeclaration* declared,
               std::optional<SourceLine> where, const KernelSource& source)
      : kernel_(kernel), where_(std::move(where)), source_(source) {
    add_shapes();
    if (declared) add_arguments(declared->parameters);
  }
  std::vector<LaunchTrial> all() { return std::move(trials_); }

 private:
  void add(Kind kind, std::uint64_t first, std::uint64_t second, Message what, bool is_certain = true) {
    trials_.push_back({{kind, first, second, kernel_.kernel}, {std::move(what), where_, is_certain}});
  }

  void add_shapes() {
    const Dim3 &grid = kernel_.spec.grid, &block = kernel_.spec.block;
    const Code name{kernel_.kernel};
    const auto add_axis = [&](std::uint64_t axis, const char* called, unsigned blocks) {
      add(Kind::kMoreBlocks, std::uint64_t{1} << axis, 0,
          msg::trial_more_blocks(blocks + 1, blocks, called, name));
    };
    add_axis(0, "x", grid.x);
    if (grid.y > 1 || block.y > 1) add_axis(1, "y", grid.y);
    if (grid.z > 1 || block.z > 1) add_axis(2, "z", grid.z);
    if (grid.y > 1 || block.y > 1)
      add(Kind::kMoreBlocks, kAllAxes, 0, msg::trial_more_blocks_on_all_axes(name));
    add(Kind::kMoreThreads, 0, 0, msg::trial_more_threads(2 * block.x, block.x, name));
    if (coordinates(grid) != coordinates(block))
      add(Kind::kExchangeShape, 0, 0, msg::trial_exchange_shape(name));
    if (grid.x != grid.y && (grid.y > 1 || block.y > 1))
      add(Kind::kExchangeAxes, 0, 0, msg::trial_exchange_axes(name));
  }

  void add_arguments(const std::vector<compile::DeclaredParameter>& parameters) {
    const Code name{kernel_.kernel};
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (is_written(parameters[i], source_))
        add(Kind::kZeros, i, 0, msg::trial_zeros(Code{parameters[i].name}, name));
    for (std::size_t i = 0; i < parameters.size(); ++i)
      for (std::size_t j = i + 1; j < parameters.size(); ++j)
        if (kind_of(parameters[i]) == kind_of(parameters[j]))
          add(Kind::kExchangeArguments, i, j,
              msg::trial_exchange_arguments(Code{parameters[i].name}, Code{parameters[j].name}, name), false);
  }

  const ProgramKernel& kernel_;
  std::optional<SourceLine> where_;
  const KernelSource& source_;
  std::vector<LaunchTrial> trials_;
};

std::vector<LaunchTrial> trials_of(const FailedProgram& failed) {
  const compile::DeviceCode code = compile::device_code_of(failed.build.request);
  const KernelSource source(code.text);
  std::vector<LaunchTrial> trials{{{Kind::kInOrder}, {msg::trial_in_order(), {}}}};
  for (const ProgramKernel& kernel : failed.log.kernels) {
    if (!kernel.library.empty()) continue;
    const auto declared = std::ranges::find(code.kernels, device::without_template_arguments(kernel.kernel),
                                            &compile::KernelDeclaration::name);
    auto own = LaunchTrials(kernel, declared == code.kernels.end() ? nullptr : &*declared,
                            known_line(failed.log, kernel.from), source)
                   .all();
    std::ranges::move(own, std::back_inserter(trials));
  }
  if (failed.log.kernels.size() > 1)
    trials.push_back(
        {{Kind::kMoreBlocks, 1, 0, ""},
         {msg::trial_more_blocks_of_all(), known_line(failed.log, failed.log.kernels.front().from)}});
  return trials;
}

}  // namespace

std::optional<LaunchReason> find_launch_reason(const FailedProgram& failed,
                                               const RepairSettings& search) try {
  if (!is_searched(failed, search)) return std::nullopt;
  const auto begin = std::chrono::steady_clock::now();
  device::ProgramVariants variants(quick_run(failed), search.limit.count());
  ProgramVariant variant = variant_of(failed, {});
  const std::vector<LaunchTrial> trials = trials_of(failed);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (std::chrono::steady_clock::now() - begin > search.limit) break;
    if (search.progress) search.progress(i + 1, trials.size());
    variant.change = trials[i].change;
    if (is_success(failed, variants.outcome(variant))) return trials[i].reason;
  }
  return std::nullopt;
} catch (const Error&) {
  return std::nullopt;  // the program does not reach its first launch in time
}

}  // namespace cudalab::course
