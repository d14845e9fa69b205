// A lab that doubles numbers, for a device whose kernels are C++ functions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/diagnostics/message_testing.h"
#include "core/temporary_folder_testing.h"
#include "lab/fake_device_testing.h"
#include "lab/lab.h"

namespace cudalab::lab {

// A fixture with the lab under test, which doubles numbers. Each test writes its run function and its
// kernels.
class RunLab : public testing::Test {
 protected:
  static constexpr std::size_t kCount = 1000;

  void SetUp() override {
    std::filesystem::create_directories(root / "double");
    write("double/1_good.cu", "good");
    write("double/2_bad.cu", "bad");
    lab.name = "double";
    for (const char* key : {"parts", "mark", "twice"})
      lab.columns.push_back({key, [] { return Message::verbatim("heading"); }});
    lab.stages = {"cpu", "good", "bad"};
    lab.options = {integer("count", "elements", 1000, 2000, 1, 10000)};
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(root / name) << text; }

  // Writes 2 * in for the first `elements` elements only.
  static FakeDevice::Kernel doubling(std::size_t elements = kCount) {
    return [=](FakeDevice& device, const device::Launch& launch, LaunchResult&) {
      const auto in = device.at<float>(launch.arguments[0]), out = device.at<float>(launch.arguments[1]);
      for (std::size_t i = 0; i < elements; ++i) out[i] = 2 * in[i];
    };
  }
  struct Arrays {
    ArrayOf<float>& in;
    ArrayOf<float>& out;
    std::vector<float> expected;
  };
  static Arrays arrays(LabRun& run) {
    Arrays made{run.random_input<float>("in", kCount), run.output<float>("out", kCount), {}};
    for (const float value : made.in.host()) made.expected.push_back(2 * value);
    return made;
  }
  static KernelStage stage(const std::string& name, const std::string& file, const Arrays& use) {
    KernelStage made;
    made.name = name;
    made.file = file;
    made.launch = {name, {{4}, {256}}, {use.in.device(), use.out.device()}};
    return made;
  }
  // CPU version, then the stages good and bad.
  void plain_lab() {
    lab.run = [](LabRun& run) {
      Arrays use = arrays(run);
      run.set_work({8.0 * kCount, 0});
      run.set_check([&] { return same_bits<float>(use.out.host(), use.expected); });
      run.cpu({.run = [&](int) {
        std::transform(use.in.host().begin(), use.in.host().end(), use.out.host().begin(),
                       [](float x) { return 2 * x; });
      }});
      run.kernel(stage("good", "1_good.cu", use));
      run.kernel(stage("bad", "2_bad.cu", use));
    };
  }
  Result run_on(FakeDevice& device) {
    return run_lab(lab, request, Machine{device, FakeDevice::compile, root, {"a processor", 2, 1u << 30}});
  }
  static std::vector<std::string> names(const Result& result) {
    std::vector<std::string> all;
    for (const Row& run : result.rows) all.push_back(run.name);
    return all;
  }
  static const Row& named(const Result& result, const std::string& name) {
    for (const Row& run : result.rows)
      if (run.name == name) return run;
    throw std::out_of_range(name);
  }
  Message message() {
    FakeDevice device(false);
    return refused([&] { run_on(device); });
  }

  TemporaryFolder folder;
  const std::filesystem::path& root = folder.path();
  Lab lab;
  RunRequest request;
};

}  // namespace cudalab::lab
