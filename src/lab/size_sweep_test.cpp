// Tests the choice of sizes, and the figure of the times.
#include "lab/size_sweep.h"

#include <gmock/gmock.h>

#include "core/diagnostics/message_testing.h"
#include "lab/result.h"
#include "lab/running/run_lab_testing.h"

namespace cudalab::lab {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;

// Doubles n numbers.
class SizeSweep : public RunLab {
 protected:
  void SetUp() override {
    RunLab::SetUp();
    lab.options = {integer("n", "elements", 1000, 2000, 1, 10000)};
    lab.run = [this](LabRun& run) {
      const auto n = static_cast<std::size_t>(run.options().integer("n"));
      auto& in = run.random_input<float>("in", n);
      auto& out = run.output<float>("out", n);
      run.set_work({grows ? 8.0 * static_cast<double>(n) : 8, 0});
      run.set_check([&] {
        std::vector<float> expected;
        for (const float value : in.host()) expected.push_back(2 * value);
        return same_bits<float>(out.host(), expected);
      });
      const Arrays use{in, out, {}};
      run.kernel(stage("good", "1_good.cu", use));
      run.kernel(stage("bad", "2_bad.cu", use));
    };
    device.kernels = {{"good", doubled_but(0)}, {"bad", doubled_but(400)}};
  }
  // Gives a wrong result at that number of elements.
  static FakeDevice::Kernel doubled_but(std::size_t wrong_at) {
    return [=](FakeDevice& device, const device::Launch& launch, LaunchResult&) {
      const auto in = device.at<float>(launch.arguments[0]), out = device.at<float>(launch.arguments[1]);
      for (std::size_t i = 0; i < in.size(); ++i) out[i] = in.size() == wrong_at ? 0 : 2 * in[i];
    };
  }
  Result swept(const std::string& sizes) {
    Result result = run_on(device);
    add_times_by_size(
        lab, request, sizes_from(lab, sizes),
        [&](const RunRequest& at) {
          ++runs;
          return run_lab(lab, at, Machine{device, FakeDevice::compile, root, {"a processor", 2, 1u << 30}});
        },
        result);
    return result;
  }
  Message refusal_of_sizes(const std::string& sizes) {
    return refused([&] { sizes_from(lab, sizes); });
  }

  FakeDevice device{true};
  bool grows = true;  // whether the work grows with n
  int runs = 0;
};

TEST_F(SizeSweep, ReadsSizes) {
  EXPECT_THAT(sizes_from(lab, "5,3,5,9"), ElementsAre(3, 5, 9));
  EXPECT_THAT(sizes_from(lab, "3:24"), ElementsAre(3, 6, 12, 24));
  EXPECT_THAT(sizes_from(lab, "3:23"), ElementsAre(3, 6, 12));
  EXPECT_THAT(sizes_from(lab, ""), IsEmpty());
  EXPECT_THAT(refusal_of_sizes("3:x"), IsMessage("sizes_malformed"));
  EXPECT_THAT(refusal_of_sizes("0,5"), IsMessage("sizes_malformed", {{"text", "0"}}));
  EXPECT_THAT(refusal_of_sizes("7,7"),
              IsMessage("sizes_too_many", {{"text", "7,7"}, {"count", 1}, {"most", 32}}));
  EXPECT_THAT(refusal_of_sizes("5,10001"),
              IsMessage("option_out_of_range", {{"option", "n"}, {"value", 10001}}));
  lab.options = {integer("count", "elements", 1, 2, 1, 3)};
  EXPECT_THAT(refusal_of_sizes("1,2"), IsMessage("lab_has_no_size", {{"lab", "double"}}));
  lab.sizes = {"count"};
  EXPECT_THAT(sizes_from(lab, "1,2"), ElementsAre(1, 2));
}

TEST_F(SizeSweep, DrawsTheTimesOfWhatIsRight) {
  request.options = {{"n", std::int64_t{200}}};
  const Result result = swept("100,200,400");
  EXPECT_EQ(runs, 2) << "the result's own size is there already";
  ASSERT_EQ(result.figures.size(), 1u);
  const Figure& figure = result.figures.front();
  EXPECT_THAT(figure.title, AllOf(IsMessage("title_time_by_size"), HasArgument("size", Argument("n"))));
  EXPECT_TRUE(figure.is_of_sizes && figure.chart->x.is_logarithmic && figure.chart->y.is_logarithmic);
  ASSERT_EQ(figure.chart->curves.size(), 2u);
  EXPECT_THAT(figure.chart->curves[0].points, ElementsAre(Pair(100, 2), Pair(200, 2), Pair(400, 2)));
  EXPECT_THAT(figure.chart->curves[1].points, ElementsAre(Pair(100, 2), Pair(200, 2)));
  EXPECT_THAT(figure.lines, ElementsAre("n         100      200      400", "good        2        2        2",
                                        "bad         2        2        -"));
  EXPECT_THAT(result.notes, testing::Contains(AllOf(IsMessage("note_wrong_at_sizes"),
                                                    HasArgument("stage", Argument("bad")))));
  ASSERT_EQ(figure.chart->slopes.size(), 1u);
  EXPECT_EQ(figure.chart->slopes.front().name, "n");
  EXPECT_EQ(figure.chart->slopes.front().exponent, 1);
}

// The virtual GPU predicts a time for a kernel with wrong results, too.
TEST_F(SizeSweep, DrawsNoPredictedTimeOfWhatIsWrong) {
  device.details.measures_time = false;
  for (auto& [name, kernel] : device.kernels)
    kernel = [computes = kernel](FakeDevice& on, const device::Launch& launch, LaunchResult& result) {
      computes(on, launch, result);
      result.prediction = Prediction{.card = "h200", .ms = 2};
    };
  request.options = {{"n", std::int64_t{200}}};
  const Result result = swept("100,200,400");
  ASSERT_EQ(result.figures.size(), 1u);
  EXPECT_THAT(result.figures.front().lines,
              ElementsAre("n         100      200      400", "good        2        2        2",
                          "bad         2        2        -"));
}

TEST_F(SizeSweep, BeginsSixHalvesBelowWhereNobodyNamesSizes) {
  request.options = {{"n", std::int64_t{640}}};
  const Result result = swept("");
  EXPECT_THAT(result.figures.front().lines.front(),
              StartsWith("n          10       20       40       80      160      320      640"));
}

TEST_F(SizeSweep, GoesAboveWhereInstructionsAreFew) {
  device.details.measures_time = false;
  Result result = run_on(device);
  std::vector<OptionValue> sizes;
  const auto note_size = [&](const RunRequest& at) {
    sizes.push_back(at.options.front().second);
    return result;
  };
  result.rows.front().counters.emplace().set(Counter::kWarpInstructions, 6e6);
  add_times_by_size(lab, request, {}, note_size, result);
  EXPECT_EQ(std::get<std::int64_t>(sizes.back()), 2000) << "4000 would take more than 2e7 instructions";
}

TEST_F(SizeSweep, LeavesOutWhatDoesAsMuchAtEachSize) {
  grows = false;
  EXPECT_THAT(swept("100,200").figures, IsEmpty());
}

}  // namespace
}  // namespace cudalab::lab
