// Requests to the compiler process and its answers, as plain data and as messages.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler.h"
#include "core/diagnostics/message.h"
#include "core/processes/message_socket.h"

namespace cudalab::compile {

// The NVRTC that was found on this machine.
struct FoundNvrtc {
  std::filesystem::path path;      // the library's path; empty if none was found
  std::string version;             // "13.0"
  std::vector<int> architectures;  // compute_XY that it compiles for, as 10 * major + minor
  // Libraries that were not used, with reasons: "/opt/old/libnvrtc.so.12 lacks nvrtcGetPTX".
  std::vector<Message> passed_over;

  bool is_found() const { return !path.empty(); }
  // The highest supported compute_XY that is not above `wanted`; 0 if there is none.
  int architecture_up_to(int wanted) const;
  int lowest_architecture() const;  // 0 if there is none
};

struct NvrtcTask {
  std::filesystem::path library;
  std::filesystem::path folder;  // relative paths are resolved from here
  std::string source, file_name;
  std::vector<std::string> options, name_expressions;
  std::vector<HeaderText> headers;
};

struct NvrtcOutcome {
  bool compiled = false;  // false: the log says why
  std::string ptx, log;
  std::map<std::string, std::string> lowered_names;
};

Fields to_fields(const FoundNvrtc& found);
Fields to_fields(const NvrtcTask& task);
Fields to_fields(const NvrtcOutcome& outcome);

// The inverse of to_fields.
FoundNvrtc found_nvrtc_from(const Fields& fields);
NvrtcTask nvrtc_task_from(const Fields& fields);
NvrtcOutcome nvrtc_outcome_from(const Fields& fields);

// The first field of a request. kFind: search for NVRTC, except in the libraries that follow. kCompile:
// compile an NvrtcTask within the given seconds of processor time.
inline constexpr std::string_view kFind = "find", kCompile = "compile";

// The first field of an answer. kFound: a FoundNvrtc; kDone: an NvrtcOutcome; kFailed: the message of an
// Error. Before these, kBegun confirms the request, and kTrying names each library before it is loaded.
inline constexpr std::string_view kBegun = "begun", kTrying = "trying", kFound = "found", kDone = "done",
                                  kFailed = "failed";

// The command line of a server that communicates through the descriptor. Any of our programs started with it,
// tests included, becomes the server before main().
std::vector<std::string> words_of_server(int socket);

}  // namespace cudalab::compile
