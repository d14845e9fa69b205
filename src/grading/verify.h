// Runs what a result document claims once more on the virtual GPU, and compares what cannot differ between
// two honest runs: outputs' digests, counters, hazards and verdicts. Times are not compared: nobody can
// verify them.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/lab.h"

namespace cudalab::grading {

struct Verification {
  std::vector<std::string> differences;  // sentences; empty: everything that was compared is as claimed
  std::vector<std::string> unverified;   // what could not be compared, and why
  nlohmann::json again;                  // the document of the second run
};

// The request that leads to this document again. `kernel_file`: the student's own kernel; empty without one.
// Throws Error(kUsage) where the document asks for what this lab does not have.
lab::RunRequest request_from(const nlohmann::json& document, const lab::Lab& lab,
                             const std::string& kernel_file);

// `found` is the document that the second run wrote.
Verification compare(const nlohmann::json& claimed, const nlohmann::json& found);

// What is wrong with a document on the face of it: its seed is not its student's.
std::vector<std::string> objections(const nlohmann::json& document);

// What a document may be judged by once it stands: a GPU's with the counters and hazards that the virtual GPU
// found, since its own nobody can verify.
nlohmann::json with_what_was_seen(const nlohmann::json& claimed, const nlohmann::json& again);

// A GPU's result is run at the size that the lab has by default on the virtual GPU, where its own is larger.
// Looks for the student's own kernel in `folder`, where the document has a run of one. Throws what run_lab
// throws. Of `told`, only who hears of the run is taken: progress and remarks.
Verification verify(const nlohmann::json& document, const lab::Lab& lab, const std::filesystem::path& folder,
                    const lab::RunSettings& told = {});

// "NAME differs: …; and 3 more"
std::string summary(const std::vector<std::string>& sentences);

}  // namespace cudalab::grading
