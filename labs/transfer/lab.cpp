// The transfer lab: copies to the GPU and back, in one piece or in thousands, from pageable or pinned memory,
// and overlapped with computation in several streams.
#include "lab/lab.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>

#include "messages/lab_transfer.h"

namespace cudalab::lab::transfer {
namespace {

using device::HostMemoryKind;
using device::OperationKind;
using device::StreamOperation;

constexpr std::uint32_t kThreads = 256;     // threads per block
constexpr std::size_t kTimelineWidth = 64;  // characters per timeline

constexpr std::size_t kTogether = 64;  // elements that the CPU processes together, in its vector registers

void work_together(std::span<const std::uint32_t> in, std::span<std::uint32_t> out, std::int64_t rounds) {
  std::array<std::uint32_t, kTogether> values{};
  std::copy(in.begin(), in.end(), values.begin());
  for (std::int64_t round = 0; round < rounds; ++round)
    for (std::uint32_t& value : values) {
      value ^= value << 13;
      value ^= value >> 17;
      value ^= value << 5;
    }
  std::copy_n(values.begin(), out.size(), out.begin());
}

void work_on_cpu(std::span<const std::uint32_t> in, std::span<std::uint32_t> out, std::int64_t rounds,
                 int threads) {
#pragma omp parallel for num_threads(threads)
  for (std::size_t first = 0; first < in.size(); first += kTogether) {
    const std::size_t count = std::min(kTogether, in.size() - first);
    work_together(in.subspan(first, count), out.subspan(first, count), rounds);
  }
}

// A range of elements.
struct Part {
  std::size_t first, count;
};

std::vector<Part> parts_of(std::size_t count, std::size_t pieces) {
  std::vector<Part> parts;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t first = count * piece / pieces, last = count * (piece + 1) / pieces;
    if (first < last) parts.push_back({first, last - first});
  }
  return parts;
}

// ---- the timeline ------------------------------------------------------------------------------------

struct Timed {
  OperationKind kind;
  std::size_t chunk;
  device::Interval interval;
};

constexpr std::pair<OperationKind, const char*> kTracks[] = {{OperationKind::kToDevice, "to the GPU  "},
                                                             {OperationKind::kKernel, "kernel      "},
                                                             {OperationKind::kFromDevice, "from the GPU"}};

// The operations of one kind in the order of their ends. A recorded interval includes the time that an
// operation waited for one of another stream, so each one is drawn from the end of the previous one.
std::string track_of(std::vector<Timed> operations, double whole_ms) {
  std::sort(operations.begin(), operations.end(),
            [](const Timed& a, const Timed& b) { return a.interval.end_ms < b.interval.end_ms; });
  const auto column = [&](double ms) {
    return std::min(kTimelineWidth, static_cast<std::size_t>(ms / whole_ms * kTimelineWidth));
  };
  std::string track(kTimelineWidth, ' ');
  std::size_t drawn = 0;
  for (const Timed& timed : operations) {
    const std::size_t begin = std::max(drawn, column(timed.interval.begin_ms));
    drawn = std::max(begin, column(timed.interval.end_ms));
    track.replace(begin, drawn - begin, drawn - begin, static_cast<char>('a' + timed.chunk % 26));
  }
  return track;
}

// One row per kind of operation, one letter per chunk: "to the GPU   |aaabbbccc      |".
std::vector<std::string> draw(const std::vector<Timed>& operations, double whole_ms) {
  std::vector<std::string> lines;
  for (const auto& [kind, name] : kTracks) {
    std::vector<Timed> of_kind;
    std::copy_if(operations.begin(), operations.end(), std::back_inserter(of_kind),
                 [kind = kind](const Timed& timed) { return timed.kind == kind; });
    lines.push_back(fmt::format("{} |{}|", name, track_of(of_kind, whole_ms)));
  }
  return lines;
}

// One track per kind of operation, one colour per chunk; intervals as in track_of.
std::shared_ptr<const Chart> chart_of(std::vector<Timed> operations) {
  auto chart = std::make_shared<Chart>();
  chart->x = {"time", "ms"};
  std::sort(operations.begin(), operations.end(),
            [](const Timed& a, const Timed& b) { return a.interval.end_ms < b.interval.end_ms; });
  for (const auto& [kind, track] : kTracks) {
    double drawn_ms = 0;
    for (const Timed& one : operations) {
      if (one.kind != kind) continue;
      const double begin_ms = std::max(drawn_ms, one.interval.begin_ms);
      drawn_ms = one.interval.end_ms;
      chart->spans.push_back({track, fmt::format("chunk {}", one.chunk + 1), begin_ms, drawn_ms});
    }
  }
  return chart;
}

// ---- prediction for devices that cannot copy ---------------------------------------------------------

// An operation of a stream and its duration.
struct Planned {
  OperationKind kind;
  std::size_t chunk, stream;
  double ms;
};

// Assigns times: an engine of the GPU executes the operations of its kind in the given order, and the
// operations of one stream execute one after the other.
std::vector<Timed> schedule(const std::vector<Planned>& operations) {
  std::map<OperationKind, double> engine_is_free;
  std::map<std::size_t, double> stream_is_free;
  std::vector<Timed> timed;
  for (const Planned& planned : operations) {
    double &engine = engine_is_free[planned.kind], &stream = stream_is_free[planned.stream];
    const double begin = std::max(engine, stream);
    engine = stream = begin + planned.ms;
    timed.push_back({planned.kind, planned.chunk, {begin, engine}});
  }
  return timed;
}

double end_of(const std::vector<Timed>& operations) {
  double end_ms = 0;
  for (const Timed& timed : operations) end_ms = std::max(end_ms, timed.interval.end_ms);
  return end_ms;
}

double gb_per_second(const vgpu::Card& card, HostMemoryKind memory) {
  return memory == HostMemoryKind::kPinned ? card.pinned_gb_per_second : card.pageable_gb_per_second;
}

double copy_ms(const vgpu::Card& card, HostMemoryKind memory, double bytes) {
  return card.copy_us * 1e-3 + bytes / (gb_per_second(card, memory) * 1e6);
}

Prediction over_the_link(const vgpu::Card& card, HostMemoryKind memory, double bytes, double ms) {
  const double rate = gb_per_second(card, memory) * 1e9;
  return {.card = card.id, .ms = ms, .limits = {{"link", bytes / rate * 1e3 / ms, bytes, rate, "bytes"}}};
}

// ---- stages ------------------------------------------------------------------------------------------

struct Transfer {
  LabRun& run;
  std::size_t n;
  std::int64_t rounds = run.options().integer("rounds");
  std::size_t bytes = n * sizeof(std::uint32_t);
  ArrayOf<std::uint32_t>& in = run.random_input<std::uint32_t>("in", n);
  ArrayOf<std::uint32_t>& landing = run.output<std::uint32_t>("landing", n);  // copies on the device
  ArrayOf<std::uint32_t>& out = run.output<std::uint32_t>("out", n);
  ArrayOf<std::uint32_t>& back = run.result<std::uint32_t>("back", n);  // data copied back to the host
  std::vector<std::uint32_t> expected = expect();

