// Every lab's default run on the virtual GPU matches its answer key: verdicts, outputs, counters, hazards.
// `CUDALAB_BLESS=1 ctest --preset release -R AnswerKey` accepts new answers.
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

// Counts of PTX instructions change with the compiler's version. Nsight's counters hardly ever do.
OrderedJson stable_counters(const OrderedJson& counters) {
  OrderedJson kept = OrderedJson::object();
  for (const auto& [key, value] : counters.items())
    if (!key.starts_with("ptx_") || key.starts_with("ptx_shared_")) kept[key] = value;
  return kept;
}

// Rounds to four digits: the rounding error of f is not known more precisely, and it differs between C
// libraries.
void round_allowed(OrderedJson& check) {
  if (check.is_object() && check.contains("allowed") && check["allowed"].is_number_float())
    check["allowed"] = std::stod(fmt::format("{:.3e}", check["allowed"].get<double>()));
}

// The last bits of a sum on the CPU depend on the number of threads, so only its verdict is compared.
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
  key["device"].erase("validated");  // of the time model, which does not affect keys
  key["runs"] = OrderedJson::array();
  for (const OrderedJson& run : document["runs"]) key["runs"].push_back(stable_run(run));
  return key;
}

// Renewing a key keeps its rubric, which belongs to the instructor.
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

// The lab itself meets every criterion of the rubric, and a second run confirms the first.
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
