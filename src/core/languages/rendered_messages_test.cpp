// Every message of the catalogue as a reader sees it, in each language, with typical arguments. The golden
// files tests/messages/LANGUAGE.txt are the only tests of the wording: a changed sentence changes a line of
// them. `scripts/messages-golden` regenerates them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/diagnostics/catalogue.h"
#include "core/diagnostics/message.h"
#include "core/diagnostics/rendering.h"
#include "core/files.h"
#include "core/languages/catalog.h"
#include "core/languages/po_file.h"
#include "core/text.h"

namespace cudalab {
namespace {

namespace fs = std::filesystem;

const fs::path kSourceTree = CUDALAB_SOURCE_DIR;

Message message_called(std::string_view id, std::vector<Argument> arguments = {}) {
  return {*find_message(id), std::move(arguments)};
}

// Typical arguments by the name of their slot. A name that is not here is shown as <name>.
const std::map<std::string_view, Argument>& typical_arguments() {
  static const std::map<std::string_view, Argument> all{
      {"access", message_called("verb_reads")},
      {"accesses", message_called("accesses_loads")},
      {"address", Address{0x7f0000000190}},
      {"argument", "buf:f32:1024"},
      {"block", 128},
      {"blocks", 16},
      {"buffer", "in"},
      {"buffers", Argument::List{"x (2)", "y (3)"}},
      {"bytes", 400},
      {"call", "cudaMemcpy"},
      {"card", "NVIDIA H200"},
      {"code", 2},
      {"column", 7},
      {"columns", 96},
      {"count", 4},
      {"criterion", "no bank conflicts"},
      {"digits", 24},
      {"dimensions", 3},
      {"element", Element{"in", {100}}},
      {"elements", 100},
      {"exercise", "padded-tile"},
      {"expected", 8},
      {"factor", "2.5"},
      {"fewest", 4},
      {"file", "kernel.cu"},
      {"first", 2},
      {"folder", "class"},
      {"found", 3},
      {"function", "cudaMalloc"},
      {"given", 1},
      {"hint", message_called("hint_did_you_mean", {"transpose"})},
      {"instructions", 4352},
      {"kernel", "transpose"},
      {"kernels", Argument::List{"naive", "tiled"}},
      {"key", "name"},
      {"lab", "transpose"},
      {"lane", 5},
      {"lanes", 32},
      {"language", "zh"},
      {"last", 31},
      {"launch", 2},
      {"library", "libnvrtc.so.13"},
      {"limit", 1024},
      {"line", 12},
      {"lines", 5},
      {"memory", "values"},
      {"most", 32},
      {"name", "tile"},
      {"number", 3},
      {"offset", 16},
      {"opcode", Code{"ld.global.f32"}},
      {"option", "--tile"},
      {"order", 2},
      {"passes", 32},
      {"place", SourceLine{"kernel.cu", 12}},
      {"products", 32},
      {"program", "a.out"},
      {"rate", "120 GB/s"},
      {"register", Code{"%r1"}},
      {"registers", 64},
      {"roundings", 11},
      {"row", 2},
      {"rows", 64},
      {"sectors", 32},
      {"seed", 42},
      {"share", "54 %"},
      {"signature", "saxpy(float a, float* x)"},
      {"size", 4096},
      {"source", "answers.txt"},
      {"stage", "tiled"},
      {"stages", Argument::List{"naive", "tiled", "padded"}},
      {"step", 3},
      {"student", "ada"},
      {"text", "abc"},
      {"thread", ThreadIndex{{1, 2, 0}}},
      {"threads", 256},
      {"time", "1.25 us"},
      {"tool", "bwrap"},
      {"type", "f32"},
      {"unit", "ms"},
      {"value", 7},
      {"variable", "factors"},
      {"verb", "check"},
      {"version", "13.0"},
      {"warp", 3},
      {"warps", 8},
      {"wavefronts", 32},
      {"where", SourceLine{"kernel.cu", 12}},
      {"word", "transpos"},
      {"x", 4},
      {"y", 2},
      {"z", 1},
  };
  return all;
}

// ---- translations ------------------------------------------------------------------------------------

class Translations {
 public:
  // "en" has none: the catalogue itself is English.
  explicit Translations(const std::string& language) {
    if (language == "en") return;
    add(kSourceTree / "languages" / (language + ".po"));
    for (const auto& entry : fs::directory_iterator(kSourceTree / "labs"))
      if (fs::exists(entry.path() / "messages.pot")) add(entry.path() / (language + ".po"));
  }

