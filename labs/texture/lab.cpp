// The texture lab: texels of CUDA arrays, textures on linear memory, dot products from both, and a picture of
// bytes that a texture converts to numbers.
#include "lab/lab.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "messages/lab_texture.h"

namespace cudalab::lab::texture {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::size_t kRow = 65'536;      // texels per row, if one row does not suffice
constexpr std::size_t kFirstSize = 1024;  // of the sweep; sizes grow by kGrowth
constexpr std::size_t kGrowth = 4;
constexpr std::size_t kShown = 12;  // texels in the listing
constexpr int kChannels = 4;        // channels per texel of the best dot product
constexpr std::size_t kEach = 2;    // texels per thread of the best dot product
constexpr Dim3 kPixels{32, 8};      // pixels per block
constexpr double kWhite = 255;
// Maximum number of roundings per pixel: conversion of bytes, a sum of five, a division.
constexpr std::uint64_t kRoundings = 16;

// ---- on the CPU --------------------------------------------------------------------------------------

void copy_on_cpu(std::span<const float> in, std::span<float> out, int threads) {
#pragma omp parallel for num_threads(threads)
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i];
}

double dot_on_cpu(std::span<const float> a, std::span<const float> b, int threads) {
  float sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// ---- expected results --------------------------------------------------------------------------------

std::vector<float> doubled_indices(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(2 * i);
  return values;
}

// A square greyscale picture of bytes.
struct Picture {
  std::span<const std::uint8_t> pixels;
  int side;

  // The value from 0 to 1. Outside the picture, the nearest pixel of its edge counts.
  double grey(int x, int y) const {
    const int column = std::clamp(x, 0, side - 1), row = std::clamp(y, 0, side - 1);
    return pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(side) +
                  static_cast<std::size_t>(column)] /
           kWhite;
  }
  double blurred(int x, int y) const {
    return (grey(x, y) + grey(x - 1, y) + grey(x + 1, y) + grey(x, y - 1) + grey(x, y + 1)) / 5;
  }
};

struct Dot {
  double value = 0, magnitude = 0;
};

Dot accurate_dot(std::span<const float> a, std::span<const float> b) {
  AccurateSum sum, magnitudes;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    sum.add_product(x, y);
    magnitudes.add(std::abs(x * y));
  }
  return {sum.value(), magnitudes.value()};
}

// ---- arrays and textures -----------------------------------------------------------------------------

// The shape of an array for a number of texels: one row if the device supports that width, otherwise several.
struct Layout {
  std::size_t width, rows;
  ArrayShape shape() const {
    return {.format = device::texel_format(ScalarType::kF32), .width = width, .height = rows > 1 ? rows : 0};
  }
};

Layout layout_of(std::size_t count, const TextureLimits& limits, bool always_one_row) {
  if (always_one_row || count <= limits.width_1d) return {count, 1};
  return {kRow, ceil_div(count, kRow)};
}

struct ArrayTexture {
  device::TextureArray array;
  device::Texture texture;
};

// Pads the last row with zeros.
ArrayTexture array_texture(device::Textures& textures, const std::string& name, const Layout& layout,
                           std::span<const float> values) {
  std::vector<float> texels(values.begin(), values.end());
  texels.resize(layout.width * layout.rows);
  ArrayTexture made;
  made.array = textures.create_array(name, layout.shape());
  textures.upload(made.array, std::as_bytes(std::span<const float>(texels)));
  made.texture = textures.create_texture(made.array, {});
  return made;
}

device::Texture linear_texture(device::Textures& textures, const ArrayOf<float>& values, std::size_t count,
                               int channels = 1) {
  return textures.create_texture(LinearTexels{values.device().address(),
                                              device::texel_format(ScalarType::kF32, channels),
                                              count / static_cast<std::size_t>(channels)});
}

// ---- on the device -----------------------------------------------------------------------------------

