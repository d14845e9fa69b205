// The matmul lab: C = A * B. Every element is needed many times; each stage fetches it less often.
#include "lab/lab.h"

#include <algorithm>
#include <optional>

#include "messages/lab_matmul.h"

namespace cudalab::lab::matmul {
namespace {

constexpr std::uint32_t kMostBlocksInY =
    65535;  // limit of a grid on every GPU (CUDA C++ Programming Guide, table 30)
constexpr std::size_t kWidestAccess = 16;    // bytes that one thread moves in one access
constexpr std::uint32_t kBestThreads = 256;  // threads per block of 4_best.cu and 4b_limit.cu
constexpr std::size_t kBestRows = 128;       // rows of C per block
constexpr std::size_t kBestRowBytes = 512;   // bytes per row of C per block
constexpr std::size_t kTensorSide = 128;     // side of the square of C that a block of 4a_tensor.cu computes
constexpr std::size_t kTensorDepth = 16, kTensorStages = 3, kTensorPad = 4;  // of its tiles of A and B
constexpr std::size_t kCpuRows = 64, kCpuInner = 128,
                      kCpuColumns = 256;  // chosen so that such a part of B fits into L2
constexpr std::size_t kRowsOfPart = 16;   // enough rows of C to measure the speed of a processor
constexpr std::size_t kTileRows = 4;      // rows of C in registers
constexpr std::size_t kTileBytes = 64;    // bytes per row of C in registers

using Problem = ProductSize;

// ---- on the CPU --------------------------------------------------------------------------------------

// A block of C and the ranges of A and B that contribute to it: half-open ranges of rows and columns.
struct Piece {
  std::size_t top, bottom, first, last, left, right;
};

template <class T>
void add_one_by_one(const T* a, const T* b, T* c, Problem size, Piece piece) {
  for (std::size_t row = piece.top; row < piece.bottom; ++row)
    for (std::size_t k = piece.first; k < piece.last; ++k) {
      const T factor = a[row * size.inner + k];
      for (std::size_t column = piece.left; column < piece.right; ++column)
        c[row * size.columns + column] += factor * b[k * size.columns + column];
    }
}

template <class T>
struct TileRow;
template <>
struct TileRow<float> {
  using Vector = float __attribute__((vector_size(kTileBytes), aligned(sizeof(float)), may_alias));
};
template <>
struct TileRow<double> {
  using Vector = double __attribute__((vector_size(kTileBytes), aligned(sizeof(double)), may_alias));
};

// Keeps kTileRows x kTileBytes of C in registers while it reads columns of A and rows of B.
template <class T>
__attribute__((always_inline)) inline void add_piece_by_tiles(const T* a, const T* b, T* c, Problem size,
                                                              Piece piece) {
  using Vector = typename TileRow<T>::Vector;
  constexpr std::size_t kTileColumns = kTileBytes / sizeof(T);
  std::size_t top = piece.top;
  for (; top + kTileRows <= piece.bottom; top += kTileRows) {
    std::size_t left = piece.left;
    for (; left + kTileColumns <= piece.right; left += kTileColumns) {
      T* to = c + top * size.columns + left;
      Vector sum[kTileRows];
      for (std::size_t i = 0; i < kTileRows; ++i) sum[i] = *reinterpret_cast<Vector*>(to + i * size.columns);
      for (std::size_t k = piece.first; k < piece.last; ++k) {
        const Vector from = *reinterpret_cast<const Vector*>(b + k * size.columns + left);
        for (std::size_t i = 0; i < kTileRows; ++i) sum[i] += a[(top + i) * size.inner + k] * from;
      }
      for (std::size_t i = 0; i < kTileRows; ++i) *reinterpret_cast<Vector*>(to + i * size.columns) = sum[i];
    }
    add_one_by_one(a, b, c, size, {top, top + kTileRows, piece.first, piece.last, left, piece.right});
  }
  add_one_by_one(a, b, c, size, {top, piece.bottom, piece.first, piece.last, piece.left, piece.right});
}

CUDALAB_EACH_LEVEL void add_piece(const float* a, const float* b, float* c, Problem size, Piece piece) {
  add_piece_by_tiles(a, b, c, size, piece);
}
CUDALAB_EACH_LEVEL void add_piece(const double* a, const double* b, double* c, Problem size, Piece piece) {
  add_piece_by_tiles(a, b, c, size, piece);
}

// Works block by block, so a part of B stays in the cache for many rows of A.
template <class T>
void multiply_on_cpu(std::span<const T> a, std::span<const T> b, std::span<T> c, Problem size, int threads) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (std::size_t top = 0; top < size.rows; top += kCpuRows) {
    const std::size_t bottom = std::min(top + kCpuRows, size.rows);
    std::fill(&c[top * size.columns], &c[0] + bottom * size.columns, T{0});
    for (std::size_t first = 0; first < size.inner; first += kCpuInner)
      for (std::size_t left = 0; left < size.columns; left += kCpuColumns)
        add_piece(a.data(), b.data(), c.data(), size,
                  {top, bottom, first, std::min(first + kCpuInner, size.inner), left,
                   std::min(left + kCpuColumns, size.columns)});
  }
}

// ---- on the device -----------------------------------------------------------------------------------

// One thread block per part of C. If y exceeds its limit, the rest goes to z.
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

