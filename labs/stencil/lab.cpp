// The stencil lab: each cell of the output is computed from the cells around it. A time step of the heat
// equation in a plate and in a volume, and the convolution of an image with a mask.
#include "lab/lab.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "messages/lab_stencil.h"

namespace cudalab::lab::stencil {
namespace {

constexpr std::uint32_t kTileX = 32, kTileY = 8;  // threads per block
constexpr std::size_t kWide = 4;                  // cells per 16-byte access
constexpr std::uint32_t kCopyThreads = 256;       // threads per block of 0_copy.cu
constexpr std::uint32_t kEachOfHeat = 4;     // cells per thread in a column: 4_heat_column.cu, 5_heat_best.cu
constexpr std::uint32_t kEachOfConv = 8;     // the same: 9_conv_column.cu to 11_conv_best.cu
constexpr std::uint32_t kEachOfVolume = 2;   // the same: 14_volume_best.cu
constexpr float kRate = 0.125F;              // of the heat equation; stable up to 1/4 in two dimensions
constexpr std::uint64_t kHeatRoundings = 9;  // operations that one term passes: at most seven additions
constexpr double kHeatFlops = 7, kVolumeFlops = 9;  // per cell

struct Plate {
  std::size_t rows, columns;
  std::size_t count() const { return rows * columns; }
};

// Planes per block of 13_volume_sweep.cu and 14_volume_best.cu: about 32 blocks fill the volume from bottom
// to top. With fewer planes, a block loads more planes beside its own per plane that it computes.
std::uint32_t depth_of(std::size_t side) { return std::clamp(ceil_div(side, 32), 4U, 16U); }

double greatest(std::span<const float> values) {
  double most = 0;
  for (const float value : values) most = std::max(most, std::abs(static_cast<double>(value)));
  return most;
}

// ---- on the CPU --------------------------------------------------------------------------------------

// Beyond an edge, the plate goes on as it ends: `above` and `below` may be the row itself.
CUDALAB_EACH_LEVEL void heat_row(const float* above, const float* row, const float* below, float* out,
                                 std::size_t columns) {
  const auto step = [&](std::size_t x, float west, float east) {
    return row[x] + kRate * (above[x] + below[x] + west + east - 4 * row[x]);
  };
  const std::size_t last = columns - 1;
  out[0] = step(0, row[0], row[std::min<std::size_t>(1, last)]);
  for (std::size_t x = 1; x < last; ++x) out[x] = step(x, row[x - 1], row[x + 1]);
  if (last > 0) out[last] = step(last, row[last - 1], row[last]);
}

void heat_on_cpu(std::span<const float> in, std::span<float> out, Plate size, int threads) {
  const std::size_t columns = size.columns;
#pragma omp parallel for num_threads(threads)
  for (std::size_t row = 0; row < size.rows; ++row) {
    const float* from = &in[row * columns];
    heat_row(row > 0 ? from - columns : from, from, row + 1 < size.rows ? from + columns : from,
             &out[row * columns], columns);
  }
}

CUDALAB_EACH_LEVEL void add_row(const float* from, float weight, float* to, std::size_t count) {
  for (std::size_t x = 0; x < count; ++x) to[x] += weight * from[x];
}

// to[x] = sum over k of weights[k] * from[x + k - radius]; outside the row, the cells are 0.
void convolve_row(const float* from, std::span<const float> weights, float* to, std::size_t columns) {
  const std::size_t radius = weights.size() / 2;
  std::fill_n(to, columns, 0.0F);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const std::size_t skipped = k < radius ? radius - k : k - radius;
    if (skipped >= columns) continue;
    if (k < radius)
      add_row(from, weights[k], to + skipped, columns - skipped);
    else
      add_row(from + skipped, weights[k], to, columns - skipped);
  }
}

// Both passes of the separable mask, a band of rows after the other. A ring holds the rows of the first pass
// that the second pass still needs, so they stay in the cache.
void convolve_on_cpu(std::span<const float> in, std::span<float> out, Plate size,
                     std::span<const float> across, std::span<const float> down, int threads) {
  constexpr std::size_t kBand = 64;
  const std::size_t taps = down.size(), radius = taps / 2, columns = size.columns;
#pragma omp parallel for num_threads(threads)
  for (std::size_t top = 0; top < size.rows; top += kBand) {
    std::vector<float> ring(taps * columns);
    const std::size_t bottom = std::min(top + kBand, size.rows);
    std::size_t next = top > radius ? top - radius : 0;
    for (std::size_t row = top; row < bottom; ++row) {
      for (; next < std::min(row + radius + 1, size.rows); ++next)
        convolve_row(&in[next * columns], across, &ring[next % taps * columns], columns);
      float* to = &out[row * columns];
      std::fill_n(to, columns, 0.0F);
      for (std::size_t k = 0; k < taps; ++k)
        if (row + k >= radius && row + k - radius < size.rows)
          add_row(&ring[(row + k - radius) % taps * columns], down[k], to, columns);
    }
  }
}

// The rows beside a row of the volume, each of them the row itself where the volume ends.
struct RowsBeside {
  const float *north, *south, *lower, *upper;
};

CUDALAB_EACH_LEVEL void volume_row(RowsBeside beside, const float* row, float* out, std::size_t side) {
  const auto step = [&](std::size_t x, float west, float east) {
    return row[x] + kRate * (beside.north[x] + beside.south[x] + west + east + beside.lower[x] +
                             beside.upper[x] - 6 * row[x]);
  };
  const std::size_t last = side - 1;
  out[0] = step(0, row[0], row[std::min<std::size_t>(1, last)]);
  for (std::size_t x = 1; x < last; ++x) out[x] = step(x, row[x - 1], row[x + 1]);
  if (last > 0) out[last] = step(last, row[last - 1], row[last]);
}

void volume_on_cpu(std::span<const float> in, std::span<float> out, std::size_t side, int threads) {
#pragma omp parallel for num_threads(threads)
  for (std::size_t line = 0; line < side * side; ++line) {
    const std::size_t y = line % side, z = line / side, plane = side * side;
    const float* row = &in[line * side];
    volume_row({y > 0 ? row - side : row, y + 1 < side ? row + side : row, z > 0 ? row - plane : row,
                z + 1 < side ? row + plane : row},
               row, &out[line * side], side);
  }
}

// ---- expected results --------------------------------------------------------------------------------

// A step in a volume of any shape, in double. A plate is a volume of one plane: the two cells beyond it are
// equal to the cell itself and add nothing.
std::vector<double> heated(std::span<const float> in, std::size_t planes, std::size_t rows,
                           std::size_t columns) {
  std::vector<double> out(in.size());
  for_pieces(
      planes * rows,
      [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t line = begin; line < end; ++line) {
          const std::size_t y = line % rows, z = line / rows, plane = rows * columns, first = line * columns;
          const std::size_t north = y > 0 ? columns : 0, south = y + 1 < rows ? columns : 0,
                            lower = z > 0 ? plane : 0, upper = z + 1 < planes ? plane : 0;
          for (std::size_t x = 0; x < columns; ++x) {
            const std::size_t i = first + x, west = x > 0 ? 1 : 0, east = x + 1 < columns ? 1 : 0;
            const double c = in[i];
            out[i] = c + static_cast<double>(kRate) *
                             ((in[i - north] - c) + (in[i + south] - c) + (in[i - west] - c) +
                              (in[i + east] - c) + (in[i - lower] - c) + (in[i + upper] - c));
          }
        }
      },
      columns);
  return out;
}