  std::vector<std::uint32_t> expect() const {
    std::vector<std::uint32_t> values(n);
    for_pieces(n, [&](std::size_t, std::size_t begin, std::size_t end) {
      work_on_cpu(in.host().subspan(begin, end - begin), std::span(values).subspan(begin, end - begin),
                  rounds, 1);
    });
    return values;
  }

  KernelLaunch launch(std::uint64_t from, Part part) const {
    const std::uint64_t offset = part.first * sizeof(std::uint32_t);
    return {.kernel = "work",
            .spec = {.grid = {ceil_div(part.count, kThreads)}, .block = {kThreads}},
            .arguments = {from + offset, out.device().address() + offset, part.count}};
  }

  KernelStage kernel() const {
    return {.name = "kernel",
            .file = "1_work.cu",
            .defines = {{"ROUNDS", rounds}},
            .launch = launch(in.device().address(), {0, n}),
            .check = [this] { return same_bits<std::uint32_t>(out.host(), expected); },
            .work = Work{}};  // no bus traffic, so no share of the bus bandwidth
  }

  // A row for a stage that needs a GPU, which copies while it computes.
  Row& not_assessed(const std::string& name, RowKind kind, double moved) {
    Row& row = run.skipped(name, kind, msg::virtual_gpu_has_no_bus());
    row.useful_bytes = moved;
    return row;
  }