  // Computes the first rows of C, as many as `part` has.
  void on_cpu(Problem part, int threads) {
    multiply_on_cpu<T>(a.host(), b.host(), c.host().first(part.results()), part, threads);
  }

  // The vector width of 3a_wide.cu: the most elements that fit into one access and divide the tile.
  std::size_t widest_in_a_tile() const {
    std::size_t elements = kWidestAccess / sizeof(T);
    while (tile % elements != 0) elements /= 2;
    return elements;
  }

  // A block of TILE x TILE threads per tile of C.
  KernelStage by_tiles(std::string name, std::string file, std::size_t shared_bytes = 0) const {
    return {.name = std::move(name),
            .file = std::move(file),
            .defines = {{"TYPE", type}, {"TILE", tile}, {"WIDE", widest_in_a_tile()}},
            .launch = {.kernel = "matmul",
                       .spec = {.grid = grid_of(size, tile, tile),
                                .block = {tile, tile},
                                .dynamic_shared_bytes = shared_bytes},
                       .arguments = arguments},
            .measure = count_reads};
  }

  // A block of 256 threads per part of C.
  KernelStage by_parts(std::string name, std::string file) const {
    const std::size_t wide = kWidestAccess / sizeof(T);
    const bool aligned = size.inner % wide == 0 && size.columns % wide == 0;
    return {.name = std::move(name),
            .file = std::move(file),
            .defines = {{"TYPE", type}, {"ALIGNED", aligned ? 1 : 0}},
            .launch = {.kernel = "matmul",
                       .spec = {.grid = {ceil_div(size.rows, kBestRows) *
                                         ceil_div(size.columns, kBestRowBytes / sizeof(T))},
                                .block = {kBestThreads}},
                       .arguments = arguments},
            .measure = count_reads};
  }

  KernelStage best() const {
    KernelStage made = by_parts("best", "4_best.cu");
    if (has_tensor_cores()) on_tensor_cores(made, size);
    return made;
  }

  // Whether the tensor-core instructions for doubles with shape 16 x 8 are available.
  bool has_tensor_cores() const { return sizeof(T) == sizeof(double) && run.device().compute_major >= 9; }

  static void on_tensor_cores(KernelStage& made, Problem size) {
    constexpr std::size_t kOfA = kTensorSide * (kTensorDepth + kTensorPad);
    constexpr std::size_t kOfB = kTensorDepth * (kTensorSide + kTensorPad);
    made.file = "4a_tensor.cu";
    made.launch.spec.grid = grid_of(size, kTensorSide, kTensorSide);
    made.launch.spec.dynamic_shared_bytes = kTensorStages * (kOfA + kOfB) * sizeof(double);
  }

  void library() {
    run.library({.name = "cublas", .body = [this](Gpu& gpu, device::LinearAlgebra& blas) {
                   gpu.call(blas.multiply(device::MatrixProduct{kRealType<T>, size.rows, size.inner,
                                                                size.columns, a.device().address(),
                                                                b.device().address(), c.device().address()}));
                 }});
  }

