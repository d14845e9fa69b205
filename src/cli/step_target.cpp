// Finds the lab, exercise, kernel or program to step through, and runs it up to the wanted launch.
#include "cli/step_target.h"

#include <unistd.h>

#include <atomic>
#include <exception>
#include <optional>
#include <set>

#include "cli/learner.h"
#include "cli/options/lab_options.h"
#include "cli/options/shared_options.h"
#include "cli/verbs/exec.h"
#include "core/files.h"
#include "core/processes/interruption.h"
#include "core/programs/elf_file.h"
#include "core/text.h"
#include "device/programs/program_run.h"
#include "lab/locate.h"
#include "messages/cli.h"
#include "vgpu/stepping/step_messages.h"

namespace cudalab::cli {
namespace {

namespace fs = std::filesystem;

// Set once a launch is open: it stops the progress display, which runs in its own thread.
using Quiet = std::atomic<bool>;

struct Seen {};  // thrown to end the run after the wanted launch

// ---- where sources are ---------------------------------------------------------------------------------

// Empty if the file does not exist, such as a compiler's built-in header.
std::string source_in(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) ? read_text(path) : "";
}

TargetLaunch target_launch(device::LaunchView& view, std::uint64_t number, const std::string& users_file) {
  const fs::path path = lab::source_path(view.file(), users_file);
  return {view, number, path, source_in(path)};
}

// ---- runs ----------------------------------------------------------------------------------------------

// `--launch` names a launch by its number or by its kernel.
bool counts_launches(const std::string& text) { return text.empty() || is_digit(text.front()); }
void require_launch_number(const TargetTexts& texts) {
  if (counts_launches(texts.launch) && parse_natural("--launch", texts.launch, UINT32_MAX) == 0)
    throw usage_error(msg::launch_counts_from_one());
}

Error no_such_launch(const TargetTexts& texts, std::uint64_t launches, const std::set<std::string>& kernels) {
  if (launches == 0) return usage_error(msg::launch_none());
  if (!counts_launches(texts.launch))
    return usage_error(msg::launch_kernel_unknown(texts.launch, joined(kernels, ", ")));
  return usage_error(msg::launch_number_too_large(texts.launch, launches));
}

// These throw if an option does not apply to this kind of target.
void refuse_stage(const TargetTexts& texts, const Message& what) {
  if (!texts.stage.empty()) throw usage_error(msg::stage_is_for_labs(texts.what, what));
}
void refuse_case(const TargetTexts& texts, const Message& what) {
  if (texts.test_case != "1") throw usage_error(msg::case_is_for_exercises(texts.what, what));
}

// Counts launches, shows `look` the wanted one, and then ends the run.
template <class Run>
void run_until_seen(const TargetTexts& texts, const std::string& users_file, Quiet& quiet, const Run& run,
                    const TargetVisitor& visitor) {
  require_launch_number(texts);
  std::uint64_t launches = 0;
  std::set<std::string> kernels;
  std::exception_ptr failed;
  const device::Onlooker onlooker = [&](device::LaunchView& view) {
    kernels.insert(view.kernel());
    if (!vgpu::is_wanted(texts.launch, ++launches, view.kernel())) return;
    quiet = true;
    TargetLaunch launch = target_launch(view, launches, users_file);
    try {
      visitor.at_launch(launch);
    } catch (const Error&) {
      failed = std::current_exception();  // rethrown after the run: the lab would report it as a kernel error
    }
    throw Seen{};
  };
  try {
    const lab::Result result = run(onlooker);
    for (const lab::Row& row : result.rows)  // report the first row's reason, such as "mine.cu:3: error: …"
      if (launches == 0 && !row.reason.empty()) throw usage_error(Message(row.reason));
    throw no_such_launch(texts, launches, kernels);
  } catch (Seen) {
    if (failed) std::rethrow_exception(failed);
  }
}

void prepare(lab::RunSettings& settings, const TargetTexts& texts, const Console& console,
             const Quiet& quiet) {
  settings.device = device::DeviceChoice::kVirtual;
  settings.launch.predict = false;
  settings.for_debugger = texts.for_debugger;
  settings.progress = [&](const Message& what) {
    if (!quiet) console.show_progress(console.wording.say(what));
  };
  if (!texts.card.empty()) settings.card = card_from(texts.card);
}

std::string first_kernel_stage(const lab::Lab& lab) {
  for (const std::string& stage : lab.stages)
    if (stage != "cpu" && !lab::is_program(lab, stage)) return stage;
  throw usage_error(msg::lab_has_no_kernel_stage(lab.name));
}

lab::RunRequest request_for_lab(const lab::Lab& lab, const TargetTexts& texts, const Console& console) {
  lab::RunRequest request = lab_request(lab, texts.words, console);
  refuse_case(texts, msg::kind_lab());
  const std::string stage = texts.stage.empty() ? first_kernel_stage(lab) : texts.stage;
  if (std::ranges::find(lab.stages, stage) == lab.stages.end())
    throw usage_error(
        msg::lab_stage_unknown(lab.name, stage, did_you_mean(stage, lab.stages), joined(lab.stages, ", ")));
  if (stage == "cpu" || lab::is_program(lab, stage))
    throw usage_error(msg::stage_is_no_kernel(stage, lab.name, first_kernel_stage(lab)));
  request.stages = {stage};
  return request;
}

lab::RunRequest request_for_exercise(const course::Exercise& exercise, const fs::path& file,
                                     const TargetTexts& texts) {
  refuse_stage(texts, msg::kind_exercise());
  const std::string stage = exercise.is_program ? exercise.kernel_stage : exercise.stage;
  if (stage.empty()) throw usage_error(msg::step_exercise_is_program(exercise.name, shown_path(file)));
  require_file(exercise, file);
  const std::uint64_t number = parse_natural("--case", texts.test_case, UINT32_MAX);
  const std::vector<course::Case> cases = course::all_cases(exercise);
  if (number == 0 || number > cases.size())
    throw usage_error(msg::case_number_unknown(number, exercise.name, cases.size()));
  lab::RunRequest request;
  request.kernel_file = shown_path(file);
  request.kernel_stage = stage;
  request.kernel_alone = true;
  request.options = cases[number - 1];
  return request;
}

// ---- resolving the target ------------------------------------------------------------------------------

struct ExerciseFile {
  const course::Exercise* exercise;
  fs::path file;
};

// Finds an exercise by its name, or, if no launch options follow, by a file of it in the learner's workspace.
std::optional<ExerciseFile> exercise_meant(const Course& course, const TargetTexts& texts,
                                           const Console& console) {
  if (const course::Exercise* named = course::find_exercise(course, texts.what))
    return ExerciseFile{named, require_workspace(console).kernel_file(*named)};
  if (!texts.words.empty() || !names_a_file(texts.what)) return std::nullopt;
  const course::Exercise* of_file = course::exercise_of_file(course, texts.what);
  return of_file ? std::optional(ExerciseFile{of_file, texts.what}) : std::nullopt;
}

Error nothing_called(const Course& course, const std::string& word) {
  std::vector<std::string> names;
  for (const lab::Lab& lab : lab::labs()) names.push_back(lab.name);
  for (const course::Exercise& exercise : course) names.push_back(exercise.name);
  return usage_error(msg::step_target_unknown(word, did_you_mean(word, names)));
}

// ---- whole programs ------------------------------------------------------------------------------------

bool is_executable(const std::string& file) { return is_elf(MappedFile(file.c_str()).bytes()); }

// The words for `run`. Words after `--` are the program's arguments; if they contain another `--`, the words
// before that are options of `run`.
Words words_of_run(const TargetTexts& texts) {
  Words words{texts.what};
  const bool is_divided = std::ranges::find(texts.words, "--") != texts.words.end();
  if (!is_divided && !texts.words.empty()) words.emplace_back("--");
  words.insert(words.end(), texts.words.begin(), texts.words.end());
  return words;
}

// While it exists, redirects this process's standard output, and that of its children, to standard error.
class OutputToErrors {
 public:
  explicit OutputToErrors(bool is_wanted) : before_(is_wanted ? ::dup(STDOUT_FILENO) : -1) {
    if (before_.number() >= 0) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~OutputToErrors() { put_back(); }
  OutputToErrors(const OutputToErrors&) = delete;
  OutputToErrors& operator=(const OutputToErrors&) = delete;
  void put_back() {
    if (before_.number() < 0) return;
    ::dup2(before_.number(), STDOUT_FILENO);
    before_.close();
  }

 private:
  Descriptor before_;
};

// Shows a program's stop, and makes its launch known to the visitor.
device::ProgramNext show_stop(const device::ProgramStop& stop, const TargetVisitor& visitor) {
  if (!stop.launch) return visitor.at_failure(stop);
  TargetLaunch launch = target_launch(*stop.launch, stop.number, stop.launch->file());
  launch.program = &stop;
  return visitor.at_launch(launch);
}

Error no_such_launch(const TargetTexts& texts, const std::vector<device::ProgramLog>& logs) {
  std::uint64_t launches = 0;
  std::set<std::string> kernels;
  for (const device::ProgramLog& log : logs) {
    launches += log.launches;
    for (const device::ProgramKernel& kernel : log.kernels) kernels.insert(kernel.kernel);
  }
  return no_such_launch(texts, launches, kernels);
}

std::optional<int> look_into_program(const TargetTexts& texts, const Words& words, const Console& console,
                                     const TargetVisitor& visitor) {
  require_launch_number(texts);
  OutputToErrors aside(texts.prints);
  device::ProgramRequest request;
  request.words = words;
  request.card = card_for_programs(texts.card);
  request.launch.predict = false;
  request.until = {texts.launch, static_cast<bool>(visitor.at_failure)};
  request.wish = visitor.wish;
  bool ends = false;
  request.look = [&](const device::ProgramStop& stop) {
    aside.put_back();
    console.clear_progress();
    const device::ProgramNext next = show_stop(stop, visitor);
    ends = next.ends;
    return next;
  };
  const device::ProgramOutcome outcome = device::run_watched(request);
  if (!outcome.is_seen && outcome.exit_code == 0) throw no_such_launch(texts, outcome.logs);
  return ends ? std::nullopt : std::optional(outcome.exit_code);
}

std::optional<int> build_and_look(const TargetTexts& texts, WholeProgram program, const Console& console,
                                  const TargetVisitor& visitor) {
  const TemporaryFolder folder("cudalab-program-");
  const fs::path built = folder.path() / fs::path(texts.what).stem();
  if (texts.for_debugger) program.build.request.options.emplace_back(compile::kForDebugger);
  console.show_progress("compiling " + texts.what);
  compile::build_program(program.build, built);
  console.clear_progress();
  Words words{built.string()};
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  return look_into_program(texts, words, console, visitor);
}

bool asks_for_a_kernel(const Words& words) {
  return std::ranges::any_of(words, [](const std::string& word) { return word.starts_with("--kernel"); });
}

// The words of a program and how to build it; empty if the file is neither built nor to be built.
struct FoundProgram {
  Words words;                           // of one that is built
  std::optional<WholeProgram> to_build;  // else
};
std::optional<FoundProgram> found_program(const TargetTexts& texts, const Console& console) {
  if (asks_for_a_kernel(texts.words)) return std::nullopt;
  if (is_executable(texts.what)) {
    FoundProgram found{{absolute_path(texts.what).string()}, std::nullopt};
    found.words.insert(found.words.end(), texts.words.begin(), texts.words.end());
    return found;
  }
  auto program = program_request(words_of_run(texts), console);
  if (!program) return std::nullopt;
  return FoundProgram{{}, std::move(program)};
}

void look_into_lab(const TargetTexts& texts, const lab::Lab& lab, lab::RunRequest request,
                   const Console& console, const TargetVisitor& visitor) {
  if (!texts.seed.empty()) request.seed = parse_natural("--seed", texts.seed, UINT64_MAX);
  Quiet quiet = false;
  prepare(request.settings, texts, console, quiet);
  run_until_seen(
      texts, request.kernel_file, quiet,
      [&](const device::Onlooker& onlooker) {
        request.settings.onlooker = onlooker;
        return lab::run_lab(lab, request);
      },
      visitor);
}

void look_into_kernel(const TargetTexts& texts, const Console& console, const TargetVisitor& visitor) {
  Words words{texts.what};
  words.insert(words.end(), texts.words.begin(), texts.words.end());
  lab::KernelRequest request = kernel_request(words, console);
  Quiet quiet = false;
  prepare(request.settings, texts, console, quiet);
  run_until_seen(
      texts, request.file, quiet,
      [&](const device::Onlooker& onlooker) {
        request.settings.onlooker = onlooker;
        return lab::run_kernel(request).result;
      },
      visitor);
}

std::optional<int> look_into_file(const TargetTexts& texts, const Console& console,
                                  const TargetVisitor& visitor) {
  refuse_stage(texts, msg::kind_file());
  refuse_case(texts, msg::kind_file());
  auto program = found_program(texts, console);
  if (!program) return look_into_kernel(texts, console, visitor), std::nullopt;
  if (program->to_build) return build_and_look(texts, std::move(*program->to_build), console, visitor);
  return look_into_program(texts, program->words, console, visitor);
}

}  // namespace

Options target_options(TargetTexts& texts) {
  return {{"WHAT", "", &texts.what, "a lab, an exercise, a file with a kernel, or a program"},
          {"--stage", " S", &texts.stage, "the stage of the lab; default: its first kernel"},
          {"--case", " N", &texts.test_case, "the case of the exercise's check; default 1"},
          {"--launch", " N|KERNEL", &texts.launch,
           "the launch, if there are several: the N-th one, or the first one of a kernel; default 1"},
          {"--debug", "", &texts.for_debugger,
           "compile with -G, to show variables by name; the counters then differ from the tables"},
          seed_option(texts.seed, "default 1"),
          card_option(texts.card),
          {"OPTIONS", "", BehindDashes{&texts.words},
           "after `--`: options of the lab, options of `cudalab run` for a file with a kernel, or arguments "
           "of a program"}};
}

std::optional<int> look_into_launch(const TargetTexts& texts, const Console& console,
                                    const TargetVisitor& visitor) {
  if (texts.what.empty()) throw usage_error(msg::step_target_missing());
  if (const lab::Lab* lab = lab::find_lab(texts.what))
    return look_into_lab(texts, *lab, request_for_lab(*lab, texts, console), console, visitor), std::nullopt;
  const Course course = load_whole_course({});
  if (const auto meant = exercise_meant(course, texts, console)) {
    look_into_lab(texts, *lab::find_lab(meant->exercise->lab),
                  request_for_exercise(*meant->exercise, meant->file, texts), console, visitor);
    return std::nullopt;
  }
  if (!names_a_file(texts.what) && nothing_is_at(texts.what)) throw nothing_called(course, texts.what);
  return look_into_file(texts, console, visitor);
}

void look_into_process(const std::optional<std::int64_t>& process, const TargetTexts& texts,
                       const TargetVisitor& visitor) {
  require_launch_number(texts);
  device::AttachRequest request{.process = process,
                                .until = {texts.launch, static_cast<bool>(visitor.at_failure)}};
  request.look = [&](const device::ProgramStop& stop) { return show_stop(stop, visitor); };
  request.wish = visitor.wish;
  device::attach_to_program(request);
}

}  // namespace cudalab::cli
