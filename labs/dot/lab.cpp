// The dot lab: the sum of a[i] * b[i]. The stages lead from one adding thread per block to all threads
// adding.
#include "lab/lab.h"

#include <algorithm>

#include "messages/lab_dot.h"

namespace cudalab::lab::dot {
namespace {

constexpr std::size_t kWidestAccess = 16;    // bytes that one thread moves in one access
constexpr std::uint32_t kBestBlock = 512;    // threads per block of 6_best.cu
constexpr std::uint32_t kBestAhead = 4;      // loads of each array that a thread has in flight
constexpr std::uint32_t kBestRounds = 4;     // how many times a thread issues kBestAhead loads
constexpr std::uint32_t kEach = 8;           // elements per thread of 4a_several.cu and 5a_atomic.cu
constexpr std::uint32_t kFinishBlock = 256;  // threads per block of 7_finish.cu
constexpr std::size_t kCpuPiece = 1 << 16;   // elements per unit of work of a CPU thread
constexpr std::uint64_t kWarpSteps = 5;      // additions that a term goes through within a warp of 32

// ---- on the CPU --------------------------------------------------------------------------------------

// Sums chunks of a fixed size, so the order of additions and the result do not depend on the number of
// threads.
template <class T>
T dot_on_cpu(std::span<const T> a, std::span<const T> b, int threads) {
  const std::size_t pieces = ceil_div(a.size(), kCpuPiece);
  std::vector<T> sums(pieces);
#pragma omp parallel for num_threads(threads)
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t begin = piece * kCpuPiece, end = std::min(begin + kCpuPiece, a.size());
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = begin; i < end; ++i) sum += a[i] * b[i];
    sums[piece] = sum;
  }
  T sum = 0;
  for (const T of_piece : sums) sum += of_piece;
  return sum;
}

// Uses the same fixed chunks, also for a result that does not depend on the number of threads.
template <class T>
Magnified reference(std::span<const T> a, std::span<const T> b) {
  std::vector<Magnified> parts(ceil_div(a.size(), kCpuPiece));
  for_pieces(
      parts.size(),
      [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t piece = first; piece < last; ++piece) {
          const std::size_t begin = piece * kCpuPiece, count = std::min(kCpuPiece, a.size() - begin);
          parts[piece] = accurate_dot(a.subspan(begin, count), b.subspan(begin, count));
        }
      },
      kCpuPiece);
  AccurateSum sum, magnitudes;
  for (const Magnified& part : parts) sum.add(part.value), magnitudes.add(part.magnitude);
  return {sum.value(), magnitudes.value()};
}

// ---- on the device -----------------------------------------------------------------------------------

template <class T>
struct DotProduct {
  LabRun& run;
  std::size_t n;
  std::uint32_t block = static_cast<std::uint32_t>(run.options().integer("block"));
  bool finishes_in_kernel = run.options().text("finish") == "kernel";
  std::string type = cuda_name(run.options().text("type"));
  std::uint32_t blocks = ceil_div(n, block), few_blocks = ceil_div(n, std::size_t{block} * kEach);
  // Prefers more blocks with fewer rounds each: 4 blocks fit on one SM.
  std::uint32_t in_a_round = kBestBlock * kBestAhead * kWidestAccess / sizeof(T);
  std::uint32_t best_rounds = static_cast<std::uint32_t>(
      std::clamp<std::size_t>(n / in_a_round / (4 * run.device().multiprocessors), 1, kBestRounds));
  std::uint32_t best_blocks = ceil_div(n, in_a_round* best_rounds);
  ArrayOf<T>& a = run.random_input<T>("a", n);
  ArrayOf<T>& b = run.random_input<T>("b", n);
  ArrayOf<T>& partial = run.scratch<T>("partial", std::max(blocks, best_blocks));
  ArrayOf<T>& total = run.scratch<T>("total", 1);
  ArrayOf<T>& result = run.result<T>("dot");
  Magnified expected = reference<T>(a.host(), b.host());