// The kinds of memory that hold the two vectors of a dot product.
struct Places {
  std::string_view name, file, heading;
};
constexpr Places kGlobal{"dot-global", "0_dot_global.cu", "no texture"};
constexpr Places kBest{"best", "5_best.cu", "fours"};
constexpr Places kPlaces[] = {{"dot-arrays", "3_dot_arrays.cu", "both arrays"},
                              {"dot-mixed", "4_dot_mixed.cu", "array, linear"},
                              {"dot-linear", "5_dot_linear.cu", "both linear"}};

// The stages that work on the picture.
constexpr std::string_view kOfPicture[] = {"grey", "blur-global", "blur-texture"};

// The first elements of both vectors, as textures on arrays and as textures on linear memory.
struct Bound {
  ArrayTexture a_array, b_array;
  device::Texture a_linear, b_linear;
  const device::Texture& left(const Places& places) const {
    return places.name == "dot-linear" ? a_linear : a_array.texture;
  }
  const device::Texture& right(const Places& places) const {
    return places.name == "dot-arrays" ? b_array.texture : b_linear;
  }
};

// Both vectors in linear memory, with texels of one element and of four elements.
struct Linear {
  device::Texture a, b, fours_of_a, fours_of_b;
};

struct TextureLab {
  LabRun& run;
  std::size_t n = static_cast<std::size_t>(run.options().integer("n"));
  device::Textures& textures = run.textures();
  ArrayOf<float>& in = run.input<float>("in", doubled_indices(n));
  ArrayOf<float>& out = run.output<float>("out", n);
  ArrayOf<float>& a = run.random_input<float>("a", n);
  ArrayOf<float>& b = run.random_input<float>("b", n);
  ArrayOf<float>& sums = run.scratch<float>("sum_of_block", ceil_div(n, kBlock));
  ArrayOf<double>& total = run.result<double>("dot");
  int side = static_cast<int>(std::sqrt(static_cast<double>(n)));  // side of the picture in pixels
  std::size_t pixels = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  ArrayOf<std::uint8_t>& picture = run.random_input<std::uint8_t>("picture", pixels);
  ArrayOf<float>& greys = run.output<float>("greys", pixels);
  std::span<const float> in_values = in.host(), a_values = a.host(), b_values = b.host();
  std::vector<std::pair<std::size_t, std::array<std::string, std::size(kPlaces)>>> swept{};
  ArrayTexture in_array{};
  device::Texture in_linear{};
  std::optional<Bound> whole{};
  std::optional<Linear> linear{};
  device::TextureArray picture_array{};
  device::Texture by_share{}, by_pixel{};  // with normalized coordinates, and with coordinates in texels

  Layout layout(std::size_t count) const {
    return layout_of(count, textures.limits(), run.options().text("array") == "1d");
  }
  static std::vector<Define> defines(const Layout& layout) {
    return {{"BLOCK", kBlock}, {"WIDTH", layout.width}, {"ROWS", layout.rows}};
  }

  // ---- texels and copy

  Work copy_work() const { return {2.0 * static_cast<double>(n) * sizeof(float), 0}; }
  Check check_copied() { return same_bits<float>(out.host(), in_values); }

  KernelStage copies(std::string name, std::string file, std::string kernel, const device::Texture& texture) {
    return {.name = std::move(name),
            .file = std::move(file),
            .defines = defines(layout(n)),
            .launch = {std::move(kernel),
                       {{ceil_div(n, kBlock)}, {kBlock}},
                       {texture.value(), out.device(), static_cast<std::uint32_t>(n)}},
            .check = [this] { return check_copied(); },
            .work = copy_work()};
  }

  KernelStage texels() {
    in_array = array_texture(textures, "array", layout(n), in_values);
    return copies("texels", "1_texels.cu", "read_texels", in_array.texture);
  }

  void read_texels() {
    if (!run.wants("texels")) return;
    const Row* row = run.kernel(texels());
    if (row && row->verdict == Verdict::kPass) show_texels();
  }

