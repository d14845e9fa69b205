// The matvec lab: the row means of a batch of matrices, then a matrix-vector product with the means. Each of
// the five kernels fixes what a profiler found in the kernel before.
#include "lab/lab.h"

#include <algorithm>
#include <bit>

#include "messages/lab_matvec.h"

namespace cudalab::lab::matvec {
namespace {

constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kMostRows = 1024;    // versions 1 and 2 use one thread of a block per row
constexpr std::uint32_t kBestThreads = 256;  // threads per block of 0_read.cu and 5_best.cu
constexpr std::uint32_t kBestSide = 64;      // side of a tile of 5_best.cu
constexpr std::uint32_t kTensorOfV1 = 32, kTensorOfM2 = 64;  // sides of a tile of 5a_tensor.cu
constexpr std::size_t kWidestAccess = 16;                    // bytes that one thread reads in one access
constexpr std::uint32_t kReadBlocksEach = 8;  // blocks of 0_read.cu per SM: as many as fit at once
constexpr double kSectorBytes = 32;

struct Problem {
  std::size_t matrices, rows, columns;
  std::size_t batch() const { return matrices * rows * columns; }
  std::size_t factor() const { return rows * rows; }
  std::size_t results() const { return matrices * rows; }
  // Threads per block of versions 1 to 4: whole warps, a power of two for the tree, and at least one per row.
  std::uint32_t threads() const { return std::max(kWarp, std::bit_ceil(static_cast<std::uint32_t>(rows))); }
};

// ---- on the CPU --------------------------------------------------------------------------------------

template <class T>
T mean_of(std::span<const T> row) {
  T sum = 0;
  for (const T element : row) sum += element;
  return sum / static_cast<T>(row.size());
}

template <class T>
void mean_matvec(std::span<const T> batch, std::span<const T> m2, std::span<T> v2, Problem size,
                 int threads) {
#pragma omp parallel for num_threads(threads)
  for (std::size_t n = 0; n < size.matrices; ++n) {
    std::vector<T> mean(size.rows);
    for (std::size_t row = 0; row < size.rows; ++row)
      mean[row] = mean_of(batch.subspan((n * size.rows + row) * size.columns, size.columns));
    for (std::size_t row = 0; row < size.rows; ++row) {
      T sum = 0;
      for (std::size_t k = 0; k < size.rows; ++k) sum += m2[row * size.rows + k] * mean[k];
      v2[n * size.rows + row] = sum;
    }
  }
}

// ---- expected results --------------------------------------------------------------------------------

struct Expected {
  std::vector<double> v2;
  Allowed allowed;
  std::vector<double> sums, magnitudes;  // over the elements of each matrix, for 0_read.cu
};

// Roundings per result: columns - 1 additions, the division by columns, a product and rows - 1 additions. The
// reference adds two roundings.
template <class T>
void expect_matrix(std::span<const T> matrix, std::span<const T> m2, Problem size, std::size_t n,
                   Expected& out) {
  std::vector<double> mean(size.rows), magnitude(size.rows);
  for (std::size_t row = 0; row < size.rows; ++row) {
    AccurateSum sum;
    for (const T element : matrix.subspan(row * size.columns, size.columns)) {
      sum.add(static_cast<double>(element));
      magnitude[row] += std::abs(static_cast<double>(element));
    }
    out.sums[n] += sum.value();
    out.magnitudes[n] += magnitude[row];
    mean[row] = sum.value() / static_cast<double>(size.columns);
    magnitude[row] /= static_cast<double>(size.columns);
  }
  const double factor = gamma<T>(size.rows + size.columns + 2);
  for (std::size_t row = 0; row < size.rows; ++row) {
    AccurateSum sum;
    double magnitudes = 0;
    for (std::size_t k = 0; k < size.rows; ++k) {
      const auto weight = static_cast<double>(m2[row * size.rows + k]);
      sum.add_product(weight, mean[k]);
      magnitudes += std::abs(weight) * magnitude[k];
    }
    out.v2[n * size.rows + row] = sum.value();
    out.allowed.each[n * size.rows + row] = factor * magnitudes;
  }
}

template <class T>
Expected expect(std::span<const T> batch, std::span<const T> m2, Problem size) {
  Expected expected;
  expected.v2.resize(size.results());
  expected.allowed.each.resize(size.results());
  expected.sums.resize(size.matrices);
  expected.magnitudes.resize(size.matrices);
  expected.allowed.bound = msg::bound_batch(size.rows + size.columns + 2, std::numeric_limits<T>::digits);
  const std::size_t elements = size.rows * size.columns;
  for_pieces(
      size.matrices,
      [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t n = begin; n < end; ++n)
          expect_matrix(batch.subspan(n * elements, elements), m2, size, n, expected);
      },
      elements + size.factor());
  return expected;
}

// ---- what the counters say ---------------------------------------------------------------------------

struct Loads {
  double requests = 0, sectors = 0, fewest = 0;
};

Loads global_loads(const Row& row) {
  Loads loads;
  for (const LineAccess& access : row.accesses) {
    if (access.space != MemorySpace::kGlobal || access.kind != AccessKind::kLoad) continue;
    loads.requests += static_cast<double>(access.requests);
    loads.sectors += static_cast<double>(access.transactions);
    loads.fewest += static_cast<double>(access.fewest_transactions);
  }
  return loads;
}

std::string megabytes(double bytes) { return fmt::format("{:.2f} MB", bytes / 1e6); }

// ---- on the device -----------------------------------------------------------------------------------

template <class T>
std::vector<T> values(const LabRun& run, std::string_view name, std::size_t count) {
  if (run.options().text("input") == "course") return random_integers<T>(count, run.random(name), 1, 2);
  return run.drawn<T>(name, count);
}

template <class T>
struct MeanMatvec {
  LabRun& run;
  Problem size;
  ArrayOf<T>& batch = run.input<T>("batch", values<T>(run, "batch", size.batch()));
  ArrayOf<T>& m2 = run.input<T>("m2", values<T>(run, "m2", size.factor()));
  ArrayOf<T>& v2 = run.output<T>("v2", size.results());
  std::string type = cuda_name(run.options().text("type"));
  std::span<const T> batch_values = batch.host(), m2_values = m2.host();
  Expected expected = expect<T>(batch_values, m2_values, size);

