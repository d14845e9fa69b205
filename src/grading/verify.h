// Runs the lab of a result document again on the virtual GPU, and compares everything that is equal in any
// two runs: digests of outputs, counters, hazards and verdicts. Times cannot be verified and are not
// compared.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/lab.h"

namespace cudalab::grading {

struct Verification {
  std::vector<std::string> differences;  // sentences; empty: all compared claims hold
  std::vector<std::string> unverified;   // claims that could not be compared, with reasons
  nlohmann::json again;                  // the document of the second run
};

// The request that produces this document again. `kernel_file`: the student's own kernel; empty if there is
// none. Throws Error(kUsage) if the document contains options or stages that the lab does not have.
lab::RunRequest request_from(const nlohmann::json& document, const lab::Lab& lab,
                             const std::string& kernel_file);

// `found` is the document of the second run.
Verification compare(const nlohmann::json& claimed, const nlohmann::json& found);

// Errors that are visible without a second run: a seed that does not belong to the student.
std::vector<std::string> objections(const nlohmann::json& document);

// The document to grade after verification: a GPU's document gets the counters and hazards that the virtual
// GPU found, because its own cannot be verified.
nlohmann::json with_what_was_seen(const nlohmann::json& claimed, const nlohmann::json& again);

// Runs a document's lab again. A GPU's result is run with at most the virtual GPU's default sizes. If the
// document has a run of the student's own kernel, its file is searched in `folder`. Uses only `progress` and
// `remark` of `told`. Throws what run_lab throws.
Verification verify(const nlohmann::json& document, const lab::Lab& lab, const std::filesystem::path& folder,
                    const lab::RunSettings& told = {});

// "NAME differs: …; and 3 more"
std::string summary(const std::vector<std::string>& sentences);

}  // namespace cudalab::grading
