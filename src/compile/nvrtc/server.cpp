// A loop around NVRTC.
#include "compile/nvrtc/server.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include "compile/nvrtc/nvrtc.h"
#include "compile/nvrtc/task.h"
#include "compile/toolkit.h"
#include "core/error.h"
#include "core/processes/message.h"
#include "core/processes/this_program.h"

namespace cudalab::compile {
namespace {

constexpr const char* kServe = "--serve-compiler";

double seconds_used() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1;  // parts of seconds count whole
}

// From now on; never so much that the system ends this process without saying why.
void limit_processor_seconds(double seconds) {
  rlimit limit{};
  ::getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur = std::min(limit.rlim_max - 1, static_cast<rlim_t>(std::ceil(seconds_used() + seconds)));
  ::setrlimit(RLIMIT_CPU, &limit);
}

Fields answer_of(std::string_view kind, Fields fields) {
  fields.insert(fields.begin(), std::string(kind));
  return fields;
}

Fields answer_to_find(int socket, const Fields& passed_over) {
  const auto may_try = [&](const std::string& library) {
    if (std::find(passed_over.begin(), passed_over.end(), library) != passed_over.end()) return false;
    return send_fields(socket, {std::string(kTrying), library});
  };
  return answer_of(kFound, to_fields(find_nvrtc(may_try)));
}

// ---- how long it serves --------------------------------------------------------------------------------

struct Opened {
  std::string stamp;  // of the file that is loaded
  std::optional<Nvrtc> nvrtc;
};

std::map<std::string, Opened>& opened() {
  static std::map<std::string, Opened> libraries;
  return libraries;
}

bool is_replaced_on_disk(const std::pair<const std::string, Opened>& library) {
  return file_stamp(library.first) != library.second.stamp;
}

// What compilations leave behind takes of the address space that there is: less than half of it is too little
// for whoever comes next.
bool is_short_of_room() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  const auto half = static_cast<std::size_t>(limit.rlim_cur / 2);
  void* room = ::mmap(nullptr, half, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return true;
  ::munmap(room, half);
  return false;
}

// Whether a new process would serve better than this one.
bool is_worn_out(int answers) {
  constexpr int kMostAnswers = 1000;
  return answers > 0 && (answers >= kMostAnswers || is_short_of_room() ||
                         std::ranges::any_of(opened(), is_replaced_on_disk));
}

// ---- what it answers -------------------------------------------------------------------------------------

Fields answer_to_task(const NvrtcTask& task) {
  const auto [known, is_new] = opened().try_emplace(task.library.string());
  if (is_new) known->second = {file_stamp(task.library), Nvrtc::open(task.library)};
  if (!known->second.nvrtc)
    throw unavailable_error("{} does not load any more; `cudalab doctor` shows which NVRTC is used",
                            task.library.string());
  if (::chdir(task.folder.c_str()) != 0) ::chdir("/");  // what is relative is not found, then
  return answer_of(kDone, to_fields(run(task, *known->second.nvrtc)));
}

Fields answer(int socket, Fields request) {
  if (request.empty()) return {};
  const std::string kind = request.front();
  request.erase(request.begin());
  if (kind == kFind) return answer_to_find(socket, request);
  if (kind != kCompile || request.empty()) return {};
  limit_processor_seconds(std::atof(request.front().c_str()));
  request.erase(request.begin());
  return answer_to_task(nvrtc_task_from(request));
}

// Whoever hears nothing of a beginning starts a new process.
[[noreturn]] void serve(int socket) {
  for (int answers = 0;; ++answers) {
    const Received request = receive_fields(socket);
    if (!request.fields || is_worn_out(answers) || !send_fields(socket, {std::string(kBegun)})) ::_exit(0);
    Fields fields;
    try {
      fields = answer(socket, *request.fields);
    } catch (const Error& error) {
      fields = {std::string(kFailed), error.what()};
    }
    if (fields.empty() || !send_fields(socket, fields)) ::_exit(0);
  }
}

// The C library hands over main()'s arguments. Objects of other files may not be made yet: what serves has
// none of that kind.
__attribute__((constructor)) void serve_where_asked(int count, char** words) {
  if (count == 3 && std::strcmp(words[1], kServe) == 0) serve(std::atoi(words[2]));
}

}  // namespace

std::vector<std::string> words_of_server(int socket) {
  return {this_program_again().string(), kServe, std::to_string(socket)};
}

}  // namespace cudalab::compile
