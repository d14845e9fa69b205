// Applies a function to every text of the course that a learner reads; handouts are processed line by line.
#include "course/texts/rewrite.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "report/text/layout.h"

namespace cudalab::course {

// Splits a handout into texts line by line, and reassembles it from the rewritten texts.

namespace {

// The width of an item's marker, "1. " or "- "; 0 if the line begins no item.
std::size_t marker_of(std::string_view line) {
  if (line.starts_with("- ")) return 2;
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  return digits > 0 && line.substr(digits, 2) == ". " ? digits + 2 : 0;
}

class Rewriting {
 public:
  Rewriting(const Rewrite& by, std::size_t width) : by_(by), width_(width) {}

  std::string of(std::string_view handout) {
    while (!handout.empty()) {
      const std::size_t end = std::min(handout.find('\n'), handout.size());
      take(handout.substr(0, end));
      handout.remove_prefix(std::min(end + 1, handout.size()));
    }
    end_paragraph();
    return std::move(text_);
  }

 private:
  void take(std::string_view line) {
    if (is_comment_ || line.starts_with("<!--")) return comment(line);
    if (trimmed(line).empty() || line.starts_with("---")) return keep(line);
    if (line.starts_with('#')) return heading(line);
    if (line.starts_with('|')) return row(line);
    if (line.starts_with("    ") && paragraph_.empty()) return code(line);
    prose(line);
  }

  void keep(std::string_view line) {
    end_paragraph();
    text_ += fmt::format("{}\n", line);
  }

  void comment(std::string_view line) {
    keep(line);
    is_comment_ = line.find("-->") == std::string_view::npos;
  }

  void heading(std::string_view line) {
    const std::size_t begin = std::min(line.find_first_not_of("# "), line.size());
    keep(fmt::format("{}{}", line.substr(0, begin), by_(line.substr(begin))));
  }

  // A bar between backticks does not separate cells.
  void row(std::string_view line) {
    std::string cells, cell;
    bool is_code = false;
    for (const char c : line) {
      is_code ^= c == '`';
      if (c != '|' || is_code) {
        cell += c;
        continue;
      }
      cells += rewritten_cell(cell) + "|";
      cell.clear();
    }
    keep(cells + cell);
  }

  std::string rewritten_cell(const std::string& cell) const {
    const std::string_view inside = trimmed(cell);
    const bool is_rule = inside.find_first_not_of("-:") == std::string_view::npos;
    return is_rule ? cell : fmt::format(" {} ", by_(inside));
  }

  // Rewrites the comment of a command: "    cudalab banks --stride 8        # what it shows".
  void code(std::string_view line) {
    const std::size_t hash = line.find(" # ");
    const bool is_command = line.starts_with("    cudalab ") && hash != std::string_view::npos;
    keep(is_command ? fmt::format("{}{}", line.substr(0, hash + 3), by_(line.substr(hash + 3)))
                    : std::string(line));
  }

  void prose(std::string_view line) {
    if (const std::size_t marker = marker_of(line)) {
      end_paragraph();
      marker_ = line.substr(0, marker);
      line.remove_prefix(marker);
    } else if (paragraph_.empty()) {
      marker_ = line.substr(0, std::min(line.find_first_not_of(' '), line.size()));
    }
    paragraph_ += fmt::format("{}{}", paragraph_.empty() ? "" : " ", trimmed(line));
  }

  void end_paragraph() {
    if (paragraph_.empty()) return;
    const std::string lines = report::wrap(by_(paragraph_), width_, marker_.size());
    text_ += fmt::format("{}{}\n", marker_, std::string_view(lines).substr(marker_.size()));
    paragraph_.clear();
  }

  const Rewrite& by_;
  std::size_t width_;
  // `marker_` is "- " or the blanks in front of a paragraph.
  std::string text_, paragraph_, marker_;
  bool is_comment_ = false;
};

}  // namespace

std::string rewritten_handout(std::string_view handout, const Rewrite& by, std::size_t width) {
  return Rewriting(by, width).of(handout);
}

std::string without_markers(std::string_view handout) {
  std::string text;
  while (!handout.empty()) {
    const bool is_marker = handout.starts_with("<!--");
    const std::size_t closed = is_marker ? handout.find("-->") : 0;
    const std::size_t end = std::min(handout.find('\n', std::min(closed, handout.size())), handout.size());
    const std::size_t next = std::min(end + 1, handout.size());
    if (!is_marker) text += handout.substr(0, next);
    handout.remove_prefix(next);
  }
  return text;
}

std::string handout_in(const Wording& wording, std::string_view handout) {
  constexpr std::size_t kWidth = 100;
  const std::string text = without_markers(handout);
  if (wording.language() == Language::kEnglish) return text;
  return rewritten_handout(text, translation_by(wording), kWidth);
}

namespace {

template <class Texts>
void rewrite_all(Texts& texts, const Rewrite& by) {
  for (std::string& text : texts) text = by(text);
}

void rewrite(Prediction& prediction, const Rewrite& by) {
  prediction.question = by(prediction.question);
  prediction.shown_unit = by(prediction.unit);
  rewrite_all(prediction.why, by);
}

}  // namespace

Rewrite translation_by(const Wording& wording) {
  return [&wording](std::string_view text) { return wording.text(text); };
}

void rewrite(Quiz& quiz, const Rewrite& by) {
  for (Question& question : quiz) {
    question.question = by(question.question);
    rewrite_all(question.choices, by);
    question.why = by(question.why);
  }
}

void rewrite(Lesson& lesson, const Rewrite& by) {
  for (Step& step : lesson) {
    if (auto* paragraphs = std::get_if<Paragraphs>(&step))
      rewrite_all(*paragraphs, by);
    else
      rewrite(std::get<Prediction>(step), by);
  }
}

void rewrite(std::vector<AnsweredQuestion>& answers, const Rewrite& by) {
  for (AnsweredQuestion& one : answers) {
    one.question = by(one.question);
    one.answer = by(one.answer);
  }
}

void rewrite(Exercise& exercise, const Rewrite& by) {
  exercise.title = by(exercise.title);
  rewrite_all(exercise.task, by);
  for (ExerciseCriterion& each : exercise.criteria) each.criterion.says = by(each.criterion.says);
  rewrite_all(exercise.hints, by);
}

}  // namespace cudalab::course
