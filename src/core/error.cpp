// Makes errors from messages. Out of line, because nearly every source file throws errors.
#include "core/error.h"

#include <utility>

namespace cudalab {

Error::Error(ExitCode code, Message message)
    : std::runtime_error(message.text()), code_(code), message_(std::move(message)) {}
Error::Error(const Error&) = default;
Error& Error::operator=(const Error&) = default;
Error::~Error() = default;

Error usage_error(Message message) { return {ExitCode::kUsage, std::move(message)}; }
Error unavailable_error(Message message) { return {ExitCode::kUnavailable, std::move(message)}; }
Error stopped_error(Message message) { return {ExitCode::kStopped, std::move(message)}; }

OutOfTime::OutOfTime(Message message) : Error(ExitCode::kUnavailable, std::move(message)) {}

}  // namespace cudalab
