// libFuzzer target: any exercise, lesson or quiz either is read or is refused with an Error that names the
// place.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/error.h"
#include "course/exercise.h"
#include "course/learn.h"
#include "course/questions.h"
#include "course/sample_exercise_testing.h"

namespace {

using namespace cudalab;

template <class Read>
void read_or_refuse(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    if (std::string_view(error.what()).find("fuzz") == std::string_view::npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const lab::Lab lab = course::doubling_lab();
  const auto text = nlohmann::json::parse(data, data + size, nullptr, false);
  if (text.is_discarded()) return 0;
  read_or_refuse([&] {
    const course::Exercise exercise = course::exercise_from(text, lab, Message::verbatim("fuzz"));
    for (const course::Case& options : exercise.cases) course::describe(options);
  });
  read_or_refuse([&] { course::lesson_from(text, lab, Message::verbatim("fuzz")); });
  read_or_refuse([&] { course::quiz_from(text, Message::verbatim("fuzz")); });
  return 0;
}
