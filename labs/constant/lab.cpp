// The constant lab: when constant memory is fast, when it is slow, and how to use it for more than 64 KB.
#include "lab/lab.h"

#include <algorithm>

#include "messages/lab_constant.h"

namespace cudalab::lab::constant {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr double kAddend = 0.1;  // neither float nor double represents it exactly, so a wrong precision shows
constexpr std::int64_t kWarp = 32;

struct Sizes {
  std::size_t added, length, terms, products;
  std::size_t matrix() const { return terms * products; }
};

// ---- on the CPU --------------------------------------------------------------------------------------

template <class T>
void add_on_cpu(std::span<const T> a, std::span<const T> b, std::span<T> c, int threads) {
#pragma omp parallel for num_threads(threads)
  for (std::size_t i = 0; i < a.size(); ++i) c[i] = a[i] + b[i] + static_cast<T>(kAddend);
}

template <class T>
T dot_on_cpu(std::span<const T> a, std::span<const T> vector, int threads) {
  T sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * vector[i];
  return sum;
}

// Each thread computes its share of the products and goes through the matrix row by row.
template <class T>
void products_on_cpu(std::span<const T> matrix, std::span<const T> taps, std::span<T> out, int threads) {
  const std::size_t columns = out.size();
#pragma omp parallel num_threads(threads)
  {
#pragma omp for
    for (std::size_t t = 0; t < columns; ++t) out[t] = 0;
    for (std::size_t k = 0; k < taps.size(); ++k) {
#pragma omp for
      for (std::size_t t = 0; t < columns; ++t) out[t] += matrix[k * columns + t] * taps[k];
    }
  }
}

// ---- expected results --------------------------------------------------------------------------------

struct Expected {
  std::vector<double> values;
  Allowed allowed;
};

template <class T>
Expected expect_sums(std::span<const T> a, std::span<const T> b) {
  Expected expected{std::vector<double>(a.size()), {std::vector<double>(a.size()), {}}};
  expected.allowed.bound = msg::bound_three_addends(std::numeric_limits<T>::digits);
  const auto addend = static_cast<double>(static_cast<T>(kAddend));
  for_pieces(a.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      AccurateSum sum;
      for (const double term : {static_cast<double>(a[i]), static_cast<double>(b[i]), addend}) {
        sum.add(term);
        expected.allowed.each[i] += std::abs(term);
      }
      expected.values[i] = sum.value();
      expected.allowed.each[i] *= gamma<T>(2);
    }
  });
  return expected;
}

struct Dot {
  double value = 0, magnitude = 0;
};

template <class T>
Dot accurate_dot(std::span<const T> a, std::span<const T> vector) {
  AccurateSum sum, magnitudes;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = static_cast<double>(a[i]), y = static_cast<double>(vector[i]);
    sum.add_product(x, y);
    magnitudes.add(std::abs(x * y));
  }
  return {sum.value(), magnitudes.value()};
}

// Product t starts at element t % distinct of the vector. Each term is rounded once as a product and once per
// addition. The reference adds one more rounding.
template <class T>
Expected expect_products(std::span<const T> matrix, std::span<const T> taps, std::size_t columns,
                         std::size_t distinct) {
  Expected expected{std::vector<double>(columns), {std::vector<double>(columns), {}}};
  expected.allowed.bound = msg::bound_matrix_times_vector(taps.size() + 1, std::numeric_limits<T>::digits);
  for_pieces(
      columns,
      [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
          AccurateSum sum;
          double magnitude = 0;
          for (std::size_t k = 0; k < taps.size(); ++k) {
            const auto element = static_cast<double>(matrix[k * columns + t]),
                       weight = static_cast<double>(taps[(k + t % distinct) % taps.size()]);
            sum.add_product(element, weight);
            magnitude += std::abs(element * weight);
          }
          expected.values[t] = sum.value();
          expected.allowed.each[t] = gamma<T>(taps.size() + 1) * magnitude;
        }
      },
      taps.size());
  return expected;
}

// ---- on the device -----------------------------------------------------------------------------------

