// `cudalab run FILE.cu`: runs one kernel of any file, or lists the file's kernels.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <optional>

#include "cli/choices.h"
#include "cli/lab_options.h"
#include "cli/profile.h"
#include "cli/terminal/output_file.h"
#include "cli/verbs.h"
#include "lab/any_kernel/any_kernel.h"
#include "report/formats/json.h"
#include "report/text/lines.h"
#include "report/text/table.h"
#include "report/tool.h"

namespace cudalab::cli {
namespace {

// CUDA launches with 32-bit sides; what a card refuses is its own to say.
constexpr std::uint64_t kLargestSide = UINT32_MAX, kMostShared = std::uint64_t{1} << 31;

struct RunTexts {
  std::string file, kernel, grid, block, shared = "0", json, device = "auto", check = "all", max_steps = "0",
                                         repeat = "0", color = "auto";
  std::vector<std::string> defines, arguments, dumps, prints, options;
  bool lines = false, profile = false, profiled = false;
};

void declare_kernel(CLI::App& app, RunTexts& texts) {
  constexpr const char* kGroup = "The kernel";
  auto add = [&app](const char* name, std::string& text, const char* placeholder, const char* help) {
    app.add_option(name, text, help)->option_text(placeholder)->group(kGroup);
  };
  auto add_all = [&app](const char* name, std::vector<std::string>& values, const char* placeholder,
                        const char* help) {
    app.add_option(name, values, help)
        ->option_text(placeholder)
        ->group(kGroup)
        ->allow_extra_args(false)
        ->take_all();
  };
  app.add_option("FILE.cu", texts.file, "the file with the kernel");
  add("--kernel", texts.kernel, " NAME",
      "its name, or an instance of a template: 'mm<float,16>'; without it the kernels are listed");
  add("--grid", texts.grid, " X[,Y[,Z]]", "blocks of the grid");
  add("--block", texts.block, " X[,Y[,Z]]", "threads of a block");
  add("--shared", texts.shared, " BYTES", "dynamic shared memory of a block; default 0");
  add_all("--arg", texts.arguments, " SPEC", "an argument, in the order of the parameters; see below");
  add_all("--define", texts.defines, " NAME[=VALUE]", "a macro for the compiler; may be repeated");
  add_all("--option", texts.options, "=OPTION",
          "a further option of NVRTC, as in --option=-use_fast_math; may be repeated");
}

void declare_output(CLI::App& app, RunTexts& texts) {
  constexpr const char* kGroup = "What is shown";
  app.add_option("--print", texts.prints,
                 "show elements of a buffer, by its parameter's name or position; default 0:16")
      ->option_text(" ARG[:FIRST[:COUNT]]")
      ->group(kGroup)
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--dump", texts.dumps,
                 "write a buffer: as bytes, or one number a line to a .txt or .csv file")
      ->option_text(" ARG=FILE")
      ->group(kGroup)
      ->allow_extra_args(false)
      ->take_all();
  app.add_flag("--lines", texts.lines, "the kernel's source with sectors and conflicts beside each line")
      ->group(kGroup);
  app.add_flag("--json{-}", texts.json,
               "print JSON instead of the table, or write it to FILE beside the table")
      ->option_text("[=FILE]")
      ->group(kGroup);
}

void declare_run(CLI::App& app, RunTexts& texts) {
  auto add = [&app](const char* name, std::string& text, const std::string& placeholder, const char* help) {
    app.add_option(name, text, help)->option_text(" " + placeholder)->group("The run");
  };
  add("--device", texts.device, alternatives(device::kDeviceNames),
      "where it runs; auto takes the GPU if there is one");
  add("--check", texts.check, alternatives(device::kCheckNames),
      "what the virtual GPU watches the kernel for");
  app.add_flag("--profile", texts.profile,
               "let Nsight Compute count on a GPU, as the virtual GPU does by itself")
      ->group("The run");
  app.add_flag(kProfiled, texts.profiled)->group("");
  add("--max-steps", texts.max_steps, "N", "stop after so many warp instructions; 0: a generous default");
  add("--repeat", texts.repeat, "N", "timed samples on a GPU; 0, the default: until the spread is small");
  add("--color", texts.color, alternatives(kColours), "colours; auto: only on a terminal");
}

// ---- reading -----------------------------------------------------------------------------------------

Dim3 shape_from(const char* option, const std::string& text) {
  if (text.empty()) throw usage_error("{0} is missing; write {0} X[,Y[,Z]], as in {0} 4,4", option);
  Dim3 shape;
  std::array<std::uint32_t*, 3> sides{&shape.x, &shape.y, &shape.z};
  std::string_view rest = text;
  for (std::size_t i = 0;; ++i) {
    const std::size_t comma = rest.find(',');
    if (i == sides.size()) throw usage_error("{} has three sides at most, not `{}`", option, text);
    *sides[i] = static_cast<std::uint32_t>(parse_natural(option, rest.substr(0, comma), kLargestSide));
    if (comma == std::string_view::npos) return shape;
    rest.remove_prefix(comma + 1);
  }
}

// NAME=VALUE; the value is `fallback` where there is no equals sign.
std::pair<std::string, std::string> pair_from(const char* option, const std::string& text,
                                              const char* fallback) {
  const std::size_t equals = text.find('=');
  std::pair<std::string, std::string> pair{text.substr(0, equals), fallback};
  if (equals != std::string::npos) pair.second = text.substr(equals + 1);
  if (pair.first.empty()) throw usage_error("{} {}: there is no name before the equals sign", option, text);
  return pair;
}

bool is_identifier(const std::string& name) {
  return !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

lab::KernelRequest request_from(const RunTexts& texts, const Console& console) {
  lab::KernelRequest request;
  if (texts.file.empty()) throw usage_error("run needs a file, as in `cudalab run saxpy.cu`");
  request.file = texts.file;
  request.kernel = texts.kernel;
  request.shared_bytes = parse_natural("--shared", texts.shared, kMostShared);
  for (const std::string& define : texts.defines) {
    request.defines.push_back(pair_from("--define", define, "1"));
    if (!is_identifier(request.defines.back().first))
      throw usage_error("--define {}: that is no name of a macro", define);
  }
  request.compiler_options = texts.options;
  for (const std::string& argument : texts.arguments)
    request.arguments.push_back(lab::parse_argument(argument));
  for (const std::string& print : texts.prints) request.prints.push_back(lab::parse_print_range(print));
  request.settings.device = chosen("--device", texts.device, device::kDeviceNames);
  request.settings.checks = chosen("--check", texts.check, device::kCheckNames);
  request.settings.max_steps = parse_natural("--max-steps", texts.max_steps, UINT64_MAX);
  request.settings.repeat = static_cast<int>(parse_natural("--repeat", texts.repeat, kMostSamples));
  request.settings.profiled = texts.profiled;
  request.settings.progress = [&console](const std::string& text) { console.show_progress(text); };
  return request;
}

// ---- showing -----------------------------------------------------------------------------------------

// Files are opened before the run, which may be long.
struct Dump {
  std::string argument, path;
  OutputFile file;
};

std::vector<Dump> dumps_from(const RunTexts& texts) {
  std::vector<Dump> dumps;
  for (const std::string& text : texts.dumps) {
    const auto [argument, path] = pair_from("--dump", text, "");
    if (path.empty()) throw usage_error("--dump {}: write ARG=FILE, as in y=result.bin", text);
    dumps.push_back({argument, path, OutputFile(path)});
  }
  return dumps;
}

void write(const Dump& dump, const lab::BufferContent& content) {
  if (content.bytes.empty()) return;
  if (lab::is_text_file(dump.path)) return dump.file.write(lab::text_of_scalars(content.type, content.bytes));
  dump.file.write({reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()});
}

ExitCode list(const lab::KernelRequest& request, const Console& console) {
  for (const std::string& line : lab::list_kernels(request)) console.print_line(line);
  return ExitCode::kPassed;
}

ExitCode run_one(lab::KernelRequest request, const RunTexts& texts, const Console& console) {
  request.grid = shape_from("--grid", texts.grid);
  request.block = shape_from("--block", texts.block);
  const bool colour = console.colour(chosen("--color", texts.color, kColours));
  const bool json_to_stdout = texts.json == "-";
  const std::vector<Dump> dumps = texts.profiled ? std::vector<Dump>() : dumps_from(texts);
  for (const Dump& dump : dumps) request.dumps.push_back(dump.argument);
  std::optional<OutputFile> file;
  if (!texts.json.empty() && !json_to_stdout) file.emplace(texts.json);

  lab::KernelOutcome outcome = lab::run_kernel(request);
  if (texts.profile) add_own_counters(outcome.result, console);
  console.clear_progress();

  for (std::size_t i = 0; i < outcome.dumps.size(); ++i) write(dumps[i], outcome.dumps[i]);
  const std::string json = texts.json.empty() ? "" : report::json_text(outcome.result, report::this_tool());
  if (file) file->write(json);
  if (json_to_stdout) {
    console.print(json);
    return exit_code(outcome.result);
  }
  console.print(report::table_text(outcome.result, {.colour = colour, .width = console.width}));
  if (texts.lines)
    console.print("\n" + report::lines_text(outcome.result.runs.front(), outcome.source, outcome.first_line,
                                            outcome.last_line, {.colour = colour}));
  return exit_code(outcome.result);
}

ExitCode run(const RunTexts& texts, const Console& console) {
  const lab::KernelRequest request = request_from(texts, console);
  if (texts.kernel.empty()) return list(request, console);
  return run_one(request, texts, console);
}

constexpr const char* kArgumentHelp =
    "A SPEC is one of\n"
    "  buf:TYPE:COUNT               a buffer that nobody has written: reading it is an error\n"
    "  buf:TYPE:COUNT:zero          zeros\n"
    "  buf:TYPE:COUNT:iota          0, 1, 2, ...\n"
    "  buf:TYPE:COUNT:random[:SEED] reals in [-1, 1), whole numbers over the whole range\n"
    "  buf:TYPE:COUNT:file=PATH     raw bytes, or numbers as text from a .txt or .csv file\n"
    "  TYPE:VALUE[,VALUE...]        a number; several make up a structure such as float4\n"
    "with TYPE one of u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64. docs/run.md has more.\n"
    "Host code in the file (main, launches, <stdio.h>) is left out; the lines keep their numbers.\n";

}  // namespace

Verb run_verb() {
  auto declare_options = [](CLI::App& app) -> Action {
    auto texts = std::make_shared<RunTexts>();
    declare_kernel(app, *texts);
    declare_output(app, *texts);
    declare_run(app, *texts);
    return [texts](const Console& console) { return run(*texts, console); };
  };
  return {.name = "run",
          .alias = "",
          .summary = "run any kernel of a .cu file: counters, hazards, time",
          .examples =
              {"cudalab run saxpy.cu",
               "cudalab run saxpy.cu --kernel saxpy --grid 4 --block 256 --arg f32:2 --arg buf:f32:1000:iota "
               "--arg buf:f32:1000:random --arg i32:1000 --print y",
               "cudalab run mm.cu --kernel 'mm<float,16>' --grid 4,4 --block 16,16 --arg buf:f32:4096:random "
               "--arg buf:f32:4096:random --arg buf:f32:4096 --arg i32:64 --lines --dump c=c.csv"},
          .declare = declare_options,
          .more_help = kArgumentHelp};
}

}  // namespace cudalab::cli
