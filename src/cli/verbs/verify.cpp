// `cudalab verify`: runs the labs of result documents again, and reports claims that do not hold. Also the
// hidden `cudalab verify-one`, which verifies one document in a process of its own.
#include "grading/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "cli/grading_run.h"
#include "cli/options/lab_options.h"
#include "cli/options/shared_options.h"
#include "cli/terminal/interrupt.h"
#include "cli/verbs.h"
#include "compile/compiler.h"
#include "core/files.h"
#include "core/processes/child_pool.h"
#include "core/processes/interruption.h"
#include "core/processes/this_process.h"
#include "core/text.h"
#include "grading/submission.h"
#include "lab/lab.h"
#include "messages/cli.h"

namespace cudalab::cli {
namespace {

using Json = nlohmann::ordered_json;

// ---- one document -----------------------------------------------------------------------------------

ExitCode verify_one(const std::string& file, const Console& console) {
  let_the_limit_on_time_kill();
  const grading::Document document = grading::document_in(file);
  const lab::Lab* lab = lab::find_lab(document.lab);
  if (lab == nullptr) throw usage_error(msg::document_lab_unknown(file, harmless_line(document.lab, 40)));
  const grading::Verification found = grading::verify(document.json, *lab, absolute_path(file).parent_path());
  const Json said{{"differences", found.differences}, {"unverified", found.unverified}};
  console.say_line(said.dump(-1, ' ', false, Json::error_handler_t::replace));
  return ExitCode::kPassed;
}

// ---- all of them ------------------------------------------------------------------------------------

struct VerifyTexts {
  std::vector<std::string> files;
  std::string jobs;
  LimitTexts limits;
};

Options verify_options(VerifyTexts& texts) {
  return Options{required({"RESULT.json", "", &texts.files, "result documents, as written by --json=FILE"}),
                 {"--jobs", " N", &texts.jobs, "documents at the same time; default: one per processor"}} +
         limit_options(texts.limits);
}

// The outcome for one document: the text for the user, and the exit code.
struct Verdict {
  std::string text;
  ExitCode code = ExitCode::kPassed;
};

std::string lines_of(const std::string& before, const Json& sentences) {
  std::string text;
  for (const Json& sentence : sentences)
    text += before + harmless_line(sentence.get<std::string>(), 1000) + "\n";
  return text;
}

Verdict verdict_from(const std::string& name, const std::string& before, const Json& said) {
  const Json &differences = said.at("differences"), &unverified = said.at("unverified");
  Verdict verdict{lines_of(before + "differs: ", differences) +
                  lines_of(before + "not verified: ", unverified)};
  if (!differences.empty()) return {verdict.text, ExitCode::kFailed};
  verdict.text += fmt::format("{}: outputs, counters, hazards and verdicts agree with a second run\n", name);
  return verdict;
}

// The verdict from a child that has ended: its findings, the limit that stopped it, or the reason why it
// could not start.
Verdict verdict_of(const std::string& file, const std::string& before, const ChildEnd& end) {
  const std::string name = harmless_line(file, 1000);
  if (!end.stopped.empty())
    return {fmt::format("{}not verified: running it again {} (--cpu, --seconds, --memory)\n", before,
                        end.stopped.text()),
            ExitCode::kStopped};
  const std::string line = last_line(end.output);
  const Json said = end.exit_code == 0 ? Json::parse(line, nullptr, false) : Json();
  if (said.is_object()) return verdict_from(name, before, said);
  const auto code = end.exit_code > 0 ? static_cast<ExitCode>(end.exit_code) : ExitCode::kUnavailable;
  throw Error(code, Message::verbatim(without_program(harmless_line(line, 1000))));
}

std::vector<std::string> words_for(const std::string& file) {
  return {this_program_again().string(), kVerifyOne, absolute_path(file).string()};
}

// A difference found decides the overall verdict; otherwise, any document that was not verified does.
ExitCode worse(ExitCode one, ExitCode other) {
  const bool is_failed = one == ExitCode::kFailed || other == ExitCode::kFailed;
  return is_failed ? ExitCode::kFailed : std::max(one, other);
}

std::size_t jobs_from(const std::string& text, std::size_t documents) {
  const std::size_t asked = text.empty() ? std::max(1u, std::thread::hardware_concurrency())
                                         : parse_natural("--jobs", text, kMostJobs);
  return std::clamp<std::size_t>(asked, 1, documents);
}

ExitCode verify(const VerifyTexts& texts, const Console& console) {
  // Report invalid documents before any of them is verified.
  for (const std::string& file : texts.files) grading::document_in(file);
  compile::require_compiler();
  const ChildLimits limits = limits_from(texts.limits);
  prepare_for_children();
  const TemporaryFolder folder("cudalab-verify-");
  ChildPool pool(limits);
  std::vector<Verdict> verdicts(texts.files.size());
  const std::size_t jobs = jobs_from(texts.jobs, texts.files.size());
  for (std::size_t next = 0, done = 0; done < verdicts.size(); ++done) {
    for (; next < verdicts.size() && pool.running() < jobs; ++next)
      pool.start(next, words_for(texts.files[next]), folder.path());
    console.show_progress(fmt::format("running again: {} of {}", done + 1, verdicts.size()));
    const auto [id, end] = pool.wait();
    const std::string before = verdicts.size() > 1 ? harmless_line(texts.files[id], 1000) + ": " : "";
    verdicts[id] = verdict_of(texts.files[id], before, end);
  }
  console.clear_progress();
  ExitCode code = ExitCode::kPassed;
  for (const Verdict& verdict : verdicts) {
    console.say(verdict.text);
    code = worse(code, verdict.code);
  }
  return code;
}

Options options_of_one(std::string& file) { return {required({"FILE", "", &file, "the document"})}; }

}  // namespace

Verb verify_verb() {
  return {.name = "verify",
          .alias = "",
          .summary = "rerun what a result document claims, and compare the results",
          .examples = {"cudalab verify result.json", "cudalab verify submissions/*.json --jobs 4 --cpu 60"},
          .declare = with_options(verify_options, verify),
          .more_help =
              "On the virtual GPU, this compares outputs, counters, hazards, verdicts and the student's\n"
              "seed, but no times. A run of a user's kernel is compared if the kernel's file is beside\n"
              "the document. Exit code 0: all equal; 1: something differs; 4: a limit stopped the run\n"
              "before the end.\n"};
}

Verb verify_one_verb() {
  return {.name = kVerifyOne,
          .alias = "",
          .summary = "verify one document; used by `verify`",
          .examples = {},
          .declare = with_options(options_of_one, verify_one)};
}

}  // namespace cudalab::cli
