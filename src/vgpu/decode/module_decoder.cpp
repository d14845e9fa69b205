// Decodes the module as a whole: variables, symbols, kernels, and which kernels cannot be run.
#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <ranges>
#include <tuple>

#include "core/alignment.h"
#include "core/error.h"
#include "messages/core.h"
#include "messages/vgpu.h"
#include "vgpu/decode/decode.h"
#include "vgpu/decode/function_scope.h"
#include "vgpu/decode/module_context.h"
#include "vgpu/execute/paths.h"
#include "vgpu/flow/shared_memory.h"

namespace cudalab::vgpu {
namespace {

// Whether other threads or the host may notice that the function ran.
bool has_effect(const ptx::Function& function) {
  return std::ranges::any_of(function.body, [](const ptx::Statement& statement) {
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    return instruction && instruction->facts->is_observable;
  });
}

class ModuleDecoder {
 public:
  ModuleDecoder(const ptx::Module& module, std::string_view source_name, GlobalMemory& memory,
                const Card& card)
      : module_(module), memory_(memory), card_(card), program_(std::make_unique<Program>()) {
    program_->source_name = source_name;
    program_->memory = &memory;
    program_->card_local_bytes = card.local_bytes_per_thread;
    program_->lines.push_back({});
    context_.module = &module;
    context_.program = program_.get();
    context_.source_name = source_name;
  }

  std::unique_ptr<Program> decode() {
    declare_functions();
    declare_shared();
    declare_memory();
    for (std::size_t i = 0; i < sources_.size(); ++i)
      traits_.push_back(decode_function(context_, *sources_[i], *program_->functions[i]));
    note_functions_in_variables();
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (sources_[i]->is_entry) add_kernel(i);
    refuse_when_nothing_can_run();
    initialise_variables();
    program_->constants = context_.constants.contents();
    return std::move(program_);
  }

 private:
  void declare_functions() {
    for (const ptx::Function& function : module_.functions) {
      if (function.is_declaration) continue;
      context_.symbols[function.name] = {SymbolValue::Kind::kFunction, sources_.size(), {}};
      sources_.push_back(&function);
      program_->functions.push_back(std::make_unique<FunctionCode>());
    }
  }

  void declare_shared() {
    SharedLayout layout = lay_out_shared(module_, sources_);
    for (std::size_t i = 0; i < module_.variables.size(); ++i) {
      const ptx::Variable& variable = module_.variables[i];
      if (variable.space == ptx::Space::kShared)
        add_shared(variable, std::move(layout.variables[i]), variable.name);
    }
    shared_end_ = std::move(layout.ends);
    for (std::size_t i = 0; i < sources_.size(); ++i)
      for (const ptx::Variable& variable : sources_[i]->variables)
        if (variable.space == ptx::Space::kShared) add_own_shared(variable, i);
  }

  // Adds a variable that only one kernel can name, after those of the module.
  void add_own_shared(const ptx::Variable& variable, std::size_t function) {
    std::uint64_t& end = shared_end_[function];
    const std::uint64_t offset = round_up(end, variable.alignment());
    add_shared(variable, {offset, {static_cast<int>(function)}},
               sources_[function]->name + "::" + variable.name);
    if (!is_dynamic(variable)) end = offset + variable.bytes();
  }

  static bool is_dynamic(const ptx::Variable& variable) {
    return variable.is_extern || variable.bytes() == 0;
  }

  void add_shared(const ptx::Variable& variable, SharedLayout::Place place, const std::string& symbol) {
    if (is_dynamic(variable)) {
      context_.symbols[symbol] = {SymbolValue::Kind::kDynamicShared, 0, {}};
      return;
    }
    context_.symbols[symbol] = {SymbolValue::Kind::kSharedOffset, place.offset, {}};
    const std::uint64_t end = place.offset + variable.bytes();
    program_->shared_variables.push_back({std::move(place.kernels), variable.name,
                                          static_cast<std::uint32_t>(place.offset), variable.bytes()});
    if (end > card_.shared_per_multiprocessor)
      throw usage_error(msg::shared_variable_too_large(context_.source_name, Code{variable.name}, end,
                                                       card_.shared_per_multiprocessor));
  }

