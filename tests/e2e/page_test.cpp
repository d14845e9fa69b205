// Pages in a headless browser: no error in its console, no network request, and the effects of clicks, keys
// and the slider. Screenshots of the pages stay in the build folder, in page_pictures/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

std::optional<std::string> browser() {
  for (const char* folder : {"/usr/bin", "/usr/local/bin", "/snap/bin"})
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
      if (fs::exists(fs::path(folder) / name)) return (fs::path(folder) / name).string();
  return std::nullopt;
}

#define NEEDS_BROWSER() \
  if (!browser()) GTEST_SKIP() << "no Chromium here; install the package chromium"

// The browser has no network, so a request of the page appears as an error in its console.
Outcome in_browser(const Folder& folder, std::vector<std::string> options, const std::string& file) {
  std::vector<std::string> words{*browser(),
                                 "--headless",
                                 "--no-sandbox",
                                 "--disable-gpu",
                                 "--hide-scrollbars",
                                 "--enable-logging=stderr",
                                 "--host-resolver-rules=MAP * ~NOTFOUND",
                                 "--virtual-time-budget=3000",
                                 "--user-data-dir=" + (folder.path() / "profile").string()};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back("file://" + file);
  return run_command(words);
}

fs::path pictures() {
  const fs::path folder = fs::path(CUDALAB_PROGRAM).parent_path() / "page_pictures";
  fs::create_directories(folder);
  return folder;
}

// After the page's own script, `script` runs and writes into <output id="found">.
std::string found_by(const Folder& folder, const std::string& page, const std::string& script) {
  std::string text = read_file(page);
  const std::size_t end = text.rfind("</body>");
  text.insert(end,
              "<output id=\"found\"></output><script>\nconst found = document.getElementById('found');\n" +
                  script + "\n</script>\n");
  const std::string tried = (folder.path() / "tried.html").string();
  write_file(tried, text);
  const Outcome outcome = in_browser(folder, {"--dump-dom"}, tried);
  EXPECT_THAT(outcome.err, Not(HasSubstr("CONSOLE")));
  const std::size_t begin = outcome.out.find("<output id=\"found\">") + 19;
  return outcome.out.substr(begin, outcome.out.find("</output>", begin) - begin);
}

void look_at(const Folder& folder, const std::string& page, const std::string& name) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> looks{
      {"", {"--window-size=1200,4000"}},
      {"-phone", {"--window-size=400,6000"}},
      {"-dark", {"--window-size=1200,4000", "--force-dark-mode", "--blink-settings=preferredColorScheme=0"}}};
  for (const auto& [suffix, options] : looks) {
    const fs::path png = pictures() / (name + suffix + ".png");
    fs::remove(png);
    std::vector<std::string> words = options;
    words.push_back("--screenshot=" + png.string());
    const Outcome outcome = in_browser(folder, words, page);
    EXPECT_THAT(outcome.err, Not(HasSubstr("CONSOLE"))) << name << suffix;
    EXPECT_TRUE(fs::exists(png)) << outcome.err;
  }
}

std::string transpose_page(const Folder& folder) {
  const std::string page = (folder.path() / "transpose.html").string();
  const Outcome outcome = cudalab({"transpose", "--device", "virtual", "--rows=128", "--cols=128",
                                   "--stage=naive,tiled,padded", "--recorded", "--html=" + page});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return page;
}

TEST(Pages, OfATransposeAreDrawnWithoutErrorOrNetwork) {
  NEEDS_BROWSER();
  const Folder folder;
  look_at(folder, transpose_page(folder), "transpose");
}

TEST(Pages, SortTheirTables) {
  NEEDS_BROWSER();
  const Folder folder;
  const std::string names =
      found_by(folder, transpose_page(folder),
               "const table = document.querySelector('table.sortable');\n"
               "const button = table.tHead.rows[0].cells[5].querySelector('button');\n"
               "button.click(); button.click();\n"
               "found.textContent = table.tHead.rows[0].cells[5].textContent + ': ' + "
               "table.tBodies[0].rows[0].cells[0]"
               ".textContent + ' ' + table.tHead.rows[0].cells[5].getAttribute('aria-sort');");
  EXPECT_EQ(names, "sectors/request, store: naive descending");
}

TEST(Pages, ShowTheRequestsOfALineByClickAndByKey) {
  NEEDS_BROWSER();
  const Folder folder;
  const std::string shown = found_by(
      folder, transpose_page(folder),
      "const kernel = document.querySelector('#stage-tiled .kernel');\n"
      "const visible = () => all('.request', kernel).filter(r => !r.hidden).map(r => r.querySelector('svg')"
      ".classList[1] + r.dataset.line).join(' ');\n"
      "const first = visible(), row = all('tr[role=button]', kernel).find(r => "
      "r.getAttribute('aria-pressed') === 'false');\n"
      "row.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));\n"
      "found.textContent = first + ', then ' + visible() + ', pressed ' + row.getAttribute('aria-pressed');");
  EXPECT_EQ(shown, "banks29 sectors29, then sectors21 banks21, pressed true");
}

TEST(Pages, StepThroughRequestsWithASlider) {
  NEEDS_BROWSER();
  const Folder folder;
  const std::string places =
      found_by(folder, transpose_page(folder),
               "const request = document.querySelector('#stage-naive .request'), slider = "
               "request.querySelector('input');\n"
               "const place = () => request.querySelector('output').textContent;\n"
               "const first = place();\nslider.value = 2; slider.dispatchEvent(new Event('input'));\n"
               "found.textContent = first + ' | ' + place() + ' | ' + slider.max + ' | ' + "
               "all('.shape', request).filter(s => !s.hidden).length;");
  EXPECT_EQ(places,
            "the most expensive: block (0, 0, 0), warp 0 | request 2: block (0, 0, 0), warp 1 | 64 | 1");
}

}  // namespace
}  // namespace cudalab::e2e
