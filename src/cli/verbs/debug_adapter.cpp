// The verb `cudalab debug-adapter`: a debugger for editors, over standard input and output or a local port.

#include "cli/debug/debug_adapter.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>

#include "cli/options/lab_options.h"
#include "cli/options/option.h"
#include "cli/options/shared_options.h"
#include "cli/verbs.h"
#include "messages/cli.h"

namespace cudalab::cli {
namespace {

constexpr std::uint64_t kLastPort = 65535;

// Moves the protocol to new descriptors. Afterwards, a program's output goes to standard error, and its input
// is empty.
ProtocolStream standard_stream() {
  const int in = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ::dup2(nothing.number(), STDIN_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return {in, out};
}

// Accepts one client on a port of 127.0.0.1. A browser may connect too, but its request does not begin with
// "Content-Length", so the connection is closed.
ProtocolStream client_of(const std::string& text, const Console& console) {
  const auto port = static_cast<std::uint16_t>(parse_natural("--port", text, kLastPort));
  const Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int yes = 1;
  ::setsockopt(listener.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  socklen_t size = sizeof address;
  auto* const named = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener.number(), named, size) != 0 || ::listen(listener.number(), 1) != 0)
    throw unavailable_error(msg::debug_port_taken(port));
  ::getsockname(listener.number(), named, &size);
  console.remark(console.wording.say(msg::debug_listening(ntohs(address.sin_port))));
  const int client = ::accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) throw unavailable_error(msg::debug_port_taken(port));
  return {client, ::fcntl(client, F_DUPFD_CLOEXEC, 0)};
}

struct AdapterTexts {
  std::string port;
};

Options adapter_options(AdapterTexts& texts) {
  return {{"--port", " N", &texts.port,
           "listen on this port of 127.0.0.1 for one client; 0: a free port, which is printed"}};
}

ExitCode debug_adapter(const AdapterTexts& texts, const Console& console) {
  std::signal(SIGPIPE, SIG_IGN);
  ProtocolStream stream = texts.port.empty() ? standard_stream() : client_of(texts.port, console);
  serve_debug_adapter(stream, console);
  return ExitCode::kPassed;
}

}  // namespace

Verb debug_adapter_verb() {
  return {.name = "debug-adapter",
          .alias = "",
          .summary = "debug a kernel from an editor, with the Debug Adapter Protocol",
          .examples = {"cudalab debug-adapter", "cudalab debug-adapter --port 4711"},
          .declare = with_options(adapter_options, debug_adapter),
          .more_help = "An editor starts this command. docs/debugging.md has configurations for editors.\n"};
}

}  // namespace cudalab::cli
