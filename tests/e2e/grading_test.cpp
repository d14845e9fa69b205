// `cudalab grade`, `verify` and `report` as an instructor uses them, with honest, odd and hostile
// submissions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/diagnostics/message_testing.h"
#include "core/text.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A class's answer key; small sizes are enough.
const char* const kKeyWithRubric = R"({"lab": "transpose", "rubric": {"criteria": [
  {"name": "passes", "points": 2, "run": "padded", "value": "verdict", "equals": "pass"},
  {"name": "no conflicts", "points": 1, "run": "padded", "at_most": 0,
   "value": "counters/l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"}],
  "exercise": {"padded-tile": 6}}})";

class Grading : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder / "class");
    write_file(folder / "keys" / "transpose.json", kKeyWithRubric);
    Outcome probe =
        cudalab({"transpose", "--device", "virtual", "--rows", "8", "--stage", "naive", "--json"});
    if (probe.code == 3) GTEST_SKIP() << probe.err;
  }

  fs::path in_class(const std::string& name) const { return folder / "class" / name; }

  OrderedJson result_of(const std::string& student, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"transpose",        "--device", "virtual",   "--rows", "96",
                                   "--cols",           "64",       "--student", student,  "--stage",
                                   "cpu,naive,padded", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return OrderedJson::parse(cudalab(words).out);
  }
  void hand_in(const std::string& name, const OrderedJson& document) {
    write_file(in_class(name), document.dump());
  }

  Outcome grade(std::vector<std::string> words) {
    words.insert(words.begin(), "grade");
    words.insert(words.end(), {"--key", (folder / "keys").string(), "--seed", "7"});
    return cudalab(words, {.folder = folder.path()});
  }
  Outcome grade_by_ids(std::vector<std::string> words) {
    words.insert(words.begin(), "grade");
    words.insert(words.end(), {"--key", (folder / "keys").string(), "--seed", "7"});
    return by_ids(words, {.folder = folder.path()});
  }
  OrderedJson grades_of_class(std::vector<std::string> words = {}) {
    words.insert(words.begin(), "class");
    words.insert(words.end(), {"--format", "json"});
    Outcome outcome = grade(words);
    EXPECT_TRUE(outcome.code == 0 || outcome.code == 1) << outcome.err;
    return OrderedJson::parse(outcome.out)["grades"];
  }
  static OrderedJson of_student(const OrderedJson& grades, const std::string& student) {
    for (const OrderedJson& grade : grades)
      if (grade["student"] == student) return grade;
    return {};
  }

  Folder folder_;
  const Folder& folder = folder_;

  static void write_file(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    e2e::write_file(path, text);
  }
};

// ---- documents --------------------------------------------------------------------------------------

TEST_F(Grading, GivesPointsAndSaysWhatWasMissed) {
  hand_in("ada.json", result_of("ada"));
  hand_in("bob.json", result_of("bob", {"--pad=0"}));
  Outcome outcome = grade({"class"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("ada"), HasSubstr("all criteria met"), HasSubstr("missed: no conflicts"),
                    HasSubstr("2 submissions: 1 with full points, 0 could not be graded")));
  EXPECT_EQ(grade({"class/ada.json"}).code, 0);
}

TEST_F(Grading, AStoppedRunEarnsNothing) {
  OrderedJson document = result_of("ada");
  document["stopped"] = true;
  hand_in("ada.json", document);
  const OrderedJson grade = of_student(grades_of_class(), "ada");
  EXPECT_EQ(grade["points"], 0) << grade.dump();
  EXPECT_THAT(grade["problem"].get<std::string>(), HasSubstr("run the lab again"));
}

TEST_F(Grading, EveryHostileFileGetsItsLineAndTheRestItsPoints) {
  OrderedJson good = result_of("ada");
  std::string text = good.dump();
  hand_in("ada.json", good);
  write_file(in_class("truncated.json"), text.substr(0, text.size() / 2));
  write_file(in_class("empty.json"), "");
  write_file(in_class("binary.json"), std::string("\0\xff\xfe\x80", 4));
  write_file(in_class("latin1.json"), "{\"schema\": \"caf\xe9\"}");
  write_file(in_class("deep.json"), std::string(5'000'000, '['));
  write_file(in_class("number.json"), "{\"schema\": 1e99999}");
  write_file(in_class("text.json"), "I forgot\x1b[2J");
  write_file(in_class("huge.json"), std::string(20u << 20, ' '));
  OrderedJson other = good;
  other["schema"] = "cudalab.result/9";
  hand_in("other.json", other);
  other = good;
  other["lab"] = "../../etc/passwd";
  hand_in("lab.json", other);
  other = good;
  other["runs"] = {{{"name", 3}, {"hazards", 17}},
                   {{"name", "padded"}, {"verdict", {1}}, {"counters", "many"}}};
  other["student"] = OrderedJson::array();
  hand_in("types.json", other);
  ASSERT_EQ(::mkfifo(in_class("pipe.json").c_str(), 0600), 0);
  fs::create_symlink("/etc/passwd", in_class("link.json"));
  fs::create_directories(in_class("folder.json"));
  const std::vector<std::pair<std::string, std::string>> reasons{
      {"truncated", "truncated"},
      {"empty", "is empty"},
      {"binary", "is not JSON"},
      {"latin1", "is not UTF-8"},
      {"deep", "nested deeper"},
      {"number", "a number that is too large"},
      {"text", "is not JSON"},
      {"huge", "at most"},
      {"other", "is of version cudalab.result/9"},
      {"lab", "which this version of cudalab does not have"},
      {"types", ""},
      {"pipe", "not a regular file"},
      {"link", "links are not followed"}};
  OrderedJson grades = grades_of_class();
  EXPECT_EQ(grades.size(), reasons.size() + 1);
  EXPECT_EQ(of_student(grades, "ada")["points"], 3);
  for (const auto& [student, reason] : reasons) {
    OrderedJson grade = of_student(grades, student);
    ASSERT_FALSE(grade.is_null()) << student;
    EXPECT_THAT(grade["problem"].get<std::string>(), HasSubstr(reason)) << student;
    EXPECT_EQ(grade["points"], 0) << student;
    EXPECT_EQ(grade["most"], 3) << student;
  }
  EXPECT_THAT(grade({"class"}).out, Not(HasSubstr("\x1b[2J")));
}

