// The runtime API's streams and events: order, waiting, and the predicted time between two events.
#include "messages/runtime.h"
#include "runtime/call.h"
#include "runtime/streams/graph.h"
#include "runtime/streams/launching.h"

using namespace cudalab;
using namespace cudalab::runtime;

namespace {

cudaError_t create_stream(const char* call, cudaStream_t* stream, unsigned flags, int priority) {
  return answer(call, [&] {
    require(stream, cudaErrorInvalidValue, msg::pointer_to_stream_null());
    require((flags & ~cudaStreamNonBlocking) == 0, cudaErrorInvalidValue, msg::flag_unknown());
    *stream = reinterpret_cast<cudaStream_t>(
        the_runtime().queue.create(this_thread().device, (flags & cudaStreamNonBlocking) == 0, priority));
  });
}

Event& event_of(cudaEvent_t handle) {
  auto* event = reinterpret_cast<Event*>(handle);
  require(handle && the_runtime().events.contains(event), cudaErrorInvalidResourceHandle,
          msg::event_destroyed());
  return *event;
}

// A captured stream cannot be queried or waited for.
void require_not_captured(const Stream& stream) {
  require(!stream.capture, cudaErrorStreamCaptureUnsupported, msg::stream_is_captured());
}

cudaError_t create_event(const char* call, cudaEvent_t* event, unsigned flags) {
  return answer(call, [&] {
    constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    require(event, cudaErrorInvalidValue, msg::pointer_to_event_null());
    require((flags & ~kKnown) == 0, cudaErrorInvalidValue, msg::flag_unknown());
    require(!(flags & cudaEventInterprocess) || (flags & cudaEventDisableTiming), cudaErrorInvalidValue,
            msg::event_interprocess_timed());
    auto* made = new Event;
    made->device = this_thread().device;
    made->keeps_time = (flags & cudaEventDisableTiming) == 0;
    the_runtime().events.insert(made);
    *event = reinterpret_cast<cudaEvent_t>(made);
  });
}

void record(Event& event, Stream& stream) {
  require(event.device == stream.device, cudaErrorInvalidResourceHandle, msg::event_of_other_device());
  if (stream.capture) {
    event.capture = stream.capture;
    event.capture_tail = stream.capture_tail;
    return;
  }
  event.capture.reset();
  event.recorded = the_runtime().queue.enqueue(
      stream, {.name = "an event", .run = [] { return Outcome{}; }, .is_marker = true});
  event.waits = the_runtime().queue.waits();
  event.jobs = the_runtime().queue.jobs();
  event.host_ns = host_moment().wall_ns - ns_in_calls();
}

// The time between two events. If the GPU got no work between them, the program measures its own work on the
// host, which takes the time that it takes here. Below kLeastHostMs, that would be the time of the calls
// alone.
double ms_between(const Event& start, const Event& end) {
  constexpr double kLeastHostMs = 0.1, kNsPerMs = 1e6;
  const double on_gpu_ms = end.recorded->span.end_ms - start.recorded->span.end_ms;
  const double on_host_ms = static_cast<double>(end.host_ns - start.host_ns) / kNsPerMs;
  const bool is_host_work = start.jobs == end.jobs && on_host_ms > kLeastHostMs;
  return is_host_work ? std::max(on_gpu_ms, on_host_ms) : on_gpu_ms;
}

void wait_for_event(Stream& stream, const Event& event) {
  if (event.capture) {  // the stream joins the capture
    require(!stream.capture || stream.capture == event.capture, cudaErrorStreamCaptureMerge,
            msg::event_of_other_capture());
    if (!stream.capture) stream.capture_tail.clear();
    stream.capture = event.capture;
    for (const std::size_t node : event.capture_tail) stream.capture_tail.push_back(node);
    return;
  }
  require(!stream.capture, cudaErrorStreamCaptureIsolation, msg::event_recorded_outside_capture());
  if (!event.recorded) return;
  the_runtime().queue.enqueue(stream, {.name = "a wait", .run = [] { return Outcome{}; }, .is_marker = true},
                              {event.recorded});
}

// Throws cudaErrorNotReady if the work is not done. Each query first runs the next piece of pending work, so
// a loop of queries ends.
void require_done(const WorkRef& work) {
  if (work && !work->is_done) the_runtime().queue.make_progress(work);
  if (work && !work->is_done) throw Failure{cudaErrorNotReady, {}};
  the_runtime().queue.host_knows(work);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return create_stream(__func__, stream, cudaStreamDefault, 0);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create_stream(__func__, stream, flags, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return create_stream(__func__, stream, flags, priority);
}
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return answer(__func__, [&] {
    require(handle && handle != cudaStreamLegacy && handle != cudaStreamPerThread,
            cudaErrorInvalidResourceHandle, msg::stream_default_not_destroyable());
    the_runtime().queue.destroy(&stream_of(handle));
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return answer(__func__, [&] {
    Stream& stream = stream_of(handle);
    require_not_captured(stream);
    the_runtime().queue.wait(stream);
    note_synchronization();
  });
}
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return answer(__func__, [&] {
    Stream& stream = stream_of(handle);
    require_not_captured(stream);
    if (stream.number == 0)
      for (const WorkRef& work : the_runtime().queue.tail_of(stream)) require_done(work);
    require_done(stream.last);
  });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags) {
  return answer(__func__, [&] {
    require((flags & ~cudaEventWaitExternal) == 0, cudaErrorInvalidValue, msg::flag_unknown());
    wait_for_event(stream_of(handle), event_of(event));
  });
}
cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return answer(__func__, [&] {
    require(flags, cudaErrorInvalidValue, msg::pointer_to_flags_null());
    *flags = stream_of(handle).is_blocking ? cudaStreamDefault : cudaStreamNonBlocking;
  });
}
cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return answer(__func__, [&] {
    require(priority, cudaErrorInvalidValue, msg::pointer_to_priority_null());
    *priority = stream_of(handle).priority;
  });
}
cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return answer(__func__, [&] {
    require(id, cudaErrorInvalidValue, msg::pointer_to_number_null());
    *id = static_cast<unsigned long long>(stream_of(handle).number);
  });
}
cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return answer(__func__, [&] {
    require(device, cudaErrorInvalidValue, msg::pointer_to_device_null());
    *device = stream_of(handle).device;
  });
}

