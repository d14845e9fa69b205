// The transpose lab: B = A^T. The kernel only moves data, so the lab shows nothing but memory accesses.
#include "lab/lab.h"

#include <algorithm>

#include "messages/lab_transpose.h"

namespace cudalab::lab::transpose {
namespace {

constexpr std::uint32_t kMostBlocksInY =
    65535;  // limit of a grid on every GPU (CUDA C++ Programming Guide, table 30)
constexpr std::size_t kWidestAccess = 16;    // bytes that one thread moves in one access
constexpr std::uint32_t kEach = 4;           // elements per thread of 3a_several.cu
constexpr std::uint32_t kWideThreads = 256;  // threads per block of 0_copy.cu
constexpr std::size_t kCpuTile = 16;         // floats in a cache line of 64 bytes

struct Problem {
  std::size_t rows, columns;
  std::size_t count() const { return rows * columns; }
};

// ---- on the CPU --------------------------------------------------------------------------------------

template <class T>
void transpose_plain(std::span<const T> in, std::span<T> out, Problem size, int threads) {
#pragma omp parallel for num_threads(threads)
  for (std::size_t row = 0; row < size.rows; ++row)
    for (std::size_t column = 0; column < size.columns; ++column)
      out[column * size.rows + row] = in[row * size.columns + column];
}

// Works tile by tile, and within a tile in the order of `out`. The first column of a tile loads cache lines
// of `in` that the other columns reuse before rows at a power-of-two distance evict them.
template <class T>
void transpose_blocked(std::span<const T> in, std::span<T> out, Problem size, int threads) {
#pragma omp parallel for collapse(2) num_threads(threads)
  for (std::size_t top = 0; top < size.rows; top += kCpuTile)
    for (std::size_t left = 0; left < size.columns; left += kCpuTile)
      for (std::size_t column = left; column < std::min(left + kCpuTile, size.columns); ++column)
        for (std::size_t row = top; row < std::min(top + kCpuTile, size.rows); ++row)
          out[column * size.rows + row] = in[row * size.columns + column];
}

// The expected content of `out`.
template <class T>
std::vector<T> transposed(std::span<const T> in, Problem size) {
  std::vector<T> out(size.count());
  for_pieces(out.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = in[i % size.rows * size.columns + i / size.rows];
  });
  return out;
}

// ---- on the device -----------------------------------------------------------------------------------

// One block per tile. If y exceeds its limit, the rest goes to z.
Dim3 grid_of_tiles(std::uint32_t in_x, std::uint32_t in_y) {
  const std::uint32_t layers = ceil_div(in_y, kMostBlocksInY);
  return {in_x, ceil_div(in_y, layers), layers};
}

Dim3 grid_of_tiles(Problem size, std::size_t side) {
  return grid_of_tiles(ceil_div(size.columns, side), ceil_div(size.rows, side));
}

// A tile of 4_best.cu or 4a_narrow.cu: rows and columns of `in`, threads per block, and the maximum number of
// elements by which a row of `out` begins earlier, to start at a sector boundary.
struct BestTile {
  std::size_t rows, columns;
  std::uint32_t threads;
  std::size_t earlier;
};

BestTile best_tile(bool aligned, std::size_t element_bytes) {
  return aligned ? BestTile{512 / element_bytes, 256 / element_bytes, 512, 0} : BestTile{128, 32, 256, 7};
}

// Whether the rows of both matrices begin at multiples of 16 bytes.
bool is_aligned(Problem size, std::size_t element_bytes) {
  return size.rows * element_bytes % kWidestAccess == 0 && size.columns * element_bytes % kWidestAccess == 0;
}

void choose_stages(LabRun& run) {
  if (!run.options().given("tile")) return;
  if (run.options().given("pad"))
    run.default_stages({"cpu", "copy", "naive", "tiled", "padded"});
  else
    run.default_stages({"cpu", "copy", "naive", "tiled"});
}

void require_room_for_tile(const LabRun& run, std::size_t element_bytes) {
  const auto tile = static_cast<std::size_t>(run.options().integer("tile"));
  const auto pad = static_cast<std::size_t>(run.options().integer("pad"));
  const std::size_t bytes = tile * (tile + pad) * element_bytes,
                    available = run.device().max_shared_per_block;
  if ((run.wants("padded") || run.wants("several")) && bytes > available)
    throw usage_error(msg::padded_tile_too_large(pad, bytes, available));
}

Shape shape(std::size_t rows, std::size_t columns) {
  return {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)};
}

template <class T>
struct Transposition {
  LabRun& run;
  Problem size;
  ArrayOf<T>& in = run.random_input<T>("in", size.count());
  ArrayOf<T>& out = run.output<T>("out", size.count());
  std::string type = cuda_name(run.options().text("type"));
  std::vector<device::Argument> arguments{in.device(), out.device(), static_cast<std::uint32_t>(size.rows),
                                          static_cast<std::uint32_t>(size.columns)};

  void cpu_versions() {
    run.cpu({.run = [&](int threads) { transpose_plain<T>(in.host(), out.host(), size, threads); }});
    run.cpu({.name = "blocked",
             .run = [&](int threads) { transpose_blocked<T>(in.host(), out.host(), size, threads); }});
  }