  double needed_bytes() const {
    return static_cast<double>(size.batch() + size.factor() + size.results()) * sizeof(T);
  }

  // The reference for the peak: reads the batch once and does nothing else.
  void read() {
    const auto wide = kWidestAccess / sizeof(T);
    const std::uint32_t blocks =
        std::min(ceil_div(size.batch(), wide * kBestThreads), run.device().multiprocessors * kReadBlocksEach);
    if (!run.wants("read")) return;
    ArrayOf<T>& sums = run.scratch<T>("sum_of_block", blocks);
    ArrayOf<double>& total = run.result<double>("total");
    const KernelLaunch launch{
        "read", {{blocks}, {kBestThreads}}, {batch.device(), sums.device(), size.batch()}};
    run.kernel({.name = "read",
                .kind = RowKind::kCeiling,
                .file = "0_read.cu",
                .defines = {{"TYPE", type}, {"WIDE", wide}},
                .body =
                    [&](Gpu& gpu) {
                      gpu.launch(launch);
                      AccurateSum sum;
                      for (const T of_block : gpu.download(sums)) sum.add(static_cast<double>(of_block));
                      total.host()[0] = sum.value();
                    },
                .check = [&] { return check_total(total.host()[0], blocks); },
                .work = Work{static_cast<double>(size.batch()) * sizeof(T), 0}});
  }

  Check check_total(double found, std::uint32_t blocks) const {
    AccurateSum sum, magnitudes;
    for (const double of_matrix : expected.sums) sum.add(of_matrix);
    for (const double of_matrix : expected.magnitudes) magnitudes.add(of_matrix);
    const std::size_t wide = kWidestAccess / sizeof(T);
    const std::size_t of_a_thread =
        wide * ceil_div(size.batch(), wide * blocks * kBestThreads) + 1;  // plus 1 for the tail
    const double right = sum.value();
    return within<double, double>(
        {&found, 1}, {&right, 1},
        sum_bound<T>(of_a_thread + additions_in_a_tree(kBestThreads) + 2, magnitudes.value()));
  }