// Attributes (cache hints, how a waiting thread idles) are accepted and ignored: no result depends on them.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID, const cudaStreamAttrValue* value) {
  return answer(__func__, [&] {
    stream_of(stream);
    require(value, cudaErrorInvalidValue, msg::pointer_to_value_null());
  });
}
cudaError_t cudaCtxResetPersistingL2Cache() {
  return answer(__func__, [] {});
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return create_event(__func__, event, cudaEventDefault); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return create_event(__func__, event, flags);
}
cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return answer(__func__, [&] {
    Event& event = event_of(handle);
    the_runtime().events.erase(&event);
    delete &event;
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return answer(__func__, [&] { record(event_of(event), stream_of(stream)); });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return answer(__func__, [&] {
    require((flags & ~cudaEventRecordExternal) == 0, cudaErrorInvalidValue, msg::flag_unknown());
    record(event_of(event), stream_of(stream));
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return answer(__func__, [&] {
    const Event& event = event_of(handle);
    require(!event.capture, cudaErrorCapturedEvent, msg::event_recorded_into_capture());
    the_runtime().queue.wait(event.recorded);
    note_synchronization();
  });
}
cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return answer(__func__, [&] {
    const Event& event = event_of(handle);
    require(!event.capture, cudaErrorCapturedEvent, msg::event_recorded_into_capture());
    require_done(event.recorded);
  });
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start_handle, cudaEvent_t end_handle) {
  return answer(__func__, [&] {
    require(ms, cudaErrorInvalidValue, msg::pointer_to_time_null());
    const Event &start = event_of(start_handle), &end = event_of(end_handle);
    require(start.keeps_time && end.keeps_time, cudaErrorInvalidResourceHandle, msg::event_without_timing());
    require(start.recorded != nullptr, cudaErrorInvalidResourceHandle, msg::event_start_never_recorded());
    require(end.recorded != nullptr, cudaErrorInvalidResourceHandle, msg::event_end_never_recorded());
    the_runtime().queue.settle(start);
    the_runtime().queue.settle(end);
    if (!start.recorded->is_done || !end.recorded->is_done) {
      report_mistake(MistakeKind::kUnfinishedEvent, msg::event_time_asked_too_early(),
                     msg::advice_synchronize_event());
      throw Failure{cudaErrorNotReady, {}};
    }
    *ms = static_cast<float>(ms_between(start, end));
  });
}

}  // extern "C"
#pragma GCC visibility pop
