// Compiles and runs untrusted kernels on the virtual GPU; only headers of the toolkit may be included.
#include "grading/safe_compile.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include "compile/nvrtc/compiler_process.h"
#include "compile/untrusted_source.h"
#include "core/error.h"
#include "core/text.h"
#include "grading/submission.h"
#include "lab/locate.h"
#include "messages/grading.h"
#include "messages/lab.h"

namespace cudalab::grading {
namespace {

constexpr std::array<std::string_view, 4> kFileDirectives{"include_next", "include", "import", "embed"};
constexpr std::array<std::string_view, 3> kFileQuestions{"__has_include", "__has_embed", "has_include"};
constexpr std::array<std::string_view, 2> kTrigraphs{"?\?=", "?\?/"};

bool is_space(char letter) { return static_cast<unsigned char>(letter) <= ' '; }

// Joins lines at a backslash, as compilers do; some compilers allow spaces between the backslash and the line
// end.
std::string spliced(std::string_view source) {
  std::string text;
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (source[at] == '\\') {
      std::size_t end = at + 1;
      while (end < source.size() && is_space(source[end]) && source[end] != '\n') ++end;
      if (end < source.size() && source[end] == '\n') {
        at = end;
        continue;
      }
    }
    text += source[at];
  }
  return text;
}

// For every position, the next position after spaces and complete comments, which may span lines. Computed
// once from the end of the text, because a hostile text may nest a hundred thousand comment openings.
std::vector<std::size_t> ends_of_blanks(std::string_view text) {
  std::vector<std::size_t> ends(text.size() + 1, text.size());
  std::size_t close = text.size();  // after the next "*/" that begins at least two bytes later
  for (std::size_t at = text.size(); at-- > 0;) {
    if (text.substr(std::min(text.size(), at + 2), 2) == "*/") close = at + 4;
    bool is_comment = text.substr(at, 2) == "/*", is_blank = is_space(text[at]) && text[at] != '\n';
    if (is_comment)
      ends[at] = ends[close];
    else
      ends[at] = is_blank ? ends[at + 1] : at;
  }
  return ends;
}

// The reason why a directive's file must not be opened; empty if it may be.
Message objection(std::string_view argument) {
  if (argument.empty() || (argument.front() != '<' && argument.front() != '"'))
    return msg::include_by_macro();
  char close = argument.front() == '<' ? '>' : '"';
  std::string_view name = argument.substr(1, argument.find_first_of(std::string{close, '\n'}, 1) - 1);
  std::string shown = harmless_line(name, 60);
  if (name.starts_with("/") || name.find('\\') != std::string_view::npos ||
      name.find(':') != std::string_view::npos)
    return msg::include_of_other_file(shown);
  if (name.find("..") != std::string_view::npos) return msg::include_above_toolkit(shown);
  return {};
}

// Checks the text after a `#`.
Message objection_to_directive(std::string_view text, const std::vector<std::size_t>& ends, std::size_t at) {
  at = ends[at];
  for (std::string_view directive : kFileDirectives) {
    if (text.substr(at, directive.size()) != directive) continue;
    std::size_t end = at + directive.size();
    if (end < text.size() && is_word(text[end])) continue;
    if (directive != "include") return msg::directive_not_allowed(directive);
    return objection(text.substr(ends[end]));
  }
  return {};
}

Message objection_to_words(std::string_view source) {
  if (source.find('\0') != std::string_view::npos) return msg::source_holds_zero_byte();
  for (std::string_view trigraph : kTrigraphs)
    if (source.find(trigraph) != std::string_view::npos) return msg::source_holds_trigraph();
  return {};
}

Message objection_to_questions(std::string_view text) {
  for (std::string_view question : kFileQuestions)
    if (text.find(question) != std::string_view::npos) return msg::source_asks_for_files(question);
  return {};
}

bool opens_directive(std::string_view text, std::size_t at) {
  return text[at] == '#' || text.substr(at, 2) == "%:";
}

}  // namespace

Message refused_include(std::string_view source) {
  if (Message found = objection_to_words(source); !found.empty()) return found;
  std::string text = spliced(source);
  if (Message found = objection_to_questions(text); !found.empty()) return found;
  std::vector<std::size_t> ends = ends_of_blanks(text);
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    line += text[at] == '\n';
    if (!opens_directive(text, at)) continue;
    Message found = objection_to_directive(text, ends, at + (text[at] == '#' ? 1 : 2));
    if (!found.empty()) return msg::objection_in_line(line, std::move(found));
  }
  return {};
}

namespace {

// Compilers first search the folder of the source. A lab's own sources have relative names ("labs/…"); a
// student's file loses its folder here.
compile::CompiledSource compile_safely(const compile::CompileRequest& request) {
  Message refused = refused_include(request.source);
  if (!refused.empty()) throw usage_error(msg::at_place(request.file_name, std::move(refused)));
  compile::CompileRequest alone = request;
  std::filesystem::path name = request.file_name;
  if (name.is_absolute()) alone.file_name = name.filename().string();
  try {
    return compile::compile_untrusted(alone);
  } catch (const compile::CompilerStopped& stopped) {
    if (stopped.cause() == compile::CompilerStopped::kTime) throw OutOfTime(stopped.message());
    throw;
  }
}

}  // namespace

SafeMachine::SafeMachine(const std::optional<vgpu::Card>& card)
    : device_(device::open_device(device::DeviceChoice::kVirtual, card)),
      machine_{*device_, compile_safely, lab::labs_directory(), lab::describe_host(), programs_.path()} {}

lab::Result run_safely(const lab::Lab& lab, const lab::RunRequest& request) {
  SafeMachine safe(request.settings.card);
  return lab::run_lab(lab, request, safe.machine());
}

}  // namespace cudalab::grading
