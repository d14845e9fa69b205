// Every lab's default run on the virtual GPU gives what its answer key says: verdicts, outputs, counters,
// hazards. Accept a new answer with `CUDALAB_BLESS=1 ctest --preset release -R AnswerKey`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using OrderedJson = nlohmann::ordered_json;

const std::filesystem::path kKeys = CUDALAB_SOURCE_DIR "/expected";

OrderedJson only(const OrderedJson& from, std::initializer_list<const char*> keys) {
  OrderedJson kept = OrderedJson::object();
  for (const char* key : keys)
    if (from.contains(key)) kept[key] = from[key];
  return kept;
}

// Counts of PTX instructions change with the compiler's version; Nsight's counters hardly ever do.
OrderedJson stable_counters(const OrderedJson& counters) {
  OrderedJson kept = OrderedJson::object();
  for (const auto& [key, value] : counters.items())
    if (!key.starts_with("ptx_") || key.starts_with("ptx_shared_")) kept[key] = value;
  return kept;
}

// To four digits: what the values of f are rounded by is known to no more, and differs between C libraries.
void round_allowed(OrderedJson& check) {
  if (check.is_object() && check.contains("allowed") && check["allowed"].is_number_float())
    check["allowed"] = std::stod(fmt::format("{:.3e}", check["allowed"].get<double>()));
}

// A sum on the CPU depends on the number of threads in its last bits: its verdict is what is stable.
OrderedJson stable_run(const OrderedJson& run) {
  if (run["kind"] == "cpu") return only(run, {"name", "kind", "verdict"});
  OrderedJson kept =
      only(run, {"name", "kind", "verdict", "source", "kernel", "grid", "block", "shared_bytes", "check"});
  if (kept.contains("check") && kept["check"].is_object()) {
    round_allowed(kept["check"]);
    kept["check"].erase("bound_message");  // `bound` as data
  }
  if (run.contains("counters") && run["counters"].is_object())
    kept["counters"] = stable_counters(run["counters"]);
  if (run.contains("hazards")) kept["hazards"] = run["hazards"];
  return kept;
}

OrderedJson answer_key(const OrderedJson& document) {
  OrderedJson key = only(document, {"schema", "lab", "options", "device", "verdict", "evidence"});
  key["device"].erase("validated");  // of the time model, which a key has nothing of
  key["runs"] = OrderedJson::array();
  for (const OrderedJson& run : document["runs"]) key["runs"].push_back(stable_run(run));
  return key;
}

// The rubric is an instructor's: renewing a key keeps it.
void bless(const std::filesystem::path& path, OrderedJson key) {
  const OrderedJson old =
      std::filesystem::exists(path) ? OrderedJson::parse(read_file(path)) : OrderedJson::object();
  if (old.contains("rubric")) key["rubric"] = old["rubric"];
  write_file(path, key.dump(2) + "\n");
}

class AnswerKey : public testing::TestWithParam<std::string> {};

TEST_P(AnswerKey, IsWhatTheProgramFinds) {
  const Outcome outcome = cudalab({GetParam(), "--device", "virtual", "--json"});
  if (outcome.code == 3) GTEST_SKIP() << outcome.err;
  ASSERT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  const OrderedJson found = answer_key(OrderedJson::parse(outcome.out));
  const std::filesystem::path path = kKeys / (GetParam() + ".json");
  if (std::getenv("CUDALAB_BLESS")) return bless(path, found);
  ASSERT_TRUE(std::filesystem::exists(path)) << "the lab has no answer key; make it with CUDALAB_BLESS=1";
  const OrderedJson key = OrderedJson::parse(read_file(path)), expected = answer_key(key);
  EXPECT_TRUE(key.contains("rubric")) << "the key has no rubric (docs/grading.md)";
  EXPECT_EQ(found, expected) << "differs in " << OrderedJson::diff(expected, found).dump(2);
}

TEST(RenewingAnAnswerKey, KeepsItsRubric) {
  Folder folder;
  std::filesystem::path path = folder / "dot.json";
  write_file(path, R"({"lab": "dot", "rubric": {"identifies": "file"}, "verdict": "fail"})");
  bless(path, OrderedJson{{"lab", "dot"}, {"verdict", "pass"}});
  EXPECT_EQ(OrderedJson::parse(read_file(path)),
            (OrderedJson{{"lab", "dot"}, {"verdict", "pass"}, {"rubric", {{"identifies", "file"}}}}));
}

// What its rubric asks for is what the lab itself does; and a second run confirms the first.
TEST_P(AnswerKey, GivesEveryPointToTheLabItself) {
  Folder folder;
  const std::string file = (folder / "ada.json").string();
  const Outcome run = cudalab({GetParam(), "--device", "virtual", "--student", "ada", "--json=" + file});
  if (run.code == 3) GTEST_SKIP() << run.err;
  const Outcome graded = cudalab({"grade", file, "--key", kKeys.string(), "--verify", "--cpu", "120"});
  EXPECT_EQ(graded.code, 0) << graded.out << graded.err;
}

INSTANTIATE_TEST_SUITE_P(Labs, AnswerKey, testing::ValuesIn(lab_names()), [](const auto& lab) {
  std::string name = lab.param;
  for (char& letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  return name;
});

}  // namespace
}  // namespace cudalab::e2e
