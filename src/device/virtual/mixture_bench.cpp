// Measures the speed of the virtual GPU on a mixture of kernels (mixture/mixture.cu), with and without checks
// and predictions, and its geometric means. Also measures the memory that the checks need per byte that
// kernels access.
#include "device/virtual/mixture_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "device/device.h"
#include "vgpu/memory/shadow_bytes.h"

namespace cudalab::device {
namespace {

constexpr std::size_t kBytes = std::size_t{16} << 20;
constexpr std::uint32_t kIndices = 1u << 20;

// A kernel of the file: its header `//! name grid block n`, and the text up to the next header.
struct Workload {
  std::string name;
  LaunchSpec spec;
  int n = 0;
  std::string source;
};

Workload read_heading(const std::string& line) {
  std::istringstream words(line.substr(4));
  Workload work;
  std::string block;
  words >> work.name >> work.spec.grid.x >> block >> work.n;
  std::istringstream sides(block);
  char by = 0;
  sides >> work.spec.block.x >> by >> work.spec.block.y;
  work.spec.block.y = std::max(work.spec.block.y, 1u);
  return work;
}

std::vector<Workload> read_mixture() {
  std::ifstream lines(CUDALAB_SOURCE_DIR "/src/device/virtual/mixture/mixture.cu");
  std::vector<Workload> mixture;
  std::string shared;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("//! ")) {
      mixture.push_back(read_heading(line));
      mixture.back().source = shared;
    } else {
      (mixture.empty() ? shared : mixture.back().source) += line + "\n";
    }
  }
  return mixture;
}

struct Mode {
  const char* name;
  Checks checks;
  bool predict;
};
constexpr Mode kModes[] = {{"none", Checks::kNone, false},
                           {"all", Checks::kAll, false},
                           {"none+predict", Checks::kNone, true},
                           {"all+predict", Checks::kAll, true}};

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

// The device and buffers that all kernels of the mixture use.
class Ground {
 public:
  Ground() {
    std::mt19937 random(1);
    std::vector<float> floats(kBytes / sizeof(float));
    for (float& value : floats) value = 0.5f + static_cast<float>(random() >> 8) * 0x1p-25f;
    std::vector<std::uint32_t> indices(kIndices);
    std::iota(indices.begin(), indices.end(), 0u);
    std::shuffle(indices.begin(), indices.end(), random);
    device_->upload(in_.address(), bytes_of(floats));
    device_->upload(index_.address(), bytes_of(indices));
    texture_ = device_->textures().create_texture(
        LinearTexels{in_.address(), texel_format(ScalarType::kF32), kBytes / sizeof(float)});
  }
  LaunchResult launch(const Workload& work, const Mode& mode) {
    const std::unique_ptr<Program>& program = load(work);
    Launch launch;
    launch.kernel = &program->kernel(work.name);
    launch.spec = work.spec;
    launch.arguments = {in_.address(), out_.address(), index_.address(), work.n, texture_.value()};
    launch.options.checks = mode.checks;
    launch.options.predict = mode.predict;
    return device_->launch(launch);
  }
  void forget_output() { device_->fill(out_.address(), kBytes, 0, false); }

 private:
  const std::unique_ptr<Program>& load(const Workload& work) {
    std::unique_ptr<Program>& program = programs_[work.name];
    if (program) return program;
    compile::CompileRequest request;
    request.source = work.source;
    request.file_name = work.name + ".cu";
    return program = device_->load(compile::compile(request));
  }
  std::unique_ptr<Device> device_ = open_virtual_device();
  Buffer in_ = device_->allocate("in", kBytes), out_ = device_->allocate("out", kBytes),
         index_ = device_->allocate("index", kIndices * sizeof(std::uint32_t));
  Texture texture_;
  std::map<std::string, std::unique_ptr<Program>> programs_;
};

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Rates {
  double instructions = 0;
  double wall = 0, processor = 0;  // 10^6 per second; `processor`: as if every host thread had its own core
};

// The fastest of several launches, because other work on the machine only makes launches slower.
std::optional<Rates> measure(Ground& ground, const Workload& work, const Mode& mode) {
  constexpr double kEnough = 0.15;
  constexpr int kLeast = 3;
  const double threads = std::min(work.spec.grid.x, std::max(std::thread::hardware_concurrency(), 1u));
  Rates best;
  double spent = 0;
  for (int i = 0; i < kLeast || (spent < kEnough && i < 20); ++i) {
    ground.forget_output();
    const double wall = seconds_of(CLOCK_MONOTONIC), processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    const LaunchResult result = ground.launch(work, mode);
    const double wall_s = seconds_of(CLOCK_MONOTONIC) - wall;
    const double processor_s = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor;
    if (!result.completed || !result.hazards.empty()) {
      fmt::print("{}: {}\n", work.name,
                 result.hazards.empty() ? "did not complete" : result.hazards[0].what.text());
      return std::nullopt;
    }
    best.instructions = result.counters->value_or_zero(Counter::kThreadInstructions);
    if (i > 0) best.wall = std::max(best.wall, best.instructions / wall_s * 1e-6);
    if (i > 0) best.processor = std::max(best.processor, best.instructions / processor_s * threads * 1e-6);
    spent += wall_s;
  }
  return best;
}

