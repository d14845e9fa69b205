// The matmul lab: C = A * B. Every element is needed many times, and the lesson is to fetch it as few times
// as possible.
#include "lab/lab.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace cudalab::lab::matmul {
namespace {

constexpr std::uint32_t kMostBlocksInY =
    65535;                                 // of a grid, on every card (CUDA C++ Programming Guide, table 30)
constexpr std::size_t kWidestAccess = 16;  // bytes that one thread moves in one access
constexpr std::uint32_t kBestThreads = 256;  // of a block of 4_best.cu
constexpr std::size_t kBestRows = 128;       // of C that a block of 4_best.cu computes
constexpr std::size_t kBestRowBytes = 512;   // the same, side by side
constexpr std::size_t kCpuRows = 64, kCpuInner = 64,
                      kCpuColumns = 512;  // a piece of B of that size fits into L2

// A is rows x inner, B is inner x columns, C is rows x columns.
struct Problem {
  std::size_t rows, inner, columns;
  std::size_t results() const { return rows * columns; }
};

// ---- on the CPU --------------------------------------------------------------------------------------

// Adds to rows `top` and below of C what A's columns and B's rows from `first` on contribute.
template <class T>
void add_piece(std::span<const T> a, std::span<const T> b, std::span<T> c, Problem size, std::size_t top,
               std::size_t first, std::size_t left) {
  const std::size_t bottom = std::min(top + kCpuRows, size.rows);
  const std::size_t last = std::min(first + kCpuInner, size.inner);
  const std::size_t right = std::min(left + kCpuColumns, size.columns);
  for (std::size_t row = top; row < bottom; ++row)
    for (std::size_t k = first; k < last; ++k) {
      const T factor = a[row * size.inner + k];
      const T* from = &b[k * size.columns];
      T* to = &c[row * size.columns];
      for (std::size_t column = left; column < right; ++column) to[column] += factor * from[column];
    }
}

// Piece by piece, so that a piece of B stays in the cache for many rows of A.
template <class T>
void multiply_on_cpu(std::span<const T> a, std::span<const T> b, std::span<T> c, Problem size, int threads) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (std::size_t top = 0; top < size.rows; top += kCpuRows) {
    const std::size_t bottom = std::min(top + kCpuRows, size.rows);
    std::fill(&c[top * size.columns], &c[0] + bottom * size.columns, T{0});
    for (std::size_t first = 0; first < size.inner; first += kCpuInner)
      for (std::size_t left = 0; left < size.columns; left += kCpuColumns)
        add_piece(a, b, c, size, top, first, left);
  }
}

// ---- what must come out ------------------------------------------------------------------------------

// A row of C, more exactly than T can hold it: in double for float, as if in twice double's precision else.
void exact_row(std::span<const float> a_row, std::span<const float> b, std::span<double> c_row) {
  std::fill(c_row.begin(), c_row.end(), 0.0);
  for (std::size_t k = 0; k < a_row.size(); ++k)
    for (std::size_t column = 0; column < c_row.size(); ++column)
      c_row[column] += double{a_row[k]} * b[k * c_row.size() + column];
}
void exact_row(std::span<const double> a_row, std::span<const double> b, std::span<double> c_row) {
  std::vector<AccurateSum> sums(c_row.size());
  for (std::size_t k = 0; k < a_row.size(); ++k)
    for (std::size_t column = 0; column < c_row.size(); ++column)
      sums[column].add_product(a_row[k], b[k * c_row.size() + column]);
  for (std::size_t column = 0; column < c_row.size(); ++column) c_row[column] = sums[column].value();
}

template <class T>
std::vector<double> exact_product(std::span<const T> a, std::span<const T> b, Problem size) {
  std::vector<double> c(size.results());
  for_pieces(size.rows, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row)
      exact_row(a.subspan(row * size.inner, size.inner), b,
                std::span(c).subspan(row * size.columns, size.columns));
  });
  return c;
}

