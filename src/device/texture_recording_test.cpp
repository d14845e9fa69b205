// Compares the virtual GPU bit by bit with an H200's texture fetches in expected/h200/textures.txt. On a
// machine with a GPU, `CUDALAB_RECORD_TEXTURES=FILE device_tests --gtest_filter='TextureRecording.*'` writes
// the file. CUDALAB_TEXTURE_POINTS=N sets the number of coordinates.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "device/cuda/cuda_device.h"
#include "device/texture_cases_testing.h"

namespace cudalab::device {
namespace {

constexpr std::size_t kPoints = 120;
constexpr const char* kFile = CUDALAB_SOURCE_DIR "/expected/h200/textures.txt";

using Rows = std::vector<std::vector<std::uint32_t>>;

std::unique_ptr<Program> load_kernels(Device& device) {
  compile::CompileRequest request;
  request.source = kTextureKernels;
  request.file_name = "texture_kernels.cu";
  request.compute_major = device.info().compute_major;
  request.compute_minor = device.info().compute_minor;
  return device.load(compile::compile(request));
}

std::string text_of(const Rows& rows) {
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) text += fmt::format("{}{:x}", i ? " " : "", row[i]);
    text += '\n';
  }
  return text;
}

std::map<std::string, std::string> recorded_cases() {
  std::map<std::string, std::string> cases;
  std::ifstream file(kFile);
  std::string name;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("# "))
      name = line.substr(2);
    else
      cases[name] += line + '\n';
  }
  return cases;
}

Rows rows_of(const std::string& text) {
  Rows rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    rows.emplace_back();
    for (std::string word; words >> word;)
      rows.back().push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
  }
  return rows;
}

// A GPU's filtered signed bytes may differ from ours by one step of 1/32767.
bool mixes_signed_bytes(const TextureCase& test) {
  return test.shape.format.kind == ChannelKind::kSigned && test.shape.format.bits == 8 &&
         test.sampling.filter == FilterMode::kLinear;
}

void expect_near(const Rows& ours, const Rows& recorded) {
  ASSERT_EQ(ours.size(), recorded.size());
  for (std::size_t i = 0; i < ours.size(); ++i)
    for (std::size_t c = 0; c < ours[i].size(); ++c)
      EXPECT_NEAR(std::bit_cast<float>(ours[i][c]), std::bit_cast<float>(recorded[i].at(c)), 1.01 / 32767);
}

TEST(TextureRecording, IsWritten) {
  const char* path = std::getenv("CUDALAB_RECORD_TEXTURES");
  if (!path) GTEST_SKIP() << "set CUDALAB_RECORD_TEXTURES to record";
  const char* points = std::getenv("CUDALAB_TEXTURE_POINTS");
  const auto device = open_cuda_device();
  const auto program = load_kernels(*device);
  std::ofstream file(path);
  for (const TextureCase& test : texture_cases())
    file << "# " << test.name << '\n'
         << text_of(
                read_texture(*device, *program, test, points ? std::strtoul(points, nullptr, 10) : kPoints));
  EXPECT_TRUE(file.good());
}

class RecordedTextures : public testing::TestWithParam<TextureCase> {};

TEST_P(RecordedTextures, MatchTheRecordedResults) {
  if (!compile::compiler_version()) GTEST_SKIP() << "NVRTC is not installed";
  const auto recorded = recorded_cases();
  ASSERT_TRUE(recorded.contains(GetParam().name)) << "not in " << kFile;
  const auto device = open_virtual_device();
  const auto program = load_kernels(*device);
  const Rows ours = read_texture(*device, *program, GetParam(), kPoints);
  if (mixes_signed_bytes(GetParam())) return expect_near(ours, rows_of(recorded.at(GetParam().name)));
  EXPECT_EQ(text_of(ours), recorded.at(GetParam().name));
}

INSTANTIATE_TEST_SUITE_P(All, RecordedTextures, testing::ValuesIn(texture_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace cudalab::device
