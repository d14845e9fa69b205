// The banks lab: one warp reads shared memory in many patterns. The lab draws which bank each lane accesses.
#include "lab/lab.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "messages/lab_banks.h"

namespace cudalab::lab::banks {
namespace {

constexpr std::size_t kCount = 1024;  // elements in shared memory; strides wrap around at its end
constexpr std::size_t kWordBytes = 4;
constexpr std::size_t kBarLength = 32;  // characters, one per wavefront of a warp that reads 4-byte elements
constexpr std::int64_t kStrides[] = {1, 2, 3, 4, 8, 16, 32};
constexpr std::int64_t kStrideDrawnByDefault = 2;

// The value that a thread reads, as selected by --type: `parts_of_one` adjacent `Element`s.
template <class Element, std::size_t parts_of_one>
struct ValueType {
  using Part = Element;
  static constexpr std::size_t parts = parts_of_one, bytes = sizeof(Element) * parts_of_one;
};

template <class Function>
void with_type(const std::string& name, const Function& work) {
  if (name == "u8") return work(ValueType<std::uint8_t, 1>{}, "unsigned char");
  if (name == "u16") return work(ValueType<std::uint16_t, 1>{}, "unsigned short");
  if (name == "f32") return work(ValueType<float, 1>{}, "float");
  if (name == "f64") return work(ValueType<double, 1>{}, "double");
  return work(ValueType<float, 4>{}, "float4");
}

// Maps a thread to the element that it reads, or an element to its place in shared memory.
using Index = std::function<std::size_t(std::size_t)>;

SharedRead first_warp(const Index& element, const Index& place, std::size_t bytes) {
  SharedRead read;
  read.bytes = static_cast<std::uint32_t>(bytes);
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    read.address[lane] = static_cast<std::uint32_t>(place(element(lane)) * bytes);
  return read;
}

Index strided(std::size_t stride) {
  return [stride](std::size_t t) { return t * stride % kCount; };
}
std::size_t in_place(std::size_t i) { return i; }

// A random order of the elements within each group of lanes that one wavefront can serve together.
std::vector<std::uint32_t> permutation(std::size_t threads, std::size_t group, std::uint64_t stream) {
  std::vector<std::uint32_t> order(group);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = group - 1; i > 0; --i) std::swap(order[i], order[random_bits(stream, i) % (i + 1)]);
  std::vector<std::uint32_t> where(threads);
  for (std::size_t t = 0; t < threads; ++t)
    where[t] = static_cast<std::uint32_t>(t / group * group + order[t % group]);
  return where;
}

// The reads of a stage's first warp, for pictures and sentences.
struct Pattern {
  std::string name;  // "stride-2"
  Message what;      // "s[2 * t]"
  SharedRead read;
  std::optional<double> wavefronts;  // per request, where the device counts them
};

template <class Type>
struct Banks {
  using Part = typename Type::Part;
  LabRun& run;
  std::string type;
  std::size_t threads = static_cast<std::size_t>(run.options().integer("block"));
  std::size_t blocks = static_cast<std::size_t>(run.options().integer("blocks"));
  std::size_t apart = std::max<std::size_t>(1, kWordBytes / Type::bytes);
  std::size_t group = kLanes * kWordBytes / std::max(Type::bytes, kWordBytes);
  std::vector<std::uint32_t> permuted = permutation(threads, group, run.random("order"));
  std::vector<std::uint32_t> scattered =
      random_integers<std::uint32_t>(threads, run.random("where"), 0, kCount - 1);
  ArrayOf<Part>& in = run.random_input<Part>("in", kCount* Type::parts);
  ArrayOf<Part>& out = run.output<Part>("out", blocks* threads* Type::parts);
  ArrayOf<std::uint32_t>& where_permuted = run.input<std::uint32_t>("where_permuted", permuted);
  ArrayOf<std::uint32_t>& where_scattered = run.input<std::uint32_t>("where_random", scattered);
  std::vector<Pattern> patterns{};

  void read_on_cpu(std::span<Part> to, const Index& element, int cpu_threads) const {
    const Part* from = in.host().data();
#pragma omp parallel for num_threads(cpu_threads)
    for (std::size_t i = 0; i < blocks * threads; ++i)
      for (std::size_t part = 0; part < Type::parts; ++part)
        to[i * Type::parts + part] = from[element(i % threads) * Type::parts + part];
  }

  std::function<Check()> check(Index element) {
    return [this, element] {
      std::vector<Part> expected(out.size());
      read_on_cpu(expected, element, 1);
      return same_bits<Part>(out.host(), expected);
    };
  }

  void cpu_version() {
    run.cpu({.run = [this](int cpu_threads) { read_on_cpu(out.host(), strided(1), cpu_threads); },
             .check = check(strided(1))});
  }

