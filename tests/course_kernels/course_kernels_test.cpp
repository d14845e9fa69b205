// The virtual GPU's counters for the course's kernels equal Nsight Compute's counters on an H200, and
// docs/counters.md shows both. Shared wavefronts may be up to 5 % lower than on the H200, where they include
// lost arbitration. All other counters are equal.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "device/device.h"

namespace cudalab {
namespace {

struct Case {
  std::string row;  // as in expected/h200/course_kernels.md
  std::string kernel;
  std::vector<std::pair<std::string, std::string>> defines;
  Dim3 grid, block;
  int element_bytes = 4;
  std::vector<int> numbers;  // the integer arguments, after the buffers
  int buffers = 2;
  std::size_t elements = 0;  // of each buffer
};

using Defines = std::vector<std::pair<std::string, std::string>>;

Case transpose(std::string row, std::string kernel, int tile, int pad) {
  const auto blocks = static_cast<std::uint32_t>(1024 / tile), side = static_cast<std::uint32_t>(tile);
  const Defines defines{{"TILE", std::to_string(tile)}, {"PAD", std::to_string(pad)}};
  return {row, kernel, defines, {blocks, blocks, 1}, {side, side, 1}, 4, {1024, 1024}, 2, 1024 * 1024};
}

Case read_offset(int offset) {
  return {fmt::format("readOffset offset {}, N=2^20 f32, 2048×512 threads", offset),
          "read_offset",
          {},
          {2048, 1, 1},
          {512, 1, 1},
          4,
          {1 << 20, offset},
          3,
          1 << 20};
}

Case matmul(std::string row, std::string kernel, std::string type, int tile) {
  const auto blocks = static_cast<std::uint32_t>(256 / tile), side = static_cast<std::uint32_t>(tile);
  const Defines defines{{"TILE", std::to_string(tile)}, {"TYPE", type}};
  return {row,   kernel, defines,  {blocks, blocks, 1}, {side, side, 1}, type == "float" ? 4 : 8,
          {256}, 3,      256 * 256};
}

Case dot(std::string row, std::string kernel, std::string type) {
  return {row,          kernel, {{"TYPE", type}}, {1024, 1, 1}, {256, 1, 1}, type == "float" ? 4 : 8,
          {1024 * 256}, 3,      1024 * 256};
}

Case banks(std::string row, std::string type, int bytes, int stride) {
  return {row, "bank_pattern", {{"TYPE", type}}, {1, 1, 1}, {256, 1, 1}, bytes, {stride}, 1, 256};
}

Case mean_matvec(std::string row, std::uint32_t blocks, int batch) {
  return {row, "mean_matvec", {}, {blocks, 1, 1}, {512, 1, 1}, 8, {batch}, 3, std::size_t{512} * 512 * 16};
}

std::vector<Case> cases() {
  std::vector<Case> list{
      transpose("transpose naive, 32×32 threads, 1024² f32", "transpose_naive", 32, 0),
      transpose("transpose naive, 16×16 threads, 1024² f32", "transpose_naive", 16, 0),
      transpose("transpose tile[32][32], 1024² f32", "transpose_tiled", 32, 0),
      transpose("transpose tile[16][16], 1024² f32", "transpose_tiled", 16, 0),
      transpose("transpose tile[32][33], 1024² f32", "transpose_tiled", 32, 1),
      transpose("transpose tile[16][17], 1024² f32", "transpose_tiled", 16, 1),
  };
  for (int offset : {0, 1, 2, 4, 8, 11, 16, 32, 64, 128}) list.push_back(read_offset(offset));
  list.push_back(dot("dot, thread 0 of each 256-thread block reads global memory, 1024 blocks, f32",
                     "dot_global", "float"));
  list.push_back(
      dot("dot, block loads into shared arrays, thread 0 adds, 1024×256, f32", "dot_shared", "float"));
  list.push_back(dot("the same, f64", "dot_shared", "double"));
  list.push_back(matmul("matmul naive 256³ f32, 16×16 threads", "matmul_naive", "float", 16));
  list.push_back(matmul("matmul shared tile 16, 256³ f32", "matmul_tiled", "float", 16));
  list.push_back(matmul("matmul naive 256³ f64", "matmul_naive", "double", 16));
  list.push_back(matmul("matmul shared tile 16, 256³ f64", "matmul_tiled", "double", 16));
  list.push_back(matmul("matmul shared tile 32, 256³ f32", "matmul_tiled", "float", 32));
  list.push_back(
      mean_matvec("row mean + matrix-vector version 2 (one block a batch), L=M=512, N=16, f64", 16, 16));
  list.push_back(
      mean_matvec("row mean + matrix-vector version 1 (one block in all), L=M=512, N=2, f64", 1, 2));
  for (int stride : {1, 2, 3, 4, 8, 16, 32})
    list.push_back(banks(fmt::format("shared s[(t·L) & 1023], L={}, float, 1 block of 256", stride), "float",
                         4, stride));
  list.push_back(banks("the same, double, L=1", "double", 8, 1));
  list.push_back(banks("the same, double, L=2", "double", 8, 2));
  list.push_back(banks("the same, char, L=1", "char", 1, 1));
  list.push_back(banks("the same, char, L=4", "char", 1, 4));
  list.push_back(banks("the same, short, L=1", "short", 2, 1));
  list.push_back(banks("the same, short, L=2", "short", 2, 2));
  return list;
}

// The columns of expected/h200/course_kernels.md, and our counter for each.
struct Column {
  std::string title;
  Counter counter;
  double lost_arbitration = 0;  // how far the H200's value may exceed ours, relative to it
  // The H200 also counts instructions whose predicate is false, where ptxas predicates a short `if`.
  bool counts_predicated_off = false;
};

const std::vector<Column>& columns() {
  static const std::vector<Column> list{
      {"gld req", Counter::kGlobalLoadRequests},
      {"gld sectors", Counter::kGlobalLoadSectors},
      {"gst req", Counter::kGlobalStoreRequests},
      {"gst sectors", Counter::kGlobalStoreSectors},
      {"ld bytes/sector %", Counter::kGlobalLoadBytesPercent},
      {"st bytes/sector %", Counter::kGlobalStoreBytesPercent},
      {"shared ld wavefronts", Counter::kSharedLoadWavefronts, 0.05},
      {"shared st wavefronts", Counter::kSharedStoreWavefronts, 0.05},
      {"shared ld instr", Counter::kSharedLoadInstructions, 0, true},
  };
  return list;
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> result;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '|');) {
    const auto begin = cell.find_first_not_of(' ');
    result.push_back(begin == std::string::npos ? ""
                                                : cell.substr(begin, cell.find_last_not_of(' ') - begin + 1));
  }
  if (!result.empty()) result.erase(result.begin());  // before the first bar
  return result;
}

