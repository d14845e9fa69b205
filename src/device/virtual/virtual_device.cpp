// The device interface on the virtual GPU: loads compiled PTX into the interpreter, and translates names,
// layouts and textures.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "core/processes/interruption.h"
#include "device/device.h"
#include "device/kernel_launch.h"
#include "device/textures.h"
#include "messages/device.h"
#include "ptx/debug/variables.h"
#include "ptx/module.h"
#include "vgpu/memory/texture_table.h"
#include "vgpu/vgpu.h"

namespace cudalab::device {

// Arrays, textures and surfaces on the virtual GPU.

namespace {

class VirtualTextures final : public Textures {
 public:
  VirtualTextures(vgpu::TextureTable& table, const TextureLimits& limits) : Textures(limits), table_(table) {}

 private:
  std::uint64_t make_array(const std::string& name, const ArrayShape& shape) override {
    return table_.create_array(name, shape);
  }
  void copy_to(std::uint64_t array, const ArrayShape&, std::span<const std::byte> from) override {
    table_.write_array(array, from);
  }
  void copy_from(std::uint64_t array, const ArrayShape&, std::span<std::byte> to) override {
    table_.read_array(array, to);
  }
  std::uint64_t make_texture(std::uint64_t array, const Sampling& sampling) override {
    return table_.create_texture(array, sampling);
  }
  std::uint64_t make_texture(const LinearTexels& texels, const Sampling& sampling) override {
    return table_.create_texture(texels, sampling);
  }
  std::uint64_t make_texture(const PitchTexels& texels, const Sampling& sampling) override {
    return table_.create_texture(texels, sampling);
  }
  std::uint64_t make_surface(std::uint64_t array) override { return table_.create_surface(array); }
  void destroy(TextureThing, std::uint64_t value) override { table_.destroy(value); }

  vgpu::TextureTable& table_;
};

DeviceInfo describe(const vgpu::VirtualGpu& gpu) {
  const vgpu::Card& card = gpu.card();
  DeviceInfo info;
  info.kind = "virtual";
  info.name = card.name;
  info.compute_major = card.compute_major;
  info.compute_minor = card.compute_minor;
  info.memory_bytes = gpu.memory_bytes();
  info.host_bytes_per_byte = 2;  // the byte itself, and the bits that mark written bytes
  info.l2_bytes = card.l2_bytes;
  info.multiprocessors = card.multiprocessors;
  info.max_threads_per_block = card.max_threads_per_block;
  info.max_shared_per_block = card.shared_per_block;
  info.max_shared_per_block_optin = card.shared_per_block_optin;
  info.constant_bytes = card.constant_bytes;
  info.counts = true;
  info.card = card;
  return info;
}

// Kernel::handle points to this.
struct VirtualKernel {
  std::shared_ptr<const vgpu::LoadedModule> module;
  std::size_t index = 0;
  const compile::CompiledSource* source = nullptr;  // PTX and file name, for viewers of a launch
  const vgpu::KernelInfo& info() const { return module->kernels()[index]; }
};

class VirtualProgram final : public Program {
 public:
  VirtualProgram(vgpu::VirtualGpu& gpu, const compile::CompiledSource& source)
      : VirtualProgram(gpu, source, ptx::parse(source.ptx, source.file_name)) {}

  const Kernel& kernel(const std::string& name) const override { return table_.kernel(name); }
  std::span<const Kernel> kernels() const override { return table_.kernels(); }
  std::pair<std::uint64_t, std::size_t> variable(const std::string& name) const override {
    const std::string& symbol = table_.variable_symbol(name);
    for (const vgpu::VariableInfo& variable : module_->variables())
      if (variable.symbol == symbol) return {variable.address, variable.bytes};
    throw usage_error(msg::variable_in_shared_memory(Code{name}));
  }

