// Runs the program in Chinese and Russian: what is translated, what falls back to English, and what is the
// same in every language.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "core/text.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kChineseHeader = "msgid \"\"\nmsgstr \"Plural-Forms: nplurals=1; plural=0;\\n\"\n\n";

// A copy of the labs, with translations that the test writes.
class Languages : public testing::Test {
 protected:
  void SetUp() override {
    fs::copy(kSource / "labs", home / "labs", fs::copy_options::recursive);
    fs::copy(kSource / "languages", home / "languages", fs::copy_options::recursive);
    for (const char* name : {"zh.po", "ru.po"}) {
      fs::remove(home / "languages" / name);
      for (const fs::directory_entry& lab : fs::directory_iterator(home / "labs"))
        fs::remove(lab.path() / name);
    }
  }

  Settings settings(std::vector<std::pair<std::string, std::string>> more = {}) const {
    more.emplace_back("CUDALAB_LABS", (home / "labs").string());
    return {.environment = std::move(more), .folder = home.path()};
  }

  void translate(const std::string& what, const std::string& entries) const {
    const fs::path folder = what == "messages" ? home / "languages" : home / "labs" / what;
    write_file(folder / "zh.po", kChineseHeader + entries);
  }

  void replace_in(const fs::path& file, const std::string& what, const std::string& with) const {
    std::string text = read_file(home / file);
    const std::size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << file << " has no " << what;
    write_file(home / file, text.replace(at, what.size(), with));
  }

  Outcome quiz(const std::string& language, const std::string& answers = "b\n") const {
    write_file(home / "answers", answers);
    return cudalab({"quiz", "banks", "--answers", "answers", "--language", language}, settings());
  }

  Folder home;
};

constexpr const char* kBanks =
    "msgid \"Banks of shared memory\"\nmsgstr \"共享内存的存储体\"\n"
    "msgid \"Thread t of a warp reads the float s[{1} * t].\"\nmsgstr \"一个线程束的线程 t 读取 float s[{1} "
    "* t]。\"\n"
    "msgid \"How many wavefronts does that take?\"\nmsgstr \"需要多少个波前？\"\n";

TEST_F(Languages, AQuizIsAskedInTheLearnersOwn) {
  translate("banks", kBanks);
  translate("messages",
            "msgctxt \"learn_question_count\"\nmsgid \"{count} question\"\n"
            "msgid_plural \"{count} questions\"\nmsgstr[0] \"{count} 个问题\"\n");
  const Outcome zh = quiz("zh", "b\nb\n");
  EXPECT_THAT(zh.out, HasSubstr("共享内存的存储体: 8 个问题\n"));
  EXPECT_THAT(zh.out, HasSubstr("3 of 8: 一个线程束的线程 t 读取 float s[8 * t]。需要多少个波前？\n"));
  EXPECT_THAT(zh.out, HasSubstr("What is a bank of shared memory?"));  // this text has no translation
  const Outcome en = quiz("en", "b\nb\n");
  EXPECT_EQ(zh.code, en.code);
  EXPECT_THAT(en.out, HasSubstr("3 of 8: Thread t of a warp reads the float s[8 * t]. How many"));
}

TEST_F(Languages, AChangedNumberStaysRight) {
  translate("banks", kBanks);
  replace_in("labs/banks/quiz.json", "s[8 * t]. How many", "s[16 * t]. How many");
  EXPECT_THAT(quiz("zh", "b\nb\n").out,
              HasSubstr("一个线程束的线程 t 读取 float s[16 * t]。需要多少个波前？\n"));
}

TEST_F(Languages, AChangedSentenceFallsBackToEnglish) {
  translate("banks", kBanks);
  replace_in("labs/banks/quiz.json", "Thread t of a warp reads", "Thread t of each warp reads");
  const Outcome zh = quiz("zh", "b\nb\n");
  EXPECT_THAT(zh.out, HasSubstr("Thread t of each warp reads the float s[8 * t]. 需要多少个波前？\n"));
  EXPECT_THAT(cudalab({"author", "texts", "banks", "--language", "zh"}, settings()).err,
              HasSubstr("1 stale"));
}

