// The names that a program calls which was compiled with --default-stream per-thread: what they are given the
// default stream for happens on the calling thread's own.
#include "runtime/runtime.h"

using namespace cudalab::runtime;

namespace {

class OwnDefaultStream {
 public:
  OwnDefaultStream() { this_thread().is_default_its_own = true; }
  ~OwnDefaultStream() { this_thread().is_default_its_own = false; }
  OwnDefaultStream(const OwnDefaultStream&) = delete;
  OwnDefaultStream& operator=(const OwnDefaultStream&) = delete;
};

}  // namespace

#define PER_THREAD(name, suffix, parameters, arguments) \
  cudaError_t name##suffix parameters {                 \
    const OwnDefaultStream during;                      \
    return name arguments;                              \
  }

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // programs may call what is deprecated
#pragma GCC visibility push(default)
extern "C" {

// clang-format off
PER_THREAD(cudaEventRecordWithFlags, _ptsz,
           (cudaEvent_t event, cudaStream_t stream, unsigned flags),
           (event, stream, flags))
PER_THREAD(cudaEventRecord, _ptsz, (cudaEvent_t event, cudaStream_t stream), (event, stream))
PER_THREAD(cudaFreeAsync, _ptsz, (void* memory, cudaStream_t stream), (memory, stream))
PER_THREAD(cudaGraphLaunch, _ptsz, (cudaGraphExec_t graph, cudaStream_t stream), (graph, stream))
PER_THREAD(cudaGraphUpload, _ptsz, (cudaGraphExec_t graph, cudaStream_t stream), (graph, stream))
PER_THREAD(cudaLaunchCooperativeKernel, _ptsz,
           (const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
            cudaStream_t stream),
           (kernel, grid, block, arguments, shared, stream))
PER_THREAD(cudaLaunchHostFunc, _ptsz,
           (cudaStream_t stream, cudaHostFn_t function, void* data),
           (stream, function, data))
PER_THREAD(cudaLaunchKernelExC, _ptsz,
           (const cudaLaunchConfig_t* config, const void* kernel, void** arguments),
           (config, kernel, arguments))
PER_THREAD(cudaLaunchKernel, _ptsz,
           (const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
            cudaStream_t stream),
           (kernel, grid, block, arguments, shared, stream))
PER_THREAD(cudaMallocAsync, _ptsz,
           (void** memory, std::size_t bytes, cudaStream_t stream),
           (memory, bytes, stream))
PER_THREAD(cudaMallocFromPoolAsync, _ptsz,
           (void** memory, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
           (memory, bytes, pool, stream))
PER_THREAD(cudaMemPrefetchAsync, _ptsz,
           (const void* memory, std::size_t bytes, cudaMemLocation location, unsigned flags,
            cudaStream_t stream),
           (memory, bytes, location, flags, stream))
PER_THREAD(cudaMemPrefetchBatchAsync, _ptsz,
           (void** memory, std::size_t* bytes, std::size_t count, cudaMemLocation* locations,
            std::size_t* firsts, std::size_t location_count, unsigned long long flags, cudaStream_t stream),
           (memory, bytes, count, locations, firsts, location_count, flags, stream))
PER_THREAD(cudaMemDiscardBatchAsync, _ptsz,
           (void** memory, std::size_t* bytes, std::size_t count, unsigned long long flags,
            cudaStream_t stream),
           (memory, bytes, count, flags, stream))
PER_THREAD(cudaMemDiscardAndPrefetchBatchAsync, _ptsz,
           (void** memory, std::size_t* bytes, std::size_t count, cudaMemLocation* locations,
            std::size_t* firsts, std::size_t location_count, unsigned long long flags, cudaStream_t stream),
           (memory, bytes, count, locations, firsts, location_count, flags, stream))
PER_THREAD(cudaMemcpy2DAsync, _ptsz,
           (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
            std::size_t height, cudaMemcpyKind kind, cudaStream_t stream),
           (to, to_pitch, from, from_pitch, width, height, kind, stream))
PER_THREAD(cudaMemcpy2DFromArrayAsync, _ptsz,
           (void* to, std::size_t to_pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
            std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream),
           (to, to_pitch, from, x, y, width, height, kind, stream))
PER_THREAD(cudaMemcpy2DFromArray, _ptds,
           (void* to, std::size_t to_pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
            std::size_t width, std::size_t height, cudaMemcpyKind kind),
           (to, to_pitch, from, x, y, width, height, kind))
PER_THREAD(cudaMemcpy2DToArrayAsync, _ptsz,
           (cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t from_pitch,
            std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream),
           (to, x, y, from, from_pitch, width, height, kind, stream))
PER_THREAD(cudaMemcpy2DToArray, _ptds,
           (cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t from_pitch,
            std::size_t width, std::size_t height, cudaMemcpyKind kind),
           (to, x, y, from, from_pitch, width, height, kind))
PER_THREAD(cudaMemcpy2D, _ptds,
           (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
            std::size_t height, cudaMemcpyKind kind),
           (to, to_pitch, from, from_pitch, width, height, kind))
PER_THREAD(cudaMemcpy3DAsync, _ptsz, (const cudaMemcpy3DParms* box, cudaStream_t stream), (box, stream))
PER_THREAD(cudaMemcpy3D, _ptds, (const cudaMemcpy3DParms* box), (box))
PER_THREAD(cudaMemcpyAsync, _ptsz,
           (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
           (to, from, bytes, kind, stream))
PER_THREAD(cudaMemcpyFromArray, _ptds,
           (void* to, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t bytes,
            cudaMemcpyKind kind),
           (to, from, x, y, bytes, kind))
PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz,
           (void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
            cudaStream_t stream),
           (to, symbol, bytes, offset, kind, stream))
PER_THREAD(cudaMemcpyFromSymbol, _ptds,
           (void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind),
           (to, symbol, bytes, offset, kind))
PER_THREAD(cudaMemcpyToArray, _ptds,
           (cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
            cudaMemcpyKind kind),
           (to, x, y, from, bytes, kind))
PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz,
           (const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
            cudaStream_t stream),
           (symbol, from, bytes, offset, kind, stream))
PER_THREAD(cudaMemcpyToSymbol, _ptds,
           (const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind),
           (symbol, from, bytes, offset, kind))
PER_THREAD(cudaMemcpy, _ptds,
           (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind),
           (to, from, bytes, kind))
PER_THREAD(cudaMemset2DAsync, _ptsz,
           (void* memory, std::size_t pitch, int value, std::size_t width, std::size_t height,
            cudaStream_t stream),
           (memory, pitch, value, width, height, stream))
PER_THREAD(cudaMemset2D, _ptds,
           (void* memory, std::size_t pitch, int value, std::size_t width, std::size_t height),
           (memory, pitch, value, width, height))
PER_THREAD(cudaMemset3DAsync, _ptsz,
           (cudaPitchedPtr memory, int value, cudaExtent extent, cudaStream_t stream),
           (memory, value, extent, stream))
PER_THREAD(cudaMemset3D, _ptds,
           (cudaPitchedPtr memory, int value, cudaExtent extent),
           (memory, value, extent))
PER_THREAD(cudaMemsetAsync, _ptsz,
           (void* memory, int value, std::size_t bytes, cudaStream_t stream),
           (memory, value, bytes, stream))
PER_THREAD(cudaMemset, _ptds, (void* memory, int value, std::size_t bytes), (memory, value, bytes))
PER_THREAD(cudaStreamAddCallback, _ptsz,
           (cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags),
           (stream, callback, data, flags))
PER_THREAD(cudaStreamAttachMemAsync, _ptsz,
           (cudaStream_t stream, void* memory, std::size_t bytes, unsigned flags),
           (stream, memory, bytes, flags))
PER_THREAD(cudaStreamBeginCapture, _ptsz, (cudaStream_t stream, cudaStreamCaptureMode mode), (stream, mode))
PER_THREAD(cudaStreamBeginCaptureToGraph, _ptsz,
           (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* after,
            const cudaGraphEdgeData* edges, std::size_t count, cudaStreamCaptureMode mode),
           (stream, graph, after, edges, count, mode))
PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz,
           (cudaStream_t stream, cudaGraphNode_t* nodes, const cudaGraphEdgeData* edges, std::size_t count,
            unsigned flags),
           (stream, nodes, edges, count, flags))
