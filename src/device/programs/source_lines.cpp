// One addr2line for each file of code.
#include "device/programs/source_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "compile/toolkit.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/child_pool.h"
#include "device/programs/program_names.h"

namespace cudalab::device {
namespace {

constexpr std::size_t kAtOnce = 2'000;  // addresses on one command line
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

// The path as the user would type it, where the file lies below the working folder.
std::string shown_path(const std::string& file) {
  std::error_code failed;
  const auto relative = std::filesystem::proximate(file, failed);
  return failed || relative.empty() || *relative.begin() == ".." ? file : relative.string();
}

SourceLine own_line(const CallSite& site, const Places& places) {
  bool behind_stub = false;  // the function that nvcc makes of the kernel itself, which calls the stub
  for (const std::uint64_t offset : site.offsets) {
    const auto found = places.find(offset);
    if (found == places.end()) continue;
    if (is_stub(found->second)) {
      behind_stub = true;
      continue;
    }
    if (is_foreign(found->second)) continue;
    if (behind_stub) {
      behind_stub = false;
      continue;
    }
    return {shown_path(found->second.line.file), found->second.line.line};
  }
  return {};
}

// Empty where the file is not at hand.
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
  name_memory(log, text_of_line);
}

}  // namespace cudalab::device
