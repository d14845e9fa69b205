// What a lab's run function works with: its options, arrays, CPU versions, stages, ceilings and notes.
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

// Where a lab runs. Tests put their own device and compiler here.
struct Machine {
  device::Device& device;
  std::function<compile::CompiledSource(const compile::CompileRequest&)> compile;
  std::filesystem::path labs;  // one folder a lab
  HostInfo host;
  // A folder for users' whole programs that are strangers': each is built and run in the sandbox. Empty: a
  // user runs a program of their own.
  std::filesystem::path strangers = {};
};

class LabRun {
 public:
  LabRun(const Lab& lab, const RunRequest& request, const Machine& machine, const Options& options,
         Result& result);
  ~LabRun();

  const Options& options() const { return options_; }
  const device::DeviceInfo& device() const;
  const HostInfo& host() const { return machine_.host; }

  // The stages that run when the user names none with --stage; without this call, all of them.
  void default_stages(std::vector<std::string> stages);
  bool wants(std::string_view stage) const;

  // To be called before anything is allocated: throws Error(kUsage) with the bytes needed and available.
  // `smaller` says what to try: "--rows and --cols".
  void require_memory(double device_bytes, double host_bytes, std::string_view smaller) const;

  // CUDA arrays, textures and surfaces; what a lab makes must not outlive its run function.
  device::Textures& textures() const { return machine_.device.textures(); }

  // Arrays live as long as the run. The host side of an input is filled here; that of an output by each run.
  template <class T>
  ArrayOf<T>& input(const std::string& name, std::vector<T> values) {
    device::Buffer buffer = upload(name, std::as_bytes(std::span<const T>(values)));
    const std::size_t count = values.size();
    return keep<T>(ArrayRole::kInput, name, count, std::move(values), std::move(buffer));
  }
  // random_values<T>: other numbers for each name and each --seed.
  template <class T>
  ArrayOf<T>& random_input(const std::string& name, std::size_t count) {
    return input<T>(name, drawn<T>(name, count));
  }
  // The values of such an input; all 1 where RunSettings::inputs_are_ones asks for it.
  template <class T>
  std::vector<T> drawn(std::string_view name, std::size_t count) const {
    if constexpr (std::is_arithmetic_v<T>)
      if (inputs_are_ones()) return std::vector<T>(count, T{1});
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
  // The stream of random numbers of that name: `random_integers<float>(n, run.random("a"), -4, 4)`.
  std::uint64_t random(std::string_view name) const;

  // What every version needs and how it is checked, where it does not say so itself. A check compares host()
  // of the outputs and results with what was expected.
  void set_work(Work work) { work_ = work; }
  void set_check(std::function<Check()> check) { check_ = std::move(check); }

  // Tells on a terminal what goes on before, or between, what runs below: "computing what must come out".
  void progress(const Message& what) const;

  // Runs when --stage asks for "cpu"; on one thread unasked only where that takes less than half a minute.
  void cpu(const CpuVersion& version);
  // Runs when --stage asks for it, and then the user's kernel in its place where --as names it. Returns its
  // row (the user's where that is all that ran), which is valid until the next call; null if nothing ran.
  Row* kernel(const KernelStage& stage);
  // The same for a whole program, in whose place the user's file is one, too. Where nvcc is not installed a
  // stage of the lab's own is not assessed.
  Row* program(const ProgramStage& stage);
  // Runs the user's kernel (--kernel FILE), where there is one and no --as, as `like` runs its own: to be
  // called after the stages, because a fault on a GPU ends the use of that GPU.
  void users_kernel(const KernelStage& like);
  bool ran_users_kernel() const { return users_rows_ > 0; }
  // The text of another file of the lab's folder, as KernelStage::preamble takes it: for a kernel that
  // several stages share.
  std::string source(const std::string& file) const;
  // A row for one device-to-device copy of `bytes`; none where the device measures no time.
  void copy_ceiling(std::size_t bytes);
  // A row for a library, which --stage does not choose: none where the device measures no time, "not
  // assessed" where the library is not installed.
  void library(const LibraryStage& stage);
  // A row for what cannot run here, and why.
  void skip(const std::string& name, RowKind kind, Message reason);
  // The same, to add to what is known of it without running it.
  Row& skipped(const std::string& name, RowKind kind, Message reason);
  // The card that times are predicted for; null where none are.
  const vgpu::Card* predicted_card() const;
  // The rows so far; valid until the next.
  std::span<const Row> rows() const { return result_.rows; }
  void note(Message sentence);
  // Valid until the next.
  Figure& figure(Message title, std::vector<std::string> lines, std::vector<std::size_t> marked = {});

 private:
  bool inputs_are_ones() const;  // and remembers in the result that an input was asked for
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
  std::set<std::string, std::less<>> begun_;  // of chosen_
  int users_rows_ = 0;
  Work work_;
  std::function<Check()> check_;
};

}  // namespace cudalab::lab
