// Explains a failed compilation: finds the cause in the source, drops repeated errors, adds advice and source
// lines.
#include "compile/explain/explain.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "compile/explain/advice.h"
#include "compile/explain/facts.h"
#include "compile/explain/slips.h"
#include "core/files.h"
#include "core/text.h"
#include "messages/compile.h"

namespace cudalab::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostErrors = 8;  // the rest are mostly consequences

// Consequences of an earlier error, which add no information.
bool is_consequence(const Diagnosis& error) {
  return error.said.find("is undefined in device code") != std::string::npos ||
         error.said.find("too many errors") != std::string::npos ||
         error.said.find("Exactly one error") != std::string::npos ||
         error.notes.find("<error-type>") != std::string::npos;
}

// Whether the compiler could not parse the line, for which an unknown name in it may be the reason.
bool is_about_parsing(const Diagnosis& error) {
  constexpr std::array<std::string_view, 4> kWords{"expected a", "expected an", "incomplete type \"void\"",
                                                   "type name is not allowed"};
  return std::ranges::any_of(kWords, [&](std::string_view words) { return error.said.starts_with(words); });
}

// The error to begin with: an unknown name in the line of the first error explains why the compiler could not
// parse the line.
const Diagnosis& root_of(const Facts& facts, const Diagnosis& first) {
  if (!is_about_parsing(first)) return first;
  const auto found = std::ranges::find_if(facts.errors, [&](const Diagnosis& error) {
    return error.where == first.where && !error.undefined_name.empty();
  });
  return found == facts.errors.end() ? first : *found;
}

std::string text_of_line(const Facts& facts, const SourceLine& where) {
  if (facts.is_own(where)) return std::string(line_of_source(facts.source, where.line));
  std::error_code ignored;
  if (where.line == 0 || !fs::is_regular_file(where.file, ignored)) return "";
  return std::string(line_of_source(read_file(where.file).value_or(""), where.line));
}

void add_advice_to(Diagnosis& error, const Facts& facts) {
  if (error.advice.empty() && error.instead.empty()) error.add_advice(advice_for(facts, error));
}

// The name that an error calls unknown, in the words of nvcc or clang.
std::string_view unknown_name(const Diagnosis& error) {
  constexpr std::string_view kClang = "use of undeclared identifier '";
  if (!error.undefined_name.empty()) return error.undefined_name;
  if (!error.said.starts_with(kClang)) return {};
  const std::string_view rest = std::string_view(error.said).substr(kClang.size());
  return rest.substr(0, rest.find('\''));
}

// Whether the name is unknown only because its own declaration has an error.
bool has_rejected_declaration(const Facts& facts, const Diagnosis& error) {
  const std::string_view name = unknown_name(error);
  if (name.empty()) return false;
  return std::ranges::any_of(declarations_of(facts, name), [&](std::size_t at) {
    const int line = facts.tokens[at].line;
    return line <= error.where.line && std::ranges::any_of(facts.errors, [&](const Diagnosis& other) {
             return facts.is_own(other.where) && other.where.line == line && unknown_name(other) != name;
           });
  });
}

bool says_the_same(const Diagnosis& one, const Diagnosis& other) {
  return one.said == other.said && (one.where == other.where || !one.undefined_name.empty());
}

// The errors after the first one, without repetitions and consequences.
std::vector<Diagnosis> others_of(const Facts& facts, const Diagnosis& first) {
  std::vector<Diagnosis> others;
  for (const Diagnosis& error : facts.errors) {
    const auto is_known = [&](const Diagnosis& known) { return says_the_same(known, error); };
    if (is_consequence(error) || has_rejected_declaration(facts, error) || is_known(first) ||
        std::ranges::any_of(others, is_known))
      continue;
    others.push_back(error);
  }
  return others;
}

// The text of another user file that contains the error; empty for headers of the system and the toolkit.
std::optional<std::string> other_file_of_user(const SourceLine& where, const std::string& file_name) {
  if (where.line == 0 || where.file == file_name || where.file.starts_with("/usr/") ||
      where.file.find("/include/") != std::string::npos)
    return std::nullopt;
  return read_file(where.file);
}

}  // namespace

CompileError explained(const CompileError& error, std::string_view source, const std::string& file_name) {
  Diagnosis first = error.diagnosis();
  if (const auto other = other_file_of_user(first.where, file_name))
    return explained(error, *other, first.where.file);
  const Facts facts = facts_of(source, file_name, errors_in(error.log(), file_name));
  // An error without a place in a file, such as a missing library, is not a mistake in this source.
  if (facts.errors.empty() || first.where.line == 0) return error;
  first = root_of(facts, first);
  std::optional<Slip> slip = find_slip(facts);
  const bool is_no_slip = first.is_unsupported || !advice_on_removed(first.said).empty();
  if (slip && !is_no_slip) {
    Diagnosis cause{.where = {file_name, slip->line}, .instead = std::move(slip->what)};
    cause.said = cause.instead.text();
    cause.source_text = std::string(line_of_source(source, slip->line));
    cause.others = others_of(facts, cause);
    // The compiler's own report of the mistake adds nothing.
    std::erase_if(cause.others, [&](const Diagnosis& other) {
      const int line = other.where.line;
      return facts.is_own(other.where) && (line == slip->line || line == slip->reported);
    });
    cause.is_cause = true;
    first = std::move(cause);
  } else {
    first.others = others_of(facts, first);
    if (const auto same = std::ranges::find_if(
            facts.errors, [&](const Diagnosis& error) { return says_the_same(error, first); });
        same != facts.errors.end())
      first.notes = same->notes;
    add_advice_to(first, facts);
    first.source_text = text_of_line(facts, first.where);
  }
  first.more = first.others.size() > kMostErrors ? first.others.size() - kMostErrors : 0;
  if (first.others.size() > kMostErrors) first.others.resize(kMostErrors);
  for (Diagnosis& other : first.others) {
    if (!first.is_cause) add_advice_to(other, facts);  // others may be consequences of the cause
    other.source_text = text_of_line(facts, other.where);
  }
  return {std::move(first), error.log()};
}

}  // namespace cudalab::compile
