// Verbs that list what is available: `info`, `doctor`, `list` and `cards`.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "cli/learner.h"
#include "cli/options/card_file.h"
#include "cli/options/shared_options.h"
#include "cli/verbs.h"
#include "compile/compile_kernels.h"
#include "device/device.h"
#include "lab/lab.h"
#include "report/text/layout.h"
#include "report/text/values.h"
#include "report/tool.h"
#include "vgpu/card.h"

namespace cudalab::cli {

// `cudalab doctor`: what this machine has, what that enables, and what to install for the rest.

namespace {

constexpr std::size_t kIndent = 10;

std::string text_of(const device::Finding& finding, const Console& console) {
  const Wording& wording = console.wording;
  const std::string word = finding.found ? wording.say<"found">() : wording.say<"missing">();
  const std::string gap(kIndent - std::min(kIndent - 1, report::columns_of(word)), ' ');
  const std::string what = wording.text(finding.found ? finding.where : finding.advice);
  return fmt::format("{}{}{}: {}\n{}\n", word, gap, wording.text(finding.thing), what,
                     report::wrap(wording.say<"for {}">(wording.text(finding.enables)),
                                  static_cast<std::size_t>(console.width), kIndent));
}

ExitCode examine(const Console& console) {
  for (const device::Finding& finding : device::look_around()) console.say(text_of(finding, console));
  if (compile::compiler_version()) {
    console.say_line(
        "\n" + console.wording.say<"Labs run on this machine: try `cudalab transpose --tile 32 --pad`.">());
    return ExitCode::kPassed;
  }
  if (compile::has_shipped_kernels()) {
    console.say_line(
        "\n" +
        console.wording.say<
            "Labs run on this machine with the kernels that came compiled: those of their defaults, "
            "examples, lessons and handouts. Other options and your own kernels need NVRTC, the compiler "
            "(see above).">());
    return ExitCode::kPassed;
  }
  console.say_line(
      "\n" +
      console.wording.say<"Labs do not run on this machine: their kernels need NVRTC, the compiler (see "
                          "above).">());
  return ExitCode::kUnavailable;
}

}  // namespace

Verb doctor_verb() {
  return {.name = "doctor",
          .alias = "",
          .summary = "look for the driver, the compiler and the libraries, and say what to install",
          .examples = {"cudalab doctor"},
          .declare = no_options(examine)};
}

// `cudalab list`: the labs and what each teaches, and the exercises.

namespace {

// With marks where the learner has started the course.
void list_exercises(const Console& console) {
  const Course course = load_whole_course(console.wording);
  const auto folder = workspace_around(console);
  const course::Workspace workspace = folder ? course::load_workspace(*folder) : course::Workspace{};
  const course::Exercise* current = course::current_exercise(course, workspace);
  console.say(fmt::format("\n{}\n", console.wording.say<"Exercises">()));
  console.say(course::course_text(course, workspace, current, style_of(console)));
  if (folder)
    console.say(fmt::format("\n{}\n", course::progress_line(course, workspace, console.wording)));
  else
    console.say_line(
        "\n" + console.wording
                   .say<"Take them with `cudalab start all`, or only a lab's with `cudalab start LAB`.">());
}

ExitCode list(const Console& console) {
  const Wording& wording = console.wording;
  std::size_t name_width = 0, title_width = 0;
  for (const lab::Lab& lab : lab::labs()) {
    name_width = std::max(name_width, lab.name.size());
    title_width = std::max(title_width, report::columns_of(wording.text(lab.title)));
  }
  for (const lab::Lab& lab : lab::labs())
    console.say_line(fmt::format("{:<{}}  {:<{}}  {}", lab.name, name_width, wording.text(lab.title),
                                 title_width, wording.text(lab.teaches)));
  console.say_line("\n" +
                   wording.say<"Run one with `cudalab LAB`; `cudalab LAB --help` lists its options.">());
  list_exercises(console);
  return ExitCode::kPassed;
}

}  // namespace

Verb list_verb() {
  return {.name = "list",
          .alias = "",
          .summary = "show the labs and what each teaches, and the exercises",
          .examples = {"cudalab list"},
          .declare = no_options(list)};
}

// `cudalab cards`: the cards that the virtual GPU can stand for, and where each of their numbers is from.

namespace {

struct CardsTexts {
  std::string card;
};

Options cards_options(CardsTexts& texts) {
  return {{"NAME|FILE", "", &texts.card, "the card whose numbers to list, each with its source"}};
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
  return validated ? wording.say<"validated">() : wording.say<"not validated">();
}

std::string list_of_cards(std::size_t width, const Wording& wording) {
  using vgpu::Card;
  const auto number = [](double value) { return report::significant(value, 4); };
  return report::lay_out({column(wording.say<"card">(), true, 100, [](const Card& card) { return card.id; }),
                          column(wording.say<"name">(), true, 90, [](const Card& card) { return card.name; }),
                          column(wording.say<"compute\ncapability">(), false, 70, capability_of),
                          column(wording.say<"multi-\nprocessors">(), false, 60,
                                 [&](const Card& card) { return number(card.multiprocessors); }),
                          column(wording.say<"memory\nGB/s">(), false, 50,
                                 [&](const Card& card) { return number(card.dram_gb_per_second); }),
                          column(wording.say<"predicted times">(), true, 80,
                                 [&](const Card& card) { return validation_of(card.validated, wording); })},
                         0, width, false);
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
          .summary = "list the cards that --card takes, or one card's numbers and their sources",
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
  std::string text = named_row(wording.say<"memory">(), size(info.memory_bytes));
  if (info.l2_bytes > 0) text += named_row(wording.say<"L2 cache">(), size(info.l2_bytes));
  return text +
         named_row(wording.say<"shared memory a block">(),
                   wording.say<"{}, {} on request">(size(info.max_shared_per_block),
                                                    size(info.max_shared_per_block_optin))) +
         named_row(wording.say<"constant memory">(), size(info.constant_bytes));
}

std::string text_of(const device::DeviceInfo& info, const Wording& wording) {
  std::string text = named_row(wording.say<"name">(), info.name);
  text += named_row(wording.say<"compute capability">(),
                    fmt::format("{}.{}", info.compute_major, info.compute_minor));
  text += named_row(wording.say<"multiprocessors">(), fmt::format("{}", info.multiprocessors));
  text += named_row(wording.say<"threads a block">(), wording.say<"at most {}">(info.max_threads_per_block));
  text += memory_rows(info, wording);
  if (!info.driver.empty()) text += named_row(wording.say<"driver">(), info.driver);
  return text + named_row(wording.say<"measures">(),
                          info.measures_time
                              ? wording.say<"times">()
                              : wording.say<"counters, hazards, and predicted times of that card">());
}

std::string describe(std::string_view title, device::DeviceChoice choice, const Wording& wording) {
  try {
    return fmt::format("\n{}\n{}", title, text_of(device::open_device(choice)->info(), wording));
  } catch (const Error& error) {
    return fmt::format("\n{}\n  {}\n", title, wording.text(error.what()));
  }
}

ExitCode inform(const Console& console) {
  const Wording& wording = console.wording;
  report::Tool tool = report::this_tool();
  console.say(fmt::format(
      "cudalab\n{}{}{}", named_row(wording.say<"version">(), tool.version),
      named_row(wording.say<"commit">(), tool.commit),
      named_row(wording.say<"compiled by">(), fmt::format("{} {}", CUDALAB_COMPILER, CUDALAB_BUILD_TYPE))));
  console.say(named_row(wording.say<"kernels compiled by">(),
                        compile::compiler_version()
                            ? "NVRTC " + *compile::compiler_version()
                            : wording.say<"nothing: NVRTC was not found (`cudalab doctor`)">()));
  console.say(
      named_row(wording.say<"host threads">(), fmt::format("{}", std::thread::hardware_concurrency())));
  console.say(describe("GPU (--device gpu)", device::DeviceChoice::kGpu, wording));
  console.say(describe(wording.say<"Virtual GPU">() + " (--device virtual)", device::DeviceChoice::kVirtual,
                       wording));
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