  KernelStage stage(std::string name, std::string stage_name, std::string file, device::Argument last,
                    Index element) {
    return {.name = std::move(name),
            .stage = std::move(stage_name),
            .file = std::move(file),
            .defines = {{"TYPE", type}, {"COUNT", kCount}, {"APART", apart}},
            .launch = {.kernel = "read_shared",
                       .spec = {.grid = {static_cast<std::uint32_t>(blocks)},
                                .block = {static_cast<std::uint32_t>(threads)}},
                       .arguments = {in.device(), out.device(), std::move(last)}},
            .check = check(std::move(element)),
            .measure = [](Row& row) {
              if (const auto wavefronts = wavefronts_a_request(row))
                row.extra.emplace_back("wavefronts_a_request", *wavefronts);
            }};
  }

  static std::optional<double> wavefronts_a_request(const Row& row) {
    if (!row.counters || row.counters->value_or_zero(Counter::kSharedLoadRequests) == 0) return std::nullopt;
    return row.counters->value_or_zero(Counter::kSharedLoadWavefronts) /
           row.counters->value_or_zero(Counter::kSharedLoadRequests);
  }

  void measure(const KernelStage& stage, Message what, SharedRead read) {
    const Row* row = run.kernel(stage);
    if (!row) return;
    patterns.push_back({stage.name, std::move(what), read, wavefronts_a_request(*row)});
  }

  void in_strides(std::string name, std::string stage_name, Message what, std::size_t stride) {
    const Index element = strided(stride);
    measure(stage(std::move(name), std::move(stage_name), "1_stride.cu", static_cast<std::uint32_t>(stride),
                  element),
            std::move(what), first_warp(element, in_place, Type::bytes));
  }

  void anywhere(std::string name, Message what, const ArrayOf<std::uint32_t>& where,
                const std::vector<std::uint32_t>& places) {
    const Index element = [&places](std::size_t t) { return std::size_t{places[t]}; };
    const device::Argument last = where.device();
    measure(stage(name, name, "2_any.cu", last, element), std::move(what),
            first_warp(element, in_place, Type::bytes));
  }

  // Inserts one unused element after every `stride` elements. With a stride of 0 there are no rows to pad.
  void padded(std::size_t stride) {
    if (stride == 0) return;
    const Index element = strided(stride);
    const Index place = [stride](std::size_t i) { return i + i / stride; };
    measure(stage(fmt::format("padded-{}", stride), "padded", "3_padded.cu",
                  static_cast<std::uint32_t>(stride), element),
            Message::verbatim(fmt::format("s[({} + 1) * t]", stride)),
            first_warp(element, place, Type::bytes));
  }

  void spread() {
    const Index element = strided(1);
    const Index place = [this](std::size_t i) { return apart * i; };
    measure(stage("spread", "spread", "4_spread.cu", std::uint32_t{1}, element),
            Message::verbatim(fmt::format("s[{} * t]", apart)), first_warp(element, place, Type::bytes));
  }

  KernelStage linear() { return stage("linear", "linear", "1_stride.cu", std::uint32_t{1}, strided(1)); }