// Computes the passes in double: the products of two floats are exact.
std::vector<double> convolved(std::span<const float> in, Plate size, std::span<const float> across,
                              std::span<const float> down) {
  const std::size_t taps = down.size(), radius = taps / 2;
  std::vector<double> between(size.count()), out(size.count());
  for_pieces(
      size.rows,
      [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row)
          for (std::size_t k = 0; k < taps; ++k)
            for (std::size_t x = k < radius ? radius - k : 0;
                 x < size.columns && x + k - radius < size.columns; ++x)
              between[row * size.columns + x] +=
                  static_cast<double>(across[k]) * in[row * size.columns + x + k - radius];
      },
      size.columns * taps);
  for_pieces(
      size.rows,
      [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row)
          for (std::size_t k = 0; k < taps; ++k) {
            if (row + k < radius || row + k - radius >= size.rows) continue;
            for (std::size_t x = 0; x < size.columns; ++x)
              out[row * size.columns + x] +=
                  static_cast<double>(down[k]) * between[(row + k - radius) * size.columns + x];
          }
      },
      size.columns * taps);
  return out;
}

// The sum of the magnitudes.
double magnitude(std::span<const float> weights) {
  double sum = 0;
  for (const float weight : weights) sum += std::abs(static_cast<double>(weight));
  return sum;
}

// ---- on the device: plate and image ------------------------------------------------------------------

std::uint32_t wide(std::size_t length) { return length % kWide == 0 ? kWide : 1; }

