// Names memory and pointers by the variables in a program's source, and finds the source lines of call sites.
#include "device/programs/program_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "compile/toolkit.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/child_pool.h"
#include "core/text.h"
#include "core/text_pattern.h"
#include "messages/core.h"
#include "messages/vgpu.h"

namespace cudalab::device {
namespace {

constexpr std::size_t kAtOnce = 2'000;  // addresses per command line
constexpr ChildLimits kLimits{.cpu_seconds = 20, .wall_seconds = 30};

struct Place {
  std::string function;
  SourceLine line;
};
using Places = std::map<std::uint64_t, Place>;

// "/home/me/vec.cu:12 (discriminator 2)"
SourceLine line_from(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  SourceLine line;
  if (colon == std::string::npos || text.starts_with("??")) return line;
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), line.line);
  line.file = text.substr(0, colon);
  return line;
}

Places places_in(const std::string& object, std::span<const std::uint64_t> addresses,
                 const std::filesystem::path& tool) {
  std::vector<std::string> words{tool.string(), "-f", "-C", "-e", object};
  for (const std::uint64_t address : addresses) words.push_back(fmt::format("{:#x}", address));
  ChildPool pool(kLimits);
  pool.start(0, words, std::filesystem::path("/"));
  std::istringstream output(pool.wait().second.output);
  Places places;
  std::string function, line;
  for (const std::uint64_t address : addresses)
    if (std::getline(output, function) && std::getline(output, line))
      places[address] = {function, line_from(line)};
  return places;
}

bool is_stub(const Place& place) { return place.function.find("__device_stub__") != std::string::npos; }

bool is_foreign(const Place& place) {
  const std::string& file = place.line.file;
  return place.line.line == 0 || file.find("/cuda_runtime") != std::string::npos ||
         file.find("/targets/x86_64-linux/include/") != std::string::npos ||
         file.find("tmpxft") != std::string::npos || file.find("/crt/host_runtime.h") != std::string::npos ||
         file.find(".cudafe") != std::string::npos;
}

// nvcc's host compiler attributes instances of templates to the file that nvcc generated from the source,
// "/tmp/tmpxft_…-6_prog.cudafe1.cpp", with the lines of the source. The source is then the file of that name
// that occurs in other places. Functions of nvcc begin with "__".
std::string source_behind(const Place& place, const Places& places) {
  constexpr std::string_view kEnd = ".cudafe1.cpp";
  const std::filesystem::path file(place.line.file);
  const std::string name = file.filename().string();
  const std::size_t begins = name.find('_', name.find('-'));
  if (!name.starts_with("tmpxft_") || !name.ends_with(kEnd) || begins == std::string::npos ||
      place.function.find("__") != std::string::npos)
    return place.line.file;
  const std::string stem = name.substr(begins + 1, name.size() - begins - 1 - kEnd.size());
  for (const auto& [address, other] : places)
    if (const std::filesystem::path own(other.line.file); own.stem() == stem && own.extension() == ".cu")
      return other.line.file;
  return place.line.file;
}

// The path relative to the working folder if the file is below it.
std::string shown_path(const std::string& file) {
  if (file.empty()) return file;
  std::error_code failed;
  const auto relative = std::filesystem::proximate(file, absolute_path("."), failed);
  return failed || relative.empty() || *relative.begin() == ".." ? file : relative.string();
}

SourceLine own_line(const CallSite& site, const Places& places) {
  bool behind_stub = false;  // in nvcc's wrapper function, which calls the launch stub
  for (const std::uint64_t offset : site.offsets) {
    const auto found = places.find(offset);
    if (found == places.end()) continue;
    Place place = found->second;
    if (is_stub(place)) {
      behind_stub = true;
      continue;
    }
    place.line.file = source_behind(place, places);
    if (is_foreign(place)) continue;
    if (behind_stub) {
      behind_stub = false;
      continue;
    }
    return {shown_path(place.line.file), place.line.line};
  }
  return {};
}

