// Repeats a result document's run and compares the results.
#include "grading/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/digest.h"
#include "core/error.h"
#include "core/named.h"
#include "core/text.h"
#include "grading/identity.h"
#include "grading/safe_compile.h"
#include "grading/submission.h"
#include "messages/grading.h"
#include "report/formats/json.h"
#include "report/tool.h"

namespace cudalab::grading {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kMostSentences = 20;
constexpr const char* kNotAssessed = "not_assessed";

// ---- reading untrusted documents --------------------------------------------------------------------

bool lists(const Json& list, const std::string& name) {
  return list.is_array() && std::find(list.begin(), list.end(), Json(name)) != list.end();
}

std::string shown(const Json& value) {
  return harmless_line(value.dump(-1, ' ', false, Json::error_handler_t::replace), 80);
}

bool is_users(const Json& run) { return text_at(run, "name").starts_with("yours"); }

// ---- the request ------------------------------------------------------------------------------------

lab::OptionValue value_of(const lab::OptionSpec& spec, const Json& value) {
  if (auto read = report::option_value(spec, value)) return *std::move(read);
  throw usage_error(msg::verify_option_value_not_taken(spec.name, shown(value)));
}

// Sets the options that the user gave, and those that differ from this device's defaults, because a GPU has
// other defaults.
void set_options(const Json& document, const lab::Lab& lab, lab::RunRequest& request) {
  const Json& options = at(document, "options");
  const Json& given = at(at(document, "request"), "given");
  const bool on_virtual = text_at(document, "evidence") == "virtual";
  for (const lab::OptionSpec& spec : lab.options) {
    const Json& value = at(options, spec.name);
    if (value.is_null() && !on_virtual) continue;  // recorded before this option existed
    if (value.is_null()) throw usage_error(msg::verify_option_missing(spec.name));
    lab::OptionValue read = value_of(spec, value);
    if (lists(given, spec.name) || read != spec.on_virtual) request.options.emplace_back(spec.name, read);
  }
}

void set_stages(const Json& document, lab::RunRequest& request) {
  const Json& stages = at(at(document, "request"), "stages");
  if (!stages.is_array()) return;
  for (const Json& stage : stages)
    if (stage.is_string()) request.stages.push_back(stage.get<std::string>());
}

// A GPU computes in a millisecond what takes the virtual GPU an hour. Options whose defaults differ between
// the two devices are reduced to at most the virtual GPU's default. Returns the reduced sizes, such as "rows
// 1024, cols 1024"; empty: none.
std::string make_smaller(const lab::Lab& lab, lab::RunRequest& request) {
  std::string smaller;
  for (const lab::OptionSpec& spec : lab.options) {
    const auto* here = std::get_if<std::int64_t>(&spec.on_virtual);
    if (!here || spec.on_virtual == spec.on_gpu) continue;
    for (auto& [name, value] : request.options) {
      auto* number = std::get_if<std::int64_t>(&value);
      if (name != spec.name || !number || *number <= *here) continue;
      *number = *here;
      smaller += fmt::format("{}{} {}", smaller.empty() ? "" : ", ", name, *here);
    }
  }
  return smaller;
}

Checks checks_of(const Json& document) {
  const std::string checks = text_at(at(document, "request"), "check");
  return value_called(checks, kCheckNames).value_or(Checks::kAll);
}

// ---- comparing --------------------------------------------------------------------------------------

class Differences {
 public:
  explicit Differences(std::vector<std::string>& sentences) : sentences_(sentences) {}
  void expect(const std::string& what, const Json& claimed, const Json& found) {
    if (claimed != found)
      add(fmt::format("{} is {}, and running it again gives {}", what, shown(claimed), shown(found)));
  }
  void add(std::string sentence) {
    if (sentences_.size() < kMostSentences) sentences_.push_back(std::move(sentence));
  }

