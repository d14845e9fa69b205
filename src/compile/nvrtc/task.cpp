// Converts tasks and results to text fields: a struct's members in order; a list as its length, then its
// elements.
#include "compile/nvrtc/task.h"

#include <algorithm>
#include <cstdlib>

#include "core/programs/program_record.h"

namespace cudalab::compile {
namespace {

class FieldWriter {
 public:
  FieldWriter& add(const std::string& text) {
    fields_.push_back(text);
    return *this;
  }
  FieldWriter& add_count(std::size_t count) { return add(std::to_string(count)); }
  FieldWriter& add_list(const auto& texts) {
    add_count(texts.size());
    for (const std::string& text : texts) add(text);
    return *this;
  }
  Fields take() { return std::move(fields_); }

 private:
  Fields fields_;
};

// Reads fields in order; after the last one, every field is empty.
class FieldReader {
 public:
  explicit FieldReader(const Fields& fields) : fields_(fields) {}

  std::string take() { return next_ < fields_.size() ? fields_[next_++] : std::string(); }
  std::size_t take_count() {
    return std::min<std::size_t>(std::strtoul(take().c_str(), nullptr, 10), fields_.size() - next_);
  }
  std::vector<std::string> take_list() {
    std::vector<std::string> texts(take_count());
    for (std::string& text : texts) text = take();
    return texts;
  }

 private:
  const Fields& fields_;
  std::size_t next_ = 0;
};

}  // namespace

int FoundNvrtc::architecture_up_to(int wanted) const {
  int best = 0;
  for (const int architecture : architectures)
    if (architecture <= wanted && architecture > best) best = architecture;
  return best;
}

int FoundNvrtc::lowest_architecture() const {
  return architectures.empty() ? 0 : *std::ranges::min_element(architectures);
}

Fields to_fields(const FoundNvrtc& found) {
  std::vector<std::string> architectures;
  for (const int architecture : found.architectures) architectures.push_back(std::to_string(architecture));
  std::vector<std::string> passed_over;
  for (const Message& message : found.passed_over) passed_over.push_back(bytes_of(message));
  return FieldWriter()
      .add(found.path)
      .add(found.version)
      .add_list(architectures)
      .add_list(passed_over)
      .take();
}

FoundNvrtc found_nvrtc_from(const Fields& fields) {
  FieldReader reader(fields);
  FoundNvrtc found{.path = reader.take(), .version = reader.take()};
  for (const std::string& text : reader.take_list()) found.architectures.push_back(std::atoi(text.c_str()));
  for (const std::string& bytes : reader.take_list()) found.passed_over.push_back(message_in(bytes));
  return found;
}

Fields to_fields(const NvrtcTask& task) {
  FieldWriter writer;
  writer.add(task.library).add(task.folder).add(task.source).add(task.file_name);
  writer.add_list(task.options).add_list(task.name_expressions).add_count(task.headers.size());
  for (const HeaderText& header : task.headers) writer.add(header.name).add(header.text);
  return writer.take();
}

NvrtcTask nvrtc_task_from(const Fields& fields) {
  FieldReader reader(fields);
  NvrtcTask task{reader.take(), reader.take(), reader.take(), reader.take()};
  task.options = reader.take_list();
  task.name_expressions = reader.take_list();
  task.headers.resize(reader.take_count());
  for (HeaderText& header : task.headers) header = {reader.take(), reader.take()};
  return task;
}

Fields to_fields(const NvrtcOutcome& outcome) {
  FieldWriter writer;
  writer.add(outcome.compiled ? "1" : "0").add(outcome.ptx).add(outcome.log);
  writer.add_count(outcome.lowered_names.size());
  for (const auto& [name, symbol] : outcome.lowered_names) writer.add(name).add(symbol);
  return writer.take();
}

NvrtcOutcome nvrtc_outcome_from(const Fields& fields) {
  FieldReader reader(fields);
  NvrtcOutcome outcome{reader.take() == "1", reader.take(), reader.take()};
  for (std::size_t names = reader.take_count(); names > 0; --names) {
    const std::string name = reader.take();
    outcome.lowered_names[name] = reader.take();
  }
  return outcome;
}

}  // namespace cudalab::compile