 private:
  VirtualProgram(vgpu::VirtualGpu& gpu, const compile::CompiledSource& source, const ptx::Module& parsed)
      : table_(source, parsed),
        source_{.ptx = source.ptx, .file_name = source.file_name, .defines = source.defines},
        module_(gpu.load(parsed, source.file_name, source.resources)) {
    for (std::size_t i = 0; i < module_->kernels().size(); ++i)
      handles_[module_->kernels()[i].symbol] = {module_, i, &source_};
    for (Kernel& kernel : table_.kernels()) fill_in(kernel);
  }

  void fill_in(Kernel& kernel) {
    VirtualKernel& own = handles_.at(kernel.symbol);
    kernel.handle = &own;
    kernel.static_shared_bytes = own.info().static_shared_bytes;
    kernel.local_bytes = own.info().local_bytes;
    kernel.resources = own.info().resources;
  }

  KernelTable table_;
  const compile::CompiledSource source_;  // without the parts that are not needed after loading
  std::shared_ptr<const vgpu::LoadedModule> module_;
  std::map<std::string, VirtualKernel> handles_;
};

vgpu::LaunchRequest request_of(const Launch& launch, const VirtualKernel& kernel) {
  vgpu::LaunchRequest request;
  request.kernel = kernel.index;
  request.spec = launch.spec;
  request.options = launch.options;
  request.parameters.resize(kernel.info().parameter_bytes);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i)
    std::ranges::copy(
        launch.arguments[i].bytes(),
        request.parameters.begin() + static_cast<std::ptrdiff_t>(kernel.info().parameters[i].offset));
  return request;
}

LaunchResult with_names_of_source(LaunchResult result, const Kernel& kernel) {
  for (Hazard& hazard : result.hazards)
    hazard.kernel = hazard.kernel == kernel.symbol ? kernel.name : source_name(hazard.kernel);
  for (ChildLaunch& child : result.children) child.kernel = source_name(child.kernel);
  return result;
}

// Keeps a launch's current place for a signal handler; empty once the launch has ended.
struct Whereabouts {
  explicit Whereabouts(const std::string& kernel)
      : tell([kernel](const SourceLine& where) {
          note_whereabouts(fmt::format("{}, {}:{}", kernel, where.file, where.line));
        }) {}
  ~Whereabouts() { note_whereabouts(""); }
  Whereabouts(const Whereabouts&) = delete;
  Whereabouts& operator=(const Whereabouts&) = delete;

  const std::function<void(const SourceLine&)> tell;
};

class VirtualLaunchView final : public LaunchView {
 public:
  VirtualLaunchView(vgpu::VirtualGpu& gpu, const Launch& launch, const VirtualKernel& kernel)
      : gpu_(gpu), launch_(launch), kernel_(kernel), request_(request_of(launch, kernel)) {}

  const std::string& kernel() const override { return launch_.kernel->name; }
  const std::string& file() const override { return kernel_.source->file_name; }
  std::vector<std::pair<std::string, std::string>> defines() const override {
    return kernel_.source->defines;
  }
  const LaunchSpec& spec() const override { return launch_.spec; }
  vgpu::WarpTrace trace(const vgpu::TraceRequest& wanted) override {
    if (!text_) {
      text_ = ptx::parse(kernel_.source->ptx, kernel_.source->file_name);
      variables_ = ptx::debug_functions(kernel_.source->ptx);
    }
    vgpu::TraceRequest named = wanted;
    named.variables = &variables_;
    return gpu_.trace(*kernel_.module, *text_, request_, named);
  }
  LaunchResult rehearse() override {
    return with_names_of_source(gpu_.rehearse(*kernel_.module, request_), *launch_.kernel);
  }
  vgpu::DataFlow data_flow(ptx::Carriers carriers, std::uint64_t seed) override {
    const auto tapped = with_taps(carriers);
    vgpu::LaunchRequest request = request_;
    const auto kernels = tapped->kernels();
    const auto own = std::ranges::find(kernels, kernel_.info().symbol, &vgpu::KernelInfo::symbol);
    request.kernel = static_cast<std::size_t>(own - kernels.begin());
    return vgpu::data_flow(
        gpu_, *tapped, request,
        {.seed = seed, .statements = ptx::count_statements(kernel_.source->ptx, carriers)});
  }

