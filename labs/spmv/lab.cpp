// The spmv lab: a sparse matrix times a vector, in CSR and ELL format. Some rows are much longer than the
// others.
#include "lab/lab.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "messages/lab_spmv.h"

namespace cudalab::lab::spmv {
namespace {

constexpr std::uint32_t kBlock = 256;            // threads per block
constexpr std::uint32_t kWarp = 32, kGroup = 8;  // lanes per row of 2_csr_vector.cu and 3_csr_group.cu
constexpr std::uint32_t kItems = 8;              // items per thread of 5_merge.cu
constexpr std::uint32_t kBestItems = 7;          // of 6_merge_best.cu; odd, against bank conflicts
constexpr std::uint64_t kLongRowOfEach = 1024;   // one row of this many is a long one, on average
constexpr std::uint32_t kWide = 4, kReadBlocksEach = 8;  // of 0_read.cu: elements per access, blocks per SM
constexpr std::uint64_t kFurtherRoundings = 8;           // of a product, and of five shuffles

// ---- the matrix --------------------------------------------------------------------------------------

struct Lengths {
  std::size_t rows, usual, longest;
};

// Compressed sparse rows: the entries of row r are those from first[r] to first[r + 1].
struct Csr {
  std::vector<std::uint32_t> first, columns;
  std::vector<float> values;
  std::size_t entries() const { return columns.size(); }
};

std::vector<std::uint32_t> beginnings(Lengths lengths, std::uint64_t stream) {
  std::vector<std::uint32_t> first(lengths.rows + 1);
  for (std::size_t row = 0; row < lengths.rows; ++row) {
    const bool is_long = random_bits(stream, row) % kLongRowOfEach == 0;
    first[row + 1] = first[row] + static_cast<std::uint32_t>(is_long ? lengths.longest : lengths.usual);
  }
  return first;
}

// A row's columns are in ascending order, one in each of as many equal parts of the row as it has entries.
std::vector<std::uint32_t> columns_of(std::span<const std::uint32_t> first, std::uint64_t stream) {
  const std::size_t rows = first.size() - 1;
  std::vector<std::uint32_t> columns(first.back());
  for_pieces(rows, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const std::uint64_t length = first[row + 1] - first[row];
      for (std::uint64_t k = 0; k < length; ++k) {
        const std::uint64_t from = k * rows / length, to = std::max((k + 1) * rows / length, from + 1);
        columns[first[row] + k] =
            static_cast<std::uint32_t>(from + random_bits(stream, first[row] + k) % (to - from));
      }
    }
  });
  return columns;
}

Csr matrix_of(const LabRun& run, Lengths lengths) {
  Csr matrix{.first = beginnings(lengths, run.random("rows")), .columns = {}, .values = {}};
  matrix.columns = columns_of(matrix.first, run.random("columns"));
  matrix.values = run.drawn<float>("values", matrix.entries());
  return matrix;
}

// ELLPACK: each row is padded to the width of the longest one, and entry k of all rows comes before entry
// k + 1 of any. A padded entry is 0 in column 0.
struct Ell {
  std::size_t width = 0;
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
};

Ell padded(const Csr& matrix) {
  const std::size_t rows = matrix.first.size() - 1;
  Ell ell;
  for (std::size_t row = 0; row < rows; ++row)
    ell.width = std::max<std::size_t>(ell.width, matrix.first[row + 1] - matrix.first[row]);
  ell.columns.resize(std::max<std::size_t>(ell.width * rows, 1));
  ell.values.resize(ell.columns.size());
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = matrix.first[row]; i < matrix.first[row + 1]; ++i) {
      const std::size_t place = (i - matrix.first[row]) * rows + row;
      ell.columns[place] = matrix.columns[i];
      ell.values[place] = matrix.values[i];
    }
  return ell;
}

// ---- on the CPU --------------------------------------------------------------------------------------

void multiply_on_cpu(const Csr& matrix, std::span<const float> x, std::span<float> y, int threads) {
#pragma omp parallel for num_threads(threads) schedule(guided)
  for (std::size_t row = 0; row < y.size(); ++row) {
    float sum = 0;
    for (std::size_t i = matrix.first[row]; i < matrix.first[row + 1]; ++i)
      sum += matrix.values[i] * x[matrix.columns[i]];
    y[row] = sum;
  }
}