  void show_texels() {
    std::string line;
    for (std::size_t i = 0; i < std::min(n, kShown); ++i)
      line += fmt::format("{}{}", i ? " " : "", out.host()[i]);
    if (n > kShown) line += fmt::format(" … {}", out.host()[n - 1]);
    run.figure(msg::title_texels(), {line});
  }

  KernelStage linear_copy() {
    in_linear = linear_texture(textures, in, n);
    return copies("copy", "2_copy.cu", "copy", in_linear);
  }

  void copy() {
    if (!run.wants("copy")) return;
    const Row* row = run.kernel(linear_copy());
    if (row && row->verdict == Verdict::kPass) run.note(msg::note_arrays_match(n));
  }

  // ---- the picture

  void make_pictures() {
    if (picture_array.value() != 0) return;
    const auto length = static_cast<std::size_t>(side);
    picture_array = textures.create_array(
        "picture", {.format = device::texel_format(ScalarType::kU8), .width = length, .height = length});
    textures.upload(picture_array, std::as_bytes(picture.host()));
    Sampling reading{.read = ReadMode::kNormalizedFloat};
    by_pixel = textures.create_texture(picture_array, reading);
    reading.normalized_coordinates = true;
    by_share = textures.create_texture(picture_array, reading);
  }

  Check check_greys(double (Picture::*expected)(int, int) const) {
    const Picture seen{picture.host(), side};
    std::vector<double> values;
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) values.push_back((seen.*expected)(x, y));
    const auto length = static_cast<std::int64_t>(side);
    return within<float, double>(greys.host(), values, sum_bound<float>(kRoundings, 1), {length, length});
  }

  KernelStage of_picture(std::string name, std::string file, std::string kernel, const device::Argument& from,
                         double (Picture::*expected)(int, int) const) {
    const auto length = static_cast<std::uint32_t>(side);
    return {.name = std::move(name),
            .file = std::move(file),
            .launch = {std::move(kernel),
                       {{ceil_div(length, kPixels.x), ceil_div(length, kPixels.y)}, kPixels},
                       {from, greys.device(), side, side}},
            .check = [this, expected] { return check_greys(expected); },
            .work = Work{static_cast<double>(pixels) * (1 + sizeof(float)), 0}};
  }

  KernelStage stage_of_picture(std::string_view name) {
    if (name == "blur-global")
      return of_picture("blur-global", "7_blur_global.cu", "blur", picture.device(), &Picture::blurred);
    make_pictures();
    if (name == "grey") return of_picture("grey", "6_grey.cu", "read_grey", by_share.value(), &Picture::grey);
    return of_picture("blur-texture", "8_blur_texture.cu", "blur", by_pixel.value(), &Picture::blurred);
  }

  void picture_stages() {
    for (const std::string_view name : kOfPicture)
      if (run.wants(name)) run.kernel(stage_of_picture(name));
  }

  // ---- dot products

  Check check_dot(const Dot& right, std::uint64_t roundings) {
    return within<double, double>(total.host(), {&right.value, 1},
                                  sum_bound<float>(roundings, right.magnitude));
  }

  void add_up_blocks(Gpu& gpu, std::size_t blocks) {
    AccurateSum sum;
    for (const float of_block : gpu.download(sums).subspan(0, blocks)) sum.add(of_block);
    total.host()[0] = sum.value();
  }

  // Roundings: one for the product, one per level of the tree within the block, and two that cover the
  // accurate sum on the host.
  KernelStage dot(const Places& places, std::size_t count, const KernelLaunch& launch) {
    const Dot expected = accurate_dot(a_values.subspan(0, count), b_values.subspan(0, count));
    return {.name = std::string(places.name),
            .file = std::string(places.file),
            .defines = defines(layout(count)),
            .body =
                [this, launch](Gpu& gpu) {
                  gpu.launch(launch);
                  add_up_blocks(gpu, launch.spec.grid.x);
                },
            .check = [this, expected] { return check_dot(expected, 1 + additions_in_a_tree(kBlock) + 2); },
            .work = Work{2.0 * static_cast<double>(count) * sizeof(float), 0}};
  }

  // One element of each vector per thread.
  KernelStage dot(const Places& places, std::size_t count, const device::Argument& left,
                  const device::Argument& right) {
    return dot(places, count,
               {"dot",
                {{ceil_div(count, kBlock)}, {kBlock}},
                {left, right, sums.device(), static_cast<std::uint32_t>(count)}});
  }

  // Reads texels of four elements. Elements that do not fill a texel are read one by one.
  KernelStage best() {
    if (!linear) linear = bind_linear();
    const std::uint32_t blocks = ceil_div(std::max<std::size_t>(n / kChannels, 1), kEach * kBlock);
    KernelStage stage = dot(kBest, n,
                            {"dot",
                             {{blocks}, {kBlock}},
                             {linear->fours_of_a.value(), linear->fours_of_b.value(), linear->a.value(),
                              linear->b.value(), sums.device(), static_cast<std::uint32_t>(n)}});
    stage.defines = {{"BLOCK", kBlock}, {"EACH", kEach}};
    constexpr std::uint64_t kOfThread = kChannels * kEach + 1;
    const Dot expected = accurate_dot(a_values, b_values);
    stage.check = [this, expected] {
      return check_dot(expected, 1 + kOfThread + additions_in_a_tree(kBlock) + 2);
    };
    return stage;
  }

  Linear bind_linear() {
    Linear bound{linear_texture(textures, a, n), linear_texture(textures, b, n), {}, {}};
    if (n < kChannels) return bound;  // there is no full texel of four elements
    bound.fours_of_a = linear_texture(textures, a, n, kChannels);
    bound.fours_of_b = linear_texture(textures, b, n, kChannels);
    return bound;
  }

  Bound bind(std::size_t count) {
    return {array_texture(textures, "the array of a", layout(count), a_values.subspan(0, count)),
            array_texture(textures, "the array of b", layout(count), b_values.subspan(0, count)),
            linear_texture(textures, a, count), linear_texture(textures, b, count)};
  }

  KernelStage dot_of_all(const Places& places) {
    if (!whole) whole = bind(n);
    return dot(places, n, whole->left(places).value(), whole->right(places).value());
  }

  void dots() {
    run.kernel(dot(kGlobal, n, a.device(), b.device()));
    for (const Places& places : kPlaces)
      if (run.wants(places.name)) run.kernel(dot_of_all(places));
    if (run.wants(kBest.name)) run.kernel(best());
  }

  // The time if the device measures it, otherwise the count.
  static std::string cost_of(const Row& row) {
    if (row.time_ms) return fmt::format("{:.1f} us", 1000 * row.time_ms->median);
    if (!row.counters) return "-";
    return fmt::format("{:.0f}", row.counters->value_or_zero(Counter::kTextureRequests));
  }

  void sweep_size(std::size_t count) {
    const Bound bound = bind(count);
    auto& costs = swept.emplace_back(count, std::array<std::string, std::size(kPlaces)>{}).second;
    for (std::size_t i = 0; i < std::size(kPlaces); ++i) {
      KernelStage stage =
          dot(kPlaces[i], count, bound.left(kPlaces[i]).value(), bound.right(kPlaces[i]).value());
      stage.name = fmt::format("{}-{}", kPlaces[i].name, count);
      stage.stage = "sweep";
      const Row* row = run.kernel(stage);
      costs[i] = row && row->verdict == Verdict::kPass ? cost_of(*row) : "-";
    }
  }

  void sweep() {
    if (!run.wants("sweep")) return;
    for (std::size_t count = kFirstSize; count < n; count *= kGrowth) sweep_size(count);
    sweep_size(n);
    std::vector<std::string> lines{fmt::format("{:>10}", "elements")};
    for (const Places& places : kPlaces) lines.front() += fmt::format("  {:>13}", places.heading);
    for (const auto& [count, costs] : swept) {
      std::string& line = lines.emplace_back(fmt::format("{:>10}", count));
      for (const std::string& cost : costs) line += fmt::format("  {:>13}", cost);
    }
    run.figure(run.device().measures_time ? msg::title_dot_times() : msg::title_dot_requests(),
               std::move(lines));
  }

  // ---- stages

  void cpu_versions() {
    run.cpu({.name = "copy",
             .run = [&](int threads) { copy_on_cpu(in_values, out.host(), threads); },
             .check = [&] { return check_copied(); },
             .work = copy_work()});
    const Dot right = accurate_dot(a_values, b_values);
    run.cpu({.name = "dot",
             .run = [&](int threads) { total.host()[0] = dot_on_cpu(a_values, b_values, threads); },
             .check = [this, right] { return check_dot(right, n + 1); },
             .work = Work{copy_work()}});
  }

  void explain_layout() {
    const Layout used = layout(n);
    if (used.rows == 1) return;
    run.note(msg::note_array_in_two_dimensions(textures.limits().width_1d, n, used.rows, used.width));
  }

  // The user's own kernel replaces the first requested stage.
  KernelStage users() {
    if (run.wants("texels")) return texels();
    if (run.wants("copy")) return linear_copy();
    if (run.wants("dot-global")) return dot(kGlobal, n, a.device(), b.device());
    for (const Places& places : kPlaces)
      if (run.wants(places.name)) return dot_of_all(places);
    if (run.wants(kBest.name)) return best();
    for (const std::string_view name : kOfPicture)
      if (run.wants(name)) return stage_of_picture(name);
    return dot_of_all(kPlaces[0]);
  }
};

