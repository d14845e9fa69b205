// `cudalab cards`: the cards that the virtual GPU can stand for, and where each of their numbers is from.
#include <fmt/format.h>

#include <algorithm>

#include "cli/options/card_file.h"
#include "cli/options/shared_options.h"
#include "cli/verbs.h"
#include "report/text/grid.h"
#include "report/text/units.h"
#include "vgpu/card.h"

namespace cudalab::cli {
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

}  // namespace cudalab::cli