 private:
  std::vector<std::string>& sentences_;
};

// Counts of PTX instructions depend on the compiler's version.
bool depends_on_the_compiler(const std::string& counter) { return counter.starts_with("ptx_"); }

void compare_counters(const std::string& run, const Json& claimed, const Json& found,
                      Differences& differences) {
  if (!found.is_object()) return differences.expect(run + ": counters", claimed, found);
  for (const auto& [name, value] : found.items())
    if (!depends_on_the_compiler(name)) differences.expect(run + ": " + name, at(claimed, name), value);
}

Json kinds_of(const Json& hazards) {
  if (!hazards.is_array()) return hazards;
  Json kinds = Json::array();
  for (const Json& hazard : hazards) kinds.push_back(at(hazard, "kind"));
  return kinds;
}

constexpr std::array<const char*, 5> kSameEverywhere{"kernel", "grid", "block", "shared_bytes",
                                                     "source_hash"};

void compare_on_virtual(const std::string& name, const Json& claimed, const Json& found,
                        Differences& differences) {
  for (const char* key : kSameEverywhere)
    differences.expect(name + ": " + key, at(claimed, key), at(found, key));
  const Json& check = at(found, "check");
  for (const char* key : {"digest", "max_error", "allowed", "compared", "mismatches"})
    differences.expect(name + ": " + key, at(at(claimed, "check"), key), at(check, key));
  compare_counters(name, at(claimed, "counters"), at(found, "counters"), differences);
  differences.expect(name + ": hazards", kinds_of(at(claimed, "hazards")), kinds_of(at(found, "hazards")));
}

// A GPU rounds approximate functions differently, so digests are only compared if results must be equal bit
// for bit.
void compare_across_devices(const std::string& name, const Json& claimed, const Json& found, bool same_size,
                            Differences& differences) {
  differences.expect(name + ": source_hash", at(claimed, "source_hash"), at(found, "source_hash"));
  if (!same_size) return;
  const Json &there = at(claimed, "check"), &here = at(found, "check");
  differences.expect(name + ": compared", at(there, "compared"), at(here, "compared"));
  if (at(here, "allowed") == 0 && at(here, "mismatches") == 0)
    differences.expect(name + ": digest", at(there, "digest"), at(here, "digest"));
}

void compare_run(const Json& claimed, const Json& found, bool on_virtual, bool same_size,
                 Differences& differences) {
  std::string name = text_at(found, "name");
  if (!on_virtual && text_at(found, "verdict") == kNotAssessed) return;  // judged by times only
  differences.expect(name + ": verdict", at(claimed, "verdict"), at(found, "verdict"));
  if (text_at(found, "kind") == "cpu") return;
  if (on_virtual)
    compare_on_virtual(name, claimed, found, differences);
  else
    compare_across_devices(name, claimed, found, same_size, differences);
}

void compare_found_runs(const Json& claimed, const Json& found, bool on_virtual, bool same_size,
                        Differences& differences) {
  for (const Json& run : at(found, "runs")) {
    const Json* same = run_called(claimed, text_at(run, "name"));
    if (same != nullptr)
      compare_run(*same, run, on_virtual, same_size, differences);
    else if (on_virtual)
      differences.add(fmt::format("the run {} is missing", text_at(run, "name")));
  }
}

void look_for_invented_runs(const Json& claimed, const Json& found, bool on_virtual,
                            Verification& verification) {
  for (const Json& run : at(claimed, "runs")) {
    const Json* again = run_called(found, text_at(run, "name"));
    const std::string name = harmless_line(text_at(run, "name"), 40);
    if (again != nullptr && (on_virtual || text_at(*again, "verdict") != kNotAssessed)) continue;
    if (is_users(run))
      verification.unverified.push_back(name + ": the kernel's file is not beside the document");
    else if (!on_virtual)
      verification.unverified.push_back(name + (again ? ": shows in times alone" : ": runs on a GPU only"));
    else
      verification.differences.push_back(fmt::format("running it again gives no run {}", name));
  }
}

// ---- the student's own kernel -----------------------------------------------------------------------

// Documents contain the path as it was typed; only the file name is used here.
std::string kernel_beside(const Json& document, const fs::path& folder, Verification& verification) {
  const Json* run = run_called(document, "yours");
  if (run == nullptr) return "";
  fs::path file = folder / fs::path(text_at(*run, "source")).filename();
  FileText text = read_submission(file, kLargestKernel);
  if (!text.problem.empty()) return "";
  if (digest(text.text) == text_at(*run, "source_hash")) return file.string();
  verification.differences.push_back(
      fmt::format("{} is not the kernel that the document describes: its hash differs",
                  harmless_line(file.filename().string(), 60)));
  return "";
}

}  // namespace