// Empty if the file is not available.
std::string text_of_line(const SourceLine& line) {
  std::istringstream text(read_file(line.file).value_or(""));
  std::string found;
  for (int i = 0; i < line.line && std::getline(text, found); ++i) continue;
  return text ? found : "";
}

}  // namespace

std::map<CallSite, SourceLine> source_lines(std::span<const CallSite> sites) {
  std::map<CallSite, SourceLine> lines;
  const auto tool = compile::find_program("addr2line");
  if (!tool) return lines;
  std::map<std::string, std::set<std::uint64_t>> wanted;
  for (const CallSite& site : sites) wanted[site.object].insert(site.offsets.begin(), site.offsets.end());
  std::map<std::string, Places> places;
  for (const auto& [object, offsets] : wanted) {
    const std::vector<std::uint64_t> all(offsets.begin(), offsets.end());
    for (std::size_t from = 0; from < all.size(); from += kAtOnce)
      places[object].merge(
          places_in(object, std::span(all).subspan(from, std::min(kAtOnce, all.size() - from)), *tool));
  }
  for (const CallSite& site : sites)
    if (SourceLine line = own_line(site, places[site.object]); line.line > 0) lines[site] = std::move(line);
  return lines;
}

void add_source_lines(ProgramLog& log) {
  log.lines = source_lines(call_sites(log));
  for (ProgramKernel& kernel : log.kernels)
    for (Hazard& hazard : kernel.result.hazards) {
      hazard.where.file = shown_path(hazard.where.file);
      if (hazard.other) hazard.other->file = shown_path(hazard.other->file);
    }
  name_memory(log, text_of_line);
}