// Row name -> values of the H200, in the order of columns().
std::map<std::string, std::vector<double>> measured() {
  std::ifstream file(CUDALAB_SOURCE_DIR "/expected/h200/course_kernels.md");
  std::map<std::string, std::vector<double>> rows;
  for (std::string line; std::getline(file, line);) {
    const auto row = cells(line);
    if (row.size() != columns().size() + 1 || row[1].empty() || !std::isdigit(row[1][0])) continue;
    for (std::size_t i = 1; i < row.size(); ++i) rows[row[0]].push_back(std::stod(row[i]));
  }
  return rows;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

LaunchResult run(const Case& test) {
  compile::CompileRequest request;
  request.source = read_file(CUDALAB_SOURCE_DIR "/tests/course_kernels/course.cu");
  request.file_name = "course.cu";
  request.defines = test.defines;
  const auto gpu = device::open_virtual_device();
  const auto program = gpu->load(compile::compile(request));
  std::vector<device::Buffer> buffers;
  device::Launch launch;
  for (int i = 0; i < test.buffers; ++i) {
    const std::size_t bytes = test.elements * static_cast<std::size_t>(test.element_bytes);
    buffers.push_back(gpu->allocate(fmt::format("buffer {}", i), bytes));
    gpu->fill(buffers.back().address(), bytes, 0);
    launch.arguments.push_back(buffers.back());
  }
  for (int number : test.numbers) launch.arguments.push_back(number);
  // The measured kernel of the bank patterns reads elements that were never written.
  if (test.kernel == "bank_pattern") launch.options.checks = Checks::kNone;
  launch.kernel = &program->kernel(test.kernel);
  launch.spec = {test.grid, test.block};
  return gpu->launch(launch);
}

bool is_percent(const Column& column) { return column.title.find('%') != std::string::npos; }

std::string cell(const Column& column, double ours, double card) {
  if (is_percent(column)) return fmt::format("{:.4g}", card);  // equal to two decimals
  return ours == card ? fmt::format("{}", ours) : fmt::format("{:.0f} / {:.0f}", ours, card);
}

std::string table_row(const Case& test, const Counters& ours, const std::vector<double>& card) {
  std::string row = "| " + test.row + " |";
  for (std::size_t i = 0; i < columns().size(); ++i)
    row += " " + cell(columns()[i], ours.value_or_zero(columns()[i].counter), card[i]) + " |";
  return row;
}

void expect_like_the_card(const Case& test, const Counters& ours, const std::vector<double>& card) {
  for (std::size_t i = 0; i < columns().size(); ++i) {
    const Column& column = columns()[i];
    const double value = ours.value_or_zero(column.counter);
    const double rounding = is_percent(column) ? 0.01 : 0;
    EXPECT_LE(value, card[i] + rounding) << test.row << ": " << column.title;
    if (column.counts_predicated_off && test.kernel == "mean_matvec") continue;
    EXPECT_GE(value, card[i] / (1 + column.lost_arbitration) - rounding) << test.row << ": " << column.title;
  }
}

TEST(CourseKernels, AreCountedAsOnTheCardAndTheDocumentShowsIt) {
  if (!compile::compiler_version()) GTEST_SKIP() << "needs NVRTC to compile tests/course_kernels/course.cu";
  const auto card = measured();
  const std::vector<Case> all = cases();
  EXPECT_EQ(card.size(), all.size()) << "rows of expected/h200/course_kernels.md without a kernel here";
  const std::string document = read_file(CUDALAB_SOURCE_DIR "/docs/counters.md");
  for (const Case& test : all) {
    ASSERT_TRUE(card.contains(test.row)) << test.row;
    const LaunchResult result = run(test);
    ASSERT_TRUE(result.completed && result.hazards.empty()) << test.row;
    expect_like_the_card(test, *result.counters, card.at(test.row));
    const std::string row = table_row(test, *result.counters, card.at(test.row));
    EXPECT_NE(document.find(row), std::string::npos) << "docs/counters.md lacks this row:\n" << row;
  }
}

}  // namespace
}  // namespace cudalab
