// Verbs that list what is available: `info`, `doctor`, `list` and `cards`.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "cli/learner.h"
#include "cli/options/card_file.h"
#include "cli/options/shared_options.h"
#include "cli/verbs.h"
#include "compile/compile_kernels.h"
#include "course/learner/course_json.h"
#include "device/device.h"
#include "lab/lab.h"
#include "messages/cli.h"
#include "messages/course.h"
#include "report/text/layout.h"
#include "report/text/values.h"
#include "report/tool.h"
#include "vgpu/card.h"

namespace cudalab::cli {

// `cudalab doctor`: says whether labs run here, which components this machine has and what each is for, and
// what to install for more.

namespace {

constexpr std::size_t kIndent = 10;

std::string text_of(const device::Finding& finding, const Console& console) {
  const Wording& wording = console.wording;
  const std::string word = wording.say(finding.found ? msg::doctor_found() : msg::doctor_optional());
  const std::string gap(kIndent - std::min(kIndent - 1, report::columns_of(word)), ' ');
  const std::string what = wording.say(finding.found ? finding.where : finding.advice);
  return fmt::format("{}{}{}: {}\n{}\n", word, gap, wording.say(finding.thing), what,
                     report::wrap(wording.say(msg::doctor_enables(finding.enables)),
                                  static_cast<std::size_t>(console.width), kIndent));
}

struct Conclusion {
  Message text;
  ExitCode code;
};

Conclusion conclude() {
  if (compile::has_compiler()) return {msg::doctor_labs_run(), ExitCode::kPassed};
  if (compile::has_shipped_kernels()) return {msg::doctor_labs_run_compiled(), ExitCode::kPassed};
  return {msg::doctor_labs_do_not_run(), ExitCode::kUnavailable};
}

// Prints the conclusion first: loading some libraries takes seconds.
ExitCode examine(const Console& console) {
  const Conclusion conclusion = conclude();
  console.say_line(console.wording.say(conclusion.text) + "\n");
  std::fflush(console.out);
  std::vector<device::Finding> findings = device::look_around();
  std::ranges::stable_partition(findings, &device::Finding::found);
  for (const device::Finding& finding : findings) console.say(text_of(finding, console));
  return conclusion.code;
}

}  // namespace

Verb doctor_verb() {
  return {.name = "doctor",
          .alias = "",
          .summary = "say whether labs run here, what this machine has, and what to install for more",
          .examples = {"cudalab doctor"},
          .declare = no_options(examine)};
}

// `cudalab list`: lists the labs with their topics, and the exercises.

namespace {

// With progress marks if the learner has started the course.
std::string text_of_exercises(const Console& console) {
  const Course course = load_whole_course(console.wording);
  const auto folder = workspace_around(console);
  const course::Workspace workspace = folder ? course::load_workspace(*folder) : course::Workspace{};
  const course::Exercise* current = next_step_in(course, workspace).exercise;
  return fmt::format("{}\n{}\n{}\n", console.wording.say(msg::list_exercises()),
                     course::course_text(course, workspace, current, style_of(console)),
                     folder ? course::progress_line(course, workspace, console.wording)
                            : console.wording.say(msg::list_take_exercises()));
}

// "banks        60 min  Banks of shared memory (bank = (address / 4) % 32)"
std::string text_of_labs(const Console& console) {
  const Wording& wording = console.wording;
  const auto time_of = [&wording](const lab::Lab& lab) {
    const int minutes = course::minutes_of_lab(course_plan(), lab.name);
    return minutes > 0 ? wording.say(msg::time_minutes(minutes)) : "";
  };
  std::size_t name_width = 0, time_width = 0;
  for (const lab::Lab& lab : lab::labs()) {
    name_width = std::max(name_width, lab.name.size());
    time_width = std::max(time_width, report::columns_of(time_of(lab)));
  }
  std::string text;
  for (const lab::Lab& lab : lab::labs()) {
    const std::string name = fmt::format("{:<{}}  {}", lab.name, name_width, time_of(lab));
    const std::string what = fmt::format("{} ({})", wording.text(lab.title), wording.text(lab.teaches));
    text +=
        report::hang(name, what, static_cast<std::size_t>(console.width), name_width + time_width + 4) + "\n";
  }
  return text + fmt::format("\n{}\n", wording.say(msg::list_run_lab()));
}

std::string json_of_course() {
  const Course course = load_whole_course({});
  const auto folder = course::find_workspace(".");
  const course::Workspace workspace = folder ? course::load_workspace(*folder) : course::Workspace{};
  return course::course_json_text(course, lab::labs(), course_plan(), workspace, report::this_tool());
}

struct ListTexts {
  bool json = false;
};

Options list_options(ListTexts& texts) {
  return {{"--json", "", &texts.json, "print the labs, concepts and exercises as JSON, with your progress"}};
}

ExitCode list(const ListTexts& texts, const Console& console) {
  if (texts.json)
    console.print(json_of_course());
  else
    console.page(text_of_labs(console) + "\n" + text_of_exercises(console));
  return ExitCode::kPassed;
}

}  // namespace

Verb list_verb() {
  return {.name = "list",
          .alias = "",
          .summary = "list the labs with their topics, and the exercises",
          .examples = {"cudalab list", "cudalab list --json"},
          .declare = with_options(list_options, list)};
}

// `cudalab cards`: lists the GPUs that the virtual GPU can simulate, and the source of each figure.

namespace {

struct CardsTexts {
  std::string card;
};

Options cards_options(CardsTexts& texts) {
  return {{"NAME|FILE", "", &texts.card, "the GPU model whose figures to list, each with its source"}};
}

std::string capability_of(const vgpu::Card& card) {
  return fmt::format("{}.{}", card.compute_major, card.compute_minor);
}

template <class Cell>
report::Column column(const std::string& heading, bool left, int importance, Cell cell) {
  report::Column made{report::heading_from(heading), {}, left, importance, {}, {}};
  for (const vgpu::Card& card : vgpu::cards()) made.cells.push_back(cell(card));
  return made;
}

std::string validation_of(bool validated, const Wording& wording) {
  return validated ? wording.say(msg::card_validated()) : wording.say(msg::card_not_validated());
}

std::string list_of_cards(std::size_t width, const Wording& wording) {
  using vgpu::Card;
  const auto number = [](double value) { return report::significant(value, 4); };
  return report::lay_out(
      {column(wording.say(msg::label_card()), true, 100, [](const Card& card) { return card.id; }),
       column(wording.say(msg::label_name()), true, 90, [](const Card& card) { return card.name; }),
       column(wording.say(msg::column_compute_capability()), false, 70, capability_of),
       column(wording.say(msg::column_multiprocessors()), false, 60,
              [&](const Card& card) { return number(card.multiprocessors); }),
       column(wording.say(msg::column_memory_bandwidth()), false, 50,
              [&](const Card& card) { return number(card.dram_gb_per_second); }),
       column(wording.say(msg::column_predicted_times()), true, 80,
              [&](const Card& card) { return validation_of(card.validated, wording); })},
      report::Rule::kBelowHeading, width, false);
}

std::string sources_of(const vgpu::CardDescription& card, const Wording& wording) {
  std::string text = fmt::format("{}, {}\n", card.name, validation_of(card.validated, wording));
  for (const vgpu::CardFigure& figure : vgpu::card_figures()) {
    const auto given = std::ranges::find(card.figures, figure.key, &vgpu::GivenFigure::key);
    if (given == card.figures.end()) continue;
    text +=
        fmt::format("  {:<30} {} {}\n{:34}{}\n", figure.key, given->value, figure.unit, "", given->source);
  }
  return text;
}

ExitCode show(const CardsTexts& texts, const Console& console) {
  if (texts.card.empty()) {
    console.say(list_of_cards(static_cast<std::size_t>(console.width), console.wording));
    return ExitCode::kPassed;
  }
  console.say(sources_of(described_card(texts.card), console.wording));
  return ExitCode::kPassed;
}

}  // namespace

Verb cards_verb() {
  return {.name = "cards",
          .alias = "",
          .summary = "list the GPU models for --card, or the figures of one model and their sources",
          .examples = {"cudalab cards", "cudalab cards rtx4090"},
          .declare = with_options(cards_options, show)};
}

namespace {

constexpr std::size_t kNameColumns = 22;

std::string named_row(std::string_view name, std::string_view value) {
  return fmt::format("  {}{}\n", report::padded(name, kNameColumns), value);
}

std::string memory_rows(const device::DeviceInfo& info, const Wording& wording) {
  const auto size = [](auto bytes) { return report::memory(static_cast<double>(bytes)); };
  std::string text = named_row(wording.say(msg::label_memory()), size(info.memory_bytes));
  if (info.l2_bytes > 0) text += named_row(wording.say(msg::label_l2_cache()), size(info.l2_bytes));
  return text +
         named_row(wording.say(msg::label_shared_per_block()),
                   wording.say(msg::shared_per_block_values(size(info.max_shared_per_block),
                                                            size(info.max_shared_per_block_optin)))) +
         named_row(wording.say(msg::label_constant_memory()), size(info.constant_bytes));
}

std::string text_of(const device::DeviceInfo& info, const Wording& wording) {
  std::string text = named_row(wording.say(msg::label_name()), info.name);
  text += named_row(wording.say(msg::label_compute_capability()),
                    fmt::format("{}.{}", info.compute_major, info.compute_minor));
  text += named_row(wording.say(msg::label_multiprocessors()), fmt::format("{}", info.multiprocessors));
  text += named_row(wording.say(msg::label_threads_per_block()),
                    wording.say(msg::value_at_most(info.max_threads_per_block)));
  text += memory_rows(info, wording);
  if (!info.driver.empty()) text += named_row(wording.say(msg::label_driver()), info.driver);
  return text + named_row(wording.say(msg::label_measures()), info.measures_time
                                                                  ? wording.say(msg::measures_times())
                                                                  : wording.say(msg::measures_of_card()));
}

std::string describe(std::string_view title, device::DeviceChoice choice, const Wording& wording) {
  try {
    return fmt::format("\n{}\n{}", title, text_of(device::open_device(choice)->info(), wording));
  } catch (const Error& error) {
    return fmt::format("\n{}\n  {}\n", title, wording.say(error.message()));
  }
}

ExitCode inform(const Console& console) {
  const Wording& wording = console.wording;
  report::Tool tool = report::this_tool();
  console.say(fmt::format("cudalab\n{}{}{}", named_row(wording.say(msg::label_version()), tool.version),
                          named_row(wording.say(msg::label_commit()), tool.commit),
                          named_row(wording.say(msg::label_compiled_by()),
                                    fmt::format("{} {}", CUDALAB_COMPILER, CUDALAB_BUILD_TYPE))));
  console.say(named_row(wording.say(msg::label_kernels_compiled_by()),
                        compile::compiler_version() ? "NVRTC " + *compile::compiler_version()
                                                    : wording.say(msg::info_no_compiler())));
  console.say(named_row(wording.say(msg::label_host_threads()),
                        fmt::format("{}", std::thread::hardware_concurrency())));
  console.say(describe("GPU (--device gpu)", device::DeviceChoice::kGpu, wording));
  console.say(describe(wording.say(msg::label_virtual_gpu()) + " (--device virtual)",
                       device::DeviceChoice::kVirtual, wording));
  return ExitCode::kPassed;
}

}  // namespace

Verb info_verb() {
  return {.name = "info",
          .alias = "",
          .summary = "show this program's version and the devices it can use",
          .examples = {"cudalab info"},
          .declare = no_options(inform)};
}

}  // namespace cudalab::cli
