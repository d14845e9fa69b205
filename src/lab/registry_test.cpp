// Labs find their place in the course by themselves.
#include <gtest/gtest.h>

#include "lab/lab.h"

namespace cudalab::lab {
namespace {

TEST(Registry, LabsAreInTheOrderOfTheCourseAndFoundByAlias) {
  Lab second, first;
  second.name = "b";
  second.order = 20;
  first.name = "z";
  first.alias = "zed";
  first.order = 10;
  RegisterLab a(second), b(first);
  ASSERT_EQ(labs().size(), 2u);
  EXPECT_EQ(labs()[0].name, "z");
  EXPECT_EQ(find_lab("zed"), &labs()[0]);
  EXPECT_EQ(find_lab("b"), &labs()[1]);
  EXPECT_EQ(find_lab("q"), nullptr);
  EXPECT_EQ(find_lab(""), nullptr);
}

}  // namespace
}  // namespace cudalab::lab