// The average number of distinct addresses per constant load of a warp, if the device counts them.
std::optional<double> addresses_a_request(const Row& row) {
  double requests = 0, addresses = 0;
  for (const LineAccess& access : row.accesses) {
    if (access.space != MemorySpace::kConstant) continue;
    requests += static_cast<double>(access.requests);
    addresses += static_cast<double>(access.transactions);
  }
  if (requests == 0) return std::nullopt;
  return addresses / requests;
}

template <class T>
struct ConstantLab {
  LabRun& run;
  Sizes size;
  ArrayOf<T>& a = run.random_input<T>("a", size.added);
  ArrayOf<T>& b = run.random_input<T>("b", size.added);
  ArrayOf<T>& c = run.output<T>("c", size.added);
  ArrayOf<T>& left = run.random_input<T>("left", size.length);
  ArrayOf<T>& vector = run.random_input<T>("vector", size.length);
  ArrayOf<T>& sums = run.scratch<T>("sum_of_block", ceil_div(size.length, kBlock) + piece_count());
  ArrayOf<double>& total = run.result<double>("dot");
  ArrayOf<T>& matrix = run.random_input<T>("matrix", size.matrix());
  ArrayOf<T>& taps = run.random_input<T>("taps", size.terms);
  ArrayOf<T>& out = run.output<T>("out", size.products);
  std::string type = cuda_name(run.options().text("type"));
  std::span<const T> a_values = a.host(), b_values = b.host(), left_values = left.host(),
                     vector_values = vector.host(), matrix_values = matrix.host(), taps_values = taps.host();
  Expected added = expect_sums<T>(a_values, b_values);
  Dot dot = accurate_dot<T>(left_values, vector_values);
  Expected multiplied = expect_products<T>(matrix_values, taps_values, size.products, 1);
  std::vector<std::pair<std::string, double>> serialisation{};  // addresses per request, by row

  std::size_t capacity() const { return run.device().constant_bytes / sizeof(T); }
  std::size_t piece_length() const { return std::min(size.length, capacity()); }
  std::size_t piece_count() const { return ceil_div(size.length, piece_length()); }

  // ---- c = a + b + addend

  Work add_work() const { return {3.0 * static_cast<double>(size.added) * sizeof(T), 0}; }
  Check check_added() { return within<T, double>(c.host(), added.values, added.allowed); }

  KernelStage add() {
    const KernelLaunch launch{
        "add", {{ceil_div(size.added, kBlock)}, {kBlock}}, {a.device(), b.device(), c.device(), size.added}};
    return {.name = "add",
            .file = "1_add.cu",
            .defines = {{"TYPE", type}},
            .body =
                [launch](Gpu& gpu) {
                  const T addend = static_cast<T>(kAddend);
                  gpu.set_variable<T>("addend", {&addend, 1});
                  gpu.launch(launch);
                },
            .check = [this] { return check_added(); },
            .work = add_work()};
  }

  // ---- one dot product

  Work dot_work() const { return {2.0 * static_cast<double>(size.length) * sizeof(T), 0}; }

  Check check_dot(std::uint64_t roundings) {
    const double right = dot.value;
    return within<double, double>(total.host(), {&right, 1}, sum_bound<T>(roundings, dot.magnitude));
  }

  // Roundings: one for the product, one per level of the tree within the block, and two that cover the
  // accurate sum on the host.
  Check check_blocks() { return check_dot(1 + additions_in_a_tree(kBlock) + 2); }

  void add_up_blocks(Gpu& gpu, std::size_t blocks) {
    AccurateSum sum;
    for (const T of_block : gpu.download(sums).subspan(0, blocks)) sum.add(static_cast<double>(of_block));
    total.host()[0] = sum.value();
  }

  KernelStage dot_global() {
    const std::uint32_t blocks = ceil_div(size.length, kBlock);
    return {.name = "dot-global",
            .file = "2_dot_global.cu",
            .defines = {{"TYPE", type}, {"BLOCK", kBlock}},
            .body =
                [this, blocks](Gpu& gpu) {
                  gpu.launch({"dot",
                              {{blocks}, {kBlock}},
                              {left.device(), vector.device(), sums.device(),
                               static_cast<std::uint32_t>(size.length)}});
                  add_up_blocks(gpu, blocks);
                },
            .check = [this] { return check_blocks(); },
            .work = dot_work()};
  }

