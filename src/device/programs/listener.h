// Receives the records of programs on the virtual GPU (runtime/records.h) over a socket.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/processes/interruption.h"
#include "core/programs/program_record.h"
#include "device/programs/program_log.h"
#include "device/programs/program_stops.h"

namespace cudalab::device {

// One log per process that connects.
class Listener {
 public:
  explicit Listener(bool each_launch) : each_launch_(each_launch), socket_(listening_socket(path())) {}
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  std::string path() const { return (folder_ / "records").string(); }
  // The path of another socket in the same folder.
  std::string path_of(const char* name) const { return (folder_ / name).string(); }
  // Waits for input, at most `wait_ms`, or until one of `also` is readable. Returns whether there was any
  // input.
  bool listen(int wait_ms, std::span<const int> also);
  std::vector<ProgramLog> take_logs() { return std::move(logs_); }
  // Closes the connections and forgets the logs.
  void forget();
  const std::vector<ProgramLog>& logs() const { return logs_; }

 private:
  struct Speaker {
    RecordReader reader;
    std::size_t log;
  };
  void accept_all();
  bool read_from(int connection, Speaker& speaker);

  TemporaryFolder folder_{"cudalab-run-"};
  bool each_launch_;
  int socket_ = -1;
  std::vector<char> piece_ = std::vector<char>(1 << 18);  // buffer for input
  std::map<int, Speaker> speakers_;
  std::vector<ProgramLog> logs_;
};

}  // namespace cudalab::device
