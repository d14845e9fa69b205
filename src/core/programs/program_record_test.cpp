// Serialized records are read back unchanged, and damaged bytes are rejected.
#include "core/programs/program_record.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/measurement.h"

namespace cudalab {

namespace {

ProgramLaunch launch() {
  ProgramLaunch launch{.kernel = "add", .spec = {{2, 1, 1}, {64, 1, 1}, 8}};
  launch.from = {"/tmp/a.out", {0x1234, 5}};
  launch.span = {1.5, 2.5};
  launch.result.counters.emplace().set(Counter::kBarriers, 7);
  launch.result.accesses.push_back({.where = {"a.cu", 3}, .requests = 9, .lane_stride_bytes = -4});
  launch.result.hazards.push_back(
      {.kind = HazardKind::kTrap, .address = 77, .what = Message::verbatim("stops")});
  launch.result.prediction = Prediction{"h200", 0.25, {{"dram", 0.9, 1, 2, "bytes"}}, {}};
  auto recording = std::make_shared<Recording>();
  recording->lines.push_back(
      {{"a.cu", 3}, MemorySpace::kShared, AccessKind::kStore, {WarpRequest{}}, WarpRequest{}});
  recording->lines[0].worst->address[31] = 124;
  recording->warps.push_back({{0, 0, 0}, 1, 0xff, {{2, 5, 0x0f, 0xff, {"a.cu", 4}}}});
  recording->exchanges.push_back({{"a.cu", 5}, {0, 0, 0}, 1, {LaneExchange{0xff, {}}}});
  recording->exchanges[0].first[0].from[3] = 19;
  recording->exchanges[0].first[0].kind = ExchangeKind::kMatch;
  launch.result.recording = std::move(recording);
  launch.result.children.push_back({.kernel = "child", .launches = 3});
  launch.result.children[0].result.printed = "hello";
  return launch;
}

TEST(RecordStream, PreservesALaunchWithAllItsFields) {
  RecordReader reader;
  reader.add(message_of(launch()));
  const auto record = reader.next();
  ASSERT_TRUE(record);
  const auto& read = std::get<ProgramLaunch>(*record);
  EXPECT_EQ(read.kernel, "add");
  EXPECT_EQ(read.spec.block, (Dim3{64, 1, 1}));
  EXPECT_EQ(read.from, (CallSite{"/tmp/a.out", {0x1234, 5}}));
  EXPECT_EQ(read.span.end_ms, 2.5);
  EXPECT_EQ(read.result.counters->get(Counter::kBarriers), 7);
  EXPECT_FALSE(read.result.counters->get(Counter::kBranches));
  EXPECT_EQ(read.result.accesses.at(0).lane_stride_bytes, -4);
  EXPECT_EQ(read.result.hazards.at(0).address, 77u);
  EXPECT_EQ(read.result.prediction->limits.at(0).unit, "bytes");
  EXPECT_EQ(read.result.children.at(0).result.printed, "hello");
  ASSERT_TRUE(read.result.recording);
  EXPECT_EQ(read.result.recording->lines.at(0).worst->address[31], 124u);
  EXPECT_EQ(read.result.recording->lines.at(0).first.size(), 1u);
  EXPECT_EQ(read.result.recording->warps.at(0).steps.at(0).lanes, 0x0fu);
  EXPECT_EQ(read.result.recording->exchanges.at(0).first.at(0).from[3], 19);
  EXPECT_EQ(read.result.recording->exchanges.at(0).first.at(0).kind, ExchangeKind::kMatch);
  EXPECT_EQ(read.result.recording->exchanges.at(0).where.line, 5);
  EXPECT_FALSE(read.result.children.at(0).result.recording);
  EXPECT_FALSE(reader.next());
}

TEST(RecordStream, PreservesUsesOfMemory) {
  KernelUse uses{"add", {{2, {.name = "c", .space = MemorySpace::kGlobal, .element_bytes = 4}}}};
  uses.parameters[0].use.stores = {1, 1, 1, 0, 2};
  uses.parameters[0].use.lines = {{{"a.cu", 7}, AccessKind::kStore, 5}};
  RecordReader reader;
  reader.add(message_of(uses));
  const auto record = reader.next();
  ASSERT_TRUE(record);
  const KernelUse& read = std::get<KernelUse>(*record);
  ASSERT_EQ(read.parameters.size(), 1u);
  EXPECT_EQ(read.parameters[0].position, 2u);
  EXPECT_EQ(read.parameters[0].use.name, "c");
  EXPECT_EQ(read.parameters[0].use.stores, (std::vector<std::uint32_t>{1, 1, 1, 0, 2}));
  EXPECT_TRUE(read.parameters[0].use.loads.empty());
  EXPECT_EQ(read.parameters[0].use.lines.at(0).where.line, 7);
}

TEST(RecordStream, AssemblesPieces) {
  const std::string bytes = message_of(ProgramFree{5}) + message_of(launch());
  RecordReader reader;
  std::size_t records = 0;
  for (const char byte : bytes) {
    reader.add({&byte, 1});
    while (reader.next()) ++records;
  }
  EXPECT_EQ(records, 2u);
}

TEST(RecordStream, RejectsInvalidBytes) {
  const std::string whole = message_of(launch());
  for (std::size_t at = 4; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(0xff);
    RecordReader reader;
    reader.add(damaged);
    try {
      reader.next();  // a changed byte may also give another valid record; it must not crash
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
    }
  }
  RecordReader endless;
  endless.add(std::string(8, '\xff'));
  EXPECT_THROW(endless.next(), Error);
  RecordReader unknown;
  unknown.add(std::string("\x01\0\0\0\x7f", 5));
  EXPECT_THROW(unknown.next(), Error);
  RecordReader too_long;
  std::string longer = message_of(ProgramFree{5}) + "x";
  longer[0] = static_cast<char>(longer[0] + 1);
  too_long.add(longer);
  EXPECT_THROW(too_long.next(), Error);
}

}  // namespace
}  // namespace cudalab