TEST_F(Grading, GivesTheSamePointsWhereThereIsNoProc) {
  if (!has_own_mounts()) GTEST_SKIP() << "mounts of our own are not allowed here";
  fs::copy_file(kTile / "solution.cu", in_class("ada.cu"));
  const std::string words = std::string(" ") + CUDALAB_PROGRAM +
                            " grade class --key keys --seed 7 --exercise padded-tile --format json";
  const Settings here{.folder = folder.path()};
  const Outcome with = in_own_mounts("exec" + words, here);
  const Outcome without = in_own_mounts("mount -t tmpfs none /proc; exec" + words, here);
  EXPECT_EQ(with.code, 0) << with.err;
  EXPECT_EQ(without.code, 0) << without.err;
  const OrderedJson grades = OrderedJson::parse(without.out)["grades"],
                    expected = OrderedJson::parse(with.out)["grades"];
  EXPECT_EQ(grades[0]["points"], expected[0]["points"]);
  EXPECT_GT(grades[0]["points"], 0);
}

TEST_F(Grading, CopiesAreFlagged) {
  OrderedJson ada = result_of("ada");
  hand_in("ada.json", ada);
  hand_in("bob.json", ada);  // unchanged: the document names ada
  OrderedJson renamed = ada;
  renamed["student"] = "eve";
  hand_in("eve.json", renamed);
  OrderedJson grades = grades_of_class();
  EXPECT_THAT(grades[0]["flags"].dump(), AllOf(HasSubstr("the same bytes as class/bob.json"),
                                               HasSubstr("the same student also handed in")));
  OrderedJson eve = of_student(grades, "eve");
  EXPECT_EQ(eve["points"], 0);
  EXPECT_THAT(eve["problem"].get<std::string>(), HasSubstr("its seed is not that of the student eve"));
  EXPECT_THAT(eve["flags"].dump(), HasSubstr("with all times to the last digit as in class/ada.json"));
}

// ---- verifying --------------------------------------------------------------------------------------

TEST_F(Grading, VerifyConfirmsWhatIsTrue) {
  hand_in("ada.json", result_of("ada"));
  Outcome outcome = cudalab({"verify", in_class("ada.json").string()});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(grade({"class", "--verify"}).code, 0);
}

TEST_F(Grading, VerifyHasTheLimitsOfGradeAndSaysWhenOneStoppedIt) {
  hand_in("ada.json", result_of("ada"));
  OrderedJson large = result_of("bob");
  large["options"]["rows"] = 8192;
  large["options"]["cols"] = 8192;
  hand_in("bob.json", large);
  const std::string ada = in_class("ada.json").string(), bob = in_class("bob.json").string();
  const Outcome stopped = cudalab({"verify", bob, "--cpu", "1"});
  EXPECT_EQ(stopped.code, 4) << stopped.out << stopped.err;
  EXPECT_EQ(stopped.out,
            "not verified: running it again took more than 1 seconds of processor time (--cpu, --seconds, "
            "--memory)\n");
  const Outcome both = cudalab({"verify", ada, bob, "--cpu", "1", "--jobs", "2"});
  EXPECT_EQ(both.code, 4);
  EXPECT_THAT(both.out, testing::StartsWith(ada + ": outputs, counters, hazards and verdicts"));
  EXPECT_THAT(both.out, HasSubstr(bob + ": not verified: running it again took more than 1 seconds"));
  EXPECT_EQ(cudalab({"verify", ada, "--cpu", "soon"}).code, 2);
  EXPECT_EQ(cudalab({"verify", ada, in_class("none.json").string()}).code, 2);
}

TEST_F(Grading, VerifyCatchesEveryEdit) {
  const OrderedJson honest = result_of("ada", {"--pad=0"});
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
  const OrderedJson bob = result_of("bob", {"--pad=0"});
  auto padded = [](OrderedJson& document) -> OrderedJson& { return document["runs"].back(); };
  const std::vector<std::pair<std::string, std::function<void(OrderedJson&)>>> edits{
      {"differs: padded: " + conflicts, [&](OrderedJson& it) { padded(it)["counters"][conflicts] = 0; }},
      {"differs: padded: " + conflicts,  // another run of the same document has this value
       [&](OrderedJson& it) {
         padded(it)["counters"][conflicts] = it["runs"][it["runs"].size() - 2]["counters"][conflicts];
       }},
      {"differs: options", [](OrderedJson& it) { it["options"]["pad"] = 1, it["options"]["rows"] = "many"; }},
      {"differs: padded: " + conflicts, [](OrderedJson& it) { it["options"]["pad"] = 1; }},
      {"differs: padded: digest", [&](OrderedJson& it) { padded(it)["check"]["digest"] = "0123"; }},
      {"differs: padded: digest",
       [&](OrderedJson& it) { padded(it)["check"] = OrderedJson(bob)["runs"].back()["check"]; }},
      {"differs: padded: verdict", [&](OrderedJson& it) { padded(it)["verdict"] = "fail"; }},
      {"differs: padded: hazards",
       [&](OrderedJson& it) {
         padded(it)["hazards"] = {{{"kind", "deadlock"}}};
       }},
      {"differs: padded: source_hash", [&](OrderedJson& it) { padded(it)["source_hash"] = "0123"; }},
      {"differs: the run naive is missing", [](OrderedJson& it) { it["runs"].erase(it["runs"].size() - 2); }},
      {"differs: running it again gives no run best", [&](OrderedJson& it) { padded(it)["name"] = "best"; }},
      {"differs: its seed is not that of the student", [](OrderedJson& it) { it["student"] = "bob"; }},
      {"differs: the verdict of the whole", [](OrderedJson& it) { it["verdict"] = "fail"; }},
      {"differs: padded: digest",  // another student's numbers under one's own name and seed
       [&](OrderedJson& it) {
         it = bob, it["student"] = "ada", it["options"]["seed"] = honest["options"]["seed"];
       }}};
  for (const auto& [says, edit] : edits) {
    OrderedJson forged = honest;
    edit(forged);
    hand_in("ada.json", forged);
    Outcome outcome = cudalab({"verify", in_class("ada.json").string()});
    bool is_refused = outcome.code == 1 && outcome.out.find(says) != std::string::npos;
    bool is_unusable = outcome.code == 2 && says == "differs: options";
    EXPECT_TRUE(is_refused || is_unusable) << says << "\n" << outcome.code << outcome.out << outcome.err;
    OrderedJson graded = grades_of_class({"--verify"})[0];
    EXPECT_EQ(graded["points"], 0) << says;
  }
}