  // One text per plural form.
  std::vector<std::string> texts_of(const CatalogueEntry& entry) const {
    for (const Catalog& catalog : catalogs_)
      if (const auto* found = catalog.find_message(entry.id)) return *found;
    return {std::string(entry.english), std::string(entry.plural)};
  }
  RenderingLanguage language() const {
    if (catalogs_.empty()) return {};
    return {[this](std::string_view id) -> const std::vector<std::string>* {
              for (const Catalog& catalog : catalogs_)
                if (const auto* found = catalog.find_message(id)) return found;
              return nullptr;
            },
            catalogs_.front().plurals()};
  }

 private:
  void add(const fs::path& file) {
    catalogs_.emplace_back().add(po_from(read_text(file), file.string()), file.string());
  }

  std::vector<Catalog> catalogs_;
};

// ---- rendering -----------------------------------------------------------------------------------------

// The formats that the texts give to a slot: {time:.3g} has ".3g", {count:byte|bytes} has "byte|bytes".
std::vector<std::string> formats_of(std::string_view slot, const std::vector<std::string>& texts) {
  std::vector<std::string> formats;
  const std::string begin = fmt::format("{{{}:", slot);
  for (const std::string& text : texts)
    for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
      const std::size_t from = at + begin.size();
      formats.push_back(text.substr(from, text.find('}', from) - from));
    }
  return formats;
}

bool selects_word(const std::string& format) { return format.find('|') != format.npos; }
bool is_of_integer(const std::string& format) { return format.ends_with('x') || format.ends_with('d'); }
bool is_of_real(const std::string& format) { return !selects_word(format) && !is_of_integer(format); }

Argument typical(std::string_view slot, bool counts, const std::vector<std::string>& formats,
                 std::uint64_t count) {
  const bool is_real = std::ranges::any_of(formats, is_of_real);
  if (counts || std::ranges::any_of(formats, selects_word))
    return is_real ? Argument(static_cast<double>(count)) : Argument(count);
  if (std::ranges::any_of(formats, is_of_integer)) return std::uint64_t{255};
  if (is_real) return 12.5;
  const auto found = typical_arguments().find(slot);
  return found == typical_arguments().end() ? Argument(fmt::format("<{}>", slot)) : found->second;
}

std::string line_of(const CatalogueEntry& entry, const Translations& translations, std::uint64_t count) {
  const std::vector<std::string> texts = translations.texts_of(entry);
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < entry.slots.size(); ++i)
    arguments.push_back(
        typical(entry.slots[i], i == 0 && !entry.plural.empty(), formats_of(entry.slots[i], texts), count));
  return replaced(rendered({entry, std::move(arguments)}, translations.language()), "\n", "\\n");
}

// A message that counts has a line for each of 1, 2 and 5, which take different forms in Russian.
void add_lines(const CatalogueEntry& entry, const Translations& translations, std::string& page) {
  const std::string one = line_of(entry, translations, 1);
  if (one == line_of(entry, translations, 5)) {
    page += fmt::format("{}: {}\n", entry.id, one);
    return;
  }
  for (const int count : {1, 2, 5})
    page += fmt::format("{} [{}]: {}\n", entry.id, count, line_of(entry, translations, count));
}

std::string page_in(const std::string& language) {
  const Translations translations(language);
  std::vector<CatalogueEntry> entries(catalogue().begin(), catalogue().end());
  std::ranges::stable_sort(entries, {}, &CatalogueEntry::area);
  std::string page, area;
  for (const CatalogueEntry& entry : entries) {
    if (entry.area != area) page += fmt::format("{}# {}\n", page.empty() ? "" : "\n", entry.area);
    area = entry.area;
    add_lines(entry, translations, page);
  }
  return page;
}

class RenderedMessages : public testing::TestWithParam<const char*> {};

TEST_P(RenderedMessages, MatchTheGoldenFile) {
  const fs::path golden = kSourceTree / "tests/messages" / fmt::format("{}.txt", GetParam());
  const std::string page = page_in(GetParam());
  if (std::getenv("CUDALAB_UPDATE_GOLDEN")) {
    std::ofstream(golden, std::ios::binary) << page;
    return;
  }
  const std::string expected = read_text(golden);
  EXPECT_THAT(split(page, '\n'), testing::ElementsAreArray(split(expected, '\n')))
      << "after an intended change of the wording, run scripts/messages-golden";
}

INSTANTIATE_TEST_SUITE_P(Languages, RenderedMessages, testing::Values("en", "zh", "ru"),
                         [](const auto& language) { return std::string(language.param); });

}  // namespace
}  // namespace cudalab
