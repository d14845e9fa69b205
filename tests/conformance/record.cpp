// Records what the GPU computes for every row of the opcode table. See README.md beside this file.
//
//     cudalab_conformance FILE          runs on the first GPU and writes FILE
//     cudalab_conformance --instructions FILE  the same for the instructions that are no row
//     cudalab_conformance --ptx FOLDER  only writes the kernels' PTX, to be checked with ptxas
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>

#include "device/cuda/driver.h"
#include "kernels.h"
#include "vectors.h"
#include "vgpu/instruction_probes_testing.h"

namespace cudalab::conformance {
namespace {

using vgpu::recorded::Column;
constexpr std::size_t kKernelsPerModule = 100;
constexpr unsigned kBlock = 128;

// Opcodes with the same operands share their inputs.
class InputSets {
 public:
  int number_of(const Probe& probe, vgpu::recorded::Recording& recording) {
    std::string key = std::to_string(probe.count);
    for (const std::string& type : probe.operands) key += ' ' + type;
    if (probe.table) key += fmt::format(" {}", *probe.table);
    const auto [found, is_new] = numbers_.try_emplace(key, static_cast<int>(numbers_.size()));
    if (is_new) {
      auto columns = make_inputs(probe.operands, probe.count);
      if (probe.table) columns.back().values.assign(probe.count, *probe.table);
      recording.inputs[found->second] = std::move(columns);
    }
    return found->second;
  }

 private:
  std::map<std::string, int> numbers_;
};

std::vector<std::uint64_t> flat(const std::vector<Column>& columns) {
  std::vector<std::uint64_t> values;
  for (const Column& column : columns)
    values.insert(values.end(), column.values.begin(), column.values.end());
  return values;
}

class Gpu {
 public:
  explicit Gpu(std::shared_ptr<const device::Driver> driver) : driver_(std::move(driver)) {
    CUdevice gpu = 0;
    driver_->device_get(&gpu, 0);
    char name[128];
    driver_->device_name(name, sizeof name, gpu);
    name_ = name;
    context_ = std::make_shared<device::CudaContext>(driver_, gpu);
    context_->make_current();
  }
  const std::string& name() const { return name_; }

  device::CudaModule load(const std::string& ptx) { return device::make_module(context_, ptx, "a probe"); }

  std::vector<std::uint64_t> run(const device::CudaModule& module, const std::string& kernel,
                                 std::vector<std::uint64_t> inputs, std::size_t results, std::size_t count) {
    return run(module, kernel, inputs, results, static_cast<unsigned>((count + kBlock - 1) / kBlock), kBlock);
  }

  std::vector<std::uint64_t> run(const device::CudaModule& module, const std::string& kernel,
                                 const std::vector<std::uint64_t>& inputs, std::size_t results,
                                 unsigned blocks, unsigned threads) {
    auto from = device::make_memory(context_, inputs.size() * 8),
         to = device::make_memory(context_, results * 8);
    CUfunction function = nullptr;
    driver_->module_function(&function, module.get(), kernel.c_str());
    driver_->copy_to_device(from.get(), inputs.data(), inputs.size() * 8);
    driver_->set_bytes(to.get(), 0, results * 8);
    CUdeviceptr addresses[] = {from.get(), to.get()};
    void* arguments[] = {&addresses[0], &addresses[1]};
    driver_->launch_kernel(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr);
    std::vector<std::uint64_t> out(results);
    driver_->copy_from_device(out.data(), to.get(), results * 8);
    return out;
  }