// The lengths of the rows of A, or of the columns of B, as vectors.
template <class T>
std::vector<double> lengths(std::span<const T> matrix, std::size_t count, std::size_t elements,
                            std::size_t next_vector, std::size_t next_element) {
  std::vector<double> found(count);
  for_pieces(count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t vector = begin; vector < end; ++vector) {
      double sum = 0;
      for (std::size_t i = 0; i < elements; ++i) {
        const double value = matrix[vector * next_vector + i * next_element];
        sum += value * value;
      }
      found[vector] = std::sqrt(sum);
    }
  });
  return found;
}

// A result is a sum of `inner` products, added one after the other: each term goes through as many roundings,
// its own included, and two more are the reference's and that of the lengths. The sum of |a| |b| is at most
// the product of the lengths of row and column (Cauchy and Schwarz), which takes far less time to compute.
template <class T>
Allowed allowed_errors(std::span<const T> a, std::span<const T> b, Problem size) {
  const std::vector<double> rows = lengths(a, size.rows, size.inner, size.inner, 1);
  const std::vector<double> columns = lengths(b, size.columns, size.inner, 1, size.columns);
  const std::uint64_t roundings = size.inner + 2;
  Allowed allowed{std::vector<double>(size.results()),
                  fmt::format("{} roundings of 2^-{} on |row of A| * |column of B|", roundings,
                              std::numeric_limits<T>::digits)};
  for (std::size_t i = 0; i < allowed.each.size(); ++i)
    allowed.each[i] = gamma<T>(roundings) * rows[i / size.columns] * columns[i % size.columns];
  return allowed;
}

// ---- on the device -----------------------------------------------------------------------------------

// One block a part of C; where y ends, z goes on.
Dim3 grid_of(Problem size, std::size_t part_rows, std::size_t part_columns) {
  const std::uint32_t down = ceil_div(size.rows, part_rows), layers = ceil_div(down, kMostBlocksInY);
  return {ceil_div(size.columns, part_columns), ceil_div(down, layers), layers};
}

template <class T>
struct Product {
  LabRun& run;
  Problem size;
  std::uint32_t tile = static_cast<std::uint32_t>(run.options().integer("tile"));
  std::string type = cuda_name(run.options().text("type"));
  ArrayOf<T>& a = run.random_input<T>("A", size.rows* size.inner);
  ArrayOf<T>& b = run.random_input<T>("B", size.inner* size.columns);
  ArrayOf<T>& c = run.output<T>("C", size.results());
  std::vector<device::Argument> arguments{a.device(),
                                          b.device(),
                                          c.device(),
                                          static_cast<std::uint32_t>(size.rows),
                                          static_cast<std::uint32_t>(size.inner),
                                          static_cast<std::uint32_t>(size.columns)};

  // A block of TILE x TILE threads for each tile of C.
  KernelStage by_tiles(std::string name, std::string file, std::size_t shared_bytes = 0) const {
    return {.name = std::move(name),
            .file = std::move(file),
            .defines = {{"TYPE", type}, {"TILE", tile}},
            .launch = {.kernel = "matmul",
                       .grid = grid_of(size, tile, tile),
                       .block = {tile, tile},
                       .shared_bytes = shared_bytes,
                       .arguments = arguments}};
  }

  KernelStage best() const {
    const std::size_t wide = kWidestAccess / sizeof(T);
    const bool aligned = size.inner % wide == 0 && size.columns % wide == 0;
    return {.name = "best",
            .file = "4_best.cu",
            .defines = {{"TYPE", type}, {"ALIGNED", aligned ? 1 : 0}},
            .launch = {.kernel = "matmul",
                       .grid = grid_of(size, kBestRows, kBestRowBytes / sizeof(T)),
                       .block = {kBestThreads},
                       .arguments = arguments}};
  }

  void library() {
    run.library({.name = "cublas", .body = [this](Gpu& gpu, device::LinearAlgebra& blas) {
                   gpu.call(blas.multiply(device::MatrixProduct{kRealType<T>, size.rows, size.inner,
                                                                size.columns, a.device().address(),
                                                                b.device().address(), c.device().address()}));
                 }});
  }