namespace {

// Visits all messages that may mention memory.
void for_messages(ProgramLog& log, const std::function<void(Message&)>& use) {
  for (ProgramKernel& kernel : log.kernels)
    for (Hazard& hazard : kernel.result.hazards) {
      use(hazard.what);
      use(hazard.fix);
    }
  for (HostMistake& mistake : log.mistakes) use(mistake.what);
  for (FailedCall& failure : log.failures) use(failure.why);
}

// The name must not be followed by a digit: "cudaMalloc #1" is not part of "cudaMalloc #12".
std::size_t find_name(const std::string& text, const std::string& name, std::size_t from) {
  for (std::size_t at = text.find(name, from); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if (end == text.size() || !std::isdigit(static_cast<unsigned char>(text[end]))) return at;
  }
  return std::string::npos;
}

bool has_name(const std::string& text, const std::string& name) {
  return find_name(text, name, 0) != std::string::npos;
}

std::string with_variable(std::string text, const std::string& name, const std::string& variable) {
  for (std::size_t at = find_name(text, name, 0); at != std::string::npos;
       at = find_name(text, name, at + variable.size()))
    text.replace(at, name.size(), variable);
  return text;
}

// The argument's text that may contain the name: a text, an expression, or the buffer of an element.
const std::string* name_in(const cudalab::Argument& argument) {
  if (const auto* text = argument.as<std::string>()) return text;
  if (const auto* code = argument.as<cudalab::Code>()) return &code->text;
  const auto* element = argument.as<cudalab::Element>();
  return element ? &element->buffer : nullptr;
}

std::optional<cudalab::Argument> with_variable(const cudalab::Argument& argument, const std::string& name,
                                               const std::string& variable) {
  const std::string* held = name_in(argument);
  if (!held || !has_name(*held, name)) return std::nullopt;
  const std::string renamed = with_variable(*held, name, variable);
  if (argument.as<cudalab::Code>()) return cudalab::Code{renamed};
  const auto* element = argument.as<cudalab::Element>();
  return element ? cudalab::Argument(msg::element_of(element->index.at(0), renamed))
                 : cudalab::Argument(renamed);
}

void replace_name(ProgramLog& log, const std::string& name, const std::string& variable) {
  for_messages(log, [&](Message& message) {
    message = with_changed_arguments(
        message, [&](const cudalab::Argument& argument) { return with_variable(argument, name, variable); });
  });
  for (ProgramKernel& kernel : log.kernels)
    for (Hazard& hazard : kernel.result.hazards)
      hazard.buffer = with_variable(std::move(hazard.buffer), name, variable);
  for (ParameterUse& use : log.uses) use.use.name = with_variable(std::move(use.use.name), name, variable);
  for (ProgramCopy& copy : log.each_copy) copy.memory = with_variable(std::move(copy.memory), name, variable);
  for (TextureUse& use : log.textures) use.texture = with_variable(std::move(use.texture), name, variable);
  for (ParameterUse& use : log.others)
    if (use.use.space == MemorySpace::kGlobal)
      use.use.name = with_variable(std::move(use.use.name), name, variable);
}

std::string call_in(const std::string& name) { return name.substr(0, name.find(' ')); }

// The variable that a call fills. `place` of `places` is the number of the call among the calls of the line.
// Empty if the variable is ambiguous.
std::string variable_of(const std::string& line, const std::string& call, std::size_t place,
                        std::size_t places) {
  std::vector<std::string> variables;
  // In C++, cudaMallocHost is a template that calls cudaHostAlloc.
  for (const auto& [made_by, variable] : allocations_in(line))
    if (made_by == call || (made_by == "cudaMallocHost" && call == "cudaHostAlloc"))
      variables.push_back(variable);
  // In a template or a loop, one call can have many call sites.
  if (variables.size() == 1) return variables.front();
  return places == variables.size() ? variables[place] : "";
}

std::string key_of(const SourceLine& line, const std::string& name) {
  return fmt::format("{}:{} {}", line.file, line.line, call_in(name));
}

void name_allocations(ProgramLog& log, const LineText& line_of) {
  std::map<std::string, std::set<CallSite>> places;
  for (const auto& [name, from] : log.named)
    if (const auto line = log.lines.find(from); line != log.lines.end())
      places[key_of(line->second, name)].insert(from);
  for (const auto& [name, from] : log.named) {
    const auto line = log.lines.find(from);
    if (line == log.lines.end() || !mentions(log, name)) continue;
    const std::set<CallSite>& all = places[key_of(line->second, name)];
    const auto place = static_cast<std::size_t>(std::distance(all.begin(), all.find(from)));
    const std::string variable = variable_of(line_of(line->second), call_in(name), place, all.size());
    if (!variable.empty()) replace_name(log, name, variable);
  }
}

// Adds to accesses past the end of memory the line that allocates it.
void add_allocation_lines(ProgramLog& log) {
  for (ProgramKernel& kernel : log.kernels)
    for (Hazard& hazard : kernel.result.hazards) {
      const auto from = log.named.find(hazard.buffer);
      if (hazard.kind != HazardKind::kOutOfBounds || from == log.named.end() ||
          hazard.what.id().find("_past_") == std::string_view::npos)
        continue;
      if (const auto line = log.lines.find(from->second); line != log.lines.end())
        hazard.what = msg::access_past_allocation(hazard.what, line->second.line);
    }
}

// The text around a launch, which may span several lines.
std::string text_around(const SourceLine& line, const LineText& line_of) {
  constexpr int kBefore = 6, kBehind = 6;
  std::string text;
  for (int at = std::max(1, line.line - kBefore); at <= line.line + kBehind; ++at) {
    std::string one = line_of({line.file, at});
    if (at > line.line && one.find("<<<") != std::string::npos) break;  // another launch
    text += one + "\n";
  }
  return text;
}

// The expression of the launch's argument `number`, counted from 1.
std::optional<std::string> launch_argument(const std::string& text, const std::string& kernel,
                                           std::size_t number) {
  const std::vector<std::string> arguments = arguments_in(text, kernel);
  return number == 0 || number > arguments.size() ? std::nullopt : std::optional(arguments[number - 1]);
}

// Puts the expression of the launch, and its line, into messages about one of its arguments.
void name_arguments(ProgramLog& log, const LineText& line_of) {
  for (ProgramKernel& kernel : log.kernels) {
    const auto line = log.lines.find(kernel.from);
    if (line == log.lines.end()) continue;
    const auto expression = [&](const Message& message) {
      const auto number = std::stoull(shown_in_english(*message.argument("argument")));
      return launch_argument(text_around(line->second, line_of), kernel.kernel, number);
    };
    for (Hazard& hazard : kernel.result.hazards) {
      const Message what = hazard.what, fix = hazard.fix;
      if (what.id() == "access_to_host_argument")
        if (const auto text = expression(what))
          hazard.what = msg::access_to_host_expression(*what.argument("access"), cudalab::Code{*text},
                                                       *what.argument("argument"), line->second.line);
      if (fix.id() == "advice_size_argument")
        if (const auto text = expression(fix))
          hazard.fix =
              msg::advice_size_expression(line->second.line, cudalab::Code{*text}, *fix.argument("value"),
                                          *fix.argument("buffer"), *fix.argument("elements"));
    }
  }
}

// Splits the text between an opening parenthesis, which ends at `at`, and its closing one.
std::vector<std::string> split_arguments(const std::string& text, std::size_t at) {
  std::vector<std::string> found(1);
  for (int depth = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ')' && depth == 0) break;
    depth += c == '(' || c == '[' || c == '{';
    depth -= c == ')' || c == ']' || c == '}';
    if (c == ',' && depth == 0)
      found.emplace_back();
    else
      found.back() += c;
  }
  for (std::string& argument : found) argument = std::string(trimmed(argument));
  return found;
}

}  // namespace