// ---- on the device -----------------------------------------------------------------------------------

struct SpmvLab {
  LabRun& run;
  Lengths lengths;
  Csr matrix = matrix_of(run, lengths);
  std::uint32_t rows = static_cast<std::uint32_t>(lengths.rows),
                entries = static_cast<std::uint32_t>(matrix.entries());
  ArrayOf<std::uint32_t>& first = run.input<std::uint32_t>("first", matrix.first);
  ArrayOf<std::uint32_t>& columns = run.input<std::uint32_t>("columns", at_least_one(matrix.columns));
  ArrayOf<float>& values = run.input<float>("values", at_least_one(matrix.values));
  ArrayOf<float>& x = run.random_input<float>("x", lengths.rows);
  ArrayOf<float>& y = run.output<float>("y", lengths.rows);
  Ell ell = run.wants("ell") ? padded(matrix) : Ell{};
  ArrayOf<std::uint32_t>& ell_columns = run.input<std::uint32_t>("padded columns", at_least_one(ell.columns));
  ArrayOf<float>& ell_values = run.input<float>("padded values", at_least_one(ell.values));
  std::vector<double> right{}, allowed{};  // the expected result, computed when first needed

  template <class T>
  static std::vector<T> at_least_one(std::vector<T> values) {
    if (values.empty()) values.resize(1);
    return values;
  }

  Work work() const {
    const double of_entry = sizeof(float) + sizeof(std::uint32_t),
                 of_row = 2 * sizeof(float) + sizeof(std::uint32_t);
    return {.bytes = of_entry * entries + of_row * rows, .flops = 2.0 * entries};
  }

  std::uint64_t roundings() const { return std::max(lengths.usual, lengths.longest) + kFurtherRoundings; }

  // Products and sums of floats in double; the bound is that of the row's own number of terms.
  void expect() {
    right.resize(rows);
    allowed.resize(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      double magnitudes = 0;
      for (std::size_t i = matrix.first[row]; i < matrix.first[row + 1]; ++i) {
        const double product = static_cast<double>(matrix.values[i]) * x.host()[matrix.columns[i]];
        right[row] += product;
        magnitudes += std::abs(product);
      }
      allowed[row] = gamma<float>(matrix.first[row + 1] - matrix.first[row] + kFurtherRoundings) * magnitudes;
    }
  }

  Check check() {
    if (right.empty()) expect();
    return within<float, double>(y.host(), right, {allowed, msg::bound_row(roundings())});
  }

  void cpu_version() {
    run.cpu({.run = [this](int threads) { multiply_on_cpu(matrix, x.host(), y.host(), threads); }});
  }

  // Reads the entries once. The exclusive or of all bits does not depend on the order.
  void read() {
    if (!run.wants("read")) return;
    const std::uint32_t blocks = std::max(
        1U, std::min(ceil_div(entries, kWide * kBlock), run.device().multiprocessors * kReadBlocksEach));
    ArrayOf<std::uint32_t>& combined =
        run.output<std::uint32_t>("combined", std::size_t{blocks} * kBlock / kWarp);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < entries; ++i)
      bits ^= matrix.columns[i] ^ std::bit_cast<std::uint32_t>(matrix.values[i]);
    run.kernel({.name = "read",
                .kind = RowKind::kCeiling,
                .file = "0_read.cu",
                .defines = {{"BLOCK", kBlock}},
                .launch = {"read",
                           {.grid = {blocks}, .block = {kBlock}},
                           {columns.device(), values.device(), combined.device(), entries}},
                .check =
                    [&combined, bits] {
                      std::uint32_t found = 0;
                      for (const std::uint32_t of_warp : combined.host()) found ^= of_warp;
                      return same_bits<std::uint32_t>({&found, 1}, {&bits, 1});
                    },
                .work = Work{(sizeof(float) + sizeof(std::uint32_t)) * static_cast<double>(entries), 0}});
  }

  KernelStage of_rows(std::string name, std::string file, std::uint32_t lanes) {
    return {.name = std::move(name),
            .file = std::move(file),
            .defines = {{"BLOCK", kBlock}, {"GROUP", kGroup}},
            .launch = {"spmv",
                       {.grid = {ceil_div(std::size_t{rows} * lanes, kBlock)}, .block = {kBlock}},
                       {first.device(), columns.device(), values.device(), x.device(), y.device(), rows}}};
  }

  KernelStage of_padded() {
    return {.name = "ell",
            .file = "4_ell.cu",
            .defines = {{"BLOCK", kBlock}},
            .launch = {"spmv",
                       {.grid = {ceil_div(rows, kBlock)}, .block = {kBlock}},
                       {ell_columns.device(), ell_values.device(), x.device(), y.device(), rows,
                        static_cast<std::uint32_t>(ell.width)}}};
  }

  // Row ends and entries in equal parts.
  KernelStage by_merge(std::string name, std::string file, std::uint32_t items) {
    return {
        .name = std::move(name),
        .file = std::move(file),
        .defines = {{"BLOCK", kBlock}, {"ITEMS", items}},
        .launch = {"spmv",
                   {.grid = {ceil_div(std::size_t{rows} + entries, kBlock * items)}, .block = {kBlock}},
                   {first.device(), columns.device(), values.device(), x.device(), y.device(), rows, entries},
                   {&y}}};
  }

  KernelStage stage(std::string_view name) {
    if (name == "csr-vector") return of_rows("csr-vector", "2_csr_vector.cu", kWarp);
    if (name == "csr-group") return of_rows("csr-group", "3_csr_group.cu", kGroup);
    if (name == "ell") return of_padded();
    if (name == "merge") return by_merge("merge", "5_merge.cu", kItems);
    if (name == "merge-best") return by_merge("merge-best", "6_merge_best.cu", kBestItems);
    return of_rows("csr-scalar", "1_csr_scalar.cu", 1);
  }
};