  // How often a stage reads an element from global memory for each result, where the device counts.
  std::optional<double> measure(const KernelStage& stage) {
    Row* row = run.kernel(stage);
    if (!row || !row->counters) return std::nullopt;
    double bytes = 0;
    for (const LineAccess& access : row->accesses)
      if (access.space == MemorySpace::kGlobal && access.kind == AccessKind::kLoad)
        bytes += static_cast<double>(access.lanes) * access.bytes_per_lane;
    const double reads = bytes / sizeof(T) / static_cast<double>(size.results());
    row->extra.emplace_back("reads_a_result", reads);
    return reads;
  }

  void compare(std::optional<double> global, std::optional<double> tiled) {
    if (!global || !tiled) return;
    run.note(fmt::format(
        "A result needs a row of A and a column of B: 2 x {} = {} elements. global reads {:.4g} from global "
        "memory for each result, tiled {:.4g}: {:.3g} times fewer, with tiles of {} x {}.",
        size.inner, 2 * size.inner, *global, *tiled, *global / *tiled, tile, tile));
  }
};

Problem problem_of(const Options& options) {
  return {static_cast<std::size_t>(options.integer("arows")),
          static_cast<std::size_t>(options.integer("acols")),
          static_cast<std::size_t>(options.integer("bcols"))};
}

template <class T>
void matmul(LabRun& run) {
  const Problem size = problem_of(run.options());
  const double elements = static_cast<double>(size.rows) * static_cast<double>(size.inner) +
                          static_cast<double>(size.inner) * static_cast<double>(size.columns) +
                          static_cast<double>(size.rows) * static_cast<double>(size.columns);
  const double results = static_cast<double>(size.rows) * static_cast<double>(size.columns);
  run.require_memory(elements * sizeof(T), elements * sizeof(T) + 2 * results * sizeof(double),
                     "--arows, --acols and --bcols");

  Product<T> lab{run, size};
  const std::vector<double> expected = exact_product<T>(lab.a.host(), lab.b.host(), size);
  const Allowed allowed = allowed_errors<T>(lab.a.host(), lab.b.host(), size);
  const Shape shape{static_cast<std::int64_t>(size.rows), static_cast<std::int64_t>(size.columns)};
  run.set_work({.bytes = elements * sizeof(T), .flops = 2 * results * static_cast<double>(size.inner)});
  run.set_check([&] { return within<T, double>(lab.c.host(), expected, allowed, shape); });
  run.cpu({.run = [&](int threads) {
    multiply_on_cpu<T>(lab.a.host(), lab.b.host(), lab.c.host(), size, threads);
  }});
  const auto global = lab.measure(lab.by_tiles("global", "1_global.cu"));
  const auto tiled = lab.measure(lab.by_tiles("tiled", "2_tiled.cu"));
  lab.measure(lab.by_tiles("dynamic", "3_dynamic.cu", std::size_t{2} * lab.tile * lab.tile * sizeof(T)));
  lab.measure(lab.best());
  lab.library();
  lab.compare(global, tiled);
  run.users_kernel(lab.by_tiles("tiled", "2_tiled.cu"));
}

const RegisterLab registered{Lab{
    .name = "matmul",
    .alias = {},
    .title = "Matrix product",
    .teaches = "reuse: shared memory, then registers",
    .order = 60,
    .examples = {"cudalab matmul", "cudalab matmul --type f64 --tile 16",
                 "cudalab matmul --arows 100 --acols 70 --bcols 130",
                 "cudalab matmul --tile 32 --stage global,tiled"},
    .stages = {"cpu", "global", "tiled", "dynamic", "best"},
    .options = {integer("arows", "rows of A, and of C", 256, 4096, 1, 1'000'000),
                integer("acols", "columns of A, rows of B", 256, 4096, 1, 1'000'000),
                integer("bcols", "columns of B, and of C", 256, 4096, 1, 1'000'000),
                integer("tile", "side of a tile (BLOCK_SIZE); a block has TILE x TILE threads", 16, 1, 32),
                choice("type", "type of an element", "f32", {"f32", "f64"})},
    .run =
        [](LabRun& run) {
          with_real_type(run.options().text("type"),
                         [&](auto tag) { matmul<typename decltype(tag)::type>(run); });
        },
}};

}  // namespace
}  // namespace cudalab::lab::matmul