 private:
  // The kernel's module with taps, and with the values that its variables have now.
  std::shared_ptr<const vgpu::LoadedModule> with_taps(ptx::Carriers carriers) {
    ptx::Module text = ptx::parse(ptx::with_taps(kernel_.source->ptx, carriers), kernel_.source->file_name);
    text.has_taps = true;
    auto tapped = gpu_.load(text, kernel_.source->file_name);
    for (const vgpu::VariableInfo& variable : kernel_.module->variables())
      for (const vgpu::VariableInfo& copy : tapped->variables())
        if (copy.symbol == variable.symbol) gpu_.copy(copy.address, variable.address, variable.bytes);
    return tapped;
  }

  vgpu::VirtualGpu& gpu_;
  const Launch& launch_;
  const VirtualKernel& kernel_;
  vgpu::LaunchRequest request_;
  std::optional<ptx::Module> text_;  // parsed at the first request, including variables
  std::vector<ptx::DebugFunction> variables_;
};

class VirtualDevice final : public Device {
 public:
  VirtualDevice(const vgpu::Card& card, unsigned host_threads)
      : card_(card),
        gpu_({.card = &card_, .host_threads = host_threads}),
        info_(describe(gpu_)),
        textures_(gpu_.textures(), gpu_.card().textures) {}

  const DeviceInfo& info() const override { return info_; }

  Buffer allocate(std::string name, std::size_t bytes) override {
    const std::uint64_t address = gpu_.allocate(name, bytes);
    return Buffer(*this, address, bytes, std::move(name));
  }
  void upload(std::uint64_t address, std::span<const std::byte> from) override { gpu_.write(address, from); }
  void download(std::uint64_t address, std::span<std::byte> to) override { gpu_.read(address, to); }
  void fill(std::uint64_t address, std::size_t bytes, std::uint8_t value, bool poison) override {
    gpu_.fill(address, bytes, value, poison);
  }
  Textures& textures() override { return textures_; }
  std::unique_ptr<Program> load(const compile::CompiledSource& source) override {
    return std::make_unique<VirtualProgram>(gpu_, source);
  }

  LaunchResult launch(const Launch& launch) override {
    check_arguments(launch);
    const auto& kernel = *static_cast<const VirtualKernel*>(launch.kernel->handle);
    if (launch.onlooker) {
      VirtualLaunchView view(gpu_, launch, kernel);
      (*launch.onlooker)(view);
    }
    vgpu::LaunchRequest request = request_of(launch, kernel);
    const Whereabouts whereabouts(launch.kernel->name);
    request.on_line = &whereabouts.tell;
    return with_names_of_source(gpu_.launch(*kernel.module, request), *launch.kernel);
  }

  // The interpreter's time says nothing about a GPU.
  std::optional<TimeSummary> time_launch(const Launch&, const TimingPlan&) override { return std::nullopt; }
  std::optional<CopyTimes> time_copies(std::size_t, std::size_t) override { return std::nullopt; }
  std::optional<TimeSummary> time_device_copy(std::size_t, const TimingPlan&) override {
    return std::nullopt;
  }

 private:
  void free(std::uint64_t address) override { gpu_.free(address); }

  vgpu::Card card_;
  vgpu::VirtualGpu gpu_;
  DeviceInfo info_;
  VirtualTextures textures_;
};

}  // namespace

const vgpu::Card& card_named(const std::string& id) {
  if (const vgpu::Card* card = vgpu::find_card(id)) return *card;
  cudalab::Argument::List known;
  for (const vgpu::Card& card : vgpu::cards()) known.emplace_back(card.id);
  throw usage_error(msg::card_unknown(Code{id}, std::move(known)));
}

std::unique_ptr<Device> open_virtual_device(const VirtualDeviceOptions& options) {
  return std::make_unique<VirtualDevice>(options.card ? *options.card : vgpu::cards().front(),
                                         options.host_threads);
}

}  // namespace cudalab::device