TEST_F(Languages, AWalkTakesItsUnitInEither) {
  translate("banks", "msgid \"wavefronts\"\nmsgstr \"个波前\"\n");
  for (const char* answer : {"8 个波前\n", "8 wavefronts\n", "8\n"}) {
    write_file(home / "answers", answer);
    const Outcome zh = cudalab({"learn", "banks", "--answers", "answers", "--language", "zh"}, settings());
    EXPECT_THAT(zh.out, HasSubstr("You said 8 个波前; the run gave 8 个波前. Right!")) << answer << zh.err;
  }
}

TEST_F(Languages, AHandoutIsPutThereInTheLearnersOwn) {
  translate("banks",
            "msgid \"Banks of shared memory\"\nmsgstr \"共享内存的存储体\"\n"
            "msgid \"stage\"\nmsgstr \"阶段\"\n"
            "msgid \"anything\"\nmsgstr \"任意元素\"\n"
            "msgid \"the patterns, for floats\"\nmsgstr \"float 的各种模式\"\n"
            "msgid \"Repair a bank conflict\"\nmsgstr \"修复存储体冲突\"\n");
  const Outcome outcome = cudalab({"start", "banks", "--into", "mine", "--language", "zh"}, settings());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string handout = read_file(home / "mine/banks/README.md");
  EXPECT_THAT(handout, HasSubstr("# repair-bank-conflict: 修复存储体冲突\n"));
  EXPECT_THAT(handout, HasSubstr("# 共享内存的存储体\n"));
  EXPECT_THAT(handout, HasSubstr("| 阶段 | file | thread t reads |\n|---|---|---|\n"));
  EXPECT_THAT(handout, HasSubstr("| `random` | `2_any.cu` | 任意元素 |\n"));
  EXPECT_THAT(handout, HasSubstr("    cudalab banks                       # float 的各种模式\n"));
  EXPECT_THAT(handout, HasSubstr("    bank = (byte address / 4) % 32\n"));
}

TEST_F(Languages, TheLocaleChoosesAndTheOptionDecides) {
  translate("messages", "msgctxt \"list_exercises\"\nmsgid \"Exercises\"\nmsgstr \"练习\"\n");
  EXPECT_THAT(cudalab({"list"}, settings({{"LC_ALL", "zh_CN.UTF-8"}})).out, HasSubstr("\n练习\n"));
  EXPECT_THAT(cudalab({"list"}, settings({{"LC_ALL", ""}, {"LC_MESSAGES", "zh_CN"}})).out,
              HasSubstr("\n练习\n"));
  EXPECT_THAT(cudalab({"list"}, settings({{"LC_ALL", "C"}, {"LANG", "zh_CN"}})).out,
              HasSubstr("\nExercises\n"));
  EXPECT_THAT(cudalab({"list", "--language", "en"}, settings({{"LC_ALL", "zh_CN.UTF-8"}})).out,
              HasSubstr("\nExercises\n"));
  const Outcome unknown = cudalab({"list", "--language", "de"}, settings());
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--language must be en, zh, ru, not `de`"));
}

TEST_F(Languages, DocumentsAndExitCodesAreTheSameInAll) {
  const auto json_in = [&](const std::string& language) {
    const Outcome outcome =
        cudalab({"banks", "--stage", "stride", "--json", "--language", language}, settings());
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  };
  // The host's times differ between runs.
  const auto without_times = [](std::string text) {
    std::string kept;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (line.find("_ms\"") == std::string::npos && line.find("seconds") == std::string::npos &&
          line.find("\"date\"") == std::string::npos)
        kept += line + "\n";
    return kept;
  };
  const std::string english = without_times(json_in("en"));
  EXPECT_EQ(without_times(json_in("zh")), english);
  EXPECT_EQ(without_times(json_in("ru")), english);
}