TEST_F(Grading, VerifiesAKernelOfOnesOwnThatLiesBesideTheDocument) {
  const std::string kernel = in_class("ada/mine.cu").string();
  fs::create_directories(in_class("ada"));
  fs::copy_file(kTile / "solution.cu", kernel);
  hand_in("ada/result.json", result_of("ada", {"--kernel", kernel, "--as", "padded"}));
  EXPECT_EQ(cudalab({"verify", in_class("ada/result.json").string()}).code, 0);
  write_file(kernel, read_file(kernel) + "// another\n");
  EXPECT_THAT(cudalab({"verify", in_class("ada/result.json").string()}).out, HasSubstr("its hash differs"));
  fs::remove(kernel);
  EXPECT_THAT(cudalab({"verify", in_class("ada/result.json").string()}).out,
              HasSubstr("not verified: yours: the kernel's file is not beside the document"));
}

TEST_F(Grading, TheStudentMakesTheSeed) {
  EXPECT_EQ(result_of("ada")["options"]["seed"], result_of("ada")["options"]["seed"]);
  EXPECT_NE(result_of("ada")["options"]["seed"], result_of("bob")["options"]["seed"]);
  EXPECT_EQ(result_of("ada")["student"], "ada");
  EXPECT_EQ(cudalab({"transpose", "--student", "ada", "--seed", "3"}).code, 2);
  EXPECT_EQ(cudalab({"transpose", "--student", "a\nb"}).code, 2);
}

// ---- students' kernels ------------------------------------------------------------------------------