  void declare_memory() {
    std::uint64_t constant_bytes = 0;
    for (const ptx::Variable& variable : module_.variables) {
      const bool constant = variable.space == ptx::Space::kConst;
      if (!constant && variable.space != ptx::Space::kGlobal) continue;
      if (constant) constant_bytes = round_up(constant_bytes, variable.alignment()) + variable.bytes();
      const std::uint64_t address = variable.is_managed
                                        ? memory_.allocate_managed(variable.name, variable.bytes())
                                        : memory_.allocate(variable.name, variable.bytes(), constant);
      program_->variables.push_back({variable.name, address, variable.bytes()});
      context_.symbols[variable.name] = {SymbolValue::Kind::kGlobalAddress, address, {}};
    }
    if (constant_bytes > card_.constant_bytes)
      throw usage_error(
          msg::constant_variables_too_large(context_.source_name, constant_bytes, card_.constant_bytes));
  }

  // Variables with static storage duration are zero without an initializer.
  void initialise_variables() {
    for (const ptx::Variable& variable : module_.variables) {
      const auto found = context_.symbols.find(variable.name);
      const bool in_memory = variable.space == ptx::Space::kConst || variable.space == ptx::Space::kGlobal;
      if (!in_memory || found == context_.symbols.end() || variable.bytes() == 0) continue;
      std::vector<std::byte> image(variable.bytes());
      const std::size_t step = ptx::info(variable.type).bytes;
      for (std::size_t i = 0; i < variable.initial.size() && (i + 1) * step <= image.size(); ++i) {
        const std::uint64_t bits = initial_bits(variable.initial[i], variable.type);
        std::memcpy(image.data() + i * step, &bits, std::min<std::size_t>(step, 8));
      }
      memory_.write(found->second.value, image);
    }
  }

  std::uint64_t initial_bits(const ptx::Initializer& initial, ptx::Type type) const {
    if (const auto* symbol = std::get_if<ptx::Symbol>(&initial.value)) {
      const auto found = context_.symbols.find(symbol->name);
      if (found == context_.symbols.end())
        throw usage_error(msg::initial_name_undeclared(context_.source_name, Code{symbol->name}));
      const bool function = found->second.kind == SymbolValue::Kind::kFunction;
      const std::uint64_t address =
          (function ? kFunctionWindow : 0) + found->second.value + static_cast<std::uint64_t>(symbol->offset);
      if (initial.mask == ~0ull) return address;
      return (address & initial.mask) >>
             std::countr_zero(initial.mask);  // 0xFF00(symbol): one byte of the address
    }
    return literal_bits(std::get<ptx::Immediate>(initial.value), type);
  }

  // Whether a function is recursive through direct calls.
  bool calls_itself(std::size_t function) const {
    std::vector<bool> seen(traits_.size());
    std::vector<int> open(traits_[function].callees.begin(), traits_[function].callees.end());
    while (!open.empty()) {
      const auto index = static_cast<std::size_t>(open.back());
      open.pop_back();
      if (index == function) return true;
      if (seen[index]) continue;
      seen[index] = true;
      open.insert(open.end(), traits_[index].callees.begin(), traits_[index].callees.end());
    }
    return false;
  }

  // The traits of a kernel and every function that it can reach; `local_bytes`: sum over these functions.
  FunctionTraits reachable_traits(std::size_t kernel, std::uint64_t& local_bytes) const {
    FunctionTraits all;
    std::vector<bool> seen(traits_.size());
    std::vector<std::size_t> open{kernel};
    while (!open.empty()) {
      const std::size_t index = open.back();
      open.pop_back();
      if (seen[index]) continue;
      seen[index] = true;
      const FunctionTraits& traits = traits_[index];
      all.communicates = all.communicates || traits.communicates;
      all.launches = all.launches || traits.launches;
      all.asks_outside = all.asks_outside || traits.asks_outside;
      all.waits_for_grid = all.waits_for_grid || traits.waits_for_grid;
      all.needs_stack = all.needs_stack || traits.needs_stack || traits.calls_any || calls_itself(index);
      local_bytes += program_->functions[index]->local_bytes + kCallBytes;
      all.reductions.insert(traits.reductions.begin(), traits.reductions.end());
      all.unsupported.insert(all.unsupported.end(), traits.unsupported.begin(), traits.unsupported.end());
      all.callees.insert(traits.callees.begin(), traits.callees.end());
      open.insert(open.end(), traits.callees.begin(), traits.callees.end());
      if (traits.calls_any)
        open.insert(open.end(), context_.address_taken.begin(), context_.address_taken.end());
    }
    return all;
  }

  // Marks functions whose address is in a variable: virtual function tables, and function pointers
  // initialized before the kernel begins.
  void note_functions_in_variables() {
    for (const ptx::Variable& variable : module_.variables)
      for (const ptx::Initializer& initial : variable.initial) {
        const auto* symbol = std::get_if<ptx::Symbol>(&initial.value);
        const auto found = symbol ? context_.symbols.find(symbol->name) : context_.symbols.end();
        if (found != context_.symbols.end() && found->second.kind == SymbolValue::Kind::kFunction)
          context_.address_taken.insert(static_cast<int>(found->second.value));
      }
  }