bool mentions(const ProgramLog& log, const std::string& name) {
  bool found = false;
  const auto look = [&](const Message& message) {
    for_each_argument(message, [&](const cudalab::Argument& argument) {
      const std::string* held = name_in(argument);
      found |= held && has_name(*held, name);
    });
  };
  for (const ProgramKernel& kernel : log.kernels)
    for (const Hazard& hazard : kernel.result.hazards) {
      look(hazard.what);
      look(hazard.fix);
      found |= has_name(hazard.buffer, name);
    }
  for (const HostMistake& mistake : log.mistakes) look(mistake.what);
  for (const FailedCall& failure : log.failures) look(failure.why);
  for (const ParameterUse& use : log.uses) found |= has_name(use.use.name, name);
  for (const ProgramCopy& copy : log.each_copy) found |= copy.memory == name;
  return found;
}

std::vector<std::pair<std::string, std::string>> allocations_in(const std::string& line) {
  static const TextPattern pattern(R"(\b(cuda(?:Malloc|HostAlloc)\w*|cuMem(?:Host)?Alloc\w*)\s*\()"
                                   R"([^&;]*&\s*([A-Za-z_][\w.\[\]]*(?:->[\w.\[\]]+)*))");
  std::vector<std::pair<std::string, std::string>> found;
  for (const TextMatch& match : pattern.all_in(line)) found.emplace_back(match.groups[1], match.groups[2]);
  return found;
}

std::vector<std::string> arguments_in(const std::string& text, const std::string& kernel) {
  const std::string name = kernel.substr(0, kernel.find('<'));
  const std::string own = name.substr(name.rfind(':') == std::string::npos ? 0 : name.rfind(':') + 1);
  for (std::size_t at = text.rfind("<<<"); at != std::string::npos && at > 0;
       at = text.rfind("<<<", at - 1)) {
    const std::size_t ends = text.find(">>>", at);
    const std::size_t opens = ends == std::string::npos ? ends : text.find('(', ends);
    const std::size_t statement = text.find_last_of(";{}", at);
    const std::size_t begins = statement == std::string::npos ? 0 : statement + 1;
    if (opens == std::string::npos || text.substr(begins, at - begins).find(own) == std::string::npos)
      continue;
    return split_arguments(text, opens + 1);
  }
  return {};
}

void name_memory(ProgramLog& log, const LineText& line_of) {
  add_allocation_lines(log);
  name_allocations(log, line_of);
  name_arguments(log, line_of);
}

}  // namespace cudalab::device
