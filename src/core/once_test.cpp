// Tests that only new items are appended.
#include "core/once.h"

#include <gmock/gmock.h>

#include <string>

namespace cudalab {
namespace {

TEST(Once, AppendsOnlyNewItems) {
  std::vector<std::string> list;
  for (const char* each : {"b", "a", "b", "c", "a"}) add_once(list, each);
  EXPECT_THAT(list, testing::ElementsAre("b", "a", "c"));
}

}  // namespace
}  // namespace cudalab