  // Names the refused instructions in the order of their lines, each reason once.
  Message refusal_for(const std::vector<RefusedInstruction>& refused) const {
    if (refused.empty()) return {};
    std::map<std::tuple<std::string, int, std::string>, Message> reasons;
    for (const auto& [why, where] : refused)
      reasons.try_emplace({where.file, where.line, with_ids(why)},
                          msg::refused_at(why, where.file, where.line));
    constexpr std::size_t kMost = 8;
    Message all;
    for (const auto& [place, reason] : reasons | std::views::take(kMost))
      all = all.empty() ? reason : msg::message_and_addition(all, reason);
    if (reasons.size() > kMost)
      all = msg::message_and_addition(all, msg::refused_more(reasons.size() - kMost));
    return msg::kernel_unsupported(context_.source_name, all);
  }

  // If some kernel can be run, the others are refused only at launch.
  void refuse_when_nothing_can_run() const {
    const auto& kernels = program_->kernels;
    if (std::ranges::any_of(kernels, [](const KernelInfo& kernel) { return kernel.refusal.empty(); })) return;
    std::vector<RefusedInstruction> refused;
    for (const FunctionTraits& traits : traits_)
      refused.insert(refused.end(), traits.unsupported.begin(), traits.unsupported.end());
    if (!refused.empty()) throw usage_error(refusal_for(refused));
  }

  void add_kernel(std::size_t index) {
    const ptx::Function& source = *sources_[index];
    KernelInfo kernel;
    kernel.symbol = source.name;
    std::uint64_t offset = 0;
    for (const ptx::Variable& parameter : source.parameters) {
      offset = round_up(offset, parameter.alignment());
      kernel.parameters.push_back({offset, parameter.bytes(), parameter.type, parameter.is_pointer});
      offset += parameter.bytes();
    }
    constexpr std::uint64_t kMostStaticShared = 48 * 1024;  // on every GPU so far
    constexpr std::uint64_t kMostParameterBytes =
        32764;  // CUDA C++ Programming Guide, since compute capability 7.0
    if (offset > kMostParameterBytes)
      throw usage_error(msg::kernel_parameters_too_large(context_.source_name, Code{source.name}, offset,
                                                         kMostParameterBytes));
    if (shared_end_[index] > kMostStaticShared)
      throw usage_error(msg::kernel_static_shared_too_large(context_.source_name, Code{source.name},
                                                            shared_end_[index], kMostStaticShared));
    kernel.parameter_bytes = offset;
    kernel.static_shared_bytes = shared_end_[index];
    kernel.cluster = source.required_cluster;
    KernelCode code;
    code.function = static_cast<int>(index);
    std::uint64_t local_bytes = 0;
    const FunctionTraits traits = reachable_traits(index, local_bytes);
    if (traits.needs_stack) local_bytes += kStackBytes;
    if (traits.callees.empty() && !traits.needs_stack) local_bytes = program_->functions[index]->local_bytes;
    code.local_bytes =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(local_bytes, card_.local_bytes_per_thread));
    code.ordered = traits.communicates || traits.reductions.size() > 1;
    code.waits_for_grid = traits.waits_for_grid;
    code.launches = traits.launches;
    code.asks_outside = traits.asks_outside;
    kernel.local_bytes = code.local_bytes;
    kernel.communicates = traits.communicates;
    kernel.has_effect = has_effect(source);
    kernel.refusal = refusal_for(traits.unsupported);
    program_->kernels.push_back(std::move(kernel));
    program_->kernel_code.push_back(code);
  }

  const ptx::Module& module_;
  GlobalMemory& memory_;
  const Card& card_;
  std::unique_ptr<Program> program_;
  ModuleContext context_;
  std::vector<const ptx::Function*> sources_;
  std::vector<FunctionTraits> traits_;
  std::vector<std::uint64_t> shared_end_;
};

}  // namespace

std::unique_ptr<Program> decode(const ptx::Module& module, std::string_view source_name, GlobalMemory& memory,
                                const Card& card) {
  return ModuleDecoder(module, source_name, memory, card).decode();
}

Program::~Program() {
  if (!memory) return;
  for (const VariableInfo& variable : variables) memory->free(variable.address);
  if (grid_workspace) memory->free(grid_workspace);
}

}  // namespace cudalab::vgpu
