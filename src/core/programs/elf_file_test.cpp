// This program's own file is read, and bytes that are cut off anywhere are survived.
#include "core/programs/elf_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

extern "C" void elf_file_test_function() {}

namespace cudalab {
namespace {

constexpr std::array<std::string_view, 1> kOwn{"elf_file_test_"};

TEST(ElfFile, KnowsThisProgram) {
  const MappedFile file("/proc/self/exe");
  ASSERT_TRUE(is_elf(file.bytes()));
  EXPECT_TRUE(has_section(file.bytes(), ".text"));
  EXPECT_FALSE(has_section(file.bytes(), ".nv_fatbin"));
  const auto needed = needed_libraries(file.bytes());
  EXPECT_TRUE(std::ranges::any_of(needed, [](const auto& name) { return name.starts_with("libc.so"); }));
  const auto functions = functions_of(file.bytes(), kOwn);
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(functions[0].name, "elf_file_test_function");
}

TEST(ElfFile, SurvivesWhatIsCutOff) {
  const MappedFile file("/proc/self/exe");
  for (std::size_t bytes = 0; bytes < file.bytes().size(); bytes += file.bytes().size() / 97 + 1) {
    const std::vector<std::byte> part(file.bytes().begin(),
                                      file.bytes().begin() + static_cast<std::ptrdiff_t>(bytes));
    EXPECT_TRUE(functions_of(part, kOwn).empty());
    EXPECT_TRUE(needed_libraries(part).empty());
    EXPECT_TRUE(resources_in_machine_code(part).empty());
  }
}

TEST(ElfFile, AFileThatIsNoneHoldsNothing) {
  const MappedFile none("/nonexistent"), folder("/");
  EXPECT_TRUE(none.bytes().empty());
  EXPECT_TRUE(folder.bytes().empty());
  EXPECT_FALSE(is_elf(std::as_bytes(std::span("#!/bin/sh\n"))));
}

}  // namespace
}  // namespace cudalab
