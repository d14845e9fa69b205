// `cudalab run FILE.cu`: runs one kernel of a file or the whole program, or lists the file's kernels.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "cli/exercise_check.h"
#include "cli/options/lab_options.h"
#include "cli/options/option.h"
#include "cli/options/shared_options.h"
#include "cli/step_target.h"
#include "cli/terminal/output_file.h"
#include "cli/verbs.h"
#include "cli/verbs/exec.h"
#include "compile/clang/clang.h"
#include "compile/explain/suspicions.h"
#include "compile/programs.h"
#include "core/files.h"
#include "core/processes/interruption.h"
#include "core/text.h"
#include "course/own_verdict.h"
#include "course/reasons/evidence.h"
#include "course/repair/launch_trials.h"
#include "course/repair/program_repair.h"
#include "device/programs/program_run.h"
#include "lab/any_kernel/any_kernel.h"
#include "messages/cli.h"
#include "report/formats/json.h"
#include "report/page/result_page.h"
#include "report/text/compile_errors.h"
#include "report/text/excerpt.h"
#include "report/text/lines.h"
#include "report/text/metrics.h"
#include "report/text/table.h"
#include "report/tool.h"

namespace cudalab::cli {
namespace {

// A generous limit for the parser; the GPU, real or virtual, applies its own limit.
constexpr std::uint64_t kMostShared = std::uint64_t{1} << 31;

struct KernelTexts {
  std::vector<std::string> files;
  std::string kernel, grid, block, cluster, shared = "0", blocks = "0";
  std::vector<std::string> defines, arguments, symbols, dumps, prints, options;
  bool lines = false, no_search = false;
  CompilerTexts compiler;
  ProgramTexts run;
  std::vector<std::string> program_arguments;
};

Options options_of_the_kernel(KernelTexts& texts) {
  return in_group(
      "The kernel",
      Options{
          {"FILE.cu", "", &texts.files,
           "the file with the kernel, then files with functions that it calls; or all .cu and .cpp files of "
           "a whole program"},
          {"--kernel", " NAME", &texts.kernel,
           "the kernel's name, or an instance of a template: 'mm<float,16>'; without it, a file with main "
           "runs as a program, and the kernels of any other file are listed"},
          {"--grid", " X[,Y[,Z]]", &texts.grid, "the size of the grid in blocks"},
          {"--block", " X[,Y[,Z]]", &texts.block, "the size of a block in threads"},
          {"--cluster", " X[,Y[,Z]]", &texts.cluster,
           "the size of a cluster in blocks, which can access each other's shared memory; default: as the "
           "kernel states"},
          {"--shared", " BYTES", &texts.shared, "dynamic shared memory per block; default 0"},
          {"--arg", " SPEC", &texts.arguments,
           "the next argument, in the order of the parameters; see below"},
          {"--symbol", " NAME=SPEC", &texts.symbols, "the content of a __constant__ or __device__ variable"},
          {"--define", " NAME[=VALUE]", &texts.defines, "define a macro; may be repeated"},
          {"--option", "=OPTION", &texts.options,
           "pass an option to the compiler, as in --option=-use_fast_math; may be repeated"},
      } + compiler_options(texts.compiler));
}

Options options_of_what_is_shown(KernelTexts& texts) {
  return in_group("What is shown",
                  {
                      {"--print", " ARG[:FIRST[:COUNT]]", &texts.prints,
                       "show elements of a buffer, by its parameter's name or position; default 0:16"},
                      {"--dump", " ARG=FILE", &texts.dumps,
                       "write a buffer: as bytes, or as one number per line to a .txt or .csv file"},
                      {"--lines", "", &texts.lines,
                       "show the kernel's source with sectors and conflicts beside each line"},
                      show_option(texts.run.show),
                      html_option(texts.run.html),
                      verbose_option(texts.run),
                      metrics_option(texts.run),
                      json_option(texts.run),
                  });
}

Options options_of_the_run(RunTexts& texts, std::string& blocks) {
  return in_group("The run", {
                                 device_option(texts.device, "it runs"),
                                 check_option(texts, "the kernel"),
                                 card_option(texts.card),
                                 predict_option(texts.predict),
                                 {"--blocks", " N", &blocks,
                                  "run only the first N blocks, and predict the time of all blocks from "
                                  "them, for launches that take too long; the results are incomplete"},
                                 profile_option(texts.profile),
                                 max_steps_option(texts, "stop"),
                                 repeat_option(texts, "on a GPU"),
                                 color_option(texts.color, "colour the output"),
                             });
}

Options options_of_the_program(KernelTexts& texts) {
  return in_group(
      "A whole program (a file with a main, without --kernel)",
      {{"ARGUMENTS", "", BehindDashes{&texts.program_arguments}, "arguments of the program, after `--`"},
       gpus_option(texts.run),
       launches_option(texts.run),
       timeout_option(texts.run),
       virtual_clock_option(texts.run),
       strict_option(texts.run),
       sample_option(texts.run),
       {"--no-search", "", &texts.no_search,
        "if the program finds its own results wrong, do not search for the line of the mistake"}});
}

Options run_options(KernelTexts& texts) {
  return options_of_the_kernel(texts) + options_of_what_is_shown(texts) +
         options_of_the_run(texts.run, texts.blocks) + options_of_the_program(texts) +
         Options{profiled_option(texts.run)};
}

// ---- reading -----------------------------------------------------------------------------------------

// Parses NAME=VALUE; the value is `fallback` if there is no equals sign.
std::pair<std::string, std::string> pair_from(const char* option, const std::string& text,
                                              const char* fallback) {
  const std::size_t equals = text.find('=');
  std::pair<std::string, std::string> pair{text.substr(0, equals), fallback};
  if (equals != std::string::npos) pair.second = text.substr(equals + 1);
  if (pair.first.empty()) throw usage_error(msg::option_name_missing(option, text));
  return pair;
}

bool is_identifier(const std::string& name) {
  return !is_digit(name[0]) && std::ranges::all_of(name, is_word);
}

lab::KernelRequest request_from(const KernelTexts& texts, const Console& console) {
  lab::KernelRequest request;
  if (texts.files.empty()) throw usage_error(msg::run_file_missing());
  request.file = texts.files.front();
  request.others.assign(texts.files.begin() + 1, texts.files.end());
  request.kernel = texts.kernel;
  request.spec.dynamic_shared_bytes = parse_natural("--shared", texts.shared, kMostShared);
  for (const std::string& define : texts.defines) {
    request.defines.push_back(pair_from("--define", define, "1"));
    if (!is_identifier(request.defines.back().first)) throw usage_error(msg::define_name_wrong(define));
  }
  request.compiler_options = texts.options;
  request.compiler = compiler_choice_from(texts.compiler);
  for (const std::string& argument : texts.arguments)
    request.arguments.push_back(lab::parse_argument(argument));
  for (const std::string& symbol : texts.symbols) request.symbols.push_back(lab::parse_symbol(symbol));
  for (const std::string& print : texts.prints) request.prints.push_back(lab::parse_print_range(print));
  request.settings = settings_from(texts.run, console);
  return request;
}

// ---- showing -----------------------------------------------------------------------------------------

// Files are opened before the run, which may take long.
struct Dump {
  std::string argument, path;
  OutputFile file;
};

std::vector<Dump> dumps_from(const KernelTexts& texts) {
  std::vector<Dump> dumps;
  for (const std::string& text : texts.dumps) {
    const auto [argument, path] = pair_from("--dump", text, "");
    if (path.empty()) throw usage_error(msg::dump_malformed(text));
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
  for (const Message& line : lab::list_kernels(request)) console.say_line(console.wording.say(line));
  return ExitCode::kPassed;
}

void set_launch(const KernelTexts& texts, lab::KernelRequest& request) {
  request.spec.grid = shape_from("--grid", texts.grid, 1);
  request.spec.block = shape_from("--block", texts.block, 1);
  request.settings.launch.most_blocks = parse_natural("--blocks", texts.blocks, UINT64_MAX);
  if (!texts.cluster.empty()) request.spec.cluster = shape_from("--cluster", texts.cluster, 1);
}

ExitCode run_one(lab::KernelRequest request, const KernelTexts& texts, const Console& console) {
  set_launch(texts, request);
  const bool colour = console.colour(chosen("--color", texts.run.color, kColours));
  const bool json_to_stdout = texts.run.json == "-";
  const std::vector<Dump> dumps = texts.run.profiled ? std::vector<Dump>() : dumps_from(texts);
  for (const Dump& dump : dumps) request.dumps.push_back(dump.argument);
  std::optional<OutputFile> file;
  if (texts.run.json && !json_to_stdout) file.emplace(*texts.run.json);

  const PageFile page(texts.run.html, texts.kernel);

  lab::KernelOutcome outcome = lab::run_kernel(request);
  if (request.settings.launch.most_blocks > 0 &&
      request.settings.launch.most_blocks < request.spec.grid.volume())
    console.remark(
        fmt::format("only the first {} of {} blocks ran (all, if blocks wait for each other): counters are "
                    "those of these blocks, and results are incomplete{}",
                    request.settings.launch.most_blocks, request.spec.grid.volume(),
                    request.settings.launch.predict ? ", and the time is predicted for all" : ""));
  if (texts.run.profile) add_own_counters(outcome.result, console);
  console.clear_progress();

  for (std::size_t i = 0; i < outcome.dumps.size(); ++i) write(dumps[i], outcome.dumps[i]);
  const report::ReadSource read = [&](const lab::Row&) { return outcome.source; };
  if (page.is_asked_for()) page.write(report::result_page(outcome.result, read, console.wording), console);
  const std::string json = texts.run.json ? report::json_text(outcome.result, report::this_tool()) : "";
  if (file) file->write(json);
  if (json_to_stdout) {
    console.print(json);
    return exit_code(outcome.result);
  }
  console.print(shown(outcome.result, texts.run,
                      {.colour = colour, .width = console.width, .wording = console.wording}, read));
  if (texts.lines)
    console.print("\n" + report::lines_text(outcome.result.rows.front(), outcome.source, outcome.first_line,
                                            outcome.last_line,
                                            {.colour = colour, .wording = console.wording}));
  return exit_code(outcome.result);
}

// ---- whole programs ----------------------------------------------------------------------------------

// Options for one kernel mean that the file's main is not run.
bool asks_for_one_kernel(const KernelTexts& texts) {
  return !texts.kernel.empty() || !texts.arguments.empty() || texts.blocks != "0";
}

compile::ProgramBuild build_of(const KernelTexts& texts, const lab::KernelRequest& request,
                               const compile::ProgramCompiler& compiler) {
  compile::ProgramBuild build{
      .compiler = compiler, .runtime = device::runtime_library(), .libraries = device::further_libraries()};
  build.request.source = read_text(request.file);
  build.request.file_name = request.file;
  build.others.assign(texts.files.begin() + 1, texts.files.end());
  build.request.defines = request.defines;
  build.request.options = request.compiler_options;
  request.compiler.add_to(build.request);
  return build;
}

std::string lines_about(const std::vector<compile::Diagnosis>& found, const Wording& wording) {
  std::string text;
  for (const compile::Diagnosis& one : found)
    text +=
        harmless_line(wording.say(one.message())) + "\n" + report::compile_errors_text(one, 0, 0, wording);
  return text;
}

// Tries changes of the launches and of the kernels, at most for 10 seconds.
std::optional<FoundLine> search_for_line(const course::FailedProgram& failed, bool is_verbose,
                                         const Console& console) {
  const auto begin = std::chrono::steady_clock::now();
  course::RepairSettings search =
      repair_settings(console, [&console](const std::string& what) { console.show_progress(what); });
  const auto found = [&](const Message& what, const SourceLine& where) {
    return FoundLine{{what, where},
                     report::sentence_at_line(console.wording.say(what), where.line,
                                              failed.build.request.source, console.width, false)};
  };
  const auto launch = course::find_launch_reason(failed, search);
  search.limit -= std::chrono::steady_clock::now() - begin;
  const auto repair = launch && launch->is_certain ? std::nullopt : course::find_repair(failed, search);
  console.clear_progress();
  if (!repair && !launch) return std::nullopt;
  if (!repair)
    return found(course::in_line({launch->what, launch->where}), launch->where.value_or(SourceLine()));
  FoundLine line = found(course::describe(*repair), repair->where);
  if (is_verbose)
    line.text += fmt::format("    {}\n", console.wording.say(course::describe_edit(
                                             *repair, course::repaired_text(failed.build).text)));
  return line;
}

ExitCode run_program(const KernelTexts& texts, const lab::KernelRequest& request,
                     const compile::ProgramCompiler& compiler, const Console& console) {
  const TemporaryFolder folder("cudalab-program-");
  const std::filesystem::path program = folder.path() / std::filesystem::path(request.file).stem();
  console.show_progress("compiling " + request.file);
  const compile::ProgramBuild build = build_of(texts, request, compiler);
  const compile::BuiltProgram built = compile::build_program(build, program);
  console.clear_progress();
  if (!built.provided.empty())
    console.remark(console.wording.say(
        msg::run_headers_provided(Argument::List(built.provided.begin(), built.provided.end()))));
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), texts.program_arguments.begin(), texts.program_arguments.end());
  const std::string &source = build.request.source, &file = build.request.file_name;
  const auto search = [&](const device::ProgramRequest& run, const device::ProgramLog& log, double seconds) {
    return search_for_line({build, run, log, seconds}, texts.run.verbose, console);
  };
  FromSource known{
      .on_failure = lines_about(compile::suspicions_in(source, built.log, file), console.wording),
      .on_success = lines_about(compile::likely_mistakes_in(source, file), console.wording),
      .may_complain = course::may_complain(source)};
  if (!texts.no_search) known.search = search;
  return run_and_report(words, texts.run, console, known);
}

bool is_program(const KernelTexts& texts) {
  if (asks_for_one_kernel(texts)) return false;
  return std::ranges::any_of(texts.files,
                             [](const std::string& file) { return compile::has_main(read_text(file)); });
}

// Several files are a program, or one kernel and what it calls.
void require_program(const KernelTexts& texts, compile::Compiler asked) {
  if (texts.files.size() < 2) return;
  for (const std::string& file : texts.files) compile::require_source(file);
  if (asks_for_one_kernel(texts)) return;
  if (!is_program(texts)) throw usage_error(msg::run_files_without_main());
  if (!compile::find_program_compiler(asked))
    throw unavailable_error(msg::run_files_need_compiler(compile::kLeastClang));
}

ExitCode run(const KernelTexts& texts, const Console& console) {
  if (asks_for_metrics_help(texts.run)) {
    console.print(report::metrics_help());
    return ExitCode::kPassed;
  }
  const lab::KernelRequest request = request_from(texts, console);
  require_program(texts, request.compiler.compiler);
  if (is_program(texts)) {
    if (const auto compiler = compile::find_program_compiler(request.compiler.compiler))
      return run_program(texts, request, *compiler, console);
    console.remark(console.wording.say(msg::run_main_needs_compiler(request.file, compile::kLeastClang)));
  }
  if (texts.kernel.empty()) return list(request, console);
  return run_one(request, texts, console);
}

constexpr const char* kArgumentHelp =
    "A SPEC is one of\n"
    "  buf:TYPE:COUNT                an unwritten buffer: reading it is an error\n"
    "  buf:TYPE:COUNT:zero           zeros\n"
    "  buf:TYPE:COUNT:iota           0, 1, 2, ...\n"
    "  buf:TYPE:COUNT:random[:SEED]  reals in [-1, 1), whole numbers over the whole range\n"
    "  buf:TYPE:COUNT:file=PATH      raw bytes, or numbers as text from a .txt or .csv file\n"
    "  TYPE:VALUE[,VALUE...]         a number; several make a structure such as float4\n"
    "  {SPEC,SPEC,...}               a structure, whose members may be buffers: {buf:f32:64,i32:64}\n"
    "  [SPEC,SPEC,...]               a pointer to memory that holds them: [4*buf:f32:64:zero]\n"
    "  tex:TYPE:WIDTH[xHEIGHT[xDEPTH]][:linear:normalized:wrap:...], surf:...  a handle\n"
    "with TYPE one of u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64. See docs/run.md.\n"
    "Host code in the file (main, launches, <stdio.h>) is skipped; the lines keep their numbers.\n";

}  // namespace