  void predict_copies(const std::string& name, RowKind kind, HostMemoryKind memory, std::size_t pieces) {
    const auto moved = static_cast<double>(bytes);
    Row& row = not_assessed(name, kind, moved);
    const vgpu::Card* card = run.predicted_card();
    if (!card) return;
    double ms = 0;
    for (const Part part : parts_of(n, pieces))
      ms += copy_ms(*card, memory, static_cast<double>(part.count * sizeof(std::uint32_t)));
    row.prediction = over_the_link(*card, memory, moved, ms);
  }

  // Copies to the GPU only, in `pieces` pieces.
  void copies(const std::string& name, RowKind kind, HostMemoryKind memory, std::size_t pieces) {
    if (!run.wants(name)) return;
    if (!run.device().measures_time) return predict_copies(name, kind, memory, pieces);
    run.kernel({.name = name,
                .kind = kind,
                .body = [this, memory, pieces](Gpu& gpu) { copy(gpu, memory, pieces); },
                .check = [this] { return same_bits<std::uint32_t>(landing.host(), in.host()); },
                .work = Work{static_cast<double>(bytes), 0}});
  }

  void copy(Gpu& gpu, HostMemoryKind kind, std::size_t pieces) {
    device::Streams& streams = *gpu.device().streams();
    const device::HostMemory host = host_copy(streams, kind);
    std::vector<StreamOperation> operations;
    for (const Part part : parts_of(n, pieces)) operations.push_back(to_device(host, part, 0));
    gpu.call([&] { return streams.run(operations), LaunchResult{}; },
             [&](const device::TimingPlan& plan) { return streams.time(operations, plan); });
  }

  device::HostMemory host_copy(device::Streams& streams, HostMemoryKind kind) const {
    device::HostMemory host = streams.allocate_host(bytes, kind);
    std::memcpy(host.bytes().data(), in.host().data(), bytes);
    return host;
  }

  StreamOperation to_device(const device::HostMemory& host, Part part, std::size_t stream) const {
    const std::size_t offset = part.first * sizeof(std::uint32_t);
    return {.kind = OperationKind::kToDevice,
            .stream = stream,
            .address = landing.device().address() + offset,
            .host = host.bytes().subspan(offset, part.count * sizeof(std::uint32_t))};
  }

  StreamOperation from_device(const device::HostMemory& host, Part part, std::size_t stream) const {
    const std::size_t offset = part.first * sizeof(std::uint32_t);
    return {.kind = OperationKind::kFromDevice,
            .stream = stream,
            .address = out.device().address() + offset,
            .host = host.bytes().subspan(offset, part.count * sizeof(std::uint32_t))};
  }

  // The time of the kernel on all elements; empty if the stage `kernel` did not run.
  std::optional<double> kernel_ms() const {
    for (const Row& row : run.rows())
      if (row.name == "kernel" && row.prediction) return row.prediction->ms;
    return std::nullopt;
  }