  // Computes the product chunk by chunk. Each chunk fits into constant memory and has its own launch.
  void dot_in_pieces(Gpu& gpu) {
    std::size_t blocks = 0;
    for (std::size_t first = 0; first < size.length; first += piece_length()) {
      const std::size_t count = std::min(piece_length(), size.length - first);
      gpu.set_variable<T>("vector", vector_values.subspan(first, count));
      gpu.launch({"dot",
                  {{ceil_div(count, kBlock)}, {kBlock}},
                  {left.device().address() + first * sizeof(T), sums.device().address() + blocks * sizeof(T),
                   static_cast<std::uint32_t>(count)}});
      blocks += ceil_div(count, kBlock);
    }
    add_up_blocks(gpu, blocks);
  }

  KernelStage dot_constant() {
    return {.name = "dot-constant",
            .file = "3_dot_constant.cu",
            .defines = {{"TYPE", type}, {"BLOCK", kBlock}, {"LENGTH", piece_length()}},
            .body = [this](Gpu& gpu) { dot_in_pieces(gpu); },
            .check = [this] { return check_blocks(); },
            .work = dot_work()};
  }

  // ---- many dot products with one vector

  Work products_work() const {
    return {static_cast<double>(size.matrix() + size.terms + size.products) * sizeof(T), 0};
  }

  KernelStage products(std::string name, std::string stage, std::string file, std::size_t distinct) {
    const KernelLaunch launch{"products",
                              {{ceil_div(size.products, kBlock)}, {kBlock}},
                              {matrix.device(), out.device(), static_cast<std::uint32_t>(size.products)}};
    return {.name = std::move(name),
            .stage = std::move(stage),
            .file = std::move(file),
            .defines = {{"TYPE", type}, {"LENGTH", size.terms}, {"DISTINCT", distinct}},
            .body =
                [this, launch](Gpu& gpu) {
                  gpu.set_variable<T>("vector", taps_values);
                  gpu.launch(launch);
                },
            .check = [this] { return within<T, double>(out.host(), multiplied.values, multiplied.allowed); },
            .work = products_work()};
  }

  KernelStage uniform() { return products("uniform", "uniform", "4_uniform.cu", 1); }

  KernelStage per_lane(std::size_t distinct) {
    KernelStage stage = products(fmt::format("per-lane-{}", distinct), "per-lane", "5_per_lane.cu", distinct);
    stage.check = [this, distinct] {
      const Expected turned = expect_products<T>(matrix_values, taps_values, size.products, distinct);
      return within<T, double>(out.host(), turned.values, turned.allowed);
    };
    return stage;
  }

  // ---- stages

  void cpu_versions() {
    run.cpu({.name = "add",
             .run = [&](int threads) { add_on_cpu<T>(a_values, b_values, c.host(), threads); },
             .check = [&] { return check_added(); },
             .work = add_work()});
    run.cpu({.name = "dot",
             .run =
                 [&](int threads) {
                   total.host()[0] = static_cast<double>(dot_on_cpu<T>(left_values, vector_values, threads));
                 },
             .check = [&] { return check_dot(size.length + 1); },
             .work = dot_work()});
    run.cpu({.name = "products",
             .run = [&](int threads) { products_on_cpu<T>(matrix_values, taps_values, out.host(), threads); },
             .check = [&] { return within<T, double>(out.host(), multiplied.values, multiplied.allowed); },
             .work = products_work()});
  }

  static KernelStage counted(KernelStage stage) {
    stage.measure = [](Row& row) {
      if (const auto addresses = addresses_a_request(row))
        row.extra.emplace_back("constant_addresses", *addresses);
    };
    return stage;
  }

  void stage(const KernelStage& stage) {
    const Row* row = run.kernel(counted(stage));
    if (!row) return;
    if (const auto addresses = addresses_a_request(*row)) serialisation.emplace_back(row->name, *addresses);
  }