constexpr std::string_view kStages[] = {"csr-scalar", "csr-vector", "csr-group",
                                        "ell",        "merge",      "merge-best"};
constexpr double kMostPadding = 16;  // padded entries per entry, for `ell` to be a default stage

void spmv(LabRun& run) {
  const Options& options = run.options();
  const auto rows = static_cast<std::size_t>(options.integer("rows"));
  const Lengths lengths{rows, std::min(static_cast<std::size_t>(options.integer("usual")), rows),
                        std::min(static_cast<std::size_t>(options.integer("long")), rows)};
  const double widest = static_cast<double>(rows * std::max(lengths.usual, lengths.longest)),
               entries = static_cast<double>(rows * lengths.usual) + widest / kLongRowOfEach,
               of_rows = 12 * static_cast<double>(rows);
  if (widest > kMostPadding * entries)
    run.default_stages({"cpu", "read", "csr-scalar", "csr-vector", "csr-group", "merge", "merge-best"});
  const double padded = run.wants("ell") ? widest : 0;
  run.require_memory(8 * (entries + padded) + of_rows, 16 * (entries + padded) + 3 * of_rows,
                     "--rows, --usual and --long");
  SpmvLab lab{run, lengths};
  run.set_work(lab.work());
  run.set_check([&lab] { return lab.check(); });
  lab.cpu_version();
  lab.read();
  std::optional<std::string_view> first;
  for (const std::string_view name : kStages) {
    if (!run.wants(name)) continue;
    run.kernel(lab.stage(name));
    if (!first) first = name;
  }
  run.users_kernel(lab.stage(first.value_or("csr-scalar")));  // in the place of the first requested stage
}

const RegisterLab registered{Lab{
    .name = "spmv",
    .alias = {},
    .title = "Sparse matrix times vector",
    .teaches = "sparse formats, uneven work, merge paths",
    .examples = {"cudalab spmv", "cudalab spmv --stage read,csr-vector,csr-group --long 8",
                 "cudalab spmv --stage read,csr-scalar,csr-group,ell --usual 32 --long 32"},
    .stages = {"cpu", "read", "csr-scalar", "csr-vector", "csr-group", "ell", "merge", "merge-best"},
    .options = {integer("rows", "rows and columns of the matrix", 1 << 17, 1 << 21, 1, 1 << 22),
                integer("usual", "entries of a row", 8, 0, 256),
                integer("long", "entries of the long rows, about one row in 1024", 4096, 0, 4096)},
    .sizes = {"rows"},
    .next = {{msg::next_even_rows, "--stage read,csr-vector,csr-group --long 8"},
             {msg::next_longer_rows, "--stage read,csr-scalar,csr-group,ell --usual 32 --long 32"}},
    .run = spmv,
}};

}  // namespace
}  // namespace cudalab::lab::spmv