  void stages(std::span<const std::int64_t> strides) {
    in_strides("linear", "linear", Message::verbatim("s[t]"), 1);
    anywhere("permuted", msg::pattern_permuted(group), where_permuted, permuted);
    in_strides("broadcast", "broadcast", msg::pattern_broadcast(), 0);
    for (const std::int64_t stride : strides)
      in_strides(fmt::format("stride-{}", stride), "stride",
                 Message::verbatim(fmt::format("s[{} * t]", stride)), static_cast<std::size_t>(stride));
    padded(static_cast<std::size_t>(run.options().integer("stride")));
    spread();
    anywhere("random", msg::pattern_random(), where_scattered, scattered);
  }
};

// ---- pictures and sentences --------------------------------------------------------------------------

void draw(LabRun& run, const Pattern& pattern) {
  const std::vector<BankPass> passes = passes_of(pattern.read);
  std::vector<std::string> lines = bank_picture(pattern.read);
  std::vector<std::size_t> marked;  // the wavefronts that lanes wait for: all but the first of each group
  for (std::size_t pass = 0; pass < passes.size(); ++pass)
    if (passes[pass].number > 1) marked.push_back(pass + 1);
  run.figure(msg::title_pattern_passes(pattern.name, pattern.what, passes.size()), std::move(lines),
             std::move(marked));
}

void draw_bars(LabRun& run, const std::vector<Pattern>& patterns) {
  std::vector<std::string> lines;
  double most = 1;
  for (const Pattern& pattern : patterns) most = std::max(most, pattern.wavefronts.value_or(0));
  for (const Pattern& pattern : patterns) {
    if (!pattern.wavefronts) continue;
    const auto length = static_cast<std::size_t>(*pattern.wavefronts / most * kBarLength + 0.5);
    lines.push_back(fmt::format("{:<12}{:<{}}  {:.3g}", pattern.name, std::string(length, '#'), kBarLength,
                                *pattern.wavefronts));
  }
  if (lines.size() > 1) run.figure(msg::title_wavefronts_of_loads(), lines);
}

// Compares the conflicts that older textbooks state for small elements with those of current GPUs.
void say_what_has_changed(LabRun& run, const std::vector<Pattern>& patterns, std::string_view type) {
  for (const Pattern& pattern : patterns) {
    const std::size_t ways = ways_by_the_old_rule(pattern.read);
    if (pattern.name != "linear" || pattern.read.bytes >= kWordBytes) continue;
    run.note(msg::note_old_bank_conflicts(type, ways, passes_of(pattern.read).size()));
  }
}

void say_what_padding_does(LabRun& run, const std::vector<Pattern>& patterns, std::int64_t stride) {
  const auto wavefronts = [&](const std::string& name) -> std::optional<double> {
    for (const Pattern& pattern : patterns)
      if (pattern.name == name) return pattern.wavefronts;
    return std::nullopt;
  };
  const auto plain = wavefronts(fmt::format("stride-{}", stride));
  const auto padded = wavefronts(fmt::format("padded-{}", stride));
  if (!plain || !padded) return;
  const bool was_even = stride % 2 == 0;
  Message verdict = *padded == *plain               ? msg::padding_no_difference()
                    : *padded < *plain && was_even  ? msg::padding_odd_distance()
                    : *padded > *plain && !was_even ? msg::padding_stride_was_odd()
                                                    : msg::padding_look_at_pictures();
  run.note(msg::note_padding(stride, stride + 1, *plain, *padded, std::move(verdict)));
}

void choose_stages(LabRun& run) {
  const Options& options = run.options();
  const bool is_small = options.text("type") == "u8" || options.text("type") == "u16";
  if (options.given("pattern")) {
    const std::string& pattern = options.text("pattern");
    if (pattern == "stride")
      run.default_stages({"cpu", "stride", "padded"});
    else
      run.default_stages({"cpu", pattern});
  } else if (options.given("stride")) {
    run.default_stages({"cpu", "linear", "stride", "padded"});
  } else if (is_small) {
    run.default_stages({"cpu", "linear", "permuted", "broadcast", "stride", "padded", "spread", "random"});
  } else {
    run.default_stages({"cpu", "linear", "permuted", "broadcast", "stride", "padded", "random"});
  }
}

template <class Type>
void banks(LabRun& run, Type, std::string cuda_type) {
  const std::int64_t stride = run.options().integer("stride");
  const bool chose_stride = run.options().given("stride") || run.options().given("pattern");
  const std::span<const std::int64_t> strides = chose_stride ? std::span(&stride, 1) : std::span(kStrides);
  const auto values = static_cast<double>(run.options().integer("block") * run.options().integer("blocks"));
  run.require_memory(values * Type::bytes, 2 * values * Type::bytes, "--blocks");
  run.set_work({.bytes = 2 * values * Type::bytes});

  Banks<Type> lab{run, cuda_type};
  lab.cpu_version();
  lab.stages(strides);
  if (!lab.patterns.empty()) run.figure(msg::legend_first_warp(), {});
  for (const Pattern& pattern : lab.patterns) {
    const bool is_one_of_many = !chose_stride && pattern.name.starts_with("stride-");
    if (!is_one_of_many || pattern.name == fmt::format("stride-{}", kStrideDrawnByDefault))
      draw(run, pattern);
  }
  draw_bars(run, lab.patterns);
  say_what_has_changed(run, lab.patterns, cuda_type);
  say_what_padding_does(run, lab.patterns, stride);
  run.users_kernel(lab.linear());
}

const RegisterLab registered{Lab{
    .name = "banks",
    .alias = {},
    .title = "Banks of shared memory",
    .teaches = "bank = (address / 4) % 32",
    .examples = {"cudalab banks", "cudalab banks --stride 8", "cudalab banks --type u8 --pattern linear",
                 "cudalab banks --type f64 --stride 3"},
    .stages = {"cpu", "linear", "permuted", "broadcast", "stride", "padded", "spread", "random"},
    .options = {choice("type", "element type, of 1, 2, 4, 8 or 16 bytes", "f32",
                       {"u8", "u16", "f32", "f64", "f32x4"}),
                integer("stride", "distance between the elements of adjacent threads: s[stride * t]", 32, 0,
                        1024),
                choice("pattern", "show one pattern alone", "linear",
                       {"linear", "permuted", "broadcast", "stride", "random"}),
                integer("block", "threads per block", 256, 32, 1024),
                integer("blocks", "blocks; all do the same work", 4224, 4224, 1, 1'000'000)},
    .columns = {{"wavefronts_a_request", msg::column_wavefronts}},
    .next = {{msg::next_doubles, "--type f64"}, {msg::next_stride, "--stride 24"}},
    .run =
        [](LabRun& run) {
          choose_stages(run);
          with_type(run.options().text("type"),
                    [&](auto type, const char* cuda_type) { banks(run, type, cuda_type); });
        },
}};

}  // namespace
}  // namespace cudalab::lab::banks