  // `roundings`: how often a term is rounded before it is part of the sum. The reference adds two roundings,
  // one for its chunks and one for its sum.
  Check check(std::uint64_t roundings) {
    return within<T, double>(result.host(), std::span(&expected.value, 1),
                             sum_bound<T>(roundings + 2, expected.magnitude));
  }

  void cpu_version() {
    run.cpu({.run = [&](int threads) { result.host()[0] = dot_on_cpu<T>(a.host(), b.host(), threads); },
             .check = [this] { return check(1 + std::min(n, kCpuPiece) + ceil_div(n, kCpuPiece)); }});
  }

  // How many rounded additions a partial sum goes through in the final summation.
  std::uint64_t roundings_to_finish(std::uint32_t count) const {
    if (finishes_in_kernel) return ceil_div(count, kFinishBlock) + additions_in_a_tree(kFinishBlock);
    // apart from errors far below the last rounding
    const bool is_exact_in_double = sizeof(T) < sizeof(double);
    return is_exact_in_double ? 2 : additions_one_by_one(count);
  }

  void finish(Gpu& gpu, std::uint32_t count) {
    if (finishes_in_kernel) {
      gpu.launch({.kernel = "finish",
                  .spec = {.grid = {1}, .block = {kFinishBlock}},
                  .arguments = {partial.device(), total.device(), count}});
      result.host()[0] = gpu.download(total)[0];
      return;
    }
    double sum = 0;
    for (const T of_block : gpu.download(partial).first(count)) sum += of_block;
    result.host()[0] = static_cast<T>(sum);
  }

  // `roundings`: how often a term is rounded before it is part of its block's sum.
  KernelStage stage(std::string name, std::string file, KernelLaunch launch, std::uint64_t roundings) {
    launch.kernel = "dot";
    launch.arguments = {a.device(), b.device(), partial.device(), n};
    const std::uint64_t all = roundings + roundings_to_finish(launch.spec.grid.x);
    return {.name = std::move(name),
            .file = std::move(file),
            .defines = {{"TYPE", type},
                        {"BLOCK", launch.spec.block.x},
                        {"WIDE", kWidestAccess / sizeof(T)},
                        {"AHEAD", kBestAhead},
                        {"ROUNDS", best_rounds},
                        {"EACH", kEach},
                        {"FINISH_BLOCK", kFinishBlock}},
            .preamble = finishes_in_kernel ? run.source("7_finish.cu") : "",
            .body =
                [this, launch](Gpu& gpu) {
                  gpu.launch(launch);
                  finish(gpu, launch.spec.grid.x);
                },
            .check = [this, all] { return check(all); },
            .measure = show_lanes};
  }

  static void show_lanes(Row& row) {
    if (!row.counters) return;
    row.extra.emplace_back("active_lanes", row.counters->value_or_zero(Counter::kActiveLanes));
    row.extra.emplace_back("divergences", row.counters->value_or_zero(Counter::kDivergentBranches));
  }

  // Each block adds its sum to the total. The total must be 0 before the launch.
  KernelStage atomic() {
    const std::uint64_t roundings = 1 + kEach + 2 * kWarpSteps + additions_one_by_one(few_blocks) + 1;
    KernelStage made = stage("atomic", "5a_atomic.cu", few_blocks_each(), 0);
    made.preamble.clear();
    made.accumulates = true;
    made.blocks_wait = true;  // the virtual GPU runs blocks that communicate in order, so all of them
    made.check = [this, roundings] { return check(roundings); };
    made.body = [this](Gpu& gpu) {
      gpu.fill(total, 0);
      KernelLaunch launch = few_blocks_each();
      launch.kernel = "dot";
      launch.arguments = {a.device(), b.device(), total.device(), n};
      gpu.launch(launch);
      result.host()[0] = gpu.download(total)[0];
    };
    return made;
  }

  KernelLaunch a_thread_each(std::size_t shared_bytes = 0) const {
    return {.spec = {.grid = {blocks}, .block = {block}, .dynamic_shared_bytes = shared_bytes}};
  }

  KernelLaunch few_blocks_each() const { return {.spec = {.grid = {few_blocks}, .block = {block}}}; }

