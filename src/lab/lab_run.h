// The interface that a lab's run function gets: its options, arrays, CPU versions, stages, copy bandwidth and
// notes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/compiler.h"
#include "device/device.h"
#include "lab/arrays.h"
#include "lab/host.h"
#include "lab/options.h"
#include "lab/random.h"
#include "lab/result.h"
#include "lab/stage.h"

namespace cudalab::lab {

struct Lab;
struct RunRequest;
struct ProgramSource;
struct Source;
class Runner;

// The machine that a lab runs on. Tests supply their own device and compiler.
struct Machine {
  device::Device& device;
  std::function<compile::CompiledSource(const compile::CompileRequest&)> compile;
  std::filesystem::path labs;  // one folder per lab
  HostInfo host;
  // A folder for strangers' whole programs: programs of users who are not trusted, which are built and run in
  // the sandbox. Empty: the user runs their own program, without a sandbox.
  std::filesystem::path strangers = {};
};

// Inputs that turn a sum into a count: the marked elements are 1, the others 0. By default, all are marked.
struct MarkedInputs {
  std::size_t width = 1, classes = 1, marked = 0;
  bool has(std::size_t element) const { return element / width % classes == marked; }
};

class LabRun {
 public:
  LabRun(const Lab& lab, const RunRequest& request, const Machine& machine, const Options& options,
         Result& result);
  ~LabRun();

  const Options& options() const { return options_; }
  const device::DeviceInfo& device() const;
  const HostInfo& host() const { return machine_.host; }

  // Sets the stages that run if the user names none with --stage; without this call, all stages run.
  void default_stages(std::vector<std::string> stages);
  bool wants(std::string_view stage) const;

  // Call it before anything is allocated. Throws Error(kUsage) with the bytes needed and available if they do
  // not fit. `smaller` says which options to reduce: "--rows and --cols".
  void require_memory(double device_bytes, double host_bytes, std::string_view smaller) const;

  // CUDA arrays, textures and surfaces. An object that a lab makes with it must not outlive its run function.
  device::Textures& textures() const { return machine_.device.textures(); }

  // Arrays live as long as the run. The host side of an input is filled here; each run fills that of an
  // output.
  template <class T>
  ArrayOf<T>& input(const std::string& name, std::vector<T> values) {
    device::Buffer buffer = upload(name, std::as_bytes(std::span<const T>(values)));
    const std::size_t count = values.size();
    return keep<T>(ArrayRole::kInput, name, count, std::move(values), std::move(buffer));
  }
  // An input of random_values<T>; each name and each --seed gives other numbers.
  template <class T>
  ArrayOf<T>& random_input(const std::string& name, std::size_t count) {
    return input<T>(name, drawn<T>(name, count));
  }
  // The values of such an input, or the marks that RunSettings asks for.
  template <class T>
  std::vector<T> drawn(std::string_view name, std::size_t count) const {
    if constexpr (std::is_arithmetic_v<T>)
      if (const MarkedInputs* marks = marked_inputs()) {
        std::vector<T> values(count);
        for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(marks->has(i));
        return values;
      }
    return random_values<T>(count, random(name));
  }
  template <class T>
  ArrayOf<T>& output(const std::string& name, std::size_t count) {
    return keep<T>(ArrayRole::kOutput, name, count, std::vector<T>(count), allocate(name, count * sizeof(T)));
  }
  template <class T>
  ArrayOf<T>& scratch(const std::string& name, std::size_t count) {
    return keep<T>(ArrayRole::kScratch, name, count, {}, allocate(name, count * sizeof(T)));
  }
  template <class T>
  ArrayOf<T>& result(const std::string& name, std::size_t count = 1) {
    return keep<T>(ArrayRole::kResult, name, count, std::vector<T>(count), {});
  }
  // The random stream of that name: `random_integers<float>(n, run.random("a"), -4, 4)`.
  std::uint64_t random(std::string_view name) const;