TEST_F(Languages, ADamagedTranslationIsNamedWithItsLine) {
  translate("banks", "msgid \"a\nmsgstr \"\"\n");
  const Outcome outcome = quiz("zh");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("labs/banks/zh.po:4: expected a text in quotes"));
}

TEST_F(Languages, ATranslatorGetsWhatLacksAndWhatIsWrong) {
  translate("banks", "msgid \"How many wavefronts does that take?\"\nmsgstr \"多少？\"\n");
  const Outcome outcome = cudalab({"author", "texts", "banks", "--language", "zh"}, settings());
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("msgid \"How many wavefronts does that take?\"\nmsgstr \"多少？\"\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("#. {1} = 8\n#: quiz.json\n"
                        "msgid \"Thread t of a warp reads the float s[{1} * t].\"\nmsgstr \"\"\n"));
  EXPECT_THAT(outcome.err, HasSubstr("zh.po:4: according to the glossary, wavefront is 波前"));
}

// The numbers of a sentence may change places, and the words beside them have the right plural form.
TEST(Translations, OfExplanationsHoldTheNumbers) {
  const std::vector<std::string> lab{"transpose", "--rows",  "2048",       "--cols",
                                     "2048",      "--stage", "naive,tiled"};
  const auto in = [&lab](const std::string& language) {
    std::vector<std::string> words = lab;
    words.insert(words.end(), {"--language", language});
    return unwrapped(cudalab(words).out);
  };
  EXPECT_THAT(in("zh"), HasSubstr("未合并的存储（1_naive.cu:22）：每个请求 32 个扇区，最少 4 个。"));
  EXPECT_THAT(in("ru"), HasSubstr("Необъединённые записи (1_naive.cu:22): 32 сектора на запрос, минимум 4."));
  EXPECT_THAT(in("ru"), HasSubstr("32 волновых фронта, минимум 1."));
  EXPECT_THAT(in("en"), HasSubstr("Uncoalesced stores (1_naive.cu:22): 32 sectors per request, minimum 4."));
}

TEST(Translations, OfMessagesLackNothing) {
  for (const char* language : {"zh", "ru"})
    EXPECT_EQ(cudalab({"author", "texts", "messages", "--language", language}).err, "");
}

TEST(Translations, OfErrorsNameWhatWasWrong) {
  const auto error_in = [](const std::string& language, std::vector<std::string> words) {
    words.insert(words.end(), {"--language", language});
    const Outcome outcome = cudalab(words);
    EXPECT_EQ(outcome.code, 2);
    return unwrapped(outcome.err);
  };
  EXPECT_THAT(error_in("zh", {"quiz", "transpos"}),
              HasSubstr("没有实验 `transpos`；你是说 `transpose` 吗？"));
  EXPECT_THAT(error_in("ru", {"transpose", "--tile", "99"}),
              HasSubstr("--tile равно 99; должно быть от 1 до 32"));
  EXPECT_THAT(error_in("ru", {"list", "--colour"}), HasSubstr("у list нет параметра `--colour`"));
  EXPECT_THAT(error_in("en", {"quiz", "transpos"}), HasSubstr("there is no lab `transpos`; did you mean"));
}

TEST(Translations, OfHazardsSayWhoWroteAndWhere) {
  const Outcome zh =
      cudalab({"check", "--language", "zh",
               (kSource / "labs/banks/exercise/repair-bank-conflict/wrong/missing_barrier.cu").string()});
  EXPECT_EQ(zh.code, 1);
  EXPECT_THAT(zh.out, HasSubstr("写入 `s["));
  EXPECT_THAT(zh.out, HasSubstr("其间没有"));
  EXPECT_THAT(zh.out, Not(HasSubstr("in between")));
}

// Three consecutive English words; no name of a GPU or an option has that many.
bool has_english(const std::string& text) {
  return std::regex_search(text, std::regex("[a-z]{3,} [a-z]{2,} [a-z]{2,}"));
}

