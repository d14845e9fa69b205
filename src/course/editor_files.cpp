#include "course/editor_files.h"

#include <fmt/format.h>

#include "compile/compiler.h"
#include "core/text.h"
#include "lab/host.h"
#include "lab/locate.h"

namespace cudalab::course {
namespace {

struct DefinesKnown {};  // ends a run before anything is compiled

// YAML's quotes, in which only the quote itself is special.
std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "''") + "'"; }

// A text that a regular expression takes as it is.
std::string literally(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (!is_word(c) && c != '/' && c != '-') text += '\\';
    text += c;
  }
  return text;
}

std::string flags_line(const std::vector<std::string>& flags) {
  return fmt::format("CompileFlags:\n  Add: [{}]\n", joined(flags, ", ", quoted));
}

std::string fragment_of(const EditedFile& file) {
  std::vector<std::string> flags;
  for (const auto& [name, value] : file.defines) flags.push_back(fmt::format("-D{}={}", name, value));
  return fmt::format("---\nIf:\n  PathMatch: {}\n{}", quoted(literally(file.path)), flags_line(flags));
}

}  // namespace

Defines defines_of(const Exercise& exercise, const lab::Lab& lab) {
  if (exercise.is_program) return {};
  const std::unique_ptr<device::Device> device = device::open_virtual_device();
  Defines defines;
  const auto take = [&](const compile::CompileRequest& request) -> compile::CompiledSource {
    defines = request.defines;
    throw DefinesKnown{};
  };
  lab::RunRequest request;
  request.kernel_file = exercise.starter().string();
  request.kernel_stage = exercise.stage;
  request.kernel_alone = true;
  request.options = exercise.cases.front();
  request.settings.predict = false;
  try {
    lab::run_lab(lab, request, lab::Machine{*device, take, lab::labs_directory(), lab::describe_host()});
  } catch (DefinesKnown) {
  }
  return defines;
}

std::string clangd_text(std::span<const EditedFile> files,
                        const std::optional<std::filesystem::path>& toolkit) {
  // A card that clangd has known since its version 11: of one that it does not know it reads no file at all.
  std::vector<std::string> flags{"-xcuda", "-std=c++17", "--cuda-gpu-arch=sm_80",
                                 "-Wno-unknown-cuda-version"};
  if (toolkit) flags.push_back("--cuda-path=" + toolkit->string());
  std::string text = fmt::format("# {}\n{}", kWrittenByCudalab, flags_line(flags));
  for (const EditedFile& file : files)
    if (!file.defines.empty()) text += fragment_of(file);
  return text;
}

std::string vscode_tasks_text() {
  constexpr const char* kText = R"({
  "version": "2.0.0",
  "tasks": [
    {
      "label": "cudalab: check this file",
      "type": "process",
      "command": "cudalab",
      "args": ["check", "${file}", "--format", "gcc"],
      "group": {"kind": "build", "isDefault": true},
      "presentation": {"reveal": "silent", "clear": true},
      "problemMatcher": {
        "owner": "cudalab",
        "fileLocation": ["autoDetect", "${workspaceFolder}"],
        "pattern": {
          "regexp": "^(.*):(\\d+):(\\d+): (error|warning|note): (.*)$",
          "file": 1, "line": 2, "column": 3, "severity": 4, "message": 5
        }
      }
    },
    {
      "label": "cudalab: step through this file",
      "type": "process",
      "command": "cudalab",
      "args": ["step", "${file}"],
      "presentation": {"focus": true, "panel": "dedicated", "clear": true},
      "problemMatcher": []
    },
    {
      "label": "cudalab: a hint",
      "type": "process",
      "command": "cudalab",
      "args": ["hint", "${fileBasenameNoExtension}"],
      "problemMatcher": []
    }
  ]
}
)";
  return fmt::format("// {}\n{}", kWrittenByCudalab, kText);
}

}  // namespace cudalab::course
