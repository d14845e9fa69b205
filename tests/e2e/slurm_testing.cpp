// Runs munged, slurmctld and slurmd in the foreground, each as a child of the test.
#include "tests/e2e/slurm_testing.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <random>
#include <stdexcept>
#include <thread>

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Words = std::vector<std::string>;

constexpr const char* kSlurmPrograms[] = {"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol"};
constexpr const char* kFolders[] = {"/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"};

// SlurmUser may be any user. The defaults are right for everything else. Without cred_expire, a requeued job
// waits for two minutes.
constexpr const char* kConfiguration = R"(ClusterName=lab
SlurmctldHost=localhost
SlurmctldPort={port}
SlurmdPort={other_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=2,sched_min_interval=0,bf_interval=1
ReturnToService=2
KillWait=2
MinJobAge=300
NodeName=localhost NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN
PartitionName=main Nodes=localhost Default=YES MaxTime=INFINITE State=UP
)";

std::string found(const std::string& program) {
  for (const char* folder : kFolders)
    if (const std::string path = fmt::format("{}/{}", folder, program); ::access(path.c_str(), X_OK) == 0)
      return path;
  return "";
}

// A port that was free a moment ago.
int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  ::bind(socket, any, size);
  ::getsockname(socket, any, &size);
  ::close(socket);
  return ntohs(address.sin_port);
}

std::string user_name() {
  const passwd* user = ::getpwuid(::geteuid());
  return user ? user->pw_name : std::to_string(::geteuid());
}

std::string random_bytes(std::size_t count) {
  std::random_device device;
  std::string bytes;
  while (bytes.size() < count) bytes += static_cast<char>(device());
  return bytes;
}

// The daemon ends with the test, however the test ends.
[[noreturn]] void become_daemon(const Words& words, const fs::path& log) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(file, descriptor);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

bool becomes_true(std::chrono::milliseconds patience, const std::function<bool()>& what) {
  for (auto waited = 0ms; waited < patience; waited += 100ms) {
    if (what()) return true;
    std::this_thread::sleep_for(100ms);
  }
  return false;
}

}  // namespace

std::string Slurm::lacks() {
  for (const char* program : kSlurmPrograms)
    if (found(program).empty()) return fmt::format("{} is not installed", program);
  return "";
}

Slurm::Slurm() {
  for (const char* name : {"state", "spool"}) fs::create_directory(folder_ / name);
  write_file(folder_ / "key", random_bytes(128));
  ::chmod((folder_ / "key").c_str(), 0600);
  write_configuration();
  const auto at = [&](const char* option, const char* name) { return option + (folder_ / name).string(); };
  const std::string configuration = (folder_ / "slurm.conf").string();
  start({found("munged"), "--foreground", "--force", at("--key-file=", "key"),
         at("--socket=", "munge.socket"), at("--pid-file=", "munged.pid"), at("--log-file=", "munged.log"),
         at("--seed-file=", "seed")});
  becomes_true(10s, [&] { return fs::exists(folder_ / "munge.socket"); });
  start({found("slurmctld"), "-D", "-f", configuration});
  start({found("slurmd"), "-D", "-N", "localhost", "-f", configuration});
  if (!becomes_true(30s, [&] { return is_up(); })) throw std::runtime_error(last_words());
}

Slurm::~Slurm() {
  ask({"scancel", "--user=" + user_name()});
  is_empty_within(20s);
  for (auto daemon = daemons_.rbegin(); daemon != daemons_.rend(); ++daemon) {
    ::kill(*daemon, SIGTERM);
    ::waitpid(*daemon, nullptr, 0);
  }
}

void Slurm::write_configuration() const {
  using fmt::arg;
  constexpr int kProcessors = 2;
  write_file(folder_ / "slurm.conf",
             fmt::format(fmt::runtime(kConfiguration), arg("port", free_port()),
                         arg("other_port", free_port()), arg("user", user_name()),
                         arg("folder", folder_.path().string()), arg("processors", kProcessors)));
}

void Slurm::start(const Words& words) {
  const pid_t daemon = ::fork();
  if (daemon == 0) become_daemon(words, folder_ / "log");
  daemons_.push_back(daemon);
}

bool Slurm::is_up() const { return ask({"sinfo", "--noheader", "--format=%T"}).find("idle") == 0; }

std::string Slurm::last_words() const {
  const std::string all = read_file(folder_ / "log");
  return "Slurm did not start: " + all.substr(all.size() - std::min<std::size_t>(all.size(), 2000));
}

std::pair<std::string, std::string> Slurm::environment() const {
  return {"SLURM_CONF", (folder_ / "slurm.conf").string()};
}

// If the controller is down, a client would wait for a long time.
std::string Slurm::ask(const Words& words) const {
  Words all{"timeout", "10"};
  all.insert(all.end(), words.begin(), words.end());
  return run_command(all, {.environment = {environment()}}).out;
}

bool Slurm::is_empty_within(std::chrono::seconds patience) const {
  return becomes_true(patience, [&] { return ask({"squeue", "--noheader"}).empty(); });
}

}  // namespace cudalab::e2e