// The names in the two lists of the program's help.
std::vector<std::string> commands_in(const std::string& help) {
  std::vector<std::string> names;
  const std::regex row("\n  ([a-z][a-z-]+)  +[a-zA-Z]");
  const auto end = help.find("Exit codes:");
  for (std::sregex_iterator found(help.begin(), help.begin() + static_cast<std::ptrdiff_t>(end), row), none;
       found != none; ++found)
    names.push_back((*found)[1]);
  return names;
}

// The help without command lines, names of pictures in `code`, and long option names.
std::string said_in(const std::string& help, const std::string& examples) {
  return std::regex_replace(help.substr(0, help.rfind("\n" + examples)), std::regex("`[^`]*`"), "`");
}

TEST(Translations, OfTheHelpLeaveNothingInEnglish) {
  const std::vector<std::string> for_staff{"grade",  "verify",      "report", "course",
                                           "author", "completions", "man"};
  const std::vector<std::string> commands = commands_in(cudalab({"--help", "--language", "en"}).out);
  EXPECT_THAT(commands, testing::IsSupersetOf({"dot", "transfer", "run", "exec", "step", "answers"}));
  for (const auto& [language, examples] : {std::pair("zh", "示例："), std::pair("ru", "Примеры:")}) {
    const Outcome whole = cudalab({"--help", "--language", language});
    EXPECT_THAT(whole.out, HasSubstr(examples));
    EXPECT_FALSE(has_english(said_in(whole.out, examples))) << whole.out;
    for (const std::string& command : commands) {
      if (std::ranges::count(for_staff, command) > 0) continue;
      // All of cc's words are nvcc's options, so it takes the language from the environment.
      const Outcome help = command == "cc"
                               ? cudalab({command, "--help"}, {.environment = {{"LC_ALL", language}}})
                               : cudalab({command, "--help", "--language", language});
      EXPECT_EQ(help.code, 0);
      EXPECT_THAT(help.out, HasSubstr(examples)) << command;
      EXPECT_FALSE(has_english(said_in(help.out, examples))) << help.out;
    }
  }
}

TEST(Translations, OfTheHelpAreShownWhereverTheLanguageStands) {
  const std::string program = cudalab({"--help", "--language", "ru"}).out;
  EXPECT_THAT(program, HasSubstr("Вызов: cudalab LAB [параметры]"));
  EXPECT_EQ(cudalab({"--language", "ru", "--help"}).out, program);
  EXPECT_EQ(cudalab({"--language=ru"}).out, program);
  EXPECT_EQ(cudalab({"help", "--language", "ru"}).out, program);
  const std::string dot = cudalab({"dot", "--help", "--language", "ru"}).out;
  EXPECT_THAT(dot, HasSubstr("нитей в блоке, кратно 32; от 32 до 1024, по умолчанию 256"));
  EXPECT_EQ(cudalab({"dot", "--language", "ru", "--help"}).out, dot);
  EXPECT_EQ(cudalab({"--language", "ru", "help", "dot"}).out, dot);
  EXPECT_THAT(cudalab({"--language", "ru", "bogus"}).err, HasSubstr("`bogus`"));
  EXPECT_THAT(cudalab({"--language", "ru", "bogus"}).err, Not(HasSubstr("there is no lab")));
}

TEST(Translations, OfFiguresAreThoseOfTheirCells) {
  const std::string memory =
      cudalab({"memory", "--device", "virtual", "--stage", "latency-shared", "--language", "zh"}).out;
  EXPECT_THAT(memory, HasSubstr("声明方式"));
  EXPECT_THAT(memory, HasSubstr("个周期，"));
  EXPECT_FALSE(has_english(memory)) << memory;
  const std::string banks =
      cudalab({"banks", "--device", "virtual", "--language", "ru", "--stage", "permuted,broadcast"}).out;
  EXPECT_THAT(banks, HasSubstr("другой порядок 32 соседей"));
}

struct PictureWords {
  std::string language, title, legend, costs, section, step;
};