  KernelStage version(std::string name, std::string file, std::uint32_t blocks) {
    return {
        .name = std::move(name),
        .file = std::move(file),
        .defines = {{"TYPE", type}, {"BLOCK", size.threads()}},
        .launch = {
            .kernel = "mean_matvec",
            .spec = {.grid = {blocks}, .block = {size.threads()}},
            .arguments = {batch.device(), m2.device(), v2.device(), static_cast<std::uint32_t>(size.matrices),
                          static_cast<std::uint32_t>(size.rows), static_cast<std::uint32_t>(size.columns)}}};
  }

  void one_block() {
    const Row* row = run.kernel(version("version-1", "1_one_block.cu", 1));
    if (row && size.matrices > 1)
      run.note(
          msg::note_idle_multiprocessors(run.device().multiprocessors - 1, run.device().multiprocessors));
  }

  void block_a_matrix() {
    const Row* row =
        run.kernel(version("version-2", "2_block_a_matrix.cu", static_cast<std::uint32_t>(size.matrices)));
    if (!row || !row->counters) return;
    const Loads loads = global_loads(*row);
    if (loads.sectors <= loads.fewest) return;
    run.note(msg::note_sectors_by_rows(loads.sectors / loads.requests, loads.fewest / loads.requests));
  }

  void warp_a_row() {
    const Row* row =
        run.kernel(version("version-3", "3_warp_a_row.cu", static_cast<std::uint32_t>(size.matrices)));
    if (!row || size.threads() == kWarp) return;
    const std::uint64_t barriers = additions_in_a_tree(size.threads()) + 2;
    run.note(msg::note_barriers_of_tree(barriers, size.rows, size.threads() / kWarp - 1));
  }

  void shuffles() {
    const Row* row =
        run.kernel(version("version-4", "4_shuffles.cu", static_cast<std::uint32_t>(size.matrices)));
    if (row && row->counters) note_traffic(*row, msg::advice_products_at_once());
  }

  void note_traffic(const Row& row, Message advice) {
    const double loaded = global_loads(row).sectors * kSectorBytes;
    const double once = static_cast<double>(size.batch() + size.factor()) * sizeof(T);
    run.note(advice.empty()
                 ? msg::note_traffic(row.name, megabytes(loaded), megabytes(once))
                 : msg::note_traffic_advice(row.name, megabytes(loaded), megabytes(once), std::move(advice)));
  }

  std::size_t widest_chunk() const {
    std::size_t elements = kWidestAccess / sizeof(T);
    while (size.columns % elements != 0) elements /= 2;
    return elements;
  }

  // Whether the tensor-core instructions for doubles with shape 16 x 8 are available.
  bool has_tensor_cores() const { return sizeof(T) == sizeof(double) && run.device().compute_major >= 9; }

  void best() {
    if (!run.wants("best")) return;
    ArrayOf<T>& v1 = run.scratch<T>("v1", size.results());
    const auto matrices = static_cast<std::uint32_t>(size.matrices),
               rows = static_cast<std::uint32_t>(size.rows),
               columns = static_cast<std::uint32_t>(size.columns);
    const KernelLaunch means{"row_means",
                             {{ceil_div(size.results(), kBestThreads / kWarp)}, {kBestThreads}},
                             {batch.device(), v1.device(), size.results(), columns}};
    KernelLaunch product{"multiply",
                         {{ceil_div(matrices, kBestSide), ceil_div(rows, kBestSide)}, {kBestThreads}},
                         {v1.device(), m2.device(), v2.device(), matrices, rows}};
    if (has_tensor_cores()) {
      product.kernel = "multiply_on_tensor_cores";
      product.spec.grid = {ceil_div(matrices, kTensorOfV1), ceil_div(rows, kTensorOfM2)};
    }
    const Row* row =
        run.kernel({.name = "best",
                    .file = "5_best.cu",
                    .defines = {{"TYPE", type}, {"WIDE", widest_chunk()}, {"ALIGNED", rows % 2 == 0 ? 1 : 0}},
                    .preamble = has_tensor_cores() ? run.source("5a_tensor.cu") : "",
                    .body = [&](Gpu& gpu) {
                      gpu.launch(means);
                      gpu.launch(product);
                    }});
    if (row && row->counters) note_traffic(*row, {});
  }