const std::vector<std::pair<std::string, std::string>>& hostile_kernels() {
  static const std::string signature =
      "extern \"C\" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)\n";
  static const std::vector<std::pair<std::string, std::string>> kernels{
      {"loops", signature + "{ while (true) out[0] = in[0]; }\n"},
      {"prints", "#include <cstdio>\n" + signature +
                     "{ for (unsigned i = 0; i < 100000000; ++i) printf(\"%u "
                     "aaaaaaaaaaaaaaaaaaaaaaaaaaa\\n\", i); }\n"},
      {"allocates", signature + "{ for (;;) { char* p = (char*)malloc(1 << 30); if (p) p[0] = 1; } }\n"},
      {"shared", signature + "{ __shared__ char all[1 << 30]; all[threadIdx.x] = 1; out[0] = all[0]; }\n"},
      {"reads_passwd", "#include \"/etc/passwd\"\n" + signature + "{}\n"},
      {"computed", "#define F </etc/passwd>\n#include F\n" + signature + "{}\n"},
      {"asks", "#if __has_include(\"/etc/shadow\")\n#endif\n" + signature + "{}\n"},
      {"templates",
       "template <int N> struct T { T<N - 1> a; T<N - 2> b; static const int v = T<N-1>::v + T<N-2>::v; };\n"
       "template <class A, class B> struct P {};\n"
       "template <int N, class X> struct D { typedef typename D<N - 1, P<X, X> >::t t; };\n"
       "template <class X> struct D<0, X> { typedef X t; };\n" +
           signature + "{ D<400, int>::t t; (void)t; T<100000> u; (void)u; }\n"},
      {"macros", "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(x))))\n#define C(x) B(B(B(x)))\n" +
                     signature + "{ C(out[0] = 1;) }\n"},
      {"constexpr",
       "constexpr unsigned f(unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; ++i) "
       "for (unsigned j = 0; j < n; ++j) s += i ^ j; return s; }\n" +
           signature + "{ static_assert(f(4000000000u) != 1, \"\"); }\n"},
      {"nothing", ""},
      {"garbage", std::string(200'000, '(')}};
  return kernels;
}

// With a step limit this high, the process reaches its time limit first, which says nothing about the kernel.
TEST_F(Grading, WhomTheGradersTimeStopsIsNotVerified) {
  write_file(
      in_class("ada.cu"),
      "extern \"C\" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)\n"
      "{ for (volatile unsigned i = 0;; ++i) if (i == 4000000000u) out[0] = in[0]; }\n");
  const OrderedJson ada =
      of_student(grades_of_class({"--exercise", "padded-tile", "--cpu", "200", "--seconds", "1"}), "ada");
  EXPECT_EQ(ada["problem"], "not verified: took more than 1 seconds");
  EXPECT_THAT(ada["flags"].dump(), HasSubstr("not verified: a time limit of the grader stopped the run"));
  EXPECT_EQ(ada["not_verified"], true);
  EXPECT_EQ(ada["most"], 0);
}

// The time that the compiler takes counts for the grader's limit, too.
TEST_F(Grading, WhomTheCompilersTimeStopsIsGradedAgainWhenThereIsMoreOfIt) {
  fs::copy_file(kTile / "solution.cu", in_class("ada.cu"));
  const auto csv = [&](const std::string& seconds, const std::vector<std::string>& more) {
    std::vector<std::string> words{"grade", in_class(""), "--exercise", "padded-tile", "--format",
                                   "csv",   "--journal",  "journal",    "--seed",      "1"};
    words.insert(words.end(), more.begin(), more.end());
    return cudalab(words, {.environment = {{"CUDALAB_COMPILE_SECONDS", seconds},
                                           {"CUDALAB_CACHE_DIR", (folder / "cache").string()}},
                           .folder = folder_.path()})
        .out;
  };
  EXPECT_THAT(csv("0.000001", {}),
              HasSubstr("\r\nada,,6,\"not verified: ada.cu: error: the compiler took more"));
  EXPECT_THAT(csv("100", {"--resume"}), HasSubstr("\r\nada,,6,")) << "who has no more time";
  EXPECT_THAT(csv("100", {"--resume", "--seconds", "90"}), HasSubstr("\r\nada,6,6,,"));
}

TEST_F(Grading, HostileKernelsEndWithAReasonAndTheClassIsGraded) {
  for (const auto& [name, text] : hostile_kernels()) write_file(in_class(name + ".cu"), text);
  fs::copy_file(kTile / "solution.cu", in_class("ada.cu"));
  fs::copy_file(kTile / "solution.cu", in_class("zoe.cu"));
  OrderedJson grades =
      grades_of_class({"--exercise", "padded-tile", "--cpu", "12", "--seconds", "60", "--memory", "3000"});
  EXPECT_EQ(grades.size(), hostile_kernels().size() + 2);
  for (const char* good : {"ada", "zoe"}) EXPECT_EQ(of_student(grades, good)["points"], 6) << grades.dump(1);
  for (const auto& [name, text] : hostile_kernels()) {
    OrderedJson grade = of_student(grades, name);
    EXPECT_LT(grade["points"], 3) << grade.dump(1);
    bool has_reason = grade["problem"] != "";
    for (const OrderedJson& mark : grade["marks"])
      has_reason |= mark["outcome"] == "missed" && mark["sentence"] != "";
    EXPECT_TRUE(has_reason) << grade.dump(1);
  }
  EXPECT_THAT(grades.dump(), Not(HasSubstr("root:")));
  EXPECT_THAT(of_student(grades, "reads_passwd").dump(),
              HasSubstr("only the toolkit's headers can be included"));
  // An endless kernel costs only the steps that its launches may take, not the whole time of its process.
  EXPECT_THAT(of_student(grades, "loops").dump(), HasSubstr("did not end within 240000000 steps"));
}

TEST_F(Grading, EveryWrongKernelOfAnExerciseLosesPoints) {
  std::size_t count = 0;
  for (const fs::directory_entry& wrong : fs::directory_iterator(kTile / "wrong"))
    count += fs::copy_file(wrong.path(), in_class(wrong.path().filename().string()));
  OrderedJson grades = grades_of_class({"--exercise", "padded-tile"});
  EXPECT_EQ(grades.size(), count);
  for (const OrderedJson& grade : grades) EXPECT_LT(grade["points"], 6) << grade.dump(1);
}

// ---- points for what is shown -----------------------------------------------------------------------

TEST_F(Grading, TheStarterEarnsNothingHoweverItIsDressed) {
  std::string starter = read_file(kTile / "starter.cu");
  write_file(in_class("ada.cu"), starter);
  for (std::size_t at = 0; (at = starter.find("column", at)) != std::string::npos; at += 6)
    starter.replace(at, 6, "col_of");
  write_file(in_class("bob.cu"), "// mine\n\n" + starter);
  write_file(in_class("eve.cu"), starter + "__device__ int more;\n");
  const OrderedJson grades = grades_of_class({"--exercise", "padded-tile"});
  for (const char* student : {"ada", "bob"}) {
    EXPECT_EQ(of_student(grades, student)["points"], 0);
    EXPECT_EQ(of_student(grades, student)["most"], 6);
    EXPECT_THAT(of_student(grades, student)["problem"].get<std::string>(), HasSubstr("is the starter"));
  }
  EXPECT_GT(of_student(grades, "eve")["points"], 0);  // correct, though naive
  EXPECT_LT(of_student(grades, "eve")["points"], 6);
}

TEST_F(Grading, NothingIsEarnedWithoutRightResults) {
  const std::string signature =
      "extern \"C\" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)";
  write_file(in_class("empty.cu"), signature + " {}\n");
  write_file(in_class("racing.cu"), signature + " { out[0] = in[threadIdx.x]; }\n");
  write_file(in_class("broken.cu"), signature + " {\n");
  for (const OrderedJson& grade : grades_of_class({"--exercise", "padded-tile"})) {
    EXPECT_EQ(grade["points"], 0) << grade.dump(1);
    EXPECT_EQ(grade["most"], 6) << grade.dump(1);
  }
}

TEST_F(Grading, WhatCannotBeJudgedIsNothingOfTheMaximum) {
  write_file(in_class("empty.cu"), "");
  Outcome alone = grade({"class/empty.cu", "--exercise", "padded-tile", "--format", "classroom"});
  EXPECT_EQ(OrderedJson::parse(alone.out)["max_score"], 6) << alone.out;
  write_file(in_class("late.cu"), read_file(kTile / "solution.cu") + "// mine\n");
  alone = grade({"class/late.cu", "--exercise", "padded-tile", "--format", "json", "--memory", "10"});
  OrderedJson late = OrderedJson::parse(alone.out)["grades"][0];
  EXPECT_EQ(late["points"], 0) << alone.out;
  EXPECT_EQ(late["most"], 6) << alone.out;
  write_file(in_class("transpose.json"), "");
  alone = grade({"class/transpose.json", "--format", "classroom"});
  EXPECT_EQ(OrderedJson::parse(alone.out)["max_score"], 3) << alone.out;
  write_file(in_class("ada.json"), "");
  alone = grade({"class/ada.json", "--format", "classroom"});
  EXPECT_GT(OrderedJson::parse(alone.out)["max_score"], 0) << alone.out;
}

TEST_F(Grading, TheRubricWeighsWhatAnExerciseAsksFor) {
  const std::string key = R"({"lab": "transpose", "rubric": {"exercise": {"padded-tile":
      {"points": 10, "weights": {"right results": 1, "coalesced stores": 4, "WHAT": 0}}}}})";
  const auto with = [&](const std::string& what) {
    std::string text = key;
    write_file(folder / "keys" / "transpose.json", text.replace(text.find("WHAT"), 4, what));
  };
  fs::copy_file(kTile / "wrong/naive.cu", in_class("ada.cu"));
  with("coalesced loads");
  const OrderedJson naive = grades_of_class({"--exercise", "padded-tile"})[0];
  EXPECT_EQ(naive["most"], 10);
  for (const OrderedJson& mark : naive["marks"]) {
    const std::string name = mark["name"];
    const double points = mark["points"], most = mark["most"];
    if (name == "right results") {
      EXPECT_NEAR(points, 10.0 / 7, 1e-9);
    }
    if (name == "coalesced stores") {
      EXPECT_NEAR(most, 40.0 / 7, 1e-9);
    }
    if (name == "coalesced loads") {
      EXPECT_EQ(most, 0);
    }
  }
  with("coalesced stors");
  EXPECT_THAT(grade_by_ids({"class", "--exercise", "padded-tile"}).err,
              Says("rubric_part_unknown", {{"part", "coalesced stors"}}));
}