  // The number of global memory reads per result, if the device counts them.
  std::optional<double> reads_a_result(const Row& row) const {
    if (!row.counters) return std::nullopt;
    double bytes = 0;
    for (const LineAccess& access : row.accesses)
      if (access.space == MemorySpace::kGlobal && access.kind == AccessKind::kLoad)
        bytes += static_cast<double>(access.lanes) * access.bytes_per_lane;
    return bytes / sizeof(T) / static_cast<double>(size.results());
  }
  std::function<void(Row&)> count_reads = [this](Row& row) {
    if (const auto reads = reads_a_result(row)) row.extra.emplace_back("reads_a_result", *reads);
  };

  std::optional<double> measure(const KernelStage& stage) {
    const Row* row = run.kernel(stage);
    return row ? reads_a_result(*row) : std::nullopt;
  }

  void compare(std::optional<double> global, std::optional<double> tiled) {
    if (!global || !tiled) return;
    run.note(msg::note_traffic_of_tiles(size.inner, 2 * size.inner, *global, *tiled, *global / *tiled, tile));
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
  const double bytes = elements * sizeof(T);
  run.require_memory(bytes, bytes + ProductCheck<T>::host_bytes(size), "--arows, --acols and --bcols");

  Product<T> lab{run, size};
  run.progress(msg::progress_preparing_check());
  const ProductCheck<T> product(lab.a.host(), lab.b.host(), size,
                                run.random("rows and vectors of the check"));
  run.set_work({.bytes = bytes, .flops = 2 * size.products()});
  run.set_check([&] { return product.check(lab.c.host()); });
  run.cpu({.run = [&](int threads) { lab.on_cpu(size, threads); },
           .part =
               [&] {
                 const Problem part{std::min(size.rows, kRowsOfPart), size.inner, size.columns};
                 lab.on_cpu(part, 1);
                 return static_cast<double>(part.rows) / static_cast<double>(size.rows);
               }});
  const auto global = lab.measure(lab.by_tiles("global", "1_global.cu"));
  const auto tiled = lab.measure(lab.by_tiles("tiled", "2_tiled.cu"));
  const std::size_t tiles_bytes = std::size_t{2} * lab.tile * lab.tile * sizeof(T);
  lab.measure(lab.by_tiles("dynamic", "3_dynamic.cu", tiles_bytes));
  lab.measure(lab.by_tiles("wide", "3a_wide.cu", tiles_bytes));
  lab.measure(lab.best());
  lab.measure(lab.by_parts("limit", "4b_limit.cu"));
  lab.library();
  lab.compare(global, tiled);
  run.users_kernel(lab.by_tiles("tiled", "2_tiled.cu"));
}

const RegisterLab registered{Lab{
    .name = "matmul",
    .alias = {},
    .title = "Matrix multiplication",
    .teaches = "reuse: shared memory, then registers",
    .examples = {"cudalab matmul", "cudalab matmul --type f64 --tile 16",
                 "cudalab matmul --arows 1000 --acols 70 --bcols 1030",
                 "cudalab matmul --tile 32 --stage global,tiled"},
    .stages = {"cpu", "global", "tiled", "dynamic", "wide", "best", "limit"},
    .options = {integer("arows", "rows of A, and of C", 1024, 4096, 1, 1'000'000),
                integer("acols", "columns of A, rows of B", 64, 4096, 1, 1'000'000),
                integer("bcols", "columns of B, and of C", 1024, 4096, 1, 1'000'000),
                integer("tile",
                        "side of a tile (the block size in many texts); a block has TILE x TILE threads", 16,
                        1, 32),
                choice("type", "element type", "f32", {"f32", "f64"})},
    .sizes = {"arows", "acols", "bcols"},
    .check_size = {{"arows", 144}, {"acols", 144}, {"bcols", 144}},
    .columns = {{"reads_a_result", msg::column_reads}},
    .next = {{msg::next_tile_32, "--tile 32"}, {msg::next_matmul_doubles, "--type f64"}},
    .run =
        [](LabRun& run) {
          with_real_type(run.options().text("type"),
                         [&](auto tag) { matmul<typename decltype(tag)::type>(run); });
        },
}};

}  // namespace
}  // namespace cudalab::lab::matmul