  // Computes the means by multiplication with a vector of ones. The factor 1 / columns adds one rounding
  // compared with a division; FMA instructions save one rounding per result.
  void library() {
    if (!run.device().measures_time) return;
    ArrayOf<T>& ones = run.input<T>("ones", std::vector<T>(size.columns, T{1}));
    ArrayOf<T>& v1 = run.scratch<T>("means", size.results());
    const device::MatrixVector means{kRealType<T>,
                                     size.results(),
                                     size.columns,
                                     1.0 / static_cast<double>(size.columns),
                                     batch.device().address(),
                                     ones.device().address(),
                                     v1.device().address()};
    const device::MatrixProduct product{
        kRealType<T>,          size.matrices,         size.rows, size.rows, v1.device().address(),
        m2.device().address(), v2.device().address(), true};
    run.library({.name = "cublas", .body = [=](Gpu& gpu, device::LinearAlgebra& blas) {
                   gpu.call(blas.multiply(means));
                   gpu.call(blas.multiply(product));
                 }});
  }
};

template <class T>
void matvec(LabRun& run) {
  const Options& options = run.options();
  const Problem size{static_cast<std::size_t>(options.integer("n")),
                     static_cast<std::size_t>(options.integer("l")),
                     static_cast<std::size_t>(options.integer("m"))};
  const double bytes = static_cast<double>(size.batch() + size.factor() + 2 * size.results()) * sizeof(T);
  const double reference = 16.0 * static_cast<double>(size.results());
  run.require_memory(bytes, bytes + reference, "--n, --l and --m");

  MeanMatvec<T> lab{run, size};
  run.set_work({.bytes = lab.needed_bytes()});
  run.set_check([&] {
    return within<T, double>(
        lab.v2.host(), lab.expected.v2, lab.expected.allowed,
        {static_cast<std::int64_t>(size.matrices), static_cast<std::int64_t>(size.rows)});
  });
  run.cpu({.run = [&](int threads) {
    mean_matvec<T>(lab.batch_values, lab.m2_values, lab.v2.host(), size, threads);
  }});
  lab.read();
  lab.one_block();
  lab.block_a_matrix();
  lab.warp_a_row();
  lab.shuffles();
  lab.best();
  lab.library();
  run.users_kernel(lab.version("version-4", "4_shuffles.cu", static_cast<std::uint32_t>(size.matrices)));
}

const RegisterLab registered{Lab{
    .name = "matvec",
    .alias = {},
    .title = "Row means, then a matrix-vector product",
    .teaches = "optimizing from a profile, step by step",
    .examples = {"cudalab matvec", "cudalab matvec --stage version-2,version-3",
                 "cudalab matvec --input course",
                 "cudalab matvec --n 20 --l 500 --m 600 --type f32 --stage version-3,version-4,best"},
    .stages = {"cpu", "read", "version-1", "version-2", "version-3", "version-4", "best"},
    .options = {integer("n", "matrices in the batch", 16, 1024, 1, 1'000'000),
                integer("l", "rows of a matrix", 512, 512, 1, kMostRows),
                integer("m", "columns of a matrix", 512, 512, 1, 10'000'000),
                choice("input", "course: each element 1 or 2; random: from -1 to 1", "random",
                       {"course", "random"}),
                choice("type", "element type", "f64", {"f32", "f64"})},
    .check_size = {{"n", 4}, {"l", 128}, {"m", 128}},
    .next = {{msg::next_floats, "--type f32"}, {msg::next_short_rows, "--m 24"}},
    .run =
        [](LabRun& run) {
          with_real_type(run.options().text("type"),
                         [&](auto tag) { matvec<typename decltype(tag)::type>(run); });
        },
}};

}  // namespace
}  // namespace cudalab::lab::matvec
