// Stores a run's submissions as JSON lines and its job scripts as two-line shell scripts.
#include "cli/cluster/run_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/options/lab_options.h"
#include "cli/terminal/output_file.h"
#include "compile/toolkit.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/this_process.h"
#include "core/text.h"
#include "messages/cli.h"

namespace cudalab::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using grading::Submission;

constexpr const char *kList = "submissions.jsonl", *kSeed = "seed", *kJournals = "journals", *kLogs = "logs";
constexpr std::size_t kLargestList = 1u << 30;
constexpr std::uint64_t kMostParts = 1u << 20;

constexpr const char* kOtherJournal = "choose another with --journal";

// A file name may contain any byte except 0, but JSON is UTF-8: each byte becomes a character below U+0100.
std::string as_characters(const std::string& bytes) {
  std::string text;
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte < 0x80)
      text += each;
    else
      text += {static_cast<char>(0xc0 | byte >> 6), static_cast<char>(0x80 | (byte & 0x3f))};
  }
  return text;
}

std::string as_bytes(const std::string& characters) {
  std::string bytes;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const auto lead = static_cast<unsigned char>(characters[i]);
    if (lead < 0x80 || i + 1 == characters.size())
      bytes += characters[i];
    else
      bytes += static_cast<char>((lead & 0x03) << 6 | (characters[++i] & 0x3f));
  }
  return bytes;
}

// The text fields of a submission, in the order in which a line lists them.
constexpr std::array kTexts{&Submission::student,   &Submission::problem,  &Submission::expected,
                            &Submission::submitted, &Submission::original, &Submission::flag,
                            &Submission::due};

std::string line_of(const Submission& submission) {
  Json line{as_characters(submission.file.string()), submission.is_certain, submission.is_late};
  for (const auto text : kTexts) line.push_back(as_characters(submission.*text));
  return line.dump() + "\n";
}

Submission submission_in(const std::string& line) {
  const Json fields = Json::parse(line);
  Submission submission{as_bytes(fields.at(0).get<std::string>()), "", ""};
  submission.is_certain = fields.at(1).get<bool>();
  submission.is_late = fields.at(2).get<bool>();
  for (std::size_t i = 0; i < kTexts.size(); ++i)
    submission.*kTexts[i] = as_bytes(fields.at(i + 3).get<std::string>());
  return submission;
}

// True for a journal of another part of the same division.
bool is_others(const std::string& journal, const Part& part) {
  const std::string division = fmt::format("of{}-", part.of);
  return journal.find(division) != std::string::npos && !journal.starts_with(part.name() + "-");
}

}  // namespace

std::string Part::name() const { return fmt::format("{}of{}", number, of); }

Part part_from(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const Part part{parse_natural("--task", text.substr(0, slash), kMostParts),
                  parse_natural("--task", text.substr(std::min(slash + 1, text.size())), kMostParts)};
  if (part.number >= part.of) throw usage_error(msg::task_counts_from_zero(text));
  return part;
}

RunFolder::RunFolder(const fs::path& path) : path_(absolute_path(path).lexically_normal()) {}

RunFolder RunFolder::create(const fs::path& path, bool goes_on) {
  if (!goes_on && !nothing_is_at(path / kList)) throw usage_error(msg::run_folder_in_use(path.string()));
  RunFolder folder(path);
  for (const char* each : {kJournals, kLogs}) make_folder(folder.path_ / each, kOtherJournal);
  return folder;
}

void RunFolder::write_submissions(const std::vector<Submission>& submissions) const {
  std::string text;
  for (const Submission& submission : submissions) text += line_of(submission);
  OutputFile((path_ / kList).string()).write(text);
}

void RunFolder::forget_submissions() const {
  std::error_code ignored;
  fs::remove(path_ / kList, ignored);
}

std::vector<Submission> RunFolder::submissions() const {
  std::istringstream lines(read_bytes(path_ / kList, kLargestList));
  std::vector<Submission> submissions;
  try {
    for (std::string line; std::getline(lines, line);) submissions.push_back(submission_in(line));
  } catch (const Json::exception&) {
    throw usage_error(msg::submissions_unreadable((path_ / kList).string(), submissions.size() + 1));
  }
  return submissions;
}

std::vector<Submission> RunFolder::submissions_of(const Part& part) const {
  std::vector<Submission> all = submissions(), ours;
  for (std::size_t i = part.number; i < all.size(); i += part.of) ours.push_back(std::move(all[i]));
  return ours;
}

void RunFolder::write_seed(std::uint64_t seed) const {
  OutputFile((path_ / kSeed).string()).write(std::to_string(seed));
}

std::string RunFolder::seed() const {
  if (nothing_is_at(path_ / kSeed)) throw usage_error(msg::run_folder_empty(path_.string()));
  return read_bytes(path_ / kSeed);
}

fs::path RunFolder::write_script(const std::string& name, const std::vector<std::string>& words,
                                 const std::string& further) const {
  std::string text = "#!/bin/sh\nexec " + shell_word(this_program().string());
  for (const std::string& word : words) text += " " + shell_word(word);
  const fs::path script = path_ / (name + ".sh");
  OutputFile(script.string()).write(text + further + "\n");
  return script;
}

std::vector<std::string> RunFolder::journals() const {
  std::vector<std::string> journals;
  for (const fs::path& journal : entries_of(path_ / kJournals)) journals.push_back(journal.string());
  return journals;
}

std::vector<std::string> RunFolder::journals_of(const Part& part) const {
  std::vector<std::string> journals = this->journals();
  std::erase_if(journals, [&](const fs::path& path) { return is_others(path.filename().string(), part); });
  return journals;
}

// Outside Slurm, the process ID takes the place of the job ID.
std::string RunFolder::new_journal(const std::string& of) const {
  const auto told = [](const char* name) { return compile::environment(name); };
  const std::string job = told("SLURM_JOB_ID").value_or(fmt::format("p{}", ::getpid()));
  const std::string name = fmt::format("{}-{}-{}.jsonl", of, job, told("SLURM_RESTART_COUNT").value_or("0"));
  return (path_ / kJournals / name).string();
}

}  // namespace cudalab::cli