void texture(LabRun& run) {
  (void)device::texel_format(*scalar_type_named(run.options().text("type")));  // rejects f64
  const auto n = static_cast<double>(run.options().integer("n"));
  run.require_memory(9 * n * sizeof(float), 9 * n * sizeof(float), "--n");
  TextureLab lab{run};
  lab.explain_layout();
  lab.cpu_versions();
  if (run.wants("texels") || run.wants("copy")) run.copy_ceiling(lab.n * sizeof(float));
  lab.read_texels();
  lab.copy();
  lab.dots();
  lab.sweep();
  lab.picture_stages();
  run.users_kernel(lab.users());
}

const RegisterLab registered{Lab{
    .name = "texture",
    .alias = {},
    .title = "Textures",
    .teaches = "CUDA arrays, texture objects, texels, limits, a picture of bytes",
    .words = {"elements", "both arrays", "array, linear", "both linear"},
    .examples = {"cudalab texture", "cudalab texture --stage texels --n 16",
                 "cudalab texture --stage dot-arrays,dot-linear --n 1000000",
                 "cudalab texture --stage sweep --n 1000000",
                 "cudalab texture --stage grey,blur-global,blur-texture"},
    .stages = {"cpu", "texels", "copy", "dot-global", "dot-arrays", "dot-mixed", "dot-linear", "best",
               "sweep", "grey", "blur-global", "blur-texture"},
    .options =
        {integer("n",
                 "texels, elements of each vector, and pixels of the picture (a square of so many at most)",
                 1 << 19, 1 << 24, 1, 1'000'000'000),
         choice("array", "dimensions of the arrays; auto: two where one is not enough", "auto",
                {"auto", "1d"}),
         choice("type", "texel type; textures cannot hold f64", "f32", {"f32", "f64"})},
    .check_size = {{"n", 20'000}},
    .next = {{msg::next_sizes, "--stage sweep"},
             {msg::next_long_rows, "--stage dot-arrays,dot-linear --n 200000"}},
    .run = texture,
}};

}  // namespace
}  // namespace cudalab::lab::texture