TEST_F(Grading, CasesOfAnInstructorsOwnFindWhatOthersDoNot) {
  const std::string right = read_file(kTile / "solution.cu"), brace = "\n{\n";
  std::string wrong = right;
  wrong.insert(wrong.find(brace) + brace.size(), "    if (rows == 4243 && columns == 3) return;\n");
  write_file(in_class("ada.cu"), right);
  write_file(in_class("eve.cu"), wrong);
  write_file(folder / "cases.json", R"({"padded-tile": [{"rows": 4243, "cols": 3}]})");
  const OrderedJson open = grades_of_class({"--exercise", "padded-tile"});
  EXPECT_EQ(of_student(open, "eve")["points"], 6);
  const OrderedJson grades = grades_of_class({"--exercise", "padded-tile", "--cases", "cases.json"});
  EXPECT_EQ(of_student(grades, "ada")["points"], 6);
  EXPECT_EQ(of_student(grades, "eve")["points"], 0);
  for (const char* mistake : {R"({"padded": []})", R"({"padded-tile": [{"depth": 1}]})", "[]"}) {
    write_file(folder / "cases.json", mistake);
    EXPECT_EQ(grade({"class", "--exercise", "padded-tile", "--cases", "cases.json"}).code, 2) << mistake;
  }
}

// ---- whose it is --------------------------------------------------------------------------------------

TEST_F(Grading, ARosterKnowsWhoseADocumentMustBe) {
  write_file(folder / "roster.csv",
             "id,name,student\n17,Ada Lovelace,ada\n18,Grace Hopper,grace\n19,Eve,eve\n");
  const OrderedJson ada = result_of("ada");
  OrderedJson nobody = ada;
  nobody.erase("student");
  hand_in("Ada Lovelace_17_assignsubmission_file_result.json", ada);
  hand_in("hoppergrace_LATE_18_4711_result.json", ada);
  hand_in("19/result.json", nobody);
  hand_in("zoe/result.json", ada);
  const OrderedJson grades = grades_of_class({"--roster", "roster.csv"});
  EXPECT_EQ(of_student(grades, "17")["points"], 3) << grades.dump(1);
  for (const char* other : {"18", "19"}) {
    EXPECT_EQ(of_student(grades, other)["points"], 0) << grades.dump(1);
    EXPECT_EQ(of_student(grades, other)["most"], 3);
    EXPECT_THAT(of_student(grades, other)["flags"].dump(), HasSubstr("is expected"));
  }
  EXPECT_THAT(of_student(grades, "zoe")["flags"].dump(), HasSubstr("zoe is not in the roster"));
  write_file(folder / "roster.csv", "17,Ada\n");
  EXPECT_EQ(grade({"class", "--roster", "roster.csv"}).code, 2);
}

TEST_F(Grading, AnErrorOfOneFileNamesTheProgramOnce) {
  fs::copy_file(kTile / "solution.cu", in_class("padded-tile.cu"));
  const std::string problem = grades_of_class({"--memory", "30"})[0]["problem"];
  EXPECT_NE(problem, "");
  EXPECT_THAT(problem, Not(HasSubstr("cudalab: ")));
}

TEST_F(Grading, AFileOfCanvasHasTheMaximumOfTheLabThatTheStudentNamed) {
  write_file(in_class("lovelaceada_LATE_123_4567_transpose-1.json"), "{");
  EXPECT_EQ(grades_of_class()[0]["most"], 3);
}

TEST_F(Grading, TheStudentIsExpectedAndTheFolderWins) {
  hand_in("result.json", result_of("ada"));
  EXPECT_EQ(grade({"class/result.json", "--student", "ada"}).code, 0);
  const OrderedJson other = OrderedJson::parse(
      grade({"class/result.json", "--student", "eve", "--format", "json"}).out)["grades"][0];
  EXPECT_EQ(other["points"], 0);
  EXPECT_EQ(other["student"], "eve");
  hand_in("bob/result.json", result_of("ada"));
  const OrderedJson bob = of_student(grades_of_class(), "bob");
  EXPECT_THAT(bob["flags"].dump(), HasSubstr("the document is of the student ada, and its folder"));
}

TEST_F(Grading, GradescopesMetadataSaysWhoAndWhen) {
  write_file(
      folder / "submission_metadata.json",
      R"({"created_at": "2026-01-31T17:05:00Z", "users": [{"email": "ada@example.org", "name": "Ada"}]})");
  hand_in("result.json", result_of("ada"));
  const OrderedJson grade = grades_of_class()[0];
  EXPECT_EQ(grade["student"], "ada@example.org");
  EXPECT_EQ(grade["submitted"], "2026-01-31T17:05:00Z");
}

TEST_F(Grading, AKernelLikeAnothersIsFlaggedForTheInstructorAlone) {
  const std::string own =
      "extern \"C\" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)\n"
      "{\n"
      "    __shared__ TYPE held[TILE * (TILE + 1)];\n"
      "    const unsigned x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;\n"
      "    for (unsigned step = 0; step < 1; ++step) {\n"
      "        const unsigned y = y0 + threadIdx.y, x = x0 + threadIdx.x;\n"
      "        const bool inside = (y < rows) && (x < columns);\n"
      "        held[threadIdx.y * (TILE + 1) + threadIdx.x] = inside ? in[size_t(y) * columns + x] : "
      "TYPE(0);\n"
      "    }\n"
      "    __syncthreads();\n"
      "    const unsigned v = x0 + threadIdx.y, u = y0 + threadIdx.x;\n"
      "    if (v < columns)\n"
      "        if (u < rows) out[size_t(v) * rows + u] = held[threadIdx.x * (TILE + 1) + threadIdx.y];\n"
      "}\n";
  std::string copy = own;
  for (const auto& [what, with] :
       {std::pair("held", "mine"), std::pair("x0", "first_x"), std::pair("y0", "first_y")})
    copy = replaced(copy, what, with);
  write_file(in_class("ada/padded-tile.cu"), own);
  write_file(in_class("eve/padded-tile.cu"), "// by myself\n" + copy);
  write_file(in_class("zoe/padded-tile.cu"), read_file(kTile / "solution.cu"));
  const OrderedJson grades = grades_of_class();
  EXPECT_EQ(of_student(grades, "eve")["points"], 6) << grades.dump(1);  // copies are not penalized
  EXPECT_THAT(of_student(grades, "eve")["flags"].dump(), HasSubstr("% like class/ada/padded-tile.cu: line"));
  EXPECT_THAT(of_student(grades, "ada")["flags"].dump(), HasSubstr("% like class/eve/padded-tile.cu: line"));
  EXPECT_EQ(of_student(grades, "zoe")["flags"].size(), 0u);
}