 private:
  std::shared_ptr<const device::Driver> driver_;
  device::ContextPointer context_;
  std::string name_;
};

std::string kernel_name(std::size_t probe) { return fmt::format("probe{}", probe); }
std::string module_text(const std::vector<Probe>& probes, std::size_t first) {
  std::string text = module_header();
  for (std::size_t i = first; i < std::min(first + kKernelsPerModule, probes.size()); ++i)
    text += kernel_text(probes[i], kernel_name(i));
  return text;
}

void write_ptx(const std::vector<Probe>& probes, const std::string& folder) {
  for (std::size_t first = 0; first < probes.size(); first += kKernelsPerModule)
    std::ofstream(fmt::format("{}/probes_{}.ptx", folder, first)) << module_text(probes, first);
}

void record(const std::vector<Probe>& probes, const std::string& path) {
  if (!device::cuda_driver().driver) throw unavailable_error(device::cuda_driver().missing);
  Gpu gpu(device::cuda_driver().driver);
  vgpu::recorded::Recording recording;
  InputSets sets;
  for (std::size_t first = 0; first < probes.size(); first += kKernelsPerModule) {
    const auto module = gpu.load(module_text(probes, first));
    for (std::size_t i = first; i < std::min(first + kKernelsPerModule, probes.size()); ++i) {
      const Probe& probe = probes[i];
      const int set = sets.number_of(probe, recording);
      const auto values = gpu.run(module, kernel_name(i), flat(recording.inputs.at(set)),
                                  probe.results.size() * probe.count, probe.count);
      vgpu::recorded::Result result{probe.row->opcode, set, {}};
      for (std::size_t column = 0; column < probe.results.size(); ++column) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(column * probe.count);
        result.columns.push_back(
            {probe.results[column], {begin, begin + static_cast<std::ptrdiff_t>(probe.count)}});
      }
      recording.rows.push_back(std::move(result));
    }
  }
  std::ofstream out(path);
  out << "# " << gpu.name() << ", " << recording.rows.size() << " opcodes; written by cudalab_conformance\n";
  vgpu::recorded::write(out, recording);
}

// Packs two words per value, the first one in the lower half.
std::vector<std::uint64_t> paired(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint64_t> values((words.size() + 1) / 2);
  std::memcpy(values.data(), words.data(), words.size() * sizeof(std::uint32_t));
  return values;
}

void record_instructions(const std::string& path) {
  if (!device::cuda_driver().driver) throw unavailable_error(device::cuda_driver().missing);
  Gpu gpu(device::cuda_driver().driver);
  std::ofstream out(path);
  const auto probes = vgpu::probes::all();
  out << "# " << gpu.name() << ", " << probes.size()
      << " kernels; written by cudalab_conformance --instructions\n";
  for (const vgpu::probes::Probe& probe : probes) {
    const auto module = gpu.load(probe.ptx);
    const auto values =
        gpu.run(module, "probe", paired(probe.inputs), (probe.results + 1) / 2, probe.blocks, probe.threads);
    std::vector<std::uint32_t> words(probe.results);
    std::memcpy(words.data(), values.data(), words.size() * sizeof(std::uint32_t));
    vgpu::probes::write(out, probe.name, words);
  }
}

void write_instructions_ptx(const std::string& folder) {
  int number = 0;
  for (const vgpu::probes::Probe& probe : vgpu::probes::all())
    std::ofstream(fmt::format("{}/instruction_{}.ptx", folder, number++)) << "// " << probe.name << '\n'
                                                                          << probe.ptx;
}

}  // namespace
}  // namespace cudalab::conformance

int main(int argc, char** argv) {
  using namespace cudalab;
  const auto probes = conformance::all_probes(vgpu::opcode_table());
  try {
    if (argc == 3 && std::strcmp(argv[1], "--ptx") == 0) {
      conformance::write_ptx(probes, argv[2]);
      conformance::write_instructions_ptx(argv[2]);
    } else if (argc == 3 && std::strcmp(argv[1], "--instructions") == 0) {
      conformance::record_instructions(argv[2]);
    } else if (argc == 2) {
      conformance::record(probes, argv[1]);
    } else {
      std::fputs("usage: cudalab_conformance FILE | --instructions FILE | --ptx FOLDER\n", stderr);
      return 2;
    }
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
  return 0;
}