  void copies() {
    const std::size_t wide = kWidestAccess / sizeof(T);
    if (run.wants("copy")) run.copy_ceiling(size.count() * sizeof(T));
    run.kernel(
        {.name = "copy",
         .kind = RowKind::kCeiling,
         .file = "0_copy.cu",
         .defines = {{"TYPE", type}, {"WIDE", wide}},
         .launch = {.kernel = "copy",
                    .spec = {.grid = {ceil_div(size.count(), wide * kWideThreads)}, .block = {kWideThreads}},
                    .arguments = {in.device(), out.device(), size.count()}},
         .check = [&] { return same_bits<T>(out.host(), in.host(), shape(size.rows, size.columns)); }});
  }

  // One block of TILE x TILE threads per tile, or with fewer rows of threads.
  KernelStage by_tiles(std::string name, std::string file, std::uint32_t each = 1) {
    const auto tile = static_cast<std::uint32_t>(run.options().integer("tile"));
    const std::uint32_t rows = tile % each == 0 ? tile / each : tile;
    return {
        .name = std::move(name),
        .file = std::move(file),
        .defines = {{"TYPE", type}, {"TILE", tile}, {"ROWS", rows}, {"PAD", run.options().integer("pad")}},
        .launch = {.kernel = "transpose",
                   .spec = {.grid = grid_of_tiles(size, tile), .block = {tile, rows}},
                   .arguments = arguments}};
  }

  void best() {
    const bool aligned = is_aligned(size, sizeof(T));
    const BestTile tile = best_tile(aligned, sizeof(T));
    const Row* row =
        run.kernel({.name = "best",
                    .file = aligned ? "4_best.cu" : "4a_narrow.cu",
                    .defines = {{"TYPE", type}},
                    .launch = {.kernel = "transpose",
                               .spec = {.grid = grid_of_tiles(ceil_div(size.rows + tile.earlier, tile.rows),
                                                              ceil_div(size.columns, tile.columns)),
                                        .block = {tile.threads}},
                               .arguments = arguments}});
    if (row && !aligned)
      run.note(msg::note_wide_access(sizeof(T), kWidestAccess, kWidestAccess / sizeof(T), size.rows,
                                     size.columns));
  }
};

template <class T>
void transpose(LabRun& run) {
  const Options& options = run.options();
  const Problem size{static_cast<std::size_t>(options.integer("rows")),
                     static_cast<std::size_t>(options.integer("cols"))};
  const double bytes = static_cast<double>(size.count()) * sizeof(T);
  choose_stages(run);
  require_room_for_tile(run, sizeof(T));
  run.require_memory(2 * bytes, 3 * bytes, "--rows and --cols");

  Transposition<T> lab{run, size};
  const std::vector<T> expected = transposed<T>(lab.in.host(), size);
  run.set_work({.bytes = 2 * bytes});
  run.set_check([&] { return same_bits<T>(lab.out.host(), expected, shape(size.columns, size.rows)); });
  lab.cpu_versions();
  lab.copies();
  run.kernel(lab.by_tiles("naive", "1_naive.cu"));
  run.kernel(lab.by_tiles("tiled", "2_tiled.cu"));
  run.kernel(lab.by_tiles("padded", "3_padded.cu"));
  run.kernel(lab.by_tiles("several", "3a_several.cu", kEach));
  lab.best();
  run.users_kernel(lab.by_tiles("padded", "3_padded.cu"));
}

OptionSpec pad_option() {
  OptionSpec pad =
      integer("pad", "unused elements at the end of each row of the tile; `--pad` alone means 1", 1, 0, 4096);
  pad.bare = std::int64_t{1};
  return pad;
}

const RegisterLab registered{Lab{
    .name = "transpose",
    .alias = {},
    .title = "Transpose a matrix",
    .teaches = "coalesced access, bank conflicts, padding",
    .examples = {"cudalab transpose", "cudalab transpose --tile 32 --pad",
                 "cudalab transpose --tile 16 --pad=1",
                 "cudalab transpose --rows 1000 --cols 1001 --type f64 --stage naive,best"},
    .stages = {"cpu", "copy", "naive", "tiled", "padded", "several", "best"},
    .options = {integer("rows", "rows of the matrix", 2048, 8192, 1, 100'000'000),
                integer("cols", "columns of the matrix", 2048, 8192, 1, 100'000'000),
                integer("tile", "side of a tile, in elements; a block has TILE x TILE threads", 32, 1, 32),
                pad_option(), choice("type", "element type", "f32", {"f32", "f64"})},
    .sizes = {"rows", "cols"},
    .check_size = {{"rows", 256}, {"cols", 256}},
    .next = {{msg::next_why_padded, "--stage copy,padded,several,best"},
             {msg::next_smaller_tiles, "--tile 16"},
             {msg::next_transpose_doubles, "--type f64"}},
    .run =
        [](LabRun& run) {
          with_real_type(run.options().text("type"),
                         [&](auto tag) { transpose<typename decltype(tag)::type>(run); });
        },
}};

}  // namespace
}  // namespace cudalab::lab::transpose