// The plate and the image are the same array. It exists only if a stage needs it.
struct PlateLab {
  LabRun& run;
  Plate size;
  std::size_t radius = static_cast<std::size_t>(run.options().integer("radius"));
  std::size_t taps = 2 * radius + 1;
  ArrayOf<float>& in = run.random_input<float>("in", size.count());
  ArrayOf<float>& out = run.output<float>("out", size.count());
  ArrayOf<float>& across = run.random_input<float>("across", taps);
  ArrayOf<float>& down = run.random_input<float>("down", taps);
  ArrayOf<float>& mask = run.input<float>("mask", product());
  ArrayOf<float>& between = run.scratch<float>("between", run.wants("conv-passes") ? size.count() : 1);
  std::vector<double> after_step{}, after_mask{};  // expected results, computed when first needed
  device::TextureArray plate{};
  device::Texture texture{};

  std::vector<float> product() const {
    std::vector<float> weights;
    for (const float y : std::as_const(down).host())
      for (const float x : std::as_const(across).host()) weights.push_back(y * x);
    return weights;
  }

  Shape shape() const {
    return {static_cast<std::int64_t>(size.rows), static_cast<std::int64_t>(size.columns)};
  }
  double bytes() const { return 2.0 * static_cast<double>(size.count()) * sizeof(float); }
  Work heat_work() const { return {bytes(), kHeatFlops * static_cast<double>(size.count())}; }
  // A separable mask needs two passes of `taps` multiplications and additions.
  Work conv_work() const { return {bytes(), 4.0 * static_cast<double>(taps * size.count())}; }

  Check check_heat() {
    if (after_step.empty()) after_step = heated(in.host(), 1, size.rows, size.columns);
    return within<float, double>(out.host(), after_step,
                                 sum_bound<float>(kHeatRoundings, greatest(in.host()) * (1 + 8 * kRate)),
                                 shape());
  }

  // Roundings: of the mask, of its product with a cell, and of the additions.
  Check check_conv() {
    if (after_mask.empty()) after_mask = convolved(in.host(), size, across.host(), down.host());
    const double most = greatest(in.host()) * magnitude(across.host()) * magnitude(down.host());
    return within<float, double>(out.host(), after_mask, sum_bound<float>(taps * taps + 1, most), shape());
  }

  // A block of TILE_X x TILE_Y threads. A thread computes `wide` x `each` cells.
  LaunchSpec by_blocks(std::uint32_t each = 1, std::uint32_t cells = 1) const {
    return {.grid = {ceil_div(size.columns, kTileX * cells), ceil_div(size.rows, kTileY * each)},
            .block = {kTileX, kTileY}};
  }
  std::vector<Define> defines(std::uint32_t each = 1, std::uint32_t cells = 1) const {
    return {{"TILE_X", kTileX}, {"TILE_Y", kTileY}, {"EACH", each}, {"WIDE", cells}, {"RADIUS", radius}};
  }
  int rows() const { return static_cast<int>(size.rows); }
  int columns() const { return static_cast<int>(size.columns); }

  KernelStage heat(std::string name, std::string file, const device::Argument& from, std::uint32_t each = 1,
                   std::uint32_t cells = 1) {
    return {.name = std::move(name),
            .file = std::move(file),
            .defines = defines(each, cells),
            .launch = {"heat", by_blocks(each, cells), {from, out.device(), rows(), columns(), kRate}},
            .check = [this] { return check_heat(); },
            .work = heat_work()};
  }

  KernelStage conv(std::string name, std::string file, KernelLaunch launch, std::uint32_t each = 1) {
    return {.name = std::move(name),
            .file = std::move(file),
            .defines = defines(each),
            .launch = std::move(launch),
            .check = [this] { return check_conv(); },
            .work = conv_work()};
  }

  // The same with the mask in constant memory.
  KernelStage with_mask(std::string name, std::string file, std::uint32_t each = 1) {
    const KernelLaunch launch{"convolve", by_blocks(each), {in.device(), out.device(), rows(), columns()}};
    KernelStage stage = conv(std::move(name), std::move(file), {}, each);
    stage.body = [this, launch](Gpu& gpu) {
      gpu.set_variable<float>("mask", mask.host());
      gpu.launch(launch);
    };
    return stage;
  }

  // The same with the factors of the mask in constant memory.
  KernelStage with_factors(std::string name, std::string file, std::vector<KernelLaunch> launches,
                           std::uint32_t cells = 1) {
    KernelStage stage = conv(std::move(name), std::move(file), {}, kEachOfConv);
    stage.defines = defines(kEachOfConv, cells);
    stage.body = [this, launches = std::move(launches)](Gpu& gpu) {
      gpu.set_variable<float>("across", across.host());
      gpu.set_variable<float>("down", down.host());
      for (const KernelLaunch& launch : launches) gpu.launch(launch);
    };
    return stage;
  }

