// Checks that every test that docs/reliability.md names for a promise exists.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "core/files.h"

namespace {

namespace fs = std::filesystem;

// Every test in the sources: "Suite.Name" in C++, "test_name" in Python.
std::set<std::string> tests_in_the_sources() {
  static const std::regex kCpp("TEST(?:_F|_P)?\\(\\s*(\\w+),\\s*(\\w+)\\)"), kPython("def (test_\\w+)\\(");
  std::set<std::string> tests;
  for (const char* folder : {"src", "tests", "python"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(CUDALAB_SOURCE_DIR) / folder)) {
      const std::string name = entry.path().filename().string();
      const bool is_cpp = name.ends_with("_test.cpp"), is_python = name.ends_with(".py");
      if (!is_cpp && !is_python) continue;
      const std::string text = cudalab::read_text(entry.path());
      for (std::sregex_iterator at(text.begin(), text.end(), is_cpp ? kCpp : kPython), end; at != end; ++at)
        tests.insert(is_cpp ? (*at)[1].str() + "." + (*at)[2].str() : (*at)[1].str());
    }
  return tests;
}

// The names in backquotes that are tests: two capitalized words with a dot between them, or the name of a
// Python test.
std::set<std::string> tests_named_in(const std::string& text) {
  static const std::regex kName("`([A-Z]\\w*\\.[A-Z]\\w*|test_\\w+)`");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), kName), end; at != end; ++at) names.insert((*at)[1]);
  return names;
}

const std::string kDocument = cudalab::read_text(fs::path(CUDALAB_SOURCE_DIR) / "docs/reliability.md");

TEST(Reliability, NamesTestsThatAreThere) {
  const std::set<std::string> tests = tests_in_the_sources(), named = tests_named_in(kDocument);
  EXPECT_GT(named.size(), 20u);
  for (const std::string& name : named) EXPECT_TRUE(tests.contains(name)) << name;
}

TEST(Reliability, HasATestForEveryPromise) {
  std::size_t promises = 0;
  for (std::size_t at = kDocument.find("\n- "); at != std::string::npos;
       at = kDocument.find("\n- ", at + 1)) {
    const std::string promise = kDocument.substr(at + 3, kDocument.find("\n- ", at + 1) - at - 3);
    EXPECT_FALSE(tests_named_in(promise.substr(0, promise.find("\n\n"))).empty()) << promise;
    ++promises;
  }
  EXPECT_GT(promises, 15u);
}

}  // namespace
