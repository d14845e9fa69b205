// The steps of an nvcc command line, in processes of their own.
#include "compile/cc.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "compile/clang/clang.h"
#include "compile/compiler_program.h"
#include "compile/course_headers.h"
#include "compile/diagnosis.h"
#include "compile/explain/explain.h"
#include "compile/toolkit.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/child_pool.h"
#include "core/processes/interruption.h"
#include "core/text.h"
#include "messages/compile.h"

namespace cudalab::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestArchive = std::size_t{1} << 30;

// The PTX of a source, or a fat binary, in a file; "-" is standard output.
void write_product(const std::string& file, const std::string& bytes, CcOutcome& outcome) {
  if (file == "-") {
    outcome.printed += bytes;
    return;
  }
  std::ofstream to(file, std::ios::binary);
  to << bytes;
  to.close();
  if (!to) throw usage_error(msg::cc_output_not_written(file));
}

// What the linker says: its first line about a missing library or name, else its last line.
std::string linker_line(const std::string& log) {
  constexpr std::string_view kSigns[] = {"cannot find ", "undefined reference", "multiple definition"};
  std::string_view last;
  for (const std::string_view line : split(log, '\n')) {
    const bool is_cause =
        std::ranges::any_of(kSigns, [&](std::string_view sign) { return line.find(sign) != line.npos; });
    if (is_cause) return std::string(line.substr(line.find(": ") == line.npos ? 0 : line.find(": ") + 2));
    if (!line.empty()) last = line;
  }
  return std::string(last);
}

// Whether the objects of the archive contain device code: clang writes it to this section.
bool has_device_code(const fs::path& archive) {
  const auto bytes = archive.extension() == ".a" ? read_file(archive, kLargestArchive) : std::nullopt;
  return bytes && bytes->find(".nvFatBinSegment") != bytes->npos;
}

// The linker takes an object of an archive if the host's code refers to it. Device code may be the only code
// that does, so such an archive is taken whole.
std::vector<std::string> whole(const std::string& archive) {
  return {"-Wl,--whole-archive", archive, "-Wl,--no-whole-archive"};
}

class NvccRun {
 public:
  NvccRun(const NvccPlan& plan, const CcTools& tools)
      : plan_(plan), tools_(tools), pool_(compiler_child_limits(), true) {
    steps_ = {tools.clang,
              {folder_.path(), folder_.path()},
              [this](const std::vector<std::string>& words) { run(words); },
              plan.sources};
  }

  CcOutcome outcome() {
    switch (plan_.product) {
      case Product::kProgram: link(); break;
      case Product::kArchive: make_archive(); break;
      case Product::kDeviceLink: make_empty_object(); break;
      case Product::kObjects:
        for (const InputFile& input : sources()) make_object(input, plan_.output_for(input));
        break;
      case Product::kPtx:
      case Product::kFatBinaries:
        for (const InputFile& input : sources()) make_device_file(input);
        break;
      case Product::kPreprocessed:
      case Product::kDependencies:
        for (const InputFile& input : sources()) preprocess(input);
        break;
    }
    return std::move(outcome_);
  }

 private:
  std::vector<InputFile> sources() const {
    std::vector<InputFile> found;
    for (const InputFile& input : plan_.inputs)
      if (input.kind != InputKind::kLinked) found.push_back(input);
    return found;
  }

  // ---- one source ----

  // Compiles by its absolute path, by which reports find the source wherever the program runs.
  CompileRequest request_for(const InputFile& input) {
    CompileRequest request = plan_.request;
    request.source = source_ = read_text(input.path);
    named_ = input.path;
    request.file_name = absolute_path(input.path).string();
    if (const auto provided = provided_headers(request); !provided.empty()) {
      for (const fs::path& folder : course_header_folders())
        request.include_directories.push_back(folder.string());
      outcome_.provided.insert(outcome_.provided.end(), provided.begin(), provided.end());
    }
    return request;
  }

  std::string device_code_of(const CompileRequest& request) {
    std::string ptx = device_code(steps_, request, "device", plan_.is_relocatable);
    const std::string missing = plan_.is_relocatable ? "" : name_of_others(ptx);
    if (!missing.empty()) throw usage_error(msg::cc_needs_relocatable(named_, readable_name(missing)));
    return ptx;
  }

  std::string fat_binary(const CompileRequest& request, const std::string& ptx) const {
    return fat_binary_of(ptx, clang_architecture(request), plan_.is_relocatable);
  }