lab::RunRequest request_from(const Json& document, const lab::Lab& lab, const std::string& kernel_file) {
  lab::RunRequest request;
  set_options(document, lab, request);
  set_stages(document, request);
  const Json& seed = at(at(document, "options"), "seed");
  if (!seed.is_number_integer()) throw usage_error(msg::verify_seed_wrong(shown(seed)));
  request.seed = seed.get<std::uint64_t>();
  request.settings.launch.checks = checks_of(document);
  const Json& max_steps = at(at(document, "request"), "max_steps");
  if (max_steps.is_number_unsigned()) request.settings.launch.max_steps = max_steps.get<std::uint64_t>();
  request.settings.device = device::DeviceChoice::kVirtual;
  if (const std::string card = text_at(at(document, "request"), "card"); !card.empty())
    request.settings.card = device::card_named(harmless_line(card, 60));
  request.kernel_file = kernel_file;
  if (!kernel_file.empty()) request.kernel_stage = text_at(at(document, "request"), "as");
  return request;
}

Verification compare(const Json& claimed, const Json& found) {
  Verification verification;
  bool on_virtual = text_at(claimed, "evidence") == "virtual";
  Differences differences(verification.differences);
  const bool same_size = at(claimed, "options") == at(found, "options");
  if (on_virtual) differences.expect("options", at(claimed, "options"), at(found, "options"));
  compare_found_runs(claimed, found, on_virtual, same_size, differences);
  look_for_invented_runs(claimed, found, on_virtual, verification);
  if (on_virtual && verification.unverified.empty())
    differences.expect("the verdict of the whole", at(claimed, "verdict"), at(found, "verdict"));
  if (!on_virtual) verification.unverified.push_back("measured on a GPU: times were not verified");
  return verification;
}

std::vector<std::string> objections(const Json& document) {
  std::string student = text_at(document, "student");
  if (student.empty() || at(at(document, "options"), "seed") == student_seed(student)) return {};
  return {fmt::format("its seed is not that of the student {}", harmless_line(student, 60))};
}

Verification verify(const Json& document, const lab::Lab& lab, const fs::path& folder,
                    const lab::RunSettings& told) {
  Verification verification;
  std::string kernel = kernel_beside(document, folder, verification);
  lab::RunRequest request = request_from(document, lab, kernel);
  request.settings.progress = told.progress;
  request.settings.remark = told.remark;
  const bool on_virtual = text_at(document, "evidence") == "virtual";
  const std::string smaller = on_virtual ? "" : make_smaller(lab, request);
  const lab::Result result = run_safely(lab, request);
  verification.again = report::json_document(result, report::this_tool());
  Verification compared = compare(document, verification.again);
  if (!smaller.empty())
    compared.unverified.push_back(fmt::format("outputs at full size: it was run again with {}", smaller));
  std::vector<std::string> face = objections(document);
  for (const auto* more : {&face, &compared.differences})
    verification.differences.insert(verification.differences.end(), more->begin(), more->end());
  verification.unverified = compared.unverified;
  return verification;
}

Json with_what_was_seen(const Json& claimed, const Json& again) {
  if (text_at(claimed, "evidence") == "virtual") return claimed;
  Json judged = claimed;
  for (Json& run : judged["runs"]) {
    const Json* seen = run_called(again, text_at(run, "name"));
    if (!seen) run["counters"] = Json();  // a run that exists only on a GPU: its counters cannot be verified
    for (const char* key :
         {"verdict", "counters", "hazards", "accesses", "lines", "occupancy", "predicted_ms", "limits"})
      if (seen) run[key] = at(*seen, key);
    if (seen && at(*seen, "extra").is_object() && run["extra"].is_object())
      run["extra"].update(at(*seen, "extra"));
  }
  return judged;
}

std::string summary(const std::vector<std::string>& sentences) {
  if (sentences.empty()) return "";
  std::string more = sentences.size() > 1 ? fmt::format("; and {} more", sentences.size() - 1) : "";
  return sentences.front() + more;
}

}  // namespace cudalab::grading
