// Shrinks a case that fails, one option at a time.
#include "course/cases/shrink.h"

#include "course/cases/consecutive.h"

namespace cudalab::course {
namespace {

using lab::OptionValue;

class Shrinking {
 public:
  Shrinking(Case failing, const Ranges& ranges, const std::function<bool(const Case&)>& fails)
      : smallest_(std::move(failing)), ranges_(ranges), fails_(fails) {}

  Case smallest() {
    for (bool is_smaller = true; is_smaller;) {
      is_smaller = false;
      for (const Range& range : ranges_.ranges)
        if (!range.is_compiled) is_smaller |= range.one_of.empty() ? shrink(range) : take_an_earlier(range);
    }
    for (const Range& range : ranges_.ranges)
      if (!range.is_compiled && range.one_of.empty()) take_the_first(range);
    return smallest_;
  }

 private:
  static constexpr int kQuestions = 60;

  bool still_fails_with(const std::string& option, OptionValue value) {
    Case changed = smallest_;
    for (auto& [name, old] : changed)
      if (name == option) old = std::move(value);
    if (questions_ == 0 || !is_within(changed, ranges_)) return false;
    --questions_;
    if (!fails_(changed)) return false;
    smallest_ = std::move(changed);
    return true;
  }

  // Halves the distance to what passes. It need not be the smallest of all where some in between pass.
  bool shrink(const Range& range) {
    const std::int64_t before = number_in(smallest_, range.option).value_or(range.least);
    if (before == range.least || still_fails_with(range.option, range.least)) return before != range.least;
    std::int64_t passes = range.least;
    for (std::int64_t fails = before; fails - passes > range.multiple_of;) {
      const std::int64_t middle = passes + (fails - passes) / 2 / range.multiple_of * range.multiple_of;
      (still_fails_with(range.option, middle) ? fails : passes) = middle;
    }
    return number_in(smallest_, range.option) != before;
  }

  // Of the least values, which are quickly asked, each: what is wrong for one remainder alone passes in
  // between.
  void take_the_first(const Range& range) {
    questions_ = kInARow;
    for (std::int64_t i = 0; i < kInARow; ++i) {
      const std::int64_t value = range.least + i * range.multiple_of;
      if (value >= number_in(smallest_, range.option).value_or(range.least)) return;
      if (still_fails_with(range.option, value)) return;
    }
  }

  bool take_an_earlier(const Range& range) {
    for (const OptionValue& value : range.one_of) {
      for (const auto& [name, now] : smallest_)
        if (name == range.option && now == value) return false;
      if (still_fails_with(range.option, value)) return true;
    }
    return false;
  }

  Case smallest_;
  const Ranges& ranges_;
  const std::function<bool(const Case&)>& fails_;
  int questions_ = kQuestions;  // left
};

}  // namespace

Case smallest(Case failing, const Ranges& ranges, const std::function<bool(const Case&)>& fails) {
  return Shrinking(std::move(failing), ranges, fails).smallest();
}

}  // namespace cudalab::course