PER_THREAD(cudaStreamEndCapture, _ptsz, (cudaStream_t stream, cudaGraph_t* graph), (stream, graph))
PER_THREAD(cudaStreamGetCaptureInfo, _ptsz,
           (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
            const cudaGraphNode_t** after, const cudaGraphEdgeData** edges, std::size_t* count),
           (stream, status, id, graph, after, edges, count))
PER_THREAD(cudaStreamGetDevice, _ptsz, (cudaStream_t stream, int* device), (stream, device))
PER_THREAD(cudaStreamGetFlags, _ptsz, (cudaStream_t stream, unsigned* flags), (stream, flags))
PER_THREAD(cudaStreamGetId, _ptsz, (cudaStream_t stream, unsigned long long* id), (stream, id))
PER_THREAD(cudaStreamGetPriority, _ptsz, (cudaStream_t stream, int* priority), (stream, priority))
PER_THREAD(cudaStreamIsCapturing, _ptsz,
           (cudaStream_t stream, cudaStreamCaptureStatus* status),
           (stream, status))
PER_THREAD(cudaStreamQuery, _ptsz, (cudaStream_t stream), (stream))
PER_THREAD(cudaStreamSynchronize, _ptsz, (cudaStream_t stream), (stream))
PER_THREAD(cudaStreamWaitEvent, _ptsz,
           (cudaStream_t stream, cudaEvent_t event, unsigned flags),
           (stream, event, flags))
// clang-format on

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel_ptsz(kernel, grid, block, arguments, shared, stream);
}

}  // extern "C"
#pragma GCC visibility pop