TEST_F(Grading, AKernelLikeTheSolutionIsShownToTheInstructorWithBothPlaces) {
  std::string copy = read_file(kTile / "solution.cu");
  for (const auto& [what, with] : std::vector<std::pair<std::string, std::string>>{
           {"rows", "height"}, {"columns", "width"}, {"tile", "kept"}})
    copy = replaced(copy, what, with);
  write_file(in_class("bob/padded-tile.cu"), "// my own work\n" + copy);
  const Outcome outcome = grade({"class", "--format", "json", "--html=pages"});
  EXPECT_EQ(outcome.code, 0) << outcome.out;  // no flag: honest work may be as short
  const OrderedJson grade = OrderedJson::parse(outcome.out)["grades"][0];
  ASSERT_EQ(grade["alike"].size(), 1u) << grade.dump(1);
  EXPECT_EQ(grade["alike"][0]["with"], "the course's solution");
  EXPECT_GT(grade["alike"][0]["share"], 0.9);
  EXPECT_EQ(grade["alike"][0]["line"].get<int>(), grade["alike"][0]["other_line"].get<int>() + 1);
  EXPECT_THAT(read_file(folder / "pages" / "class.html"),
              AllOf(HasSubstr("like the course&#39;s solution"), HasSubstr("height"), HasSubstr("rows")));
  EXPECT_THAT(read_file(folder / "pages" / "0001-bob.html"), Not(HasSubstr("solution")));
}

TEST_F(Grading, AResultFromAGpuIsRunAgainAtASizeThatCanBe) {
  const OrderedJson recorded = OrderedJson::parse(read_file(kSource / "expected/h200/transpose.json"));
  hand_in("ada.json", recorded);
  OrderedJson relabelled = result_of("bob", {"--pad=0"});
  relabelled["evidence"] = "gpu";
  relabelled["runs"].back()["counters"]["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"] = 0;
  hand_in("bob.json", relabelled);
  OrderedJson edited = recorded;
  for (OrderedJson& run : edited["runs"]) run["source_hash"] = "0123";
  hand_in("eve.json", edited);
  const OrderedJson grades = grades_of_class({"--verify"});
  EXPECT_EQ(of_student(grades, "ada")["points"], 3) << grades.dump(1);
  EXPECT_THAT(of_student(grades, "ada")["flags"].dump(), HasSubstr("not verified: outputs at full size"));
  EXPECT_EQ(of_student(grades, "bob")["points"], 2) << grades.dump(1);  // its counters are counted here
  EXPECT_EQ(of_student(grades, "eve")["points"], 0) << grades.dump(1);
}

TEST_F(Grading, FeedbackIsForStudents) {
  hand_in("ada.json", result_of("ada", {"--pad=0"}));
  hand_in("bob.json", result_of("ada", {"--pad=0"}));
  const std::string csv = grade({(folder / "class").string(), "--format", "csv"}).out;
  const std::string feedback =
      csv.substr(csv.find("no conflicts"), csv.find(",transpose,") - csv.find("no conflicts"));
  EXPECT_THAT(feedback,
              AllOf(Not(HasSubstr("bob")), Not(HasSubstr("same")), Not(HasSubstr(folder.path().string()))));
  EXPECT_THAT(csv, HasSubstr("the same"));  // in the column of flags
}

TEST_F(Grading, NoFilesNameReachesATerminalRaw) {
  write_file(in_class("\x1b[2Jada.json"), "");
  write_file(in_class("\x1b[2Jbob.cu"), "");
  for (const char* format : {"table", "csv", "json", "junit"}) {
    const Outcome outcome = grade({"class", "--format", format});
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("\x1b[2J"))) << format;
  }
}