TEST(Translations, OfPicturesAndPagesLeaveNothingInEnglish) {
  const std::vector<PictureWords> all{
      {"zh", "naive, 第 22 行：全局内存中的", "传输了但没有使用", "一次请求的代价",
       "<h2 id=\"overview-title\">概览</h2>", "最贵的: 块 (0, 0, 0)，线程束 0"},
      {"ru", "naive, строка 22: ", "перенесено, но не использовано", "запрос стоит",
       "<h2 id=\"overview-title\">Обзор</h2>", "самый дорогой: блок (0, 0, 0), варп 0"}};
  for (const PictureWords& words : all) {
    Folder folder;
    const auto shown = [&](const std::string& pictures) {
      const Outcome outcome = cudalab({"transpose", "--rows", "64", "--cols", "64", "--stage", "naive,padded",
                                       "--show", pictures, "--html=page.html", "--language", words.language},
                                      {.folder = folder.path()});
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      return outcome.out;
    };
    const std::string pictures = shown("sectors,banks,limits,occupancy,stages,roofline,matrix,divergence");
    EXPECT_THAT(pictures, HasSubstr(words.title));
    EXPECT_THAT(pictures, HasSubstr(words.legend));
    EXPECT_FALSE(has_english(pictures)) << pictures;
    EXPECT_THAT(shown("source"), HasSubstr(words.costs));
    const std::string page = read_file(folder.path() / "page.html");
    EXPECT_THAT(page, HasSubstr("<html lang=\"" + words.language + "\">"));
    EXPECT_THAT(page, HasSubstr(words.section));
    EXPECT_THAT(page, HasSubstr(words.step));
    EXPECT_THAT(page, Not(HasSubstr("Contents")));
  }
}

TEST(Translations, OfNotesAndFindingsAreTheLabsAndTheMachines) {
  const Outcome dot =
      cudalab({"dot", "--n", "64", "--stage", "tree", "--device", "virtual", "--language", "ru"});
  EXPECT_THAT(unwrapped(dot.out), HasSubstr("Суммы блоков складывает хост: их 1"));
  EXPECT_THAT(dot.out, Not(HasSubstr("adds them up")));
  const Outcome order = cudalab({"integral", "--stage", "order", "--device", "virtual", "--language", "zh"});
  EXPECT_THAT(order.out, HasSubstr("exp(x) 从 0 到 1 的积分是 1.71828182845905（已知）"));
  const Outcome doctor = cudalab({"doctor", "--language", "zh"});
  EXPECT_THAT(doctor.out, HasSubstr("虚拟 GPU: NVIDIA H200 的模型"));
  EXPECT_THAT(doctor.out, HasSubstr("用于编译核函数"));
}

TEST(Translations, OfAKernelsListAndItsBuffersAreComplete) {
  Folder folder;
  write_file(folder.path() / "mine.cu", "__global__ void mine(int* out) { out[threadIdx.x] = 1; }\n");
  const Settings there{.folder = folder.path()};
  const Outcome list = cudalab({"run", "mine.cu", "--language", "zh"}, there);
  EXPECT_THAT(list.out, HasSubstr("mine(int* out)  （第 1 行）\n"));
  EXPECT_THAT(list.out, HasSubstr("\n  cudalab run mine.cu --kernel mine"));
  const Outcome run = cudalab({"run", "mine.cu", "--kernel", "mine", "--grid", "1", "--block", "32", "--arg",
                               "buf:i32:32", "--print", "1:0:2", "--language", "ru"},
                              there);
  EXPECT_THAT(run.out, HasSubstr("out: 2 элемента i32, начиная с 0\n"));
  EXPECT_THAT(run.out, HasSubstr(", записан.\n"));
}

// The translations in this repository.
TEST(Translations, OfTheHouseHaveNoFault) {
  for (const char* language : {"zh", "ru"}) {
    std::vector<std::string> all{"messages"};
    for (const fs::directory_entry& lab : fs::directory_iterator(kSource / "labs"))
      all.push_back(lab.path().filename().string());
    for (const std::string& what : all) {
      const Outcome outcome = cudalab({"author", "texts", what, "--language", language});
      EXPECT_EQ(outcome.code, 0) << what << ": " << outcome.err;
    }
  }
}

}  // namespace
}  // namespace cudalab::e2e