  // The plate as a CUDA array. A fetch beyond an edge returns the cell at the edge.
  std::uint64_t plate_texture() {
    if (texture.value() != 0) return texture.value();
    plate = run.textures().create_array(
        "plate",
        {.format = device::texel_format(ScalarType::kF32), .width = size.columns, .height = size.rows});
    run.textures().upload(plate, in.host_bytes());
    texture = run.textures().create_texture(plate, {});
    return texture.value();
  }

  KernelStage stage(std::string_view name) {
    const std::uint32_t cells = wide(size.columns);
    if (name == "heat") return heat("heat", "1_heat.cu", in.device());
    if (name == "heat-texture") return heat("heat-texture", "2_heat_texture.cu", plate_texture());
    if (name == "heat-shared") return heat("heat-shared", "3_heat_shared.cu", in.device());
    if (name == "heat-column") return heat("heat-column", "4_heat_column.cu", in.device(), kEachOfHeat);
    if (name == "heat-best") return heat("heat-best", "5_heat_best.cu", in.device(), kEachOfHeat, cells);
    if (name == "conv")
      return conv("conv", "6_conv.cu",
                  {"convolve", by_blocks(), {in.device(), mask.device(), out.device(), rows(), columns()}});
    if (name == "conv-constant") return with_mask("conv-constant", "7_conv_constant.cu");
    if (name == "conv-shared") return with_mask("conv-shared", "8_conv_shared.cu");
    if (name == "conv-column") return with_mask("conv-column", "9_conv_column.cu", kEachOfConv);
    if (name == "conv-passes")
      return with_factors("conv-passes", "10_conv_passes.cu",
                          {{"convolve_rows", by_blocks(), {in.device(), between.device(), rows(), columns()}},
                           {"convolve_columns",
                            by_blocks(kEachOfConv),
                            {between.device(), out.device(), rows(), columns()}}});
    return with_factors(
        "conv-best", "11_conv_best.cu",
        {{"convolve", by_blocks(kEachOfConv, cells), {in.device(), out.device(), rows(), columns()}}}, cells);
  }

  void cpu_versions() {
    run.cpu({.name = "heat",
             .run = [this](int threads) { heat_on_cpu(in.host(), out.host(), size, threads); },
             .check = [this] { return check_heat(); },
             .work = heat_work()});
    run.cpu({.name = "conv",
             .run =
                 [this](int threads) {
                   convolve_on_cpu(in.host(), out.host(), size, across.host(), down.host(), threads);
                 },
             .check = [this] { return check_conv(); },
             .work = conv_work()});
  }

  void copies() {
    if (run.wants("copy")) run.copy_ceiling(size.count() * sizeof(float));
    run.kernel({.name = "copy",
                .kind = RowKind::kCeiling,
                .file = "0_copy.cu",
                .launch = {"copy",
                           {.grid = {ceil_div(size.count(), kWide * kCopyThreads)}, .block = {kCopyThreads}},
                           {in.device(), out.device(), size.count()}},
                .check = [this] { return same_bits<float>(out.host(), in.host(), shape()); },
                .work = Work{bytes(), 0}});
  }
};

// ---- on the device: volume ---------------------------------------------------------------------------

struct VolumeLab {
  LabRun& run;
  std::size_t side;
  std::size_t count = side * side * side;
  ArrayOf<float>& in = run.random_input<float>("volume", count);
  ArrayOf<float>& out = run.output<float>("volume after the step", count);
  std::vector<double> after_step{};  // the expected result, computed when first needed

  Work work() const {
    return {2.0 * static_cast<double>(count) * sizeof(float), kVolumeFlops * static_cast<double>(count)};
  }

  Check check() {
    if (after_step.empty()) after_step = heated(in.host(), side, side, side);
    const auto length = static_cast<std::int64_t>(side);
    return within<float, double>(out.host(), after_step,
                                 sum_bound<float>(kHeatRoundings, greatest(in.host()) * (1 + 12 * kRate)),
                                 {length, length, length});
  }

  KernelStage of(std::string name, std::string file, std::uint32_t cells, std::uint32_t each,
                 std::uint32_t depth) {
    return {.name = std::move(name),
            .file = std::move(file),
            .defines =
                {{"TILE_X", kTileX}, {"TILE_Y", kTileY}, {"WIDE", cells}, {"EACH", each}, {"DEPTH", depth}},
            .launch = {"heat",
                       {.grid = {ceil_div(side, kTileX * cells), ceil_div(side, kTileY * each),
                                 ceil_div(side, depth)},
                        .block = {kTileX, kTileY}},
                       {in.device(), out.device(), static_cast<int>(side), kRate}},
            .check = [this] { return check(); },
            .work = work()};
  }