  std::vector<std::size_t> distinct_counts() const {
    if (run.options().given("distinct")) return {static_cast<std::size_t>(run.options().integer("distinct"))};
    return {2, 8, 32};
  }

  // The user's own kernel replaces the first requested stage.
  KernelStage users() {
    if (run.wants("add")) return add();
    if (run.wants("dot-global")) return dot_global();
    if (run.wants("dot-constant")) return dot_constant();
    if (run.wants("per-lane") && !run.wants("uniform")) return per_lane(distinct_counts().back());
    return uniform();
  }

  void explain() {
    if (run.wants("dot-constant") && piece_count() > 1)
      run.note(msg::note_vector_in_pieces(run.device().constant_bytes, size.length * sizeof(T), piece_count(),
                                          piece_length()));
    if (serialisation.empty()) return;
    std::vector<std::string> lines;
    for (const auto& [name, addresses] : serialisation)
      lines.push_back(fmt::format("{:14} {:4.1f}  {}", name, addresses,
                                  std::string(static_cast<std::size_t>(std::max(1.0, addresses)), '#')));
    run.figure(msg::title_constant_addresses(), std::move(lines));
  }
};

void require_constant_room(const LabRun& run, std::size_t bytes) {
  if (bytes > run.device().constant_bytes)
    throw usage_error(msg::vector_exceeds_constant_memory(bytes, run.device().constant_bytes));
}

template <class T>
void constant(LabRun& run) {
  const Options& options = run.options();
  const auto size_of = [&](const char* name) { return static_cast<std::size_t>(options.integer(name)); };
  const Sizes size{size_of("n"), size_of("length"), size_of("terms"), size_of("products")};
  require_constant_room(run, size.terms * sizeof(T));
  const double bytes =
      static_cast<double>(3 * size.added + 3 * size.length + size.matrix() + size.products) * sizeof(T);
  run.require_memory(bytes, bytes + 16.0 * static_cast<double>(size.added + size.products),
                     "--n, --length, --terms and --products");

  ConstantLab<T> lab{run, size};
  lab.cpu_versions();
  if (run.wants("add")) run.copy_ceiling(size.added * sizeof(T));
  lab.stage(lab.add());
  lab.stage(lab.dot_global());
  lab.stage(lab.dot_constant());
  lab.stage(lab.uniform());
  for (const std::size_t distinct : lab.distinct_counts()) lab.stage(lab.per_lane(distinct));
  lab.explain();
  run.users_kernel(lab.counted(lab.users()));
}

const RegisterLab registered{Lab{
    .name = "constant",
    .alias = {},
    .title = "Constant memory",
    .teaches = "__constant__, broadcast, serialization",
    .examples = {"cudalab constant", "cudalab constant --stage uniform,per-lane --distinct 3",
                 "cudalab constant --stage dot-constant --length 20000 --type f64",
                 "cudalab constant --stage uniform --kernel mine.cu"},
    .stages = {"cpu", "add", "dot-global", "dot-constant", "uniform", "per-lane"},
    .options = {integer("n", "elements of a, b and c in c = a + b + constant", 100'000, 1 << 26, 1,
                        2'000'000'000),
                integer("length", "elements of the two vectors of the dot product", 40'000, 1'000'000, 1,
                        100'000'000),
                integer("products", "dot products per launch of uniform and per-lane", 1000, 1 << 16, 1,
                        10'000'000),
                integer("terms", "elements of their common vector", 128, 1024, 1, 16'384),
                integer("distinct", "different addresses in a constant load of per-lane", kWarp, 1, kWarp),
                choice("type", "element type", "f32", {"f32", "f64"})},
    .check_size = {{"n", 100'000}, {"length", 40'000}, {"products", 1000}, {"terms", 128}},
    .columns = {{"constant_addresses", msg::column_addresses}},
    .next = {{msg::next_four_addresses, "--stage uniform,per-lane --distinct 4"},
             {msg::next_constant_doubles, "--type f64"}},
    .run =
        [](LabRun& run) {
          with_real_type(run.options().text("type"),
                         [&](auto tag) { constant<typename decltype(tag)::type>(run); });
        },
}};

}  // namespace
}  // namespace cudalab::lab::constant
