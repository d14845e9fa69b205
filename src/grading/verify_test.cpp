// Tests which claims of a document are compared with a second run, and which cannot be.
#include "grading/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grading/identity.h"

namespace cudalab::grading {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

Json claimed_document() {
  return Json::parse(R"({"evidence": "virtual", "verdict": "pass", "options": {"rows": 64, "seed": 7},
    "runs": [{"name": "cpu", "kind": "cpu", "verdict": "pass", "time_ms": {"median": 1}},
             {"name": "tiled", "kind": "kernel", "verdict": "pass", "kernel": "t", "grid": [2, 2, 1],
              "block": [32, 8, 1], "shared_bytes": 4096, "source_hash": "abc", "time_ms": {"median": 2},
              "counters": {"global_load_sectors": 128, "ptx_instructions": 99},
              "check": {"digest": "d", "max_error": 0, "allowed": 0, "compared": 4096, "mismatches": 0},
              "hazards": [{"kind": "shared_race", "what": "x"}]}]})");
}

// The differences if the document claims `value` at `place`.
std::vector<std::string> differences(const char* place, const Json& value,
                                     Json claimed = claimed_document()) {
  const Json found = claimed;
  claimed[Json::json_pointer(place)] = value;
  return compare(claimed, found).differences;
}

TEST(Verify, AnHonestDocumentHasNoDifferences) {
  const Verification same = compare(claimed_document(), claimed_document());
  EXPECT_THAT(same.differences, IsEmpty());
  EXPECT_THAT(same.unverified, IsEmpty());
}

TEST(Verify, EveryClaimOfAVirtualRunIsCompared) {
  for (const char* place :
       {"/runs/1/kernel", "/runs/1/grid", "/runs/1/block", "/runs/1/shared_bytes", "/runs/1/source_hash",
        "/runs/1/check/digest", "/runs/1/check/max_error", "/runs/1/check/allowed", "/runs/1/check/compared",
        "/runs/1/check/mismatches", "/runs/1/counters/global_load_sectors", "/runs/1/hazards/0/kind",
        "/options/rows", "/runs/0/verdict", "/runs/1/verdict", "/verdict"})
    EXPECT_EQ(differences(place, 12345).size(), 1u) << place;
  EXPECT_EQ(differences("/runs/1/hazards", Json::array()).size(), 1u);
}

TEST(Verify, IgnoresDifferencesBetweenHonestRuns) {
  for (const char* place : {"/runs/0/time_ms/median", "/runs/1/time_ms/median",
                            "/runs/1/counters/ptx_instructions", "/runs/1/hazards/0/what"})
    EXPECT_THAT(differences(place, 12345), IsEmpty()) << place;
}

TEST(Verify, ADifferenceShowsTheClaimAndTheFoundValue) {
  EXPECT_THAT(differences("/runs/1/verdict", "fail"),
              ElementsAre("tiled: verdict is \"fail\", and running it again gives \"pass\""));
}

TEST(Verify, RunsThatAreMissingOrInvented) {
  Json without = claimed_document(), more = claimed_document();
  without["runs"].erase(1);
  more["runs"].push_back({{"name", "wonder"}});
  EXPECT_THAT(compare(without, claimed_document()).differences, ElementsAre("the run tiled is missing"));
  EXPECT_THAT(compare(more, claimed_document()).differences,
              ElementsAre("running it again gives no run wonder"));
}

TEST(Verify, AUsersKernelWithoutItsFileIsNotVerified) {
  Json claimed = claimed_document();
  claimed["runs"].push_back({{"name", "yours"}});
  claimed["verdict"] = "fail";
  const Verification verification = compare(claimed, claimed_document());
  EXPECT_THAT(verification.differences, IsEmpty());
  EXPECT_THAT(verification.unverified,
              ElementsAre(HasSubstr("the kernel's file is not beside the document")));
}

TEST(Verify, ARunsNameCannotReachTheTerminal) {
  Json claimed = claimed_document();
  claimed["runs"].push_back({{"name", "yours\x1b[2J"}});
  EXPECT_THAT(compare(claimed, claimed_document()).unverified, ElementsAre(StartsWith("yours?[2J: ")));
  claimed["runs"].back()["name"] = "wonder\x1b[2J";
  EXPECT_THAT(compare(claimed, claimed_document()).differences, ElementsAre(EndsWith(" wonder?[2J")));
}

TEST(Verify, OfAGpuOnlyWhatIsExactIsCompared) {
  Json gpu = claimed_document();
  gpu["evidence"] = "measured";
  for (const char* place : {"/runs/1/check/digest", "/runs/1/check/compared", "/runs/1/source_hash"})
    EXPECT_EQ(differences(place, 12345, gpu).size(), 1u) << place;
  for (const char* place : {"/runs/1/counters/global_load_sectors", "/runs/1/check/max_error"})
    EXPECT_THAT(differences(place, 12345, gpu), IsEmpty()) << place;
  gpu["runs"][1]["check"]["allowed"] = 0.5;
  EXPECT_THAT(differences("/runs/1/check/digest", 12345, gpu), IsEmpty());
  EXPECT_THAT(compare(gpu, gpu).unverified, ElementsAre(HasSubstr("times were not verified")));
}

TEST(Verify, TheSeedIsTheStudents) {
  Json ada = claimed_document();
  EXPECT_THAT(objections(ada), IsEmpty());
  ada["student"] = "ada";
  EXPECT_THAT(objections(ada), ElementsAre("its seed is not that of the student ada"));
  ada["options"]["seed"] = student_seed("ada");
  EXPECT_THAT(objections(ada), IsEmpty());
}

TEST(Verify, ASummaryIsTheFirstSentenceAndTheNumberOfOthers) {
  EXPECT_EQ(summary({}), "");
  EXPECT_EQ(summary({"a differs"}), "a differs");
  EXPECT_EQ(summary({"a differs", "b differs", "c differs"}), "a differs; and 2 more");
}

}  // namespace
}  // namespace cudalab::grading
