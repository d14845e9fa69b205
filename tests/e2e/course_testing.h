// A learner's course in a temporary folder, shared by the tests of `start`, `check`, `watch` and other verbs.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Each step is so slow that the step limit does not end the kernel soon.
inline constexpr const char* kEndless =
    "extern \"C\" __global__ void transpose(float* in, float* out, int, int) {\n"
    "  volatile int stop = 0;\n"
    "  while (!stop) printf(\"%d %f\\n\", threadIdx.x, in[0]);\n"
    "}\n";

class Course : public testing::Test {
 protected:
  Outcome learner(const std::vector<std::string>& arguments) const {
    return by_ids(arguments, {.folder = home.path()});
  }
  Outcome in_course(const std::vector<std::string>& arguments) const {
    return by_ids(arguments, {.folder = home / "cudalab-course"});
  }
  fs::path file(const std::string& name) const { return home / "cudalab-course" / name; }
  void solve() const {
    fs::copy_file(kTile / "solution.cu", file("transpose/padded-tile.cu"),
                  fs::copy_options::overwrite_existing);
  }
  Json progress() const { return Json::parse(read_file(file("cudalab.json")))["exercises"]["padded-tile"]; }

  Folder home;
};

}  // namespace cudalab::e2e