  std::vector<Planned> planned(const vgpu::Card& card, double all_ms, std::size_t chunks,
                               std::size_t stream_count) const {
    std::vector<Planned> operations;
    const std::vector<Part> parts = parts_of(n, chunks);
    for (std::size_t chunk = 0; chunk < parts.size(); ++chunk) {
      const auto elements = static_cast<double>(parts[chunk].count);
      const double copied = copy_ms(card, HostMemoryKind::kPinned, elements * sizeof(std::uint32_t));
      const double worked = std::max(card.launch_us * 1e-3, all_ms * elements / static_cast<double>(n));
      const std::size_t stream = chunk % stream_count;
      operations.push_back({OperationKind::kToDevice, chunk, stream, copied});
      operations.push_back({OperationKind::kKernel, chunk, stream, worked});
      operations.push_back({OperationKind::kFromDevice, chunk, stream, copied});
    }
    return operations;
  }

  void predict_pipeline(const std::string& name, std::size_t chunks, std::size_t stream_count) {
    const double moved = 2 * static_cast<double>(bytes);
    Row& row = not_assessed(name, RowKind::kCopy, moved);
    const vgpu::Card* card = run.predicted_card();
    const auto all_ms = kernel_ms();
    if (!card || !all_ms) return;
    const std::vector<Timed> timed = schedule(planned(*card, *all_ms, chunks, stream_count));
    const double whole_ms = end_of(timed);
    row.prediction = over_the_link(*card, HostMemoryKind::kPinned, moved, whole_ms);
    run.figure(msg::title_predicted_chunks(name, whole_ms), draw(timed, whole_ms)).chart = chart_of(timed);
  }

  // Each chunk is copied to the GPU, processed and copied back. Chunks are assigned to the streams in turn.
  void pipeline(const std::string& name, std::size_t chunks, std::size_t stream_count) {
    if (!run.wants(name)) return;
    if (!run.device().measures_time) return predict_pipeline(name, chunks, stream_count);
    run.kernel(
        {.name = name,
         .kind = RowKind::kCopy,
         .file = "1_work.cu",
         .defines = {{"ROUNDS", rounds}},
         .body = [&, chunks, stream_count](Gpu& gpu) { run_pipeline(gpu, name, chunks, stream_count); },
         .check = [this] { return same_bits<std::uint32_t>(back.host(), expected); },
         .work = Work{2 * static_cast<double>(bytes), 0}});
  }

  void run_pipeline(Gpu& gpu, const std::string& name, std::size_t chunks, std::size_t stream_count) {
    device::Streams& streams = *gpu.device().streams();
    const device::HostMemory from = host_copy(streams, HostMemoryKind::kPinned);
    const device::HostMemory to = streams.allocate_host(bytes, HostMemoryKind::kPinned);
    std::memset(to.bytes().data(), kIntegerPoison, bytes);
    const std::vector<Part> parts = parts_of(n, chunks);
    std::vector<device::Launch> launches;
    for (const Part part : parts) launches.push_back(started(gpu, launch(landing.device().address(), part)));
    std::vector<StreamOperation> operations;
    for (std::size_t chunk = 0; chunk < parts.size(); ++chunk) {
      const std::size_t stream = chunk % stream_count;
      operations.push_back(to_device(from, parts[chunk], stream));
      operations.push_back({.kind = OperationKind::kKernel, .stream = stream, .launch = &launches[chunk]});
      operations.push_back(from_device(to, parts[chunk], stream));
    }
    gpu.call([&] { return streams.run(operations), LaunchResult{}; },
             [&](const device::TimingPlan& plan) {
               const TimeSummary time = streams.time(operations, plan);
               show(name, operations, streams.timeline(operations));
               return time;
             });
    std::memcpy(back.host().data(), to.bytes().data(), bytes);
  }

  static device::Launch started(Gpu& gpu, const KernelLaunch& launch) {
    return {
        .kernel = &gpu.program().kernel(launch.kernel), .spec = launch.spec, .arguments = launch.arguments};
  }