TEST_F(Grading, ResumingDependsOnContentsNotOnPaths) {
  hand_in("ada.json", result_of("ada"));
  hand_in("bob.json", result_of("bob"));
  const std::string journal = (folder / "j.jsonl").string();
  ASSERT_EQ(
      cudalab({"grade", "class", "--key", "keys", "--journal", journal}, {.folder = folder.path()}).code, 0);
  const auto lines = [&] {
    const std::string text = read_file(journal);
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find("\"stamp\"", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(lines(), 2u);
  fs::rename(folder / "class", folder / "moved");
  fs::rename(folder / "keys", folder / "kept");
  const auto resumed = [&] {
    return cudalab({"grade", "moved", "--key", "kept", "--resume", "--journal", journal},
                   {.folder = folder.path()});
  };
  EXPECT_EQ(resumed().code, 0);
  EXPECT_EQ(lines(), 2u);  // nothing was graded again
  write_file(folder / "moved" / "bob.json", result_of("bob").dump() + " ");
  EXPECT_EQ(resumed().code, 0);
  EXPECT_EQ(lines(), 3u);
  write_file(folder / "kept" / "transpose.json", std::string(kKeyWithRubric) + " ");
  EXPECT_EQ(resumed().code, 0);
  EXPECT_EQ(lines(), 5u);
}

TEST_F(Grading, AHeaderBesideAKernelIsNotRead) {
  write_file(in_class("ada/mine.h"), "#error it was read\n");
  write_file(in_class("ada/kernel.cu"), "#include \"mine.h\"\n" + read_file(kTile / "solution.cu"));
  OrderedJson grade = of_student(grades_of_class({"--exercise", "padded-tile"}), "ada");
  EXPECT_THAT(grade.dump(), Not(HasSubstr("it was read")));
}

TEST_F(Grading, AKernelOfNoExerciseIsAskedFor) {
  write_file(in_class("ada.cu"), "__global__ void k() {}");
  EXPECT_THAT(grades_of_class()[0]["problem"].get<std::string>(), HasSubstr("say which with --exercise"));
  EXPECT_EQ(grade({"class", "--exercise", "padded"}).code, 2);
}

// ---- whole classes ----------------------------------------------------------------------------------

TEST_F(Grading, SixtyFilesAreGradedWithoutLosingOne) {
  const OrderedJson good = result_of("ada");
  for (int i = 0; i < 40; ++i) hand_in("student" + std::to_string(i) + ".json", good);
  for (int i = 40; i < 60; ++i)
    write_file(in_class("student" + std::to_string(i) + ".json"),
               good.dump().substr(0, static_cast<std::size_t>(i)));
  OrderedJson grades = grades_of_class({"--jobs", "4"});
  ASSERT_EQ(grades.size(), 60u);
  auto full = std::count_if(grades.begin(), grades.end(),
                            [](const OrderedJson& grade) { return grade["points"] == 3; });
  EXPECT_EQ(full, 40);
}

TEST_F(Grading, AnInterruptedRunGoesOn) {
  const Folder temporary;
  const OrderedJson good = result_of("ada");
  for (int i = 0; i < 30; ++i) hand_in("student" + std::to_string(i) + ".json", good);
  const std::string journal = (folder / "cudalab-grades.jsonl").string();
  Outcome stopped = cudalab({"grade", "class", "--key", (folder / "keys").string(), "--jobs", "1"},
                            {.environment = {{"TMPDIR", temporary.path()}},
                             .folder = folder.path(),
                             .interrupt_with = SIGINT,
                             .interrupt_when = journal});
  EXPECT_EQ(stopped.code, 4);
  EXPECT_THAT(stopped.err, HasSubstr("go on with --resume"));
  EXPECT_THAT(names_in(temporary), testing::IsEmpty());
  std::ofstream(journal, std::ios::app) << "{\"stamp\": \"cut o";
  OrderedJson grades = grades_of_class({"--resume"});
  EXPECT_EQ(grades.size(), 30u);
  for (const OrderedJson& grade : grades) EXPECT_EQ(grade["points"], 3);
  EXPECT_FALSE(fs::exists(journal));
}

TEST_F(Grading, AnErrorLeavesAJournalWhereThereAreGradesInIt) {
  hand_in("ada.json", result_of("ada"));
  hand_in("bob.json", result_of("bob"));
  const auto graded_under = [&](const std::string& lack) {
    return run_command({"/bin/sh", "-c", lack + " exec " CUDALAB_PROGRAM " grade class --key keys"},
                       {.folder = folder.path()});
  };
  const Outcome before = graded_under("ulimit -n 5;");
  EXPECT_NE(before.code, 0);
  EXPECT_FALSE(fs::exists(folder / "cudalab-grades.jsonl"));
  const Outcome after = graded_under("exec >/dev/full;");
  EXPECT_THAT(before.err, Not(HasSubstr("go on with --resume")));
  EXPECT_EQ(after.code, 3) << after.err;
  EXPECT_THAT(after.err, HasSubstr("cudalab-grades.jsonl has what is graded so far: go on with --resume"));
  EXPECT_EQ(grades_of_class({"--resume"}).size(), 2u);
}

TEST_F(Grading, AResumedRunTakesWhatTheJournalHas) {
  hand_in("ada.json", result_of("ada"));
  ASSERT_EQ(grade({"class", "--journal", "kept.jsonl"}).code, 0);
  std::string kept = read_file(folder / "kept.jsonl");
  kept.replace(kept.find("\"sentence\":\""), 12, "\"sentence\":\"from the journal ");
  write_file(folder / "kept.jsonl", kept);
  EXPECT_THAT(grades_of_class({"--journal", "kept.jsonl", "--resume"}).dump(), HasSubstr("from the journal"));
  hand_in("ada.json", result_of("ada", {"--pad=0"}));  // changed since then, so it is graded again
  OrderedJson again = grades_of_class({"--journal", "kept.jsonl", "--resume"});
  EXPECT_THAT(again.dump(), Not(HasSubstr("from the journal")));
  EXPECT_EQ(again[0]["points"], 2);
}

TEST_F(Grading, MistakesOfTheInstructorAreOneLineAndExitCodeTwo) {
  hand_in("ada.json", result_of("ada"));
  hand_in("bob.json", result_of("bob"));
  write_file(folder / "bad" / "transpose.json",
             R"({"lab": "transpose", "rubric": {"criteria": [{"name": "x"}]}})");
  const std::vector<std::vector<std::string>> wrong{{"grade", "absent"},
                                                    {"grade", "class", "--format", "xml"},
                                                    {"grade", "class", "--format", "gradescope"},
                                                    {"grade", "class", "--key", "absent"},
                                                    {"grade", "class", "--key", "bad"},
                                                    {"grade", "keys/absent.json"},
                                                    {"grade", "class", "--jobs", "many"},
                                                    {"grade", "class", "--output", "absent/grades.csv"},
                                                    {"verify", "keys/transpose.json"},
                                                    {"report", "absent"},
                                                    {"report", "class", "--format", "xml"}};
  for (const std::vector<std::string>& words : wrong) {
    Outcome outcome = cudalab(words, {.folder = folder.path()});
    EXPECT_EQ(outcome.code, 2) << words.back() << outcome.out << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

TEST_F(Grading, ReportSaysWhatTheClassGotWrong) {
  hand_in("ada.json", result_of("ada"));
  hand_in("bob.json", result_of("bob", {"--pad=0"}));
  hand_in("eve.json", result_of("eve", {"--pad=0"}));
  write_file(in_class("zoe.json"), "{");
  ASSERT_EQ(grade({"class", "--format", "json", "--output", "grades.json"}).code, 1);
  Outcome text = cudalab({"report", (folder / "grades.json").string()});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("4 submissions"), HasSubstr("2 of 3    transpose: no conflicts")));
  Outcome csv =
      cudalab({"report", in_class("").string(), "--key", (folder / "keys").string(), "--format", "csv"});
  EXPECT_THAT(csv.out, AllOf(HasSubstr("criterion,transpose,no conflicts,2,3,"),
                             HasSubstr("problem,,ends in the mid")));
}

// ---- formats ----------------------------------------------------------------------------------------

std::string schema_errors(const fs::path& schema, const fs::path& document) {
  const char* validate =
      "import json, sys, jsonschema\n"
      "schema = json.load(open(sys.argv[1]))\n"
      "jsonschema.Draft202012Validator.check_schema(schema)\n"
      "for error in jsonschema.Draft202012Validator(schema).iter_errors(json.load(open(sys.argv[2]))):\n"
      "    print(error.json_path, error.message)\n";
  Outcome outcome = run_command({"python3", "-c", validate, schema.string(), document.string()});
  return outcome.out + outcome.err;
}

TEST_F(Grading, EveryFormatHasItsDocumentedShape) {
  if (run_command({"python3", "-c", "import jsonschema"}).code != 0)
    GTEST_SKIP() << "python3-jsonschema is not installed (scripts/setup installs it)";
  hand_in("ada.json", result_of("ada"));
  hand_in("bo<b>&\"b.json", result_of("bo<b>&\"b", {"--pad=0"}));
  write_file(in_class("zoe.json"), "{");
  for (const char* format : {"gradescope", "classroom"}) {
    EXPECT_EQ(grade({"class", "--format", format, "--output", format}).code, 1);
    std::size_t documents = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / format)) {
      ++documents;
      EXPECT_EQ(
          schema_errors(kSource / "tests/shapes" / (std::string(format) + ".schema.json"), entry.path()), "");
    }
    EXPECT_EQ(documents, 3u);
  }
  grade({"class", "--format", "json", "--output", "grades.json"});
  EXPECT_EQ(schema_errors(kSource / "docs/grades.schema.json", folder / "grades.json"), "");
  grade({"class", "--format", "junit", "--output", "junit.xml"});
  Outcome junit =
      run_command({"python3", (kSource / "tests/shapes/junit.py").string(), (folder / "junit.xml").string()});
  EXPECT_EQ(junit.out + junit.err, "");
  EXPECT_THAT(read_file(folder / "junit.xml"), HasSubstr("bo&lt;b&gt;&amp;&quot;b"));
}

