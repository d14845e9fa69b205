// For tests: a lab that doubles numbers, an exercise for it, and a device whose kernels are C++ functions.
#pragma once

#include <fstream>

#include "core/temporary_folder_testing.h"
#include "course/exercise.h"
#include "lab/fake_device_testing.h"
#include "lab/lab.h"

namespace cudalab::course {

inline lab::Lab doubling_lab() {
  lab::Lab lab;
  lab.name = "double";
  lab.alias = "twice";
  lab.stages = {"cpu", "plain"};
  lab.options = {lab::integer("count", "elements", 100, 1, 10'000),
                 lab::choice("type", "type", "f32", {"f32", "f64"}), lab::real("scale", "factor", 1, 0, 9),
                 lab::flag("fast", "hurry")};
  lab.run = [](lab::LabRun& run) {
    const auto count = static_cast<std::size_t>(run.options().integer("count"));
    auto& in = run.random_input<float>("in", count);
    auto& out = run.output<float>("out", count);
    std::vector<float> expected;
    for (const float value : in.host()) expected.push_back(2 * value);
    run.set_check([&] { return lab::same_bits<float>(out.host(), expected); });
    run.cpu({.run = [](int) { throw std::logic_error("only the learner's kernel is to run"); }});
    run.kernel({.name = "plain",
                .file = "1_plain.cu",
                .launch = {.kernel = "twice",
                           .spec = {.grid = {1}, .block = {32}},
                           .arguments = {in.device(), out.device()}}});
  };
  return lab;
}

inline nlohmann::json doubling_exercise() {
  return nlohmann::json::parse(R"({
    "title": "Twice", "difficulty": 2, "minutes": 15, "concepts": ["doubling"],
    "task": ["Double every number.", "All of them."], "stage": "plain",
    "cases": [{"count": 1}, {"count": 67, "type": "f32"}],
    "criteria": [{"name": "few requests", "value": "counters/l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                  "at_most": 10, "case": {"count": 1000}, "says": "it makes {value} requests"}],
    "hints": ["add", "a number to itself", "out[i] = in[i] + in[i]"],
    "wrong": {"thrice.cu": "wrong result"}})");
}

inline void write_text(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

// Writes a folder of labs with this lab and its exercise `twice-each`. The text of a kernel file is the name
// of a kernel of the device.
inline void write_course(const std::filesystem::path& labs,
                         const nlohmann::json& exercise = doubling_exercise()) {
  const std::filesystem::path folder = labs / "double" / "exercise" / "twice-each";
  write_text(labs / "double" / "1_plain.cu", "twice");
  write_text(folder / "exercise.json", exercise.dump());
  write_text(folder / "starter.cu", "nothing");
  write_text(folder / "solution.cu", "twice");
  write_text(folder / "wrong" / "thrice.cu", "thrice");
}

using Kernel = lab::FakeDevice::Kernel;

// A kernel that multiplies the first `count` elements.
inline Kernel multiply(float factor, std::size_t count = 10'000) {
  return [=](lab::FakeDevice& device, const device::Launch& launch, LaunchResult&) {
    const auto in = device.at<float>(launch.arguments[0]), out = device.at<float>(launch.arguments[1]);
    for (std::size_t i = 0; i < std::min(count, in.size()); ++i) out[i] = factor * in[i];
  };
}

}  // namespace cudalab::course