  KernelStage shared() { return stage("shared", "2_shared.cu", a_thread_each(), block); }

  void stages() {
    run.kernel(stage("global", "1_global.cu", a_thread_each(), block));
    run.kernel(shared());
    run.kernel(stage("dynamic", "3_dynamic.cu", a_thread_each(2 * block * sizeof(T)), block));
    const std::uint64_t of_tree = 1 + additions_in_a_tree(block);
    run.kernel(stage("divergent", "3a_divergent.cu", a_thread_each(), of_tree));
    run.kernel(stage("strided", "3b_strided.cu", a_thread_each(), of_tree));
    run.kernel(stage("tree", "4_tree.cu", a_thread_each(), of_tree));
    run.kernel(stage("several", "4a_several.cu", few_blocks_each(), kEach + of_tree));
    run.kernel(stage("shuffle", "5_shuffle.cu", a_thread_each(), 1 + 2 * kWarpSteps));
    run.kernel(atomic());
    const std::size_t wide = kWidestAccess / sizeof(T);
    const std::uint64_t of_thread = kBestAhead * kBestRounds;
    run.kernel(stage("best", "6_best.cu", {.spec = {.grid = {best_blocks}, .block = {kBestBlock}}},
                     1 + of_thread + 1 + (wide - 1) + 2 * kWarpSteps));
  }

  void library() {
    run.library({.name = "cublas",
                 .body =
                     [this](Gpu& gpu, device::LinearAlgebra& blas) {
                       gpu.call(blas.dot({kRealType<T>, n, a.device().address(), b.device().address(),
                                          total.device().address()}));
                       result.host()[0] = gpu.download(total)[0];
                     },
                 .check = [this] { return check(1 + additions_one_by_one(n)); }});
  }

  void say_who_finishes() {
    if (finishes_in_kernel)
      run.note(msg::note_second_kernel_adds());
    else
      run.note(msg::note_host_adds(blocks, few_blocks, best_blocks));
  }
};

template <class T>
void dot(LabRun& run) {
  const auto n = static_cast<std::size_t>(run.options().integer("n"));
  const double bytes = static_cast<double>(n) * sizeof(T);
  run.require_memory(2 * bytes + bytes / 32, 2 * bytes, "--n");
  if (run.options().integer("block") % 32 != 0)
    throw usage_error(msg::block_no_multiple_of_warp(run.options().integer("block")));

  DotProduct<T> lab{run, n};
  run.set_work({.bytes = 2 * bytes, .flops = 2 * static_cast<double>(n)});
  lab.cpu_version();
  lab.stages();
  lab.library();
  lab.say_who_finishes();
  run.users_kernel(lab.shared());
}

const RegisterLab registered{Lab{
    .name = "dot",
    .alias = {},
    .title = "Dot product",
    .teaches = "shared memory, barriers, reductions",
    .examples = {"cudalab dot", "cudalab dot --n 1000003 --type f64", "cudalab dot --finish kernel",
                 "cudalab dot --block 64 --stage shared,tree"},
    .stages = {"cpu", "global", "shared", "dynamic", "divergent", "strided", "tree", "several", "shuffle",
               "atomic", "best"},
    .options = {integer("n", "elements of each vector", 1 << 21, 1 << 27, 1, 4'000'000'000),
                integer("block", "threads per block, a multiple of 32", 256, 32, 1024),
                choice("finish", "where the block sums are added: on the host, or in a second kernel", "host",
                       {"host", "kernel"}),
                choice("type", "element type", "f32", {"f32", "f64"})},
    .check_size = {{"n", 1 << 16}},
    .columns = {{"active_lanes", msg::column_active_lanes_dot},
                {"divergences", msg::column_divergent_branches}},
    .next = {{msg::next_larger_blocks, "--block 512"}, {msg::next_second_kernel, "--finish kernel"}},
    .run =
        [](LabRun& run) {
          with_real_type(run.options().text("type"),
                         [&](auto tag) { dot<typename decltype(tag)::type>(run); });
        },
}};

}  // namespace
}  // namespace cudalab::lab::dot
