// The table of verbs, and their undisturbed runs.
#include "tests/faults/verbs_testing.h"

#include <mutex>
#include <stdexcept>

namespace cudalab::faults {
namespace {

using Words = std::vector<std::string>;
const Words kLaunch{"--kernel", "k",     "--grid",     "1",        "--block",
                    "32",       "--arg", "buf:f32:32", "--device", "virtual"};

Words run_of(Words words) {
  words.insert(words.begin(), {"run", "k.cu"});
  words.insert(words.begin() + 2, kLaunch.begin(), kLaunch.end());
  return words;
}

Words step_of(Words words) {
  words.insert(words.begin(), "step");
  words.emplace_back("--");
  words.insert(words.end(), kLaunch.begin(), kLaunch.end() - 2);  // it has no option for the device
  return words;
}

const std::vector<Verb>& verbs_without_programs() {
  static const std::vector<Verb> table{
      {"help", {"--help"}},
      {"list", {"list"}},
      {"info", {"info"}},
      {"doctor", {"doctor"}},
      {"run", run_of({"--json=r.json"})},
      {"run by nvcc", run_of({"--compiler", "nvcc"})},
      {"lab", {"transpose", "--device", "virtual", "--rows", "32", "--cols", "32", "--json=lab.json"}},
      {"start", {"start", "first-transpose"}},
      {"check", {"check", "padded-tile"}},
      {"hint", {"hint", "padded-tile"}},
      {"progress", {"progress"}},
      {"reset", {"reset", "padded-tile"}},
      {"solution", {"solution", "padded-tile", "--give-up"}},
      {"learn", {"learn", "transpose", "--answers", "guesses"}},
      {"quiz", {"quiz", "transpose", "--answers", "answers"}},
      {"grade", {"grade", "class", "--exercise", "padded-tile", "--output", "grades.txt"}},
      {"verify", {"verify", "result.json"}},
      {"report", {"report", "result.json", "--output", "report.txt"}},
      {"author check", {"author", "check", "first-transpose"}},
      {"cards", {"cards"}},
      {"a card", {"cards", "h100"}},
      {"nothing", {}},
      {"help of a verb", {"help", "grade"}},
      {"lab with a kernel",
       {"transpose", "--stage", "naive", "--kernel", "transpose/padded-tile.cu", "--rows", "64", "--cols",
        "64", "--roofline", "--color", "always"}},
      {"check of a file", {"check", "transpose/padded-tile.cu", "--exercise", "padded-tile"}},
      {"list of kernels", {"run", "k.cu"}},
      {"check of a lab as pages", {"check", "transpose", "--html"}},
      {"step through a lab", {"step", "transpose", "--stage", "naive", "--json=steps.json"}},
      {"step through a kernel", step_of({"k.cu", "--trace"})},
      {"compare", {"compare", "result.json", "result.json", "--html=compared.html"}},
      {"answers", {"answers", "transpose"}},
      {"grade as pages", {"grade", "class", "--exercise", "padded-tile", "--html=pages"}},
      {"grade by Slurm",
       {"grade", "class", "--exercise", "padded-tile", "--slurm", "--journal", "jobs", "--output",
        "grades.txt"}},
      {"course as a folder",
       {"course", "bundle", "--for", "canvas", "--exercise", "padded-tile", "--output", "bundle"}},
      {"course as a zip",
       {"course", "bundle", "--for", "gradescope", "--exercise", "padded-tile", "--package", "cudalab.deb",
        "--output", "bundle.zip"}},
      {"author texts", {"author", "texts", "transpose", "--language", "zh"}},
      {"completions", {"completions", "bash"}},
      {"man", {"man"}},
  };
  return table;
}

std::vector<Verb> all_verbs() {
  std::vector<Verb> all = verbs_without_programs();
  if (!has_program()) return all;
  all.push_back({"exec", {"exec", "--json=p.json", "--", "./program"}});
  all.push_back({"exec of a shell", {"exec", "--", "sh", "-c", "sleep 0.5 & ./program; wait"}});
  all.push_back({"run of a program", {"run", "program.cu", "--json=p.json"}});
  return all;
}

}  // namespace

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = all_verbs();
  return all;
}

const Undisturbed& undisturbed(const Verb& verb) {
  static std::mutex mutex;
  static std::map<std::string, Undisturbed> known;
  const std::scoped_lock lock(mutex);
  const auto [found, is_new] = known.try_emplace(verb.name);
  if (!is_new) return found->second;
  const Place place;
  fill(place, false);
  const Ending ending = run(place, verb.words);
  if (ending.code < 0 || ending.code > 2 || !ending.survivors.empty())
    throw std::runtime_error(std::string(verb.name) + " does not even work by itself: " + ending.err);
  return found->second = {ending.code, !ending.out.empty(), ending.err, ending.seconds, place.files()};
}

}  // namespace cudalab::faults
