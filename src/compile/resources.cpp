// Reads the log of ptxas -v; never anything else that it writes.
#include "compile/resources.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <fstream>
#include <utility>

#include "core/processes/child_pool.h"
#include "core/temporary_folder.h"
#include "core/words/split.h"

namespace cudalab::compile {
namespace fs = std::filesystem;
namespace {

// What ptxas prints of a kernel; NVRTC begins the third line with "ptxas         .":
//
//   ptxas info    : Compiling entry function 'SYMBOL' for 'sm_90'
//   ptxas info    : Function properties for SYMBOL
//       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 32 registers, used 1 barriers, 256 bytes cumulative stack size, 8192 bytes smem
constexpr std::string_view kPtxas = "ptxas ";
constexpr std::string_view kEntry = "Compiling entry function '", kProperties = "Function properties for ",
                           kUsed = ": Used ";

constexpr ChildLimits kPtxasLimits{.cpu_seconds = 60,
                                   .wall_seconds = 60,
                                   .memory_bytes = 4ull << 30,
                                   .output_bytes = 4u << 20,
                                   .file_bytes = 256u << 20};

// What stands behind `before`, up to `end`; nothing where the line does not have it.
std::optional<std::string_view> behind(std::string_view line, std::string_view before, char end) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  line.remove_prefix(at + before.size());
  return line.substr(0, line.find(end));
}

// The number before `unit`: 32 of "Used 32 registers, used 1 barriers", for " registers".
template <class T = std::uint64_t>
std::optional<T> number_before(std::string_view line, std::string_view unit) {
  const std::size_t end = line.find(unit);
  if (end == std::string_view::npos) return std::nullopt;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  T number = 0;
  const auto [stopped, error] = std::from_chars(line.data() + begin, line.data() + end, number);
  return error == std::errc() && stopped == line.data() + end ? std::optional(number) : std::nullopt;
}

// Reads line by line. Functions that are not inlined have properties, too, but are no entries.
class LogReader {
 public:
  void read(std::string_view line) {
    if (const auto symbol = behind(line, kEntry, '\'')) return begin_entry(*symbol);
    if (const auto symbol = behind(line, kProperties, '\n')) {
      properties_of_entry_ = *symbol == symbol_;
      return;
    }
    if (number_before(line, " bytes stack frame")) return read_properties(line);
    if (line.find(kUsed) != std::string_view::npos) read_use(line);
  }
  ResourcesBySymbol take() { return std::move(found_); }

 private:
  void begin_entry(std::string_view symbol) {
    symbol_ = symbol;
    now_ = {};
    properties_of_entry_ = has_properties_ = false;
  }
  void read_properties(std::string_view line) {
    if (!std::exchange(properties_of_entry_, false)) return;
    const auto stores = number_before(line, " bytes spill stores");
    const auto loads = number_before(line, " bytes spill loads");
    if (!stores || !loads) return;
    now_.stack_bytes = *number_before(line, " bytes stack frame");
    now_.spill_store_bytes = *stores;
    now_.spill_load_bytes = *loads;
    has_properties_ = true;
  }
  void read_use(std::string_view line) {
    const auto registers = number_before<int>(line, " registers");
    if (!registers || !has_properties_ || symbol_.empty()) return;
    now_.registers = *registers;
    now_.shared_bytes = number_before(line, " bytes smem").value_or(0);
    now_.stack_bytes = number_before(line, " bytes cumulative stack size").value_or(now_.stack_bytes);
    found_.insert_or_assign(std::string(symbol_), now_);
    symbol_ = {};
  }

  std::string_view symbol_;  // of the entry that the next lines are about; empty: of none
  KernelResources now_;
  bool properties_of_entry_ = false, has_properties_ = false;
  ResourcesBySymbol found_;
};

}  // namespace

ResourcesBySymbol resources_in(std::string_view log) {
  LogReader reader;
  while (!log.empty()) reader.read(take_line(log));
  return reader.take();
}

std::string without_ptxas(std::string_view log) {
  std::string kept;
  while (!log.empty()) {
    const bool ends = log.find('\n') != std::string_view::npos;
    const std::string_view line = take_line(log);
    if (line.starts_with(kPtxas) || number_before(line, " bytes stack frame")) continue;
    kept += line;
    if (ends) kept += '\n';
  }
  std::erase(kept, '\0');  // that NVRTC puts between its own words and those of ptxas
  return kept.find_first_not_of('\n') == std::string::npos ? "" : kept;
}

// ptxas does not always say what it refuses, NVRTC names an option that it does not know.
bool concerns_machine_code(std::string_view log) {
  const std::string words = without_ptxas(log);
  return words.find("error:") == std::string::npos || words.starts_with("nvrtc: error:");
}

ResourcesBySymbol resources_by_ptxas(const CompileRequest& request, const std::string& ptx,
                                     const fs::path& nvcc) {
  const fs::path ptxas = nvcc.parent_path() / "ptxas";
  std::error_code ignored;
  if (!fs::exists(ptxas, ignored)) return {};
  const TemporaryFolder folder("cudalab-ptxas-");
  const fs::path file = folder.path() / "kernels.ptx";
  std::ofstream(file, std::ios::binary) << ptx;
  ChildPool pool(kPtxasLimits);
  pool.start(0,
             {ptxas.string(), kPtxasVerbose,
              fmt::format("-arch=sm_{}{}", request.compute_major, request.compute_minor), "-o",
              (folder.path() / "kernels.cubin").string(), file.string()},
             folder.path());
  const ChildEnd end = pool.wait().second;
  return end.exit_code == 0 && end.stopped.empty() ? resources_in(end.output) : ResourcesBySymbol{};
}

}  // namespace cudalab::compile