// ---- memory ------------------------------------------------------------------------------------------
double peak_megabytes() {
  std::ifstream lines("/proc/self/status");
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

double peak_of(Ground& ground, const Workload& work, const Mode& mode) {
  vgpu::free_spare_shadows();
  std::ofstream("/proc/self/clear_refs") << "5";  // resets the peak
  ground.launch(work, mode);
  return peak_megabytes();
}

// Prints the memory that the checks need for a kernel that accesses `touched_mib` MiB of resident memory.
void print_shadows(Ground& ground, const char* what, const Workload& work, double touched_mib) {
  ground.forget_output();
  ground.launch(work, kModes[1]);
  const double without = peak_of(ground, work, kModes[0]), with = peak_of(ground, work, kModes[1]);
  fmt::print("shadows of {:<24} {:7.2f} bytes a byte touched\n", what, (with - without) / touched_mib);
}

void print_all_shadows(Ground& ground) {
  constexpr const char* kPreface =
      "extern \"C\" __global__ void {}(const float* in, float* out, const unsigned* index, int n, unsigned "
      "long long texture) {{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; {} }}";
  const auto kernel = [&](const char* name, unsigned blocks, const char* body) {
    return Workload{name, {{blocks}, {256}}, 0, fmt::format(kPreface, name, body)};
  };
  constexpr unsigned kWords = kBytes / 4 / 256, kChars = kBytes / 256;
  print_shadows(ground, "words, read and written", kernel("words", kWords, "out[i] = in[i];"), 32);
  print_shadows(ground, "words, written", kernel("written", kWords, "out[i] = i + 1;"), 16);
  print_shadows(ground, "bytes, read and written",
                kernel("chars", kChars, "((char*)out)[i] = ((const char*)in)[i];"), 32);
  print_shadows(ground, "bytes, written", kernel("set", kChars, "((char*)out)[i] = i | 1;"), 16);
  print_shadows(ground, "pages, one word of each", kernel("sparse", 16, "out[i * 1024] = i;"), 16);
}

}  // namespace

void run_mixture(const std::string& part, const std::string& mode_name) {
  constexpr std::string_view kShadows = "shadows";
  std::vector<Mode> modes(std::begin(kModes), std::end(kModes));
  if (!mode_name.empty()) std::erase_if(modes, [&](const Mode& mode) { return mode.name != mode_name; });
  Ground ground;
  if (part == kShadows) return print_all_shadows(ground);
  std::map<std::string, double> logs, processor_logs, slowest;
  int count = 0;
  fmt::print(
      "million thread-instructions a second, if each host thread had a core (wall clock)\n{:<24}{:>10}", "",
      "launch");
  for (const Mode& mode : modes) fmt::print("{:>20}", mode.name);
  fmt::print("\n");
  for (const Workload& work : read_mixture()) {
    if (work.name.find(part) == std::string::npos) continue;
    ++count;
    for (const Mode& mode : modes) {
      const auto rates = measure(ground, work, mode);
      if (!rates) return;
      if (&mode == modes.data()) fmt::print("{:<24}{:>9.2f}M", work.name, rates->instructions * 1e-6);
      fmt::print("{:>10.0f} ({:>7.0f})", rates->processor, rates->wall);
      logs[mode.name] += std::log(rates->wall);
      processor_logs[mode.name] += std::log(rates->processor);
      const auto [least, is_new] = slowest.try_emplace(mode.name, rates->processor);
      least->second = std::min(least->second, rates->processor);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
  fmt::print("{:<34}", fmt::format("geometric mean of {}", count));
  for (const Mode& mode : modes)
    fmt::print("{:>10.0f} ({:>7.0f})", std::exp(processor_logs[mode.name] / count),
               std::exp(logs[mode.name] / count));
  fmt::print("\n{:<34}", "slowest");
  for (const Mode& mode : modes) fmt::print("{:>10.0f} {:>9}", slowest[mode.name], "");
  fmt::print("\n");
  if (part.empty()) print_all_shadows(ground);
}

}  // namespace cudalab::device
