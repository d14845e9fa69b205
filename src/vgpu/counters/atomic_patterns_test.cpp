// Tests that each atomic is compiled to the machine instruction that ptxas chose, and costs what an H200
// counted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "vgpu/counters/access_costs.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

using Json = nlohmann::json;

// The creation and storage of values of a type. f16 and bf16 are held as bits in registers.
struct TypeRow {
  std::string name, reg, bits, one;
  int bytes;
};
const TypeRow& row_of(const std::string& type) {
  static const std::map<std::string, TypeRow> rows{
      {"u32", {"u32", "%r", "u32", "1", 4}},
      {"s32", {"s32", "%r", "u32", "1", 4}},
      {"b32", {"b32", "%r", "b32", "1", 4}},
      {"f32", {"f32", "%f", "f32", "0f3F800000", 4}},
      {"f16x2", {"f16x2", "%r", "b32", "0x3c003c00", 4}},
      {"bf16x2", {"bf16x2", "%r", "b32", "0x3f803f80", 4}},
      {"u64", {"u64", "%rd", "u64", "1", 8}},
      {"s64", {"s64", "%rd", "u64", "1", 8}},
      {"b64", {"b64", "%rd", "b64", "1", 8}},
      {"f64", {"f64", "%fd", "f64", "0d3FF0000000000000", 8}},
      {"f16", {"f16", "%rs", "b16", "0x3c00", 2}},
      {"bf16", {"bf16", "%rs", "b16", "0x3f80", 2}},
      {"b16", {"b16", "%rs", "b16", "1", 2}},
      {"b128", {"b128", "%q", "b64", "", 16}},
  };
  return rows.at(type);
}

// Numbers of the first registers of the operand, and of the old value.
constexpr int kValue = 4, kOld = 12;

// A register, or all registers of a vector: "{%f10, %f11}".
std::string registers_of(const Json& record, const TypeRow& row, int first) {
  const std::string vector = record.value("vector", "");
  if (vector.empty()) return row.reg + std::to_string(first);
  std::string all;
  for (int i = 0; i < vector[1] - '0'; ++i) all += (i ? ", " : "") + row.reg + std::to_string(first + i);
  return "{" + all + "}";
}

std::string vector_part(const Json& record) {
  return record.contains("vector") ? "." + record["vector"].get<std::string>() : "";
}

std::string value_of(const Json& record, const TypeRow& row) {
  const std::string value = registers_of(record, row, kValue);
  if (record["value"] == "constant") return "mov." + row.bits + " " + value + ", " + row.one + ";\n";
  if (record["value"] == "uniform") return "ld.param." + row.bits + " " + value + ", [p2];\n";
  const std::string from = "mad.wide.u32 %rd20, %r1, 16, %rd0;\n";
  if (row.name == "b128")
    return from + "ld.global.v2.b64 {%rd21, %rd22}, [%rd20];\nmov.b128 " + value + ", {%rd21, %rd22};\n";
  if (record.value("vector", "") != "v8")
    return from + "ld.global" + vector_part(record) + "." + row.bits + " " + value + ", [%rd20];\n";
  std::string loads = from;
  for (int i = 0; i < 8; ++i)
    loads += fmt::format("ld.global.{} {}{}, [%rd20+{}];\n", row.bits, row.reg, kValue + i, i * row.bytes);
  return loads;
}

std::string atomic_of(const Json& record, const TypeRow& row) {
  const bool used = record["old_value_used"], swap = record["op"] == "cas";
  const std::string scope = record.contains("scope") ? "." + record["scope"].get<std::string>() : "",
                    op = record["op"], half = row.name.find("f16") != std::string::npos ? ".noftz" : "",
                    name = scope + "." + record["space"].get<std::string>() + "." + op + half +
                           vector_part(record) + "." + row.name,
                    place = record["space"] == "global" ? "[%rd9]" : "[%r9]",
                    value = registers_of(record, row, kValue), old = registers_of(record, row, kOld);
  const std::string first = row.name == "b128" ? "%rd21" : row.reg + std::to_string(kOld),
                    taken_apart = row.name == "b128" ? "mov.b128 {%rd21, %rd22}, " + old + ";\n" : "";
  if (!used && op != "exch" && !swap) return "red" + name + " " + place + ", " + value + ";\n";
  return "atom" + name + " " + old + ", " + place + ", " + value + (swap ? ", " + value : "") + ";\n" +
         (used ? taken_apart + "st.global." + row.bits + " [%rd1], " + first + ";\n" : "");
}

