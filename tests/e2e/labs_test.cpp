// Runs the labs on the virtual GPU: their output, their counters, and the documents that they write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "core/diagnostics/message_testing.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;
using testing::AllOf;
using testing::HasSubstr;

const fs::path kGolden = kSource / "tests" / "e2e" / "golden";

const OrderedJson& run_named(const OrderedJson& result, const std::string& name) {
  for (const OrderedJson& run : result["runs"])
    if (run["name"] == name) return run;
  throw std::runtime_error("no run named " + name);
}

// CUDALAB_UPDATE_GOLDEN=1 rewrites the golden files; `git diff` then shows what changed.
bool updates_golden_files() { return std::getenv("CUDALAB_UPDATE_GOLDEN") != nullptr; }

TEST(Profile, OnTheVirtualGpuChangesNothing) {
  const OrderedJson plain = document_of({"transpose", "--stage", "naive"});
  const OrderedJson profiled = document_of({"transpose", "--stage", "naive", "--profile"});
  EXPECT_EQ(run_named(plain, "naive")["counters"], run_named(profiled, "naive")["counters"]);
  EXPECT_FALSE(run_named(plain, "naive")["counters"].is_null());
}

TEST(Transfer, WithoutABusTheCopiesAreNotAssessed) {
  const OrderedJson result = document_of({"transfer"});
  EXPECT_EQ(result["verdict"], "pass");
  EXPECT_EQ(run_named(result, "kernel")["verdict"], "pass");
  for (const char* name : {"pinned", "pageable", "small-copies", "sequential", "overlapped"}) {
    EXPECT_EQ(run_named(result, name)["verdict"], "not_assessed") << name;
    EXPECT_THAT(run_named(result, name)["reason"].get<std::string>(), HasSubstr("--device gpu"));
  }
}