lab::KernelRequest kernel_request(const Words& words, const Console& console) {
  KernelTexts texts;
  read_words("run", run_options(texts), words);
  lab::KernelRequest request = request_from(texts, console);
  if (request.kernel.empty()) throw usage_error(msg::step_launch_missing(request.file));
  set_launch(texts, request);
  return request;
}

std::optional<WholeProgram> program_request(const Words& words, const Console& console) {
  KernelTexts texts;
  read_words("run", run_options(texts), words);
  const lab::KernelRequest request = request_from(texts, console);
  require_program(texts, request.compiler.compiler);
  if (!is_program(texts)) return std::nullopt;
  const auto compiler = compile::find_program_compiler(request.compiler.compiler);
  if (!compiler) throw unavailable_error(msg::step_main_needs_compiler(request.file, compile::kLeastClang));
  return WholeProgram{build_of(texts, request, *compiler), texts.program_arguments};
}

Verb run_verb() {
  return {.name = "run",
          .alias = "",
          .summary = "run any kernel of a .cu file, or a whole program: counters, hazards, time",
          .examples =
              {"cudalab run saxpy.cu", "cudalab run program.cu -- 1000 fast",
               "cudalab run main.cu kernels.cu host.cpp -- 1000",
               "cudalab run saxpy.cu --kernel saxpy --grid 4 --block 256 --arg f32:2 --arg buf:f32:1000:iota "
               "--arg buf:f32:1000:random --arg i32:1000 --print y",
               "cudalab run mm.cu --kernel 'mm<float,16>' --grid 4,4 --block 16,16 --arg buf:f32:4096:random "
               "--arg buf:f32:4096:random --arg buf:f32:4096 --arg i32:64 --lines --dump c=c.csv"},
          .declare = with_options(run_options, run),
          .more_help = kArgumentHelp};
}

}  // namespace cudalab::cli