// One warp; lanes with a negative offset are inactive. p0: offsets, then values; p1: the memory.
std::string pattern_kernel_of(const Json& record) {
  const TypeRow& row = row_of(record["type"]);
  const std::string where =
      record["address"] == "uniform"
          ? "add.s64 %rd9, %rd2, 16;\nadd.s32 %r9, %r8, 16;\n"
          : "cvt.s64.s32 %rd8, %r2;\nadd.s64 %rd9, %rd2, %rd8;\nadd.s32 %r9, %r2, %r8;\n";
  return KernelHarness::kernel(
      ".shared .align 16 .b8 s[16384];\n.reg .b128 %q<20>;\n"
      "ld.param.u64 %rd0, [p0];\nld.param.u64 %rd2, [p1];\nmov.u32 %r1, %tid.x;\n"
      "mov.u32 %r8, s;\nadd.s64 %rd1, %rd0, 1024;\nmad.wide.u32 %rd7, %r1, 4, %rd0;\n"
      "ld.global.s32 %r2, [%rd7];\nsetp.lt.s32 %p1, %r2, 0;\n@%p1 bra DONE;\n" +
          where + value_of(record, row) + atomic_of(record, row) + "DONE:",
      3);
}

// Names of counters in the records.
const std::vector<std::pair<std::string, Counter>>& counted() {
  static const std::vector<std::pair<std::string, Counter>> names{
      {"atom_requests", Counter::kGlobalAtomicRequests},
      {"atom_sectors", Counter::kGlobalAtomicSectors},
      {"red_requests", Counter::kGlobalReductionRequests},
      {"red_sectors", Counter::kGlobalReductionSectors},
      {"atom_wavefronts", Counter::kSharedAtomicWavefronts},
      {"load_wavefronts", Counter::kSharedLoadWavefronts},
      {"load_conflicts", Counter::kSharedLoadConflicts},
  };
  return names;
}

double card_of(const Json& record, const std::string& name) { return record["counted"].value(name, 0.0); }

Counters run(KernelHarness& harness, const Json& record) {
  std::vector<std::int32_t> offsets = record["offsets"];
  offsets.resize(1024, 1);
  harness.check_memory = harness.check_races = false;
  const std::size_t words = *std::max_element(offsets.begin(), offsets.end()) / 4 + 8;
  const auto result = harness.run({1, 1, 1}, {32, 1, 1}, harness.buffer(offsets),
                                  harness.buffer(std::vector<std::uint32_t>(words)), std::uint64_t{3});
  return *result.counters;
}

TEST(AtomicPatterns, EveryMeasuredPatternIsReproduced) {
  std::ifstream file(CUDALAB_SOURCE_DIR "/expected/h200/atomic_patterns.jsonl");
  ASSERT_TRUE(file);
  std::map<std::string, KernelHarness> harnesses;
  int records = 0, unchanged_sums = 0;
  for (std::string line; std::getline(file, line); ++records) {
    const Json record = Json::parse(line);
    SCOPED_TRACE("line " + std::to_string(records + 1));
    const std::string kernel = pattern_kernel_of(record);
    const Counters ours = run(harnesses.try_emplace(kernel, kernel, 1u).first->second, record);
    for (const auto& [name, counter] : counted()) {
      const double card = card_of(record, name), found = ours.get(counter).value_or(0);
      // Sums that are so large that adding 1 does not change them.
      if (row_of(record["type"]).bytes == 2 && card < found) {
        ++unchanged_sums;
      } else {
        EXPECT_EQ(found, card) << name << " of " << line;
      }
    }
  }
  EXPECT_EQ(records, 3857);
  EXPECT_EQ(unchanged_sums, 15);
}

// Lines 0 and 5 are in one queue, lines 1 and 6 in two. The lanes of one block access the line after those of
// the other block.
TEST(AtomicPatterns, TheSameLanesCostWhatTheirLinesDo) {
  KernelHarness harness(KernelHarness::kernel(
      "ld.param.u64 %rd0, [p0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
      "setp.gt.u32 %p1, %r1, 1;\nselp.u32 %r3, 4, 0, %p1;\n"                          // the second word
      "add.u32 %r4, %r1, 1;\nand.b32 %r4, %r4, 2;\nmad.lo.u32 %r3, %r4, 320, %r3;\n"  // lanes 1 and 2: 5
                                                                                      // lines
      "mad.lo.u32 %r3, %r2, 128, %r3;\ncvt.u64.u32 %rd1, %r3;\nadd.s64 %rd1, %rd0, %rd1;\n"
      "red.global.add.u32 [%rd1], %r1;",
      1));
  const auto sectors = [&](std::uint32_t blocks) {
    return harness.run({blocks, 1, 1}, {4, 1, 1}, harness.buffer(std::vector<std::uint32_t>(256)))
        .counters->get(Counter::kGlobalReductionSectors);
  };
  EXPECT_EQ(sectors(1), 3);
  EXPECT_EQ(sectors(2), 3 + 2);
}

}  // namespace
}  // namespace cudalab::vgpu