  void show(const std::string& name, const std::vector<StreamOperation>& operations,
            const std::vector<device::Interval>& intervals) {
    std::vector<Timed> timed;
    for (std::size_t i = 0; i < operations.size(); ++i)
      timed.push_back({operations[i].kind, i / 3, intervals[i]});
    const double whole_ms = end_of(timed);
    run.figure(msg::title_chunks(name, whole_ms), draw(timed, whole_ms)).chart = chart_of(timed);
  }
};

void compare(LabRun& run) {
  const auto time_of = [&](std::string_view name) -> std::optional<double> {
    for (const Row& row : run.rows()) {
      if (row.name != name) continue;
      if (row.time_ms) return row.time_ms->median;
      if (row.prediction) return row.prediction->ms;
    }
    return std::nullopt;
  };
  const auto say = [&](std::string_view slow, std::string_view fast,
                       Message (*note)(Argument slow, Argument ratio, Argument fast)) {
    const auto slow_ms = time_of(slow), fast_ms = time_of(fast);
    if (!slow_ms || !fast_ms) return;
    const auto ratio = [&](double value) {
      return fmt::format("{}{:.2f}", run.device().measures_time ? "" : "~", value);
    };
    if (*slow_ms >= *fast_ms)
      run.note(note(slow, ratio(*slow_ms / *fast_ms), fast));
    else
      run.note(msg::note_overhead_outweighs(fast, ratio(*fast_ms / *slow_ms), slow));
  };
  say("pageable", "pinned", msg::note_pageable_is_slower);
  say("small-copies", "pinned", msg::note_small_copies_are_slower);
  say("sequential", "overlapped", msg::note_sequence_is_slower);
}

void transfer(LabRun& run) {
  const auto n = static_cast<std::size_t>(run.options().integer("n"));
  const double bytes = static_cast<double>(n) * sizeof(std::uint32_t);
  run.require_memory(3 * bytes, 7 * bytes, "--n");
  Transfer lab{run, n};
  run.set_work({.bytes = 2 * bytes});
  run.cpu({.run = [&](int threads) { work_on_cpu(lab.in.host(), lab.back.host(), lab.rounds, threads); },
           .check = [&] { return same_bits<std::uint32_t>(lab.back.host(), lab.expected); }});
  run.kernel(lab.kernel());
  lab.copies("pinned", RowKind::kCeiling, HostMemoryKind::kPinned, 1);
  lab.copies("pageable", RowKind::kCopy, HostMemoryKind::kPageable, 1);
  lab.copies("small-copies", RowKind::kCopy, HostMemoryKind::kPinned,
             static_cast<std::size_t>(run.options().integer("pieces")));
  lab.pipeline("sequential", 1, 1);
  lab.pipeline("overlapped", static_cast<std::size_t>(run.options().integer("chunks")),
               static_cast<std::size_t>(run.options().integer("streams")));
  compare(run);
  run.users_kernel(lab.kernel());
}

const RegisterLab registered{Lab{
    .name = "transfer",
    .alias = {},
    .title = "Moving data to the GPU and back",
    .teaches = "pinned memory, few large copies, copies that overlap with kernels",
    .words = {"to the GPU", "kernel", "from the GPU"},
    .examples = {"cudalab transfer",
                 "cudalab transfer --stage kernel,sequential,overlapped --chunks 16 --streams 4",
                 "cudalab transfer --n 1000000 --pieces 100"},
    .stages = {"cpu", "kernel", "pinned", "pageable", "small-copies", "sequential", "overlapped"},
    .options = {integer("n", "elements, of 4 bytes each", 1 << 21, 1 << 25, 1, 4'000'000'000),
                integer("rounds", "iterations of work per element", 64, 192, 1, 100'000),
                integer("pieces", "copies of small-copies", 4096, 4096, 1, 1'000'000),
                integer("chunks", "chunks of overlapped", 8, 8, 1, 1000),
                integer("streams", "streams of overlapped, used in turn", 3, 3, 1, 32)},
    .check_size = {{"n", 1 << 16}},
    .next = {{msg::next_chunks, "--chunks 16"}, {msg::next_one_stream, "--streams 1"}},
    .run = transfer,
}};

}  // namespace
}  // namespace cudalab::lab::transfer