  // The default work and check of every version. A check compares host() of the outputs and results with the
  // expected values.
  void set_work(Work work) { work_ = work; }
  void set_check(std::function<Check()> check) { check_ = std::move(check); }

  // Shows progress on the terminal before or between stages: "computing what must come out".
  void progress(const Message& what) const;

  // Runs if --stage names "cpu". If the user did not ask for it, the one-thread version runs only if it takes
  // less than half a minute.
  void cpu(const CpuVersion& version);
  // Runs the stage if it is chosen, and then the user's kernel in its place if --as names it. Returns the
  // stage's row (the user's if only that ran), valid until the next call; null if nothing ran.
  Row* kernel(const KernelStage& stage);
  // The same for a whole program; the user's file is then a program, too. If nvcc is not installed, a lab's
  // own stage is "not assessed".
  Row* program(const ProgramStage& stage);
  // Runs the user's kernel (--kernel FILE without --as) with the arguments and checks of `like`. Call it
  // after the stages, because a fault makes a GPU unusable for the rest of the process.
  void users_kernel(const KernelStage& like);
  bool ran_users_kernel() const { return users_rows_ > 0; }
  // The text of another file in the lab's folder, for KernelStage::preamble: for code that several stages
  // share.
  std::string source(const std::string& file) const;
  // A row for one device-to-device copy of `bytes`; no row if the device measures no time.
  void copy_ceiling(std::size_t bytes);
  // A row for a library, independent of --stage: no row if the device measures no time, "not assessed" if the
  // library is not installed.
  void library(const LibraryStage& stage);
  // A row for a stage that cannot run here, with the reason.
  void skip(const std::string& name, RowKind kind, Message reason);
  // The same; the caller may add what it knows without running the stage.
  Row& skipped(const std::string& name, RowKind kind, Message reason);
  // The GPU model that times are predicted for; null if none are predicted.
  const vgpu::Card* predicted_card() const;
  // The rows so far; valid until the next row is added.
  std::span<const Row> rows() const { return result_.rows; }
  void note(Message sentence);
  // Adds a figure; the reference is valid until the next figure is added.
  Figure& figure(Message title, std::vector<std::string> lines, std::vector<std::size_t> marked = {});

 private:
  // Null if RunSettings asks for none. Also notes in the result that the lab has a random input.
  const MarkedInputs* marked_inputs() const;
  template <class T>
  ArrayOf<T>& keep(ArrayRole role, const std::string& name, std::size_t count, std::vector<T> host,
                   device::Buffer buffer) {
    auto array = std::make_unique<ArrayOf<T>>(role, name, count, std::move(host), std::move(buffer));
    ArrayOf<T>& kept = *array;
    arrays_.push_back(std::move(array));
    return kept;
  }
  device::Buffer allocate(const std::string& name, std::size_t bytes);
  device::Buffer upload(const std::string& name, std::span<const std::byte> bytes);
  void require_declared(std::string_view stage) const;
  bool is_chosen(std::string_view stage) const { return chosen_.find(stage) != chosen_.end(); }
  bool gives_way(std::string_view stage) const;
  Row& users_row(const KernelStage& like);
  Row& new_run(std::string name, RowKind kind, const std::optional<Work>& work);
  void cpu_row(const CpuVersion& version, const std::string& name, int threads);
  Row& stage_row(const KernelStage& stage, const std::string& name, const Source& source);
  Row& program_row(const ProgramStage& stage, const std::string& name, const ProgramSource& source);
  std::string name_of_users_row();
  std::size_t stages_left() const;

  const Lab& lab_;
  const RunRequest& request_;
  const Machine& machine_;
  const Options& options_;
  Result& result_;
  std::set<std::string, std::less<>> chosen_;
  std::vector<std::unique_ptr<Array>> arrays_;
  std::unique_ptr<Runner> runner_;
  std::set<std::string, std::less<>> begun_;  // the stages of chosen_ that have started
  int users_rows_ = 0;
  Work work_;
  std::function<Check()> check_;
};

}  // namespace cudalab::lab