  KernelStage stage(std::string_view name) {
    if (name == "volume") return of("volume", "12_volume.cu", 1, 1, 1);
    if (name == "volume-sweep") return of("volume-sweep", "13_volume_sweep.cu", 1, 1, depth_of(side));
    return of("volume-best", "14_volume_best.cu", wide(side), kEachOfVolume, depth_of(side));
  }

  void cpu_versions() {
    run.cpu({.name = "volume",
             .run = [this](int threads) { volume_on_cpu(in.host(), out.host(), side, threads); },
             .check = [this] { return check(); },
             .work = work()});
  }
};

// ---- stages ------------------------------------------------------------------------------------------

constexpr std::string_view kOfPlate[] = {"heat",        "heat-texture", "heat-shared",   "heat-column",
                                         "heat-best",   "conv",         "conv-constant", "conv-shared",
                                         "conv-column", "conv-passes",  "conv-best"};
constexpr std::string_view kOfVolume[] = {"volume", "volume-sweep", "volume-best"};

bool wants_any(const LabRun& run, std::span<const std::string_view> stages) {
  return std::ranges::any_of(stages, [&](std::string_view stage) { return run.wants(stage); });
}

void stencil(LabRun& run) {
  const Options& options = run.options();
  const Plate size{static_cast<std::size_t>(options.integer("rows")),
                   static_cast<std::size_t>(options.integer("cols"))};
  const auto side = static_cast<std::size_t>(options.integer("side"));
  const bool of_volume = wants_any(run, kOfVolume), cpu = run.wants("cpu");
  const bool of_plate = wants_any(run, kOfPlate) || run.wants("copy") || !of_volume;
  const double cells = static_cast<double>(of_plate || cpu ? size.count() : 0),
               in_volume = static_cast<double>(of_volume || cpu ? side * side * side : 0);
  run.require_memory(4 * (4 * cells + 2 * in_volume), 24 * cells + 16 * in_volume,
                     "--rows, --cols and --side");

  std::optional<PlateLab> plate;
  std::optional<VolumeLab> volume;
  if (of_plate || cpu) {
    plate.emplace(run, size);
    plate->cpu_versions();
  }
  if (of_volume || cpu) {
    volume.emplace(run, side);
    volume->cpu_versions();
  }
  std::optional<KernelStage> users;  // the user's own kernel replaces the first requested stage
  const auto stage = [&](auto& lab, std::string_view name) {
    if (!run.wants(name)) return;
    const KernelStage made = lab.stage(name);
    run.kernel(made);
    if (!users) users = made;
  };
  if (plate) {
    plate->copies();
    for (const std::string_view name : kOfPlate) stage(*plate, name);
  }
  if (volume)
    for (const std::string_view name : kOfVolume) stage(*volume, name);
  if (plate && !users) users = plate->stage("heat");
  run.users_kernel(*users);
}

const RegisterLab registered{Lab{
    .name = "stencil",
    .alias = {},
    .title = "Stencils: heat equation and convolution",
    .teaches = "halos, register blocking, separable masks, 2.5D blocking",
    .examples = {"cudalab stencil", "cudalab stencil --stage copy,heat,heat-shared,heat-column,heat-best",
                 "cudalab stencil --stage copy,conv-shared,conv-column,conv-passes,conv-best --radius 4",
                 "cudalab stencil --stage volume,volume-sweep,volume-best --side 200"},
    .stages = {"cpu", "copy", "heat", "heat-texture", "heat-shared", "heat-column", "heat-best", "conv",
               "conv-constant", "conv-shared", "conv-column", "conv-passes", "conv-best", "volume",
               "volume-sweep", "volume-best"},
    .options = {integer("rows", "rows of the plate and of the image", 1024, 8192, 1, 65'536),
                integer("cols", "columns of the plate and of the image", 1280, 8192, 1, 131'072),
                integer("side", "side of the volume, a cube", 112, 512, 1, 2048),
                integer("radius", "radius of the mask; it has (2 RADIUS + 1) x (2 RADIUS + 1) weights", 2, 1,
                        4)},
    .sizes = {"rows", "cols"},
    .check_size = {{"rows", 200}, {"cols", 200}, {"side", 40}},
    .next = {{msg::next_larger_mask, "--stage copy,conv-shared,conv-column,conv-passes,conv-best --radius 4"},
             {msg::next_volume, "--stage volume,volume-sweep,volume-best"}},
    .run = stencil,
}};

}  // namespace
}  // namespace cudalab::lab::stencil
