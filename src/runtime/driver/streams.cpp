// The driver API's streams, events and graphs: the functions of the runtime API under other names.
#include "runtime/driver/driver.h"

using namespace cudalab::runtime;

#pragma GCC visibility push(default)
extern "C" {

TWIN(cuStreamCreate, cudaStreamCreateWithFlags, (CUstream * stream, unsigned flags), stream, flags)
TWIN(cuStreamCreateWithPriority, cudaStreamCreateWithPriority,
     (CUstream * stream, unsigned flags, int priority), stream, flags, priority)
TWIN(cuStreamDestroy, cudaStreamDestroy, (CUstream stream), stream)
STREAM_TWIN(cuStreamQuery, _ptsz, cudaStreamQuery, (CUstream stream), stream)
STREAM_TWIN(cuStreamSynchronize, _ptsz, cudaStreamSynchronize, (CUstream stream), stream)
STREAM_TWIN(cuStreamWaitEvent, _ptsz, cudaStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags),
            stream, event, flags)
STREAM_TWIN(cuStreamGetFlags, _ptsz, cudaStreamGetFlags, (CUstream stream, unsigned* flags), stream, flags)
STREAM_TWIN(cuStreamGetPriority, _ptsz, cudaStreamGetPriority, (CUstream stream, int* priority), stream,
            priority)
STREAM_TWIN(cuStreamGetId, _ptsz, cudaStreamGetId, (CUstream stream, unsigned long long* id), stream, id)
STREAM_TWIN(cuStreamGetDevice, _ptsz, cudaStreamGetDevice, (CUstream stream, CUdevice* device), stream,
            device)
STREAM_TWIN(cuStreamSetAttribute, _ptsz, cudaStreamSetAttribute,
            (CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue* value), stream, attribute,
            value)
STREAM_TWIN(cuStreamAttachMemAsync, _ptsz, cudaStreamAttachMemAsync,
            (CUstream stream, CUdeviceptr pointer, std::size_t bytes, unsigned flags), stream, pointer, bytes,
            flags)
STREAM_TWIN(cuStreamAddCallback, _ptsz, cudaStreamAddCallback,
            (CUstream stream, CUstreamCallback callback, void* data, unsigned flags), stream, callback, data,
            flags)
STREAM_TWIN(cuLaunchHostFunc, _ptsz, cudaLaunchHostFunc, (CUstream stream, CUhostFn function, void* data),
            stream, function, data)

CUresult cuStreamGetCtx(CUstream handle, CUcontext* context) {
  return drive(__func__, Needs::kContext, [&] {
    require(context, cudaErrorInvalidValue, cudalab::msg::pointer_to_answer_null());
    const int device = stream_of(handle).device;
    Context* current = current_context();
    *context = reinterpret_cast<CUcontext>(current->device == device ? current : &primary_context(device));
  });
}
PER_THREAD_VARIANT(cuStreamGetCtx, _ptsz, (CUstream stream, CUcontext* context), stream, context)

TWIN(cuEventCreate, cudaEventCreateWithFlags, (CUevent * event, unsigned flags), event, flags)
TWIN(cuEventDestroy, cudaEventDestroy, (CUevent event), event)
STREAM_TWIN(cuEventRecord, _ptsz, cudaEventRecord, (CUevent event, CUstream stream), event, stream)
STREAM_TWIN(cuEventRecordWithFlags, _ptsz, cudaEventRecordWithFlags,
            (CUevent event, CUstream stream, unsigned flags), event, stream, flags)
TWIN(cuEventQuery, cudaEventQuery, (CUevent event), event)
TWIN(cuEventSynchronize, cudaEventSynchronize, (CUevent event), event)
TWIN(cuEventElapsedTime, cudaEventElapsedTime, (float* ms, CUevent start, CUevent end), ms, start, end)

// ---- graphs: captured from a stream, instantiated, launched ------------------------------------------

STREAM_TWIN(cuStreamBeginCapture, _ptsz, cudaStreamBeginCapture, (CUstream stream, CUstreamCaptureMode mode),
            stream, mode)
STREAM_TWIN(cuStreamEndCapture, _ptsz, cudaStreamEndCapture, (CUstream stream, CUgraph* graph), stream, graph)
STREAM_TWIN(cuStreamIsCapturing, _ptsz, cudaStreamIsCapturing,
            (CUstream stream, CUstreamCaptureStatus* status), stream, status)
TWIN_THAT_NEEDS(kInit, cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode,
                (CUstreamCaptureMode * mode), mode)
TWIN_THAT_NEEDS(kInit, cuGraphCreate, cudaGraphCreate, (CUgraph * graph, unsigned flags), graph, flags)
TWIN_THAT_NEEDS(kInit, cuGraphDestroy, cudaGraphDestroy, (CUgraph graph), graph)
TWIN_THAT_NEEDS(kInit, cuGraphClone, cudaGraphClone, (CUgraph * clone, CUgraph original), clone, original)
TWIN_THAT_NEEDS(kInit, cuGraphGetNodes, cudaGraphGetNodes,
                (CUgraph graph, CUgraphNode* nodes, std::size_t* count), graph, nodes, count)
TWIN(cuGraphInstantiate, cudaGraphInstantiateWithFlags,
     (CUgraphExec * exec, CUgraph graph, unsigned long long flags), exec, graph, flags)
TWIN_THAT_NEEDS(kInit, cuGraphExecDestroy, cudaGraphExecDestroy, (CUgraphExec exec), exec)
STREAM_TWIN(cuGraphUpload, _ptsz, cudaGraphUpload, (CUgraphExec exec, CUstream stream), exec, stream)
STREAM_TWIN(cuGraphLaunch, _ptsz, cudaGraphLaunch, (CUgraphExec exec, CUstream stream), exec, stream)

}  // extern "C"
#pragma GCC visibility pop