// A class of three: one student is late, one has a manual change, and one submitted nothing.
TEST_F(Grading, ATotalHasLatenessChangesByHandAndWhatAnEarlierRunHad) {
  const std::string solution = read_file(kTile / "solution.cu");
  hand_in("ada/result.json", result_of("ada"));
  write_file(in_class("ada/padded-tile.cu"), "// ada\n" + solution);
  hand_in("bob/result.json", result_of("bob"));
  write_file(in_class("bob/padded-tile.cu"), "// bob\n" + solution);
  write_file(folder / "roster.csv",
             "id,name,student,submitted\nada,Ada,ada,2026-02-01T10:00Z\nbob,Bob,bob,2026-02-03T11:00Z\n"
             "eve,Eve,eve,\n");
  write_file(folder / "changes.csv", "Ada,padded-tile,,set 4,\"shown, in the lab\"\n");
  EXPECT_EQ(grade({"class", "--roster", "roster.csv", "--format", "json", "--output", "old.json"}).code, 0);
  const std::vector<std::string> words{
      "class",     "--roster",    "roster.csv", "--deadline", "2026-02-02T00:00Z", "--late=20",
      "--changes", "changes.csv", "--against",  "old.json",   "--html=pages"};
  std::vector<std::string> as_json = words;
  as_json.insert(as_json.end(), {"--format", "json", "--output", "new.json"});
  EXPECT_EQ(grade(as_json).code, 1);
  EXPECT_EQ(schema_errors(kSource / "docs/grades.schema.json", folder / "new.json"), "");
  const OrderedJson document = OrderedJson::parse(read_file(folder / "new.json"));
  const OrderedJson& totals = document["totals"];
  ASSERT_EQ(totals.size(), 3u);
  EXPECT_EQ(totals[0]["points"], 3 + 4);
  EXPECT_EQ(totals[1]["most"], 9);
  EXPECT_NEAR(totals[1]["points"].get<double>(), 0.6 * 9, 1e-9);  // two late days have begun
  EXPECT_EQ(totals[2]["student"], "eve");
  EXPECT_EQ(totals[2]["points"], 0);
  EXPECT_EQ(totals[2]["most"], 9);
  const std::string table = grade(words).out;
  EXPECT_THAT(table,
              AllOf(HasSubstr("changed by hand: nothing before, -2 now"), HasSubstr("late: -"),
                    HasSubstr("nothing for"), HasSubstr("graded again: 6 of 6 points before, 4 of 6 now")));
  const std::string page = read_file(folder / "pages" / "0001-ada.html");
  EXPECT_THAT(page, AllOf(HasSubstr("shown, in the lab"), HasSubstr("7 of 9 points"), Not(HasSubstr("bob"))));
  write_file(folder / "changes.csv", "eve,padded-tile,,set 4,nothing\n");
  const Outcome refused = grade_by_ids(words);
  EXPECT_EQ(refused.code, 2);
  write_file(folder / "roster.csv", "id,name,student,email,when\nada,Ada,ada,a@b.org,2026-02-01\n");
  EXPECT_THAT(grade_by_ids(words).err,
              Says("roster_column_unknown", {{"column", "when"}, {"time", "2026-02-01"}}));
  EXPECT_THAT(refused.err,
              Says("change_without_submission", {{"row", 1}, {"student", "eve"}, {"work", "padded-tile"}}));
}

TEST_F(Grading, CsvIsReadBackByASpreadsheetsRules) {
  hand_in("ada.json", result_of("ada"));
  hand_in("bob.json", result_of("=1+1,\"x\"", {"--pad=0"}));
  grade({"class", "--format", "csv", "--output", "grades.csv"});
  const char* read =
      "import csv, sys\n"
      "rows = list(csv.DictReader(open(sys.argv[1], newline='', encoding='utf-8')))\n"
      "print([(r['identifier'], float(r['points']), float(r['maximum'])) for r in rows], None in rows[0])\n";
  Outcome outcome = run_command({"python3", "-c", read, (folder / "grades.csv").string()});
  EXPECT_EQ(outcome.out, R"([('ada', 3.0, 3.0), ('\'=1+1,"x"', 2.0, 3.0)] False)"
                         "\n")
      << outcome.err;
}

}  // namespace
}  // namespace cudalab::e2e