  void make_object(const InputFile& input, const std::string& object) {
    const CompileRequest request = request_for(input);
    if (input.kind == InputKind::kHost) return compile_host_file(steps_, request, object);
    const std::string binary = (folder_ / "device.fatbin").string();
    write_product(binary, fat_binary(request, device_code_of(request)), outcome_);
    compile_cuda_host_code(steps_, request, binary, object);
  }

  void make_device_file(const InputFile& input) {
    const CompileRequest request = request_for(input);
    const std::string ptx = device_code_of(request);
    write_product(plan_.output_for(input), plan_.product == Product::kPtx ? ptx : fat_binary(request, ptx),
                  outcome_);
  }

  void preprocess(const InputFile& input) {
    const CompileRequest request = request_for(input);
    const std::string made = plan_.output.empty() ? (folder_ / "text").string() : plan_.output;
    if (input.kind == InputKind::kHost)
      compile_host_file(steps_, request, made);
    else
      preprocess_cuda(steps_, request, made);
    if (plan_.output.empty()) outcome_.printed += read_file(made).value_or("");
  }

  // ---- several files ----

  // The inputs of the linker: objects are made of the sources.
  std::vector<std::string> objects() {
    std::vector<std::string> made;
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      const InputFile& input = plan_.inputs[i];
      made.push_back(input.path);
      if (input.kind == InputKind::kLinked) continue;
      made.back() = (folder_ / fmt::format("{}.o", i)).string();
      make_object(input, made.back());
    }
    return made;
  }

  // The file of -lNAME in a folder of -L, if it is an archive with device code.
  std::optional<fs::path> archive_of(const std::string& word) const {
    if (!word.starts_with("-l")) return std::nullopt;
    for (const std::string& option : plan_.link) {
      if (!option.starts_with("-L")) continue;
      const fs::path file = fs::path(option.substr(2)) / fmt::format("lib{}.a", word.substr(2));
      if (has_device_code(file)) return file;
    }
    return std::nullopt;
  }

  std::vector<std::string> linker_inputs() {
    std::vector<std::string> words;
    const auto add = [&words](const std::vector<std::string>& more) {
      words.insert(words.end(), more.begin(), more.end());
    };
    for (const std::string& object : objects())
      add(has_device_code(object) ? whole(object) : std::vector<std::string>{object});
    for (const std::string& word : plan_.link) {
      const auto archive = archive_of(word);
      add(archive ? whole(archive->string()) : std::vector<std::string>{word});
    }
    return words;
  }

  void link() {
    const std::vector<std::string> words = linker_inputs();
    is_linking_ = true;
    link_objects(steps_, words, tools_.libraries, plan_.output.empty() ? "a.out" : plan_.output);
  }

  void make_archive() {
    const auto archiver = find_program("ar");
    if (!archiver) throw unavailable_error(msg::cc_archiver_missing());
    std::vector<std::string> words{archiver->string(), "rcs", plan_.output};
    const std::vector<std::string> members = objects();
    words.insert(words.end(), members.begin(), members.end());
    run(words);
  }

  void make_empty_object() {
    const std::string empty = (folder_ / "empty.c").string();
    write_product(empty, "", outcome_);
    run({tools_.clang.string(), "-x", "c", "-c", "-o", plan_.output.empty() ? "a_dlink.o" : plan_.output,
         empty});
  }

  // ---- processes ----

  void run(const std::vector<std::string>& words) {
    if (plan_.shows_commands) outcome_.log += joined(words, " ") + "\n";
    std::error_code gone;
    pool_.start(0, words, fs::current_path(gone));
    const ChildEnd end = pool_.wait().second;
    if (!end.stopped.empty())
      throw unavailable_error(
          msg::program_compiler_stopped(named_, fs::path(words.front()).filename().string(), end.stopped));
    const std::string log =
        named_.empty() ? end.output : replaced(end.output, absolute_path(named_).string(), named_);
    if (end.exit_code != 0 && is_linking_) throw usage_error(msg::cc_link_failed(linker_line(log)));
    if (end.exit_code != 0) complain(log);
    outcome_.log += log;
  }

  [[noreturn]] void complain(const std::string& log) const {
    try {
      throw_clang_error(log, source_, named_);
    } catch (const CompileError& error) {
      throw explained(error, source_, named_);
    }
  }

  const NvccPlan& plan_;
  const CcTools& tools_;
  TemporaryFolder folder_{"cudalab-cc-"};
  ChildPool pool_;
  ClangSteps steps_;
  CcOutcome outcome_;
  std::string source_, named_;  // of the source that is being compiled
  bool is_linking_ = false;
};

}  // namespace

CcOutcome run_plan(const NvccPlan& plan, const CcTools& tools) { return NvccRun(plan, tools).outcome(); }

}  // namespace cudalab::compile