// A prediction from a quarter of the blocks equals that from all blocks; counters are scaled; results come
// from a smaller run of all blocks.
TEST(Sample, PredictsTheTimeOfAllBlocks) {
  const std::vector<std::string> words{"dot", "--n", "262144", "--stage", "tree,atomic"};
  std::vector<std::string> sampled = words;
  sampled.insert(sampled.end(), {"--blocks", "256"});
  const OrderedJson all = document_of(words), few = document_of(sampled);
  EXPECT_FALSE(all.contains("checked_at"));
  EXPECT_EQ(few["checked_at"], (OrderedJson{{"n", 65536}}));
  EXPECT_EQ(few["verdict"], "pass");
  const OrderedJson &whole = run_named(all, "tree"), &part = run_named(few, "tree");
  EXPECT_FALSE(whole.contains("sample"));
  EXPECT_EQ(part["sample"], (OrderedJson{{"blocks", 256}, {"of", 1024}}));
  EXPECT_EQ(part["verdict"], "pass");
  EXPECT_EQ(part["counters"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
            whole["counters"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]);
  EXPECT_NEAR(part["predicted_ms"].get<double>(), whole["predicted_ms"].get<double>(),
              0.05 * whole["predicted_ms"].get<double>());
  EXPECT_FALSE(run_named(few, "atomic").contains("sample")) << "its blocks communicate";
}

TEST(Sample, LeavesAKernelOfTheUserWhole) {
  const OrderedJson result = document_of({"dot", "--n", "65536", "--stage", "tree", "--blocks", "64",
                                          "--kernel", (kSource / "labs" / "dot" / "4_tree.cu").string()});
  EXPECT_TRUE(run_named(result, "tree").contains("sample"));
  EXPECT_FALSE(run_named(result, "yours").contains("sample"));
  EXPECT_EQ(run_named(result, "yours")["verdict"], "pass");
}

TEST(Sample, IsTakenWhereAllBlocksWouldTakeLong) {
  const OrderedJson result =
      document_of({"matmul", "--arows", "1024", "--acols", "1024", "--bcols", "1024", "--stage", "tiled"});
  EXPECT_EQ(run_named(result, "tiled")["sample"]["of"], 4096);
  EXPECT_LT(run_named(result, "tiled")["sample"]["blocks"].get<int>(), 1024);
  EXPECT_EQ(run_named(result, "tiled")["verdict"], "pass");
}

TEST(Norm, ShowsAWrongResultOnPurpose) {
  const Outcome outcome = cudalab(
      {"norm", "--device", "virtual", "--n", "4096", "--stage", "naive", "--inputs", "huge", "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const OrderedJson result = OrderedJson::parse(outcome.out);
  EXPECT_EQ(result["verdict"], "not_assessed");
  EXPECT_EQ(run_named(result, "naive-huge")["experiment"], true);
}

// Rates that differ by a few percent have bars that differ by at least a quarter, and the title states where
// the bars begin.
TEST(ReadOffset, DrawsBarsWhoseDifferencesAreVisible) {
  const OrderedJson result = document_of({"read-offset", "--sweep", "0:16", "--stage", "sweep"});
  const OrderedJson& rates = result["figures"].back();
  EXPECT_THAT(rates["title"].get<std::string>(), HasSubstr("the bars start at "));
  std::set<long> lengths;
  for (const OrderedJson& line : rates["lines"]) {
    const std::string text = line.get<std::string>();
    lengths.insert(std::count(text.begin(), text.end(), '#'));
  }
  EXPECT_EQ(*lengths.rbegin(), 40);
  EXPECT_LE(*lengths.begin(), 30);
  EXPECT_GT(*lengths.begin(), 0);
}

TEST(Integral, SaysHowErrorsFallWhereTheyFallExactlyEverFasterOrNotAtAll) {
  const auto sentences = [](std::vector<std::string> options) {
    options.insert(options.begin(), {"integral", "--stage", "order"});
    options.insert(options.end(), {"--device", "virtual"});
    return by_ids(options).out;
  };
  const std::string cubic = sentences({"--f", "cubic"});
  for (const char* rule : {"rectangle", "trapezoid"})
    EXPECT_THAT(cubic, Says("order_as_expected", {{"rule", rule}}));
  EXPECT_THAT(cubic, Says("order_exact", {{"rule", "simpson"}}));
  const std::string period = sentences({"--f", "exp(sin(x))", "--to", "6.283185307179586"});
  EXPECT_THAT(period, Says("order_ever_faster", {{"rule", "trapezoid"}}));
  EXPECT_THAT(sentences({"--f", "kink"}), Says("order_unsteady", {{"rule", "rectangle"}}));
}

TEST(Lines, StandBesideTheSourceOfEachStage) {
  const Outcome outcome =
      cudalab({"matvec", "--stage", "version-2,version-3", "--n", "2", "--lines", "--device", "virtual"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::size_t two = outcome.out.find("\nversion-2\n"), three = outcome.out.find("\nversion-3\n");
  const std::string line = "matrix[size_t(thread) * columns + column]";
  ASSERT_LT(two, three);
  EXPECT_THAT(outcome.out.substr(two, three - two), HasSubstr(line));
  EXPECT_THAT(outcome.out.substr(three), testing::Not(HasSubstr(line)));
}

TEST(Constant, SaysThatLoadsOfManyAddressesWaitForEachOther) {
  EXPECT_THAT(
      by_ids({"constant", "--stage", "per-lane", "--distinct", "8", "--device", "virtual", "--verbose"}).out,
      Says("explain_constant_addresses", {{"addresses", 8}}));
}

// ---- what a student sees -----------------------------------------------------------------------------

// Removes times, and the widths of columns that depend on them.
std::string without_times(std::string text) {
  text = std::regex_replace(text, std::regex(R"([0-9.]+ (us|ms|s)\b)"), "TIME");
  text = std::regex_replace(text, std::regex(R"(~(<?[0-9.]+(x| %)?|TIME))"), "~");  // predicted
  text = std::regex_replace(text, std::regex(R"(takes [0-9]+ % of ~)"), "takes PART of ~");
  text = std::regex_replace(text, std::regex("-{8,}"), "----");
  return std::regex_replace(text, std::regex("  +"), "  ");
}

void expect_golden(const std::string& name, const std::vector<std::string>& arguments) {
  Outcome outcome = cudalab(arguments);
  EXPECT_EQ(outcome.err, "");
  std::string text = without_times(outcome.out);
  if (updates_golden_files()) write_file(kGolden / name, text);
  EXPECT_EQ(text, read_file(kGolden / name));
}

TEST(Golden, TransposeWithTile32) {
  expect_golden("transpose_32.txt", {"transpose", "--device", "virtual", "--tile", "32", "--pad", "--stage",
                                     "copy,naive,tiled,padded"});
}

TEST(Golden, TransposeWithTile16) {
  expect_golden("transpose_16.txt", {"transpose", "--device", "virtual", "--tile", "16", "--pad", "--stage",
                                     "naive,tiled,padded"});
}

TEST(Golden, TransposeOfDoubles) {
  expect_golden("transpose_f64.txt", {"transpose", "--device", "virtual", "--type", "f64", "--rows", "512",
                                      "--cols", "768", "--stage", "naive,tiled,padded"});
}

TEST(Golden, HelpOfTranspose) { expect_golden("transpose_help.txt", {"transpose", "--help"}); }

TEST(Help, ListsLabsCommandsAndExitCodes) {
  std::string help = cudalab({"--help"}).out;
  for (const char* line :
       {"\n  transpose    ", "\n  list    ", "\n  doctor    ", "\n  4  the run was stopped"})
    EXPECT_THAT(help, HasSubstr(line));
}

TEST(Help, IsTheSameForAllWaysToAsk) {
  std::string help = cudalab({"transpose", "--help"}).out;
  EXPECT_EQ(cudalab({"transpose", "-h"}).out, help);
  EXPECT_EQ(cudalab({"help", "transpose"}).out, help);
  EXPECT_EQ(cudalab({}).out, cudalab({"--help"}).out);
}

TEST(Help, HasAnExampleForEveryCommand) {
  for (const char* command : {"list", "info", "doctor", "transpose"})
    EXPECT_THAT(by_ids({command, "--help"}).out,
                HasSubstr(std::string("help_examples()\n  cudalab ") + command))
        << command;
}

TEST(Help, ItsExamplesWork) {
  std::string help = cudalab({"transpose", "--help"}).out;
  std::istringstream lines(help.substr(help.find("Examples:\n") + 10));
  int examples = 0;
  for (std::string line; std::getline(lines, line); ++examples) {
    std::istringstream words(line);
    std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
    ASSERT_EQ(arguments.front(), "cudalab");
    arguments.erase(arguments.begin());
    EXPECT_EQ(cudalab(arguments).code, 0) << line;
  }
  EXPECT_GE(examples, 2);
}

TEST(Version, NamesTheCommit) {
  EXPECT_THAT(cudalab({"--version"}).out,
              testing::MatchesRegex("cudalab [0-9.]+ \\(([0-9a-f]+(-dirty)?|unknown)\\)\n"));
}

TEST(Doctor, SaysThatLabsRun) {
  Outcome outcome = by_ids({"doctor"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, Says("doctor_labs_run"));
  Outcome without = by_ids({"doctor"}, {.environment = {{"CUDALAB_NVRTC", "/nonexistent"}}});
  EXPECT_EQ(without.code, 3);
  EXPECT_THAT(without.out, HasSubstr("doctor_optional() NVRTC"));
  EXPECT_THAT(without.out, Says("doctor_labs_do_not_run"));
}

TEST(Info, ShowsTheVirtualGpu) {
  Outcome outcome = by_ids({"info"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("label_virtual_gpu() (--device virtual)\n  label_name() "));
}

TEST(Colour, OnlyWhereItIsWanted) {
  std::vector<std::string> arguments{"transpose", "--device", "virtual", "--stage", "naive", "--rows", "8"};
  EXPECT_THAT(cudalab(arguments).out, testing::Not(HasSubstr("\x1b")));
  arguments.push_back("--color=always");
  EXPECT_THAT(cudalab(arguments, {.environment = {{"NO_COLOR", "1"}}}).out,
              HasSubstr("\x1b[32m1 result is correct."));
}

// ---- what the numbers must show, as measured on an H200 (expected/h200/course_kernels.md) ------------

double share_of_counters(const OrderedJson& run, const std::string& part, const std::string& whole) {
  return run["counters"][part].get<double>() / run["counters"][whole].get<double>();
}

double store_sectors(const OrderedJson& run) {
  return share_of_counters(run, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                           "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum");
}

double load_conflicts(const OrderedJson& run) {
  return share_of_counters(run, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                           "ptx_shared_load_requests");
}

double store_conflicts(const OrderedJson& run) {
  return share_of_counters(run, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
                           "ptx_shared_store_requests");
}

TEST(Transpose, CountsWithTile32) {
  OrderedJson result = document_of({"transpose", "--tile", "32", "--pad"});
  EXPECT_EQ(store_sectors(run_named(result, "naive")), 32);
  EXPECT_EQ(store_sectors(run_named(result, "tiled")), 4);
  EXPECT_EQ(load_conflicts(run_named(result, "tiled")), 31);
  EXPECT_EQ(store_conflicts(run_named(result, "tiled")), 0);
  EXPECT_EQ(load_conflicts(run_named(result, "padded")), 0);
  EXPECT_EQ(store_conflicts(run_named(result, "padded")), 0);
}

TEST(Transpose, CountsWithTile16) {
  OrderedJson result = document_of({"transpose", "--tile", "16", "--pad"});
  EXPECT_EQ(store_sectors(run_named(result, "naive")), 16);
  EXPECT_EQ(load_conflicts(run_named(result, "tiled")), 7);
  EXPECT_EQ(load_conflicts(run_named(result, "padded")), 1);
  EXPECT_EQ(store_conflicts(run_named(result, "padded")), 1);
}

// If the walk in registers reached a fixed point, omitted steps would not change its end.
TEST(Memory, TheWalkInRegistersEndsElsewhereAfterEachStep) {
  constexpr int kFirst = 1000, kSteps = 12;
  std::set<std::string> ends;
  for (int steps = kFirst; steps < kFirst + kSteps; ++steps) {
    const OrderedJson result =
        document_of({"memory", "--stage", "latency-register", "--steps", std::to_string(steps)});
    ends.insert(run_named(result, "latency-register")["check"]["digest"]);
  }
  EXPECT_EQ(ends.size(), kSteps);
}

TEST(Transpose, EveryShapePasses) {
  const std::vector<std::vector<std::string>> shapes{
      {"1", "1"}, {"1", "77"}, {"77", "1"}, {"33", "65"}, {"100", "37"}};
  for (const auto& shape : shapes)
    for (const char* type : {"f32", "f64"})
      for (const char* tile : {"1", "7", "32"}) {
        OrderedJson result = document_of(
            {"transpose", "--rows", shape[0], "--cols", shape[1], "--tile", tile, "--pad", "--type", type});
        EXPECT_EQ(result["verdict"], "pass")
            << shape[0] << " x " << shape[1] << " " << type << " tile " << tile;
      }
}

// Kernels that read and write 16 bytes at a time, at sizes and offsets where some of these accesses cross an
// end.
void expect_pass(const std::vector<std::string>& arguments) {
  const OrderedJson result = document_of(arguments);
  EXPECT_EQ(result["verdict"], "pass") << testing::PrintToString(arguments);
}

TEST(ReadOffset, EveryCurePassesAtEveryOffset) {
  for (const char* type : {"f32", "f64"})
    expect_pass({"read-offset", "--n", "301", "--sweep", "0:300:7", "--type", type, "--block", "96",
                 "--stage", "sweep,several,realigned"});
}

TEST(ReadOffset, ACureIsSweptBesideThePlainKernel) {
  const OrderedJson result =
      document_of({"read-offset", "--n", "64", "--sweep", "0,3", "--stage", "sweep,realigned"});
  std::vector<std::string> names;
  for (const OrderedJson& run : result["runs"]) names.push_back(run["name"]);
  EXPECT_THAT(names, testing::ElementsAre("offset-0", "offset-3", "realigned-0", "realigned-3"));
}

TEST(Matmul, TheBestKernelsPassAtEveryAlignment) {
  const std::vector<std::vector<std::string>> sizes{
      {"1", "1", "1"}, {"130", "71", "135"}, {"129", "72", "136"}, {"5", "33", "258"}};
  for (const auto& size : sizes)
    for (const char* type : {"f32", "f64"})
      expect_pass({"matmul", "--arows", size[0], "--acols", size[1], "--bcols", size[2], "--type", type,
                   "--stage", "best,limit"});
}

// Asynchronous copies need compute capability 8.0; tensor cores that multiply these tiles of doubles need
// 9.0.
TEST(Matmul, TheBestKernelPassesOnOlderCards) {
  for (const char* card : {"t4", "a100"})
    expect_pass({"matmul", "--arows", "70", "--acols", "33", "--bcols", "67", "--type", "f64", "--stage",
                 "best,limit", "--card", card});
}

// Each row of `out` is divided at sector boundaries, so its first part may begin above the matrix, and its
// last parts may end below it.
TEST(Transpose, TheBestKernelPassesWhereRowsBeginAnywhere) {
  const std::vector<std::vector<std::string>> sizes{{"1", "1"}, {"121", "33"}, {"127", "7"}, {"129", "65"}};
  for (const auto& size : sizes)
    for (const char* type : {"f32", "f64"})
      expect_pass({"transpose", "--rows", size[0], "--cols", size[1], "--type", type, "--stage", "best"});
}

TEST(Scan, StagesThatLookBackPassAtEverySize) {
  const std::vector<std::vector<std::string>> sizes{
      {"1", "256"}, {"1027", "32"}, {"50001", "32"}, {"8194", "1024"}};
  for (const auto& size : sizes)
    expect_pass({"scan", "--n", size[0], "--block", size[1], "--stage", "look-back,compact-best"});
}

TEST(Matvec, TheBestKernelsPassAtEveryAlignment) {
  for (const char* rows : {"1", "33", "66"})
    for (const char* type : {"f32", "f64"})
      expect_pass({"matvec", "--n", "35", "--l", rows, "--m", "33", "--type", type, "--stage", "best"});
}

// ---- documents ---------------------------------------------------------------------------------------

// Within a schema version, fields may be added but never changed: the newer document contains everything that
// the older one does.
void expect_contains(const OrderedJson& found, const OrderedJson& expected, const std::string& at) {
  if (expected.is_object()) {
    for (const auto& [key, value] : expected.items()) {
      ASSERT_TRUE(found.contains(key)) << at << "." << key << " is gone";
      expect_contains(found[key], value, at + "." + key);
    }
  } else if (expected.is_array()) {
    ASSERT_EQ(found.size(), expected.size()) << at;
    for (std::size_t i = 0; i < expected.size(); ++i)
      expect_contains(found[i], expected[i], at + "[" + std::to_string(i) + "]");
  } else {
    EXPECT_EQ(found, expected) << at;
  }
}

OrderedJson without_what_varies(OrderedJson result) {
  result.erase("tool");
  result.erase("host");
  for (OrderedJson& run : result["runs"]) {
    run.erase("simulation_ms");
    run.erase("source_hash");
  }
  return result;
}

// The time model may change. Its predictions have tests of their own.
OrderedJson without_predictions(OrderedJson result) {
  for (OrderedJson& run : result["runs"])
    for (const char* key : {"predicted_ms", "limits", "predicted_gb_s", "predicted_percent_of_ceiling"})
      run.erase(key);
  return result;
}

TEST(Document, SaysWhatItAlwaysSaid) {
  OrderedJson result = without_predictions(without_what_varies(
      document_of({"transpose", "--rows", "64", "--cols", "96", "--stage", "naive,tiled,padded"})));
  fs::path golden = kGolden / "transpose.json";
  if (updates_golden_files()) write_file(golden, result.dump(1) + "\n");
  expect_contains(result, OrderedJson::parse(read_file(golden)), "result");
}

TEST(Document, IsTheSameEveryTime) {
  std::vector<std::string> arguments{"transpose", "--rows",           "100", "--cols", "37",
                                     "--stage",   "naive,padded,best"};
  EXPECT_EQ(without_what_varies(document_of(arguments)), without_what_varies(document_of(arguments)));
}

TEST(Document, FollowsItsSchema) {
  if (run_command({"python3", "-c", "import jsonschema"}).code != 0)
    GTEST_SKIP() << "python3-jsonschema is not installed (scripts/setup installs it)";
  // Stricter than the schema: a field that the schema does not describe is an error here.
  const char* validate =
      "import json, sys, jsonschema\n"
      "def close(node):\n"
      "    if isinstance(node, dict):\n"
      "        if 'properties' in node and node.get('type') == 'object': "
      "node.setdefault('additionalProperties', False)\n"
      "        for value in node.values(): close(value)\n"
      "    elif isinstance(node, list):\n"
      "        for value in node: close(value)\n"
      "schema = json.load(open(sys.argv[1]))\n"
      "jsonschema.Draft202012Validator.check_schema(schema)\n"
      "close(schema)\n"
      "for error in jsonschema.Draft202012Validator(schema).iter_errors(json.load(open(sys.argv[2]))):\n"
      "    print(error.json_path, error.message)\n";
  const std::vector<std::vector<std::string>> runs{
      {"transpose", "--rows", "64", "--cols", "32"},
      {"transpose", "--stage", "naive", "--max-steps", "100"},  // with a hazard
  };
  Folder folder;
  for (std::vector<std::string> arguments : runs) {
    arguments.insert(arguments.end(), {"--device", "virtual", "--json=" + (folder / "result.json").string()});
    cudalab(arguments);
    Outcome outcome =
        run_command({"python3", "-c", validate, (kSource / "docs" / "result.schema.json").string(),
                     (folder / "result.json").string()});
    EXPECT_EQ(outcome.out + outcome.err, "");
  }
}

TEST(Document, OfAStoppedRunHasTheHazard) {
  Outcome outcome =
      cudalab({"transpose", "--device", "virtual", "--stage", "naive", "--max-steps", "100", "--json"});
  EXPECT_EQ(outcome.code, 4);
  OrderedJson result = OrderedJson::parse(outcome.out);
  EXPECT_EQ(result["stopped"], true);
  EXPECT_EQ(result["verdict"], "fail");
  EXPECT_EQ(result["runs"][0]["hazards"][0]["kind"], "step_limit");
  EXPECT_THAT(result["runs"][0]["hazards"][0]["where"]["file"], HasSubstr("1_naive.cu"));
}

// ---- a student's kernel ------------------------------------------------------------------------------

TEST(OwnKernel, IsOneMoreStage) {
  Folder folder;
  fs::copy_file(kSource / "labs" / "transpose" / "3_padded.cu", folder / "mine.cu");
  Outcome outcome = by_ids(
      {"transpose", "--device", "virtual", "--stage", "naive", "--kernel", (folder / "mine.cu").string()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Says("outcome_all_correct", {{"count", 2}}));
}

TEST(OwnKernel, AWrongResultFailsAndShowsWhere) {
  Folder folder;
  std::string text = read_file(kSource / "labs" / "transpose" / "1_naive.cu");
  std::string wrong =
      std::regex_replace(text, std::regex("\\* columns \\+ column\\]"), "* columns + (column ^ 1)]");
  ASSERT_NE(wrong, text);
  write_file(folder / "mine.cu", wrong);
  Outcome outcome = by_ids({"transpose", "--device", "virtual", "--rows", "64", "--cols", "64", "--stage",
                            "naive", "--kernel", (folder / "mine.cu").string()});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\nyours  wrong_with_reason(what=first_wrong("));
  EXPECT_THAT(outcome.out, Says("first_wrong", {{"count", 4096}, {"compared", 4096}, {"element", "[0][0]"}}));
  EXPECT_THAT(outcome.out,
              AllOf(Says("verdict_fail_loud"), Says("outcome_failed", {{"passed", 1}, {"count", 1}})));
}

TEST(OwnKernel, AnErrorOfTheCompilerFailsWithItsPlace) {
  Folder folder;
  write_file(folder / "mine.cu",
             "extern \"C\" __global__ void transpose(const float* in)\n{\n    out[0] = in[0];\n}\n");
  Outcome outcome = cudalab(
      {"transpose", "--device", "virtual", "--stage", "naive", "--kernel", (folder / "mine.cu").string()});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("mine.cu:3: error: identifier \"out\" is undefined; "));
  EXPECT_EQ(outcome.err, "");
}

// ---- every lab ---------------------------------------------------------------------------------------

std::set<std::string> names_of_labs() {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(kSource / "labs"))
    if (fs::exists(entry.path() / "lab.cpp")) names.insert(entry.path().filename());
  return names;
}

std::set<std::string> kernels_of(const std::string& lab) {
  std::set<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(kSource / "labs" / lab))
    if (entry.path().extension() == ".cu")
      files.insert("labs/" + lab + "/" + entry.path().filename().string());
  return files;
}

TEST(EveryLab, IsListed) {
  std::string list = cudalab({"list"}).out;
  for (const std::string& lab : names_of_labs()) EXPECT_THAT(list, HasSubstr(lab));
}

// The order goes from a thread's position and its memories to how blocks, libraries and streams work
// together.
TEST(EveryLab, StandsInTheOrderOfTheCourse) {
  const std::vector<std::string> order{"program",   "transfer",  "memory",   "read-offset", "banks",
                                       "transpose", "occupancy", "dot",      "histogram",   "scan",
                                       "matmul",    "matvec",    "constant", "stencil",     "sort",
                                       "spmv",      "norm",      "softmax",  "integral",    "texture"};
  const std::string list = "\n" + cudalab({"list"}).out;
  std::size_t last = 0;
  for (const std::string& lab : order) {
    const std::size_t at = list.find("\n" + lab + " ");
    ASSERT_NE(at, std::string::npos) << lab << "\n" << list;
    EXPECT_LE(last, at) << lab;
    last = at;
  }
}

// The kernel files that passed in a lab's default run. A run that shows the limits of a method is "not
// assessed".
std::set<std::string> kernels_that_pass(const std::string& lab) {
  std::set<std::string> files;
  const OrderedJson result = document_of({lab});
  for (const OrderedJson& run : result["runs"]) {
    if (!run.contains("source") || !run["source"].is_string()) continue;
    EXPECT_NE(run["verdict"], "fail") << lab << ": " << run["name"];
    if (run["verdict"] == "pass") files.insert(run["source"]);
  }
  return files;
}

// A file that only an option selects is at least compiled: `run` without a kernel lists the file's kernels.
TEST(EveryLab, CompilesAndPassesEveryKernelItShips) {
  for (const std::string& lab : names_of_labs()) {
    const std::set<std::string> passed = kernels_that_pass(lab);
    EXPECT_FALSE(passed.empty()) << lab;
    for (const std::string& file : kernels_of(lab)) {
      if (passed.contains(file)) continue;
      const Outcome listed = cudalab({"run", (kSource / file).string(), "--define", "TYPE=float"});
      EXPECT_EQ(listed.code, 0) << file << ": " << listed.err;
    }
  }
}

}  // namespace
}  // namespace cudalab::e2e
