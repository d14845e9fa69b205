// Compares every row of the opcode table with the recorded results of a GPU: bit for bit, except for
// functions that the GPU approximates; docs/approximate-functions.md states their differences.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "vgpu/opcodes/recorded_rows_testing.h"
#include "vgpu/opcodes/row_runner_testing.h"

namespace cudalab::vgpu {
namespace {

using recorded::Column;
using recorded::Recording;
using recorded::Result;

const Recording& recording() {
  static const Recording made = recorded::read(CUDALAB_SOURCE_DIR "/expected/h200/conformance.txt");
  return made;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
bool is_approximate(const std::string& opcode) {
  return contains(opcode, ".approx") || contains(opcode, ".full");
}
bool is_lanewise(const Row& row) { return row.shape != Shape::kInternal; }

// Up to 32 of the recorded inputs, starting with number `first`.
struct Chunk {
  std::vector<std::vector<std::uint64_t>> operands;
  std::uint32_t carry = 0;
  std::size_t lanes = 0;
};
Chunk chunk(const std::vector<Column>& inputs, std::size_t first) {
  Chunk made;
  for (const Column& column : inputs) {
    const std::size_t last = std::min(first + kWarpSize, column.values.size());
    const std::vector<std::uint64_t> values(column.values.begin() + static_cast<std::ptrdiff_t>(first),
                                            column.values.begin() + static_cast<std::ptrdiff_t>(last));
    made.lanes = values.size();
    if (column.type != "carry") {
      made.operands.push_back(values);
      continue;
    }
    for (std::size_t lane = 0; lane < values.size(); ++lane)
      made.carry |= static_cast<std::uint32_t>(values[lane] & 1) << lane;
  }
  return made;
}

std::uint64_t result_of(const RowRunner::Results& results, const Result& row, std::size_t column,
                        std::size_t lane) {
  if (row.columns[column].type == "carry") return results.carry >> lane & 1;
  return column == 0 ? results.d[lane] : results.d2[lane];
}

// Calls visit(index of the input, column, the GPU's value, our value) for everything recorded for a row.
template <class Visit>
void replay(const Row& row, const Result& recorded, Visit visit) {
  const auto& inputs = recording().inputs.at(recorded.inputs);
  for (std::size_t first = 0; first < inputs[0].values.size(); first += kWarpSize) {
    const Chunk in = chunk(inputs, first);
    const auto results = RowRunner::run(row, in.operands, kAllLanes, in.carry);
    for (std::size_t lane = 0; lane < in.lanes; ++lane)
      for (std::size_t column = 0; column < recorded.columns.size(); ++column)
        visit(first + lane, column, recorded.columns[column].values[first + lane],
              result_of(results, recorded, column, lane));
  }
}

std::string operands_text(const Result& row, std::size_t index) {
  std::string text;
  for (const Column& column : recording().inputs.at(row.inputs))
    text += fmt::format(" {:x}", column.values[index]);
  return text;
}

TEST(Conformance, EveryRowWasRecorded) {
  std::set<std::string> known;
  for (const Result& row : recording().rows) known.insert(row.opcode);
  for (const Row& row : opcode_table().rows())
    if (is_lanewise(row)) {
      EXPECT_TRUE(known.contains(row.opcode)) << row.opcode << " has no recorded inputs and outputs";
    }
}

TEST(Conformance, ExactRowsGiveTheCardsBits) {
  for (const Result& recorded : recording().rows) {
    if (is_approximate(recorded.opcode)) continue;
    const Row* row = opcode_table().find(recorded.opcode);
    ASSERT_NE(row, nullptr) << recorded.opcode << " was recorded, but is in the table no more";
    int wrong = 0;
    replay(
        *row, recorded, [&](std::size_t index, std::size_t column, std::uint64_t card, std::uint64_t ours) {
          if (card != ours && ++wrong == 1)
            ADD_FAILURE() << fmt::format("{}{} result {}: the card gives {:x}, we give {:x}", recorded.opcode,
                                         operands_text(recorded, index), column, card, ours);
        });
  }
}

// ---- the approximate functions -----------------------------------------------------------------------
struct Number {
  int bits, exponent_bits;
};
Number number_format(const std::string& type) {
  if (type == "f64") return {64, 11};
  if (type == "f32") return {32, 8};
  return type.starts_with("f16") ? Number{16, 5} : Number{16, 8};
}

// Maps numbers to integers in the same order; all NaNs are equal. If subnormal numbers are flushed, zero and
// the smallest normal number are neighbours.
std::int64_t ordered(std::uint64_t bits, Number format, bool flushed) {
  std::uint64_t magnitude = bits & ((1ull << (format.bits - 1)) - 1);
  const std::uint64_t infinity = ((1ull << format.exponent_bits) - 1)
                                 << (format.bits - 1 - format.exponent_bits);
  if (magnitude > infinity) return std::numeric_limits<std::int64_t>::max() / 4;
  const std::uint64_t largest_subnormal = (1ull << (format.bits - 1 - format.exponent_bits)) - 1;
  if (flushed && magnitude > largest_subnormal) magnitude -= largest_subnormal;
  return bits >> (format.bits - 1) & 1 ? -static_cast<std::int64_t>(magnitude)
                                       : static_cast<std::int64_t>(magnitude);
}

struct Distance {
  std::size_t inputs = 0;
  std::int64_t ulp = 0;
  double absolute = 0;  // for results of the GPU with a magnitude below 1; f32 only
};

void widen(Distance& distance, const std::string& opcode, const std::string& type, std::uint64_t card,
           std::uint64_t ours) {
  const Number format = number_format(type);
  const bool flushed = contains(opcode, ".ftz");
  std::int64_t ulp = std::abs(ordered(card, format, flushed) - ordered(ours, format, flushed));
  if (type == "f64" && flushed) ulp >>= 32;  // the lower word is always zero
  distance.ulp = std::max(distance.ulp, ulp);
  if (type != "f32") return;
  const auto a = std::bit_cast<float>(static_cast<std::uint32_t>(card));
  const auto b = std::bit_cast<float>(static_cast<std::uint32_t>(ours));
  if (std::fabs(a) < 1) distance.absolute = std::max(distance.absolute, std::fabs(double{a} - b));
}

Distance distance_of(const Row& row, const Result& recorded) {
  Distance distance;
  distance.inputs = recorded.columns[0].values.size();
  const std::string& type = recorded.columns[0].type;
  replay(row, recorded, [&](std::size_t, std::size_t, std::uint64_t card, std::uint64_t ours) {
    if (!type.ends_with("x2")) return widen(distance, recorded.opcode, type, card, ours);
    widen(distance, recorded.opcode, type, card & 0xffff, ours & 0xffff);
    widen(distance, recorded.opcode, type, card >> 16, ours >> 16);
  });
  return distance;
}

// Near zero, an error of fixed size is many ulp, so these functions state an absolute error.
bool has_absolute_error(const std::string& opcode) {
  return opcode.starts_with("sin") || opcode.starts_with("cos") || opcode.starts_with("lg2");
}

TEST(Conformance, TheDocumentStatesHowFarApproximateFunctionsAreFromTheCard) {
  std::ifstream in(CUDALAB_SOURCE_DIR "/docs/approximate-functions.md");
  std::stringstream document;
  document << in.rdbuf();
  std::string table;
  for (const Result& recorded : recording().rows) {
    if (!is_approximate(recorded.opcode)) continue;
    const Distance distance = distance_of(*opcode_table().find(recorded.opcode), recorded);
    const std::string absolute =
        has_absolute_error(recorded.opcode) ? fmt::format("2^{:.1f}", std::log2(distance.absolute)) : "";
    table +=
        fmt::format("| `{}` | {} | {} | {} |\n", recorded.opcode, distance.inputs, distance.ulp, absolute);
  }
  EXPECT_TRUE(contains(document.str(), table)) << "docs/approximate-functions.md should hold\n" << table;
}

// ---- levels, masks -----------------------------------------------------------------------------------
struct Outcome {
  RowRunner::Results results;
  bool operator==(const Outcome& other) const {
    return results.d == other.results.d && results.d2 == other.results.d2 &&
           results.carry == other.results.carry;
  }
};

TEST(OpcodeLevels, AgreeOnEveryRowWithFullAndPartialMasks) {
  const auto levels = opcode_tables();
  for (const Result& recorded : recording().rows) {
    const auto& inputs = recording().inputs.at(recorded.inputs);
    for (const std::uint32_t exec : {kAllLanes, 0x0f3c'a581u}) {
      for (std::size_t first = 0; first < inputs[0].values.size(); first += 3 * kWarpSize) {
        const Chunk in = chunk(inputs, first);
        const Outcome best{
            RowRunner::run(*levels[0].second->find(recorded.opcode), in.operands, exec, in.carry)};
        for (const auto& [name, table] : levels) {
          const Outcome other{RowRunner::run(*table->find(recorded.opcode), in.operands, exec, in.carry)};
          ASSERT_TRUE(other == best) << recorded.opcode << " differs between " << levels[0].first << " and "
                                     << name;
        }
      }
    }
  }
}

TEST(OpcodeMasks, LanesThatDoNotExecuteKeepTheirValues) {
  constexpr std::uint32_t kExec = 0x0f3c'a581u;
  for (const Result& recorded : recording().rows) {
    const Row& row = *opcode_table().find(recorded.opcode);
    const Chunk in = chunk(recording().inputs.at(recorded.inputs), 0);
    const auto all = RowRunner::run(row, in.operands, kAllLanes, in.carry);
    const auto some = RowRunner::run(row, in.operands, kExec, in.carry);
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      const bool executes = kExec >> lane & 1;
      ASSERT_EQ(some.d[lane], executes ? all.d[lane] : RowRunner::old_value(row.result)) << recorded.opcode;
    }
    ASSERT_EQ(some.carry, (all.carry & kExec) | (in.carry & ~kExec)) << recorded.opcode;
  }
}

}  // namespace
}  // namespace cudalab::vgpu
