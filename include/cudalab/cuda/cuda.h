// The CUDA driver API that cudalab's libcuda has, as the CUDA Driver API reference declares it. Programs
// built with clang, and the library itself, are compiled with this header.
#pragma once

#include <stdint.h>
#include <stdlib.h>

#include "driver_types.h"

#define CUDA_VERSION 13000
#define CUDAAPI
#define CUDA_CB

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

// The functions of CUDA 13. Those with a stream have a variant whose default stream is the thread's own.
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define CUDALAB_PTDS(name) name##_ptds
#define CUDALAB_PTSZ(name) name##_ptsz
#else
#define CUDALAB_PTDS(name) name
#define CUDALAB_PTSZ(name) name
#endif

// ---- handles -----------------------------------------------------------------------------------------
typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUlib_st* CUlibrary;
typedef struct CUkern_st* CUkernel;
typedef struct CUlinkState_st* CUlinkState;
typedef struct CUarray_st* CUarray;
typedef struct CUmipmappedArray_st* CUmipmappedArray;
typedef struct CUevent_st* CUevent;
typedef struct CUstream_st* CUstream;
typedef struct CUgraph_st* CUgraph;
typedef struct CUgraphNode_st* CUgraphNode;
typedef struct CUgraphExec_st* CUgraphExec;
typedef struct CUmemPoolHandle_st* CUmemoryPool;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;

// ---- values ------------------------------------------------------------------------------------------
typedef enum CUresult_enum {
  CUDA_SUCCESS,
  CUDA_ERROR_INVALID_VALUE,
  CUDA_ERROR_OUT_OF_MEMORY,
  CUDA_ERROR_NOT_INITIALIZED,
  CUDA_ERROR_DEINITIALIZED,
  CUDA_ERROR_PROFILER_DISABLED,
  CUDA_ERROR_PROFILER_NOT_INITIALIZED,
  CUDA_ERROR_PROFILER_ALREADY_STARTED,
  CUDA_ERROR_PROFILER_ALREADY_STOPPED,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER = 36,
  CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE,
  CUDA_ERROR_DEVICE_NOT_LICENSED,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT,
  CUDA_ERROR_CONTEXT_ALREADY_CURRENT,
  CUDA_ERROR_MAP_FAILED = 205,
  CUDA_ERROR_UNMAP_FAILED,
  CUDA_ERROR_ARRAY_IS_MAPPED,
  CUDA_ERROR_ALREADY_MAPPED,
  CUDA_ERROR_NO_BINARY_FOR_GPU,
  CUDA_ERROR_ALREADY_ACQUIRED,
  CUDA_ERROR_NOT_MAPPED,
  CUDA_ERROR_NOT_MAPPED_AS_ARRAY,
  CUDA_ERROR_NOT_MAPPED_AS_POINTER,
  CUDA_ERROR_ECC_UNCORRECTABLE,
  CUDA_ERROR_UNSUPPORTED_LIMIT,
  CUDA_ERROR_CONTEXT_ALREADY_IN_USE,
  CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
  CUDA_ERROR_INVALID_PTX,
  CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
  CUDA_ERROR_NVLINK_UNCORRECTABLE,
  CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
  CUDA_ERROR_JIT_COMPILATION_DISABLED,
  CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY,
  CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC,
  CUDA_ERROR_CONTAINED,
  CUDA_ERROR_INVALID_SOURCE = 300,
  CUDA_ERROR_FILE_NOT_FOUND,
  CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
  CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,
  CUDA_ERROR_OPERATING_SYSTEM,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_ILLEGAL_STATE,
  CUDA_ERROR_LOSSY_QUERY,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
  CUDA_ERROR_LAUNCH_TIMEOUT,
  CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
  CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
  CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE = 708,
  CUDA_ERROR_CONTEXT_IS_DESTROYED,
  CUDA_ERROR_ASSERT,
  CUDA_ERROR_TOO_MANY_PEERS,
  CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
  CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
  CUDA_ERROR_HARDWARE_STACK_ERROR,
  CUDA_ERROR_ILLEGAL_INSTRUCTION,
  CUDA_ERROR_MISALIGNED_ADDRESS,
  CUDA_ERROR_INVALID_ADDRESS_SPACE,
  CUDA_ERROR_INVALID_PC,
  CUDA_ERROR_LAUNCH_FAILED,
  CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
  CUDA_ERROR_TENSOR_MEMORY_LEAK,
  CUDA_ERROR_NOT_PERMITTED = 800,
  CUDA_ERROR_NOT_SUPPORTED,
  CUDA_ERROR_SYSTEM_NOT_READY,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
  CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,
  CUDA_ERROR_MPS_CONNECTION_FAILED,
  CUDA_ERROR_MPS_RPC_FAILURE,
  CUDA_ERROR_MPS_SERVER_NOT_READY,
  CUDA_ERROR_MPS_MAX_CLIENTS_REACHED,
  CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED,
  CUDA_ERROR_MPS_CLIENT_TERMINATED,
  CUDA_ERROR_CDP_NOT_SUPPORTED,
  CUDA_ERROR_CDP_VERSION_MISMATCH,
  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
  CUDA_ERROR_STREAM_CAPTURE_MERGE,
  CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
  CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
  CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
  CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
  CUDA_ERROR_CAPTURED_EVENT,
  CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
  CUDA_ERROR_TIMEOUT,
  CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
  CUDA_ERROR_EXTERNAL_DEVICE,
  CUDA_ERROR_INVALID_CLUSTER_SIZE,
  CUDA_ERROR_FUNCTION_NOT_LOADED,
  CUDA_ERROR_INVALID_RESOURCE_TYPE,
  CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
  CUDA_ERROR_KEY_ROTATION,
  CUDA_ERROR_UNKNOWN = 999,
} CUresult;
typedef enum CUctx_flags_enum {
  CU_CTX_SCHED_AUTO,
  CU_CTX_SCHED_SPIN,
  CU_CTX_SCHED_YIELD,
  CU_CTX_SCHED_BLOCKING_SYNC = 4,
  CU_CTX_BLOCKING_SYNC = 4,
  CU_CTX_SCHED_MASK = 7,
  CU_CTX_MAP_HOST,
  CU_CTX_LMEM_RESIZE_TO_MAX = 16,
  CU_CTX_COREDUMP_ENABLE = 32,
  CU_CTX_USER_COREDUMP_ENABLE = 64,
  CU_CTX_SYNC_MEMOPS = 128,
  CU_CTX_FLAGS_MASK = 255,
} CUctx_flags;
typedef enum CUevent_flags_enum {
  CU_EVENT_DEFAULT,
  CU_EVENT_BLOCKING_SYNC,
  CU_EVENT_DISABLE_TIMING,
  CU_EVENT_INTERPROCESS = 4,
} CUevent_flags;
typedef enum CUstream_flags_enum {
  CU_STREAM_DEFAULT,
  CU_STREAM_NON_BLOCKING,
} CUstream_flags;
typedef enum CUdevice_attribute_enum {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
  CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE,
  CU_DEVICE_ATTRIBUTE_MAX_PITCH,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,
  CU_DEVICE_ATTRIBUTE_REGISTERS_PER_BLOCK = 12,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
  CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT,
  CU_DEVICE_ATTRIBUTE_GPU_OVERLAP,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
  CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT,
  CU_DEVICE_ATTRIBUTE_INTEGRATED,
  CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY,
  CU_DEVICE_ATTRIBUTE_COMPUTE_MODE,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_WIDTH = 27,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_HEIGHT,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES,
  CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS,
  CU_DEVICE_ATTRIBUTE_ECC_ENABLED,
  CU_DEVICE_ATTRIBUTE_PCI_BUS_ID,
  CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID,
  CU_DEVICE_ATTRIBUTE_TCC_DRIVER,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
  CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT,
  CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS,
  CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE,
  CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID,
  CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH,
  CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
  CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY,
  CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD,
  CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID,
  CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO,
  CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
  CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM,
  CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1,
  CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1,
  CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1,
  CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH,
  CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
  CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES,
  CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES,
  CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST,
  CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR,
  CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE,
  CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE,
  CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK,
  CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS,
  CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING,
  CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES,
  CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH,
  CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS,
  CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR,
  CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT,
  CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS,
  CU_DEVICE_ATTRIBUTE_NUMA_CONFIG,
  CU_DEVICE_ATTRIBUTE_NUMA_ID,
  CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_MPS_ENABLED,
  CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID,
  CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK,
  CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH,
  CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID,
  CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID,
  CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED,
  CU_DEVICE_ATTRIBUTE_MAX,
} CUdevice_attribute;
typedef enum CUcomputemode_enum {
  CU_COMPUTEMODE_DEFAULT,
  CU_COMPUTEMODE_PROHIBITED = 2,
  CU_COMPUTEMODE_EXCLUSIVE_PROCESS,
} CUcomputemode;
typedef enum CUlimit_enum {
  CU_LIMIT_STACK_SIZE,
  CU_LIMIT_PRINTF_FIFO_SIZE,
  CU_LIMIT_MALLOC_HEAP_SIZE,
  CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH,
  CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT,
  CU_LIMIT_MAX_L2_FETCH_GRANULARITY,
  CU_LIMIT_PERSISTING_L2_CACHE_SIZE,
  CU_LIMIT_SHMEM_SIZE,
  CU_LIMIT_CIG_ENABLED,
  CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED,
  CU_LIMIT_MAX,
} CUlimit;
typedef enum CUfunc_cache_enum {
  CU_FUNC_CACHE_PREFER_NONE,
  CU_FUNC_CACHE_PREFER_SHARED,
  CU_FUNC_CACHE_PREFER_L1,
  CU_FUNC_CACHE_PREFER_EQUAL,
} CUfunc_cache;
typedef enum CUsharedconfig_enum {
  CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE,
  CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE,
  CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE,
} CUsharedconfig;
typedef enum CUshared_carveout_enum {
  CU_SHAREDMEM_CARVEOUT_DEFAULT = -1,
  CU_SHAREDMEM_CARVEOUT_MAX_SHARED = 100,
  CU_SHAREDMEM_CARVEOUT_MAX_L1 = 0,
} CUshared_carveout;
typedef enum CUfunction_attribute_enum {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
  CU_FUNC_ATTRIBUTE_NUM_REGS,
  CU_FUNC_ATTRIBUTE_PTX_VERSION,
  CU_FUNC_ATTRIBUTE_BINARY_VERSION,
  CU_FUNC_ATTRIBUTE_CACHE_MODE_CA,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
  CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET,
  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
  CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
  CU_FUNC_ATTRIBUTE_MAX,
} CUfunction_attribute;
typedef enum CUjit_option_enum {
  CU_JIT_MAX_REGISTERS,
  CU_JIT_THREADS_PER_BLOCK,
  CU_JIT_WALL_TIME,
  CU_JIT_INFO_LOG_BUFFER,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
  CU_JIT_ERROR_LOG_BUFFER,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
  CU_JIT_OPTIMIZATION_LEVEL,
  CU_JIT_TARGET_FROM_CUCONTEXT,
  CU_JIT_TARGET,
  CU_JIT_FALLBACK_STRATEGY,
  CU_JIT_GENERATE_DEBUG_INFO,
  CU_JIT_LOG_VERBOSE,
  CU_JIT_GENERATE_LINE_INFO,
  CU_JIT_CACHE_MODE,
  CU_JIT_NEW_SM3X_OPT,
  CU_JIT_FAST_COMPILE,
  CU_JIT_GLOBAL_SYMBOL_NAMES,
  CU_JIT_GLOBAL_SYMBOL_ADDRESSES,
  CU_JIT_GLOBAL_SYMBOL_COUNT,
  CU_JIT_LTO,
  CU_JIT_FTZ,
  CU_JIT_PREC_DIV,
  CU_JIT_PREC_SQRT,
  CU_JIT_FMA,
  CU_JIT_REFERENCED_KERNEL_NAMES,
  CU_JIT_REFERENCED_KERNEL_COUNT,
  CU_JIT_REFERENCED_VARIABLE_NAMES,
  CU_JIT_REFERENCED_VARIABLE_COUNT,
  CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES,
  CU_JIT_POSITION_INDEPENDENT_CODE,
  CU_JIT_MIN_CTA_PER_SM,
  CU_JIT_MAX_THREADS_PER_BLOCK,
  CU_JIT_OVERRIDE_DIRECTIVE_VALUES,
  CU_JIT_SPLIT_COMPILE,
  CU_JIT_NUM_OPTIONS,
} CUjit_option;
typedef enum CUjitInputType_enum {
  CU_JIT_INPUT_CUBIN,
  CU_JIT_INPUT_PTX,
  CU_JIT_INPUT_FATBINARY,
  CU_JIT_INPUT_OBJECT,
  CU_JIT_INPUT_LIBRARY,
  CU_JIT_INPUT_NVVM,
  CU_JIT_NUM_INPUT_TYPES,
} CUjitInputType;
typedef enum CUlibraryOption_enum {
  CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE,
  CU_LIBRARY_BINARY_IS_PRESERVED,
  CU_LIBRARY_NUM_OPTIONS,
} CUlibraryOption;
typedef enum CUmoduleLoadingMode_enum {
  CU_MODULE_EAGER_LOADING = 1,
  CU_MODULE_LAZY_LOADING,
} CUmoduleLoadingMode;
typedef enum CUpointer_attribute_enum {
  CU_POINTER_ATTRIBUTE_CONTEXT = 1,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
  CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
  CU_POINTER_ATTRIBUTE_HOST_POINTER,
  CU_POINTER_ATTRIBUTE_P2P_TOKENS,
  CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
  CU_POINTER_ATTRIBUTE_BUFFER_ID,
  CU_POINTER_ATTRIBUTE_IS_MANAGED,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
  CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
  CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
  CU_POINTER_ATTRIBUTE_RANGE_SIZE,
  CU_POINTER_ATTRIBUTE_MAPPED,
  CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES,
  CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE,
  CU_POINTER_ATTRIBUTE_ACCESS_FLAGS,
  CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
  CU_POINTER_ATTRIBUTE_MAPPING_SIZE,
  CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR,
  CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID,
  CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE,
} CUpointer_attribute;
typedef enum CUmemorytype_enum {
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE,
  CU_MEMORYTYPE_ARRAY,
  CU_MEMORYTYPE_UNIFIED,
} CUmemorytype;
typedef enum CUmemAttach_flags_enum {
  CU_MEM_ATTACH_GLOBAL = 1,
  CU_MEM_ATTACH_HOST,
  CU_MEM_ATTACH_SINGLE = 4,
} CUmemAttach_flags;
typedef enum CUmem_advise_enum {
  CU_MEM_ADVISE_SET_READ_MOSTLY = 1,
  CU_MEM_ADVISE_UNSET_READ_MOSTLY,
  CU_MEM_ADVISE_SET_PREFERRED_LOCATION,
  CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION,
  CU_MEM_ADVISE_SET_ACCESSED_BY,
  CU_MEM_ADVISE_UNSET_ACCESSED_BY,
} CUmem_advise;
typedef enum CUmem_range_attribute_enum {
  CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1,
  CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION,
  CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY,
  CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION,
  CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE,
  CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID,
  CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE,
  CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID,
} CUmem_range_attribute;
typedef enum CUmemLocationType_enum {
  CU_MEM_LOCATION_TYPE_INVALID,
  CU_MEM_LOCATION_TYPE_NONE = 0,
  CU_MEM_LOCATION_TYPE_DEVICE,
  CU_MEM_LOCATION_TYPE_HOST,
  CU_MEM_LOCATION_TYPE_HOST_NUMA,
  CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT,
} CUmemLocationType;
typedef enum CUmemAllocationType_enum {
  CU_MEM_ALLOCATION_TYPE_INVALID,
  CU_MEM_ALLOCATION_TYPE_PINNED,
  CU_MEM_ALLOCATION_TYPE_MANAGED,
} CUmemAllocationType;
typedef enum CUmemAllocationHandleType_enum {
  CU_MEM_HANDLE_TYPE_NONE,
  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
  CU_MEM_HANDLE_TYPE_WIN32,
  CU_MEM_HANDLE_TYPE_WIN32_KMT = 4,
  CU_MEM_HANDLE_TYPE_FABRIC = 8,
} CUmemAllocationHandleType;
typedef enum CUmemAccess_flags_enum {
  CU_MEM_ACCESS_FLAGS_PROT_NONE,
  CU_MEM_ACCESS_FLAGS_PROT_READ,
  CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
} CUmemAccess_flags;
typedef enum CUmemPool_attribute_enum {
  CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
  CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
  CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
  CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
  CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
  CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
  CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
  CU_MEMPOOL_ATTR_USED_MEM_HIGH,
} CUmemPool_attribute;
typedef enum CUoccupancy_flags_enum {
  CU_OCCUPANCY_DEFAULT,
  CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE,
} CUoccupancy_flags;
typedef enum CUdevice_P2PAttribute_enum {
  CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK = 1,
  CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED,
  CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED,
  CU_DEVICE_P2P_ATTRIBUTE_ACCESS_ACCESS_SUPPORTED,
  CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED = 4,
  CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED,
} CUdevice_P2PAttribute;
typedef enum CUstreamCaptureMode_enum {
  CU_STREAM_CAPTURE_MODE_GLOBAL,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
  CU_STREAM_CAPTURE_MODE_RELAXED,
} CUstreamCaptureMode;
typedef enum CUstreamCaptureStatus_enum {
  CU_STREAM_CAPTURE_STATUS_NONE,
  CU_STREAM_CAPTURE_STATUS_ACTIVE,
  CU_STREAM_CAPTURE_STATUS_INVALIDATED,
} CUstreamCaptureStatus;
typedef enum CUdriverProcAddress_flags_enum {
  CU_GET_PROC_ADDRESS_DEFAULT,
  CU_GET_PROC_ADDRESS_LEGACY_STREAM,
  CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
} CUdriverProcAddress_flags;
typedef enum CUdriverProcAddressQueryResult_enum {
  CU_GET_PROC_ADDRESS_SUCCESS,
  CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND,
  CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT,
} CUdriverProcAddressQueryResult;
typedef enum CUarray_format_enum {
  CU_AD_FORMAT_UNSIGNED_INT8 = 1,
  CU_AD_FORMAT_UNSIGNED_INT16,
  CU_AD_FORMAT_UNSIGNED_INT32,
  CU_AD_FORMAT_SIGNED_INT8 = 8,
  CU_AD_FORMAT_SIGNED_INT16,
  CU_AD_FORMAT_SIGNED_INT32,
  CU_AD_FORMAT_HALF = 16,
  CU_AD_FORMAT_FLOAT = 32,
} CUarray_format;
typedef enum CUresourcetype_enum {
  CU_RESOURCE_TYPE_ARRAY,
  CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
  CU_RESOURCE_TYPE_LINEAR,
  CU_RESOURCE_TYPE_PITCH2D,
} CUresourcetype;
typedef enum CUaddress_mode_enum {
  CU_TR_ADDRESS_MODE_WRAP,
  CU_TR_ADDRESS_MODE_CLAMP,
  CU_TR_ADDRESS_MODE_MIRROR,
  CU_TR_ADDRESS_MODE_BORDER,
} CUaddress_mode;
typedef enum CUfilter_mode_enum {
  CU_TR_FILTER_MODE_POINT,
  CU_TR_FILTER_MODE_LINEAR,
} CUfilter_mode;
typedef enum CUresourceViewFormat_enum {
  CU_RES_VIEW_FORMAT_NONE,
  CU_RES_VIEW_FORMAT_UINT_1X8,
  CU_RES_VIEW_FORMAT_UINT_2X8,
  CU_RES_VIEW_FORMAT_UINT_4X8,
  CU_RES_VIEW_FORMAT_SINT_1X8,
  CU_RES_VIEW_FORMAT_SINT_2X8,
  CU_RES_VIEW_FORMAT_SINT_4X8,
  CU_RES_VIEW_FORMAT_UINT_1X16,
  CU_RES_VIEW_FORMAT_UINT_2X16,
  CU_RES_VIEW_FORMAT_UINT_4X16,
  CU_RES_VIEW_FORMAT_SINT_1X16,
  CU_RES_VIEW_FORMAT_SINT_2X16,
  CU_RES_VIEW_FORMAT_SINT_4X16,
  CU_RES_VIEW_FORMAT_UINT_1X32,
  CU_RES_VIEW_FORMAT_UINT_2X32,
  CU_RES_VIEW_FORMAT_UINT_4X32,
  CU_RES_VIEW_FORMAT_SINT_1X32,
  CU_RES_VIEW_FORMAT_SINT_2X32,
  CU_RES_VIEW_FORMAT_SINT_4X32,
  CU_RES_VIEW_FORMAT_FLOAT_1X16,
  CU_RES_VIEW_FORMAT_FLOAT_2X16,
  CU_RES_VIEW_FORMAT_FLOAT_4X16,
  CU_RES_VIEW_FORMAT_FLOAT_1X32,
  CU_RES_VIEW_FORMAT_FLOAT_2X32,
  CU_RES_VIEW_FORMAT_FLOAT_4X32,
  CU_RES_VIEW_FORMAT_UNSIGNED_BC1,
  CU_RES_VIEW_FORMAT_UNSIGNED_BC2,
  CU_RES_VIEW_FORMAT_UNSIGNED_BC3,
  CU_RES_VIEW_FORMAT_UNSIGNED_BC4,
  CU_RES_VIEW_FORMAT_SIGNED_BC4,
  CU_RES_VIEW_FORMAT_UNSIGNED_BC5,
  CU_RES_VIEW_FORMAT_SIGNED_BC5,
  CU_RES_VIEW_FORMAT_UNSIGNED_BC6H,
  CU_RES_VIEW_FORMAT_SIGNED_BC6H,
  CU_RES_VIEW_FORMAT_UNSIGNED_BC7,
} CUresourceViewFormat;
typedef enum CUlaunchAttributeID_enum {
  CU_LAUNCH_ATTRIBUTE_IGNORE,
  CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
  CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
  CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT,
  CU_LAUNCH_ATTRIBUTE_PRIORITY,
  CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
  CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
  CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION,
  CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT,
  CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE,
  CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
} CUlaunchAttributeID;

// ---- structures --------------------------------------------------------------------------------------
#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
#define CU_MEMHOSTALLOC_PORTABLE 0x01
#define CU_MEMHOSTALLOC_DEVICEMAP 0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED 0x04
#define CU_MEMHOSTREGISTER_PORTABLE 0x01
#define CU_MEMHOSTREGISTER_DEVICEMAP 0x02
#define CU_MEMHOSTREGISTER_IOMEMORY 0x04
#define CU_MEMHOSTREGISTER_READ_ONLY 0x08
#define CUDA_ARRAY3D_LAYERED 0x01
#define CUDA_ARRAY3D_SURFACE_LDST 0x02
#define CUDA_ARRAY3D_CUBEMAP 0x04
#define CUDA_ARRAY3D_TEXTURE_GATHER 0x08
#define CU_TRSF_READ_AS_INTEGER 0x01
#define CU_TRSF_NORMALIZED_COORDINATES 0x02
#define CU_TRSF_SRGB 0x10
#define CU_TRSF_SEAMLESS_CUBEMAP 0x40
#define CU_LAUNCH_PARAM_END ((void*)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void*)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void*)0x02)
#define CU_DEVICE_CPU ((CUdevice)-1)
#define CU_DEVICE_INVALID ((CUdevice)-2)

typedef void(CUDA_CB* CUhostFn)(void* data);
typedef void(CUDA_CB* CUstreamCallback)(CUstream stream, CUresult status, void* data);
typedef size_t(CUDA_CB* CUoccupancyB2DSize)(int block_size);

typedef struct CUmemLocation_st {
  CUmemLocationType type;
  int id;
} CUmemLocation;
typedef struct CUmemAccessDesc_st {
  CUmemLocation location;
  CUmemAccess_flags flags;
} CUmemAccessDesc;
typedef struct CUmemPoolProps_st {
  CUmemAllocationType allocType;
  CUmemAllocationHandleType handleTypes;
  CUmemLocation location;
  void* win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
} CUmemPoolProps;
typedef struct CUdevprop_st {
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], sharedMemPerBlock, totalConstantMemory, SIMDWidth,
      memPitch, regsPerBlock, clockRate, textureAlign;
} CUdevprop;
typedef struct CUexecAffinityParam_st CUexecAffinityParam;
typedef struct CUctxCigParam_st CUctxCigParam;
typedef struct CUctxCreateParams_st {
  CUexecAffinityParam* execAffinityParams;
  int numExecAffinityParams;
  CUctxCigParam* cigParams;
} CUctxCreateParams;

typedef struct CUlaunchAttribute_st {
  CUlaunchAttributeID id;
  char pad[8 - sizeof(CUlaunchAttributeID)];
  union CUlaunchAttributeValue_union {
    char pad[64];
    int cooperative;
    struct {
      unsigned int x, y, z;
    } clusterDim;
    int programmaticStreamSerializationAllowed;
    int priority;
    unsigned int sharedMemCarveout;
  } value;
} CUlaunchAttribute;
typedef union CUlaunchAttribute_st::CUlaunchAttributeValue_union CUlaunchAttributeValue, CUstreamAttrValue;
typedef CUlaunchAttributeID CUstreamAttrID;
typedef struct CUlaunchConfig_st {
  unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute* attrs;
  unsigned int numAttrs;
} CUlaunchConfig;

typedef struct CUDA_MEMCPY2D_st {
  size_t srcXInBytes, srcY;
  CUmemorytype srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  CUmemorytype dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;
typedef struct CUDA_MEMCPY3D_st {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  CUmemorytype srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  void* reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  CUmemorytype dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  void* reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;
typedef struct CUDA_ARRAY_DESCRIPTOR_st {
  size_t Width, Height;
  CUarray_format Format;
  unsigned int NumChannels;
} CUDA_ARRAY_DESCRIPTOR;
typedef struct CUDA_ARRAY3D_DESCRIPTOR_st {
  size_t Width, Height, Depth;
  CUarray_format Format;
  unsigned int NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;
typedef struct CUDA_RESOURCE_DESC_st {
  CUresourcetype resType;
  union {
    struct {
      CUarray hArray;
    } array;
    struct {
      CUmipmappedArray hMipmappedArray;
    } mipmap;
    struct {
      CUdeviceptr devPtr;
      CUarray_format format;
      unsigned int numChannels;
      size_t sizeInBytes;
    } linear;
    struct {
      CUdeviceptr devPtr;
      CUarray_format format;
      unsigned int numChannels;
      size_t width, height, pitchInBytes;
    } pitch2D;
    struct {
      int reserved[32];
    } reserved;
  } res;
  unsigned int flags;
} CUDA_RESOURCE_DESC;
typedef struct CUDA_TEXTURE_DESC_st {
  CUaddress_mode addressMode[3];
  CUfilter_mode filterMode;
  unsigned int flags, maxAnisotropy;
  CUfilter_mode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  float borderColor[4];
  int reserved[12];
} CUDA_TEXTURE_DESC;
typedef struct CUDA_RESOURCE_VIEW_DESC_st {
  CUresourceViewFormat format;
  size_t width, height, depth;
  unsigned int firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
  unsigned int reserved[16];
} CUDA_RESOURCE_VIEW_DESC;

// ---- versions of functions ---------------------------------------------------------------------------
#define cuDeviceTotalMem cuDeviceTotalMem_v2
#define cuDeviceGetUuid cuDeviceGetUuid_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2
#define cuCtxCreate cuCtxCreate_v4
#define cuCtxDestroy cuCtxDestroy_v2
#define cuCtxPopCurrent cuCtxPopCurrent_v2
#define cuCtxPushCurrent cuCtxPushCurrent_v2
#define cuGetProcAddress cuGetProcAddress_v2
#define cuModuleGetGlobal cuModuleGetGlobal_v2
#define cuLinkCreate cuLinkCreate_v2
#define cuLinkAddData cuLinkAddData_v2
#define cuLinkAddFile cuLinkAddFile_v2
#define cuMemGetInfo cuMemGetInfo_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemAllocPitch cuMemAllocPitch_v2
#define cuMemFree cuMemFree_v2
#define cuMemGetAddressRange cuMemGetAddressRange_v2
#define cuMemAllocHost cuMemAllocHost_v2
#define cuMemHostRegister cuMemHostRegister_v2
#define cuMemHostGetDevicePointer cuMemHostGetDevicePointer_v2
#define cuMemAdvise cuMemAdvise_v2
#define cuMemPrefetchAsync CUDALAB_PTSZ(cuMemPrefetchAsync_v2)
#define cuMemcpy CUDALAB_PTDS(cuMemcpy)
#define cuMemcpyAsync CUDALAB_PTSZ(cuMemcpyAsync)
#define cuMemcpyPeer CUDALAB_PTDS(cuMemcpyPeer)
#define cuMemcpyPeerAsync CUDALAB_PTSZ(cuMemcpyPeerAsync)
#define cuMemcpyHtoD CUDALAB_PTDS(cuMemcpyHtoD_v2)
#define cuMemcpyDtoH CUDALAB_PTDS(cuMemcpyDtoH_v2)
#define cuMemcpyDtoD CUDALAB_PTDS(cuMemcpyDtoD_v2)
#define cuMemcpyHtoDAsync CUDALAB_PTSZ(cuMemcpyHtoDAsync_v2)
#define cuMemcpyDtoHAsync CUDALAB_PTSZ(cuMemcpyDtoHAsync_v2)
#define cuMemcpyDtoDAsync CUDALAB_PTSZ(cuMemcpyDtoDAsync_v2)
#define cuMemcpyDtoA CUDALAB_PTDS(cuMemcpyDtoA_v2)
#define cuMemcpyAtoD CUDALAB_PTDS(cuMemcpyAtoD_v2)
#define cuMemcpyHtoA CUDALAB_PTDS(cuMemcpyHtoA_v2)
#define cuMemcpyAtoH CUDALAB_PTDS(cuMemcpyAtoH_v2)
#define cuMemcpy2D CUDALAB_PTDS(cuMemcpy2D_v2)
#define cuMemcpy2DUnaligned CUDALAB_PTDS(cuMemcpy2DUnaligned_v2)
#define cuMemcpy2DAsync CUDALAB_PTSZ(cuMemcpy2DAsync_v2)
#define cuMemcpy3D CUDALAB_PTDS(cuMemcpy3D_v2)
#define cuMemcpy3DAsync CUDALAB_PTSZ(cuMemcpy3DAsync_v2)
#define cuMemsetD8 CUDALAB_PTDS(cuMemsetD8_v2)
#define cuMemsetD16 CUDALAB_PTDS(cuMemsetD16_v2)
#define cuMemsetD32 CUDALAB_PTDS(cuMemsetD32_v2)
#define cuMemsetD2D8 CUDALAB_PTDS(cuMemsetD2D8_v2)
#define cuMemsetD2D16 CUDALAB_PTDS(cuMemsetD2D16_v2)
#define cuMemsetD2D32 CUDALAB_PTDS(cuMemsetD2D32_v2)
#define cuMemsetD8Async CUDALAB_PTSZ(cuMemsetD8Async)
#define cuMemsetD16Async CUDALAB_PTSZ(cuMemsetD16Async)
#define cuMemsetD32Async CUDALAB_PTSZ(cuMemsetD32Async)
#define cuMemsetD2D8Async CUDALAB_PTSZ(cuMemsetD2D8Async)
#define cuMemsetD2D16Async CUDALAB_PTSZ(cuMemsetD2D16Async)
#define cuMemsetD2D32Async CUDALAB_PTSZ(cuMemsetD2D32Async)
#define cuMemAllocAsync CUDALAB_PTSZ(cuMemAllocAsync)
#define cuMemAllocFromPoolAsync CUDALAB_PTSZ(cuMemAllocFromPoolAsync)
#define cuMemFreeAsync CUDALAB_PTSZ(cuMemFreeAsync)
#define cuArrayCreate cuArrayCreate_v2
#define cuArrayGetDescriptor cuArrayGetDescriptor_v2
#define cuArray3DCreate cuArray3DCreate_v2
#define cuArray3DGetDescriptor cuArray3DGetDescriptor_v2
#define cuStreamDestroy cuStreamDestroy_v2
#define cuStreamQuery CUDALAB_PTSZ(cuStreamQuery)
#define cuStreamSynchronize CUDALAB_PTSZ(cuStreamSynchronize)
#define cuStreamWaitEvent CUDALAB_PTSZ(cuStreamWaitEvent)
#define cuStreamGetFlags CUDALAB_PTSZ(cuStreamGetFlags)
#define cuStreamGetPriority CUDALAB_PTSZ(cuStreamGetPriority)
#define cuStreamGetId CUDALAB_PTSZ(cuStreamGetId)
#define cuStreamGetDevice CUDALAB_PTSZ(cuStreamGetDevice)
#define cuStreamGetCtx CUDALAB_PTSZ(cuStreamGetCtx)
#define cuStreamSetAttribute CUDALAB_PTSZ(cuStreamSetAttribute)
#define cuStreamAttachMemAsync CUDALAB_PTSZ(cuStreamAttachMemAsync)
#define cuStreamAddCallback CUDALAB_PTSZ(cuStreamAddCallback)
#define cuStreamBeginCapture CUDALAB_PTSZ(cuStreamBeginCapture_v2)
#define cuStreamEndCapture CUDALAB_PTSZ(cuStreamEndCapture)
#define cuStreamIsCapturing CUDALAB_PTSZ(cuStreamIsCapturing)
#define cuGraphInstantiate cuGraphInstantiateWithFlags
#define cuGraphUpload CUDALAB_PTSZ(cuGraphUpload)
#define cuGraphLaunch CUDALAB_PTSZ(cuGraphLaunch)
#define cuEventDestroy cuEventDestroy_v2
#define cuEventElapsedTime cuEventElapsedTime_v2
#define cuEventRecord CUDALAB_PTSZ(cuEventRecord)
#define cuEventRecordWithFlags CUDALAB_PTSZ(cuEventRecordWithFlags)
#define cuLaunchKernel CUDALAB_PTSZ(cuLaunchKernel)
#define cuLaunchKernelEx CUDALAB_PTSZ(cuLaunchKernelEx)
#define cuLaunchCooperativeKernel CUDALAB_PTSZ(cuLaunchCooperativeKernel)
#define cuLaunchHostFunc CUDALAB_PTSZ(cuLaunchHostFunc)

extern "C" {

// ---- the driver, errors, entry points ----------------------------------------------------------------
CUresult cuInit(unsigned int flags);
CUresult cuDriverGetVersion(int* version);
CUresult cuGetErrorName(CUresult error, const char** name);
CUresult cuGetErrorString(CUresult error, const char** text);
CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult* status);

CUresult cuGetExportTable(const void** table, const CUuuid* id);

// ---- devices -----------------------------------------------------------------------------------------
CUresult cuDeviceGet(CUdevice* device, int ordinal);
CUresult cuDeviceGetCount(int* count);
CUresult cuDeviceGetName(char* name, int length, CUdevice device);
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device);
CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device);
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device);
CUresult cuDeviceGetProperties(CUdevprop* properties, CUdevice device);
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device);
CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device);
CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text);
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer);
CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice device, CUdevice peer);
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device);
CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device);
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool);

// ---- contexts ----------------------------------------------------------------------------------------
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease(CUdevice device);
CUresult cuDevicePrimaryCtxReset(CUdevice device);
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active);
CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams* params, unsigned int flags, CUdevice device);
CUresult cuCtxDestroy(CUcontext context);
CUresult cuCtxPushCurrent(CUcontext context);
CUresult cuCtxPopCurrent(CUcontext* context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext* context);
CUresult cuCtxGetDevice(CUdevice* device);
CUresult cuCtxGetFlags(unsigned int* flags);
CUresult cuCtxSetFlags(unsigned int flags);
CUresult cuCtxGetId(CUcontext context, unsigned long long* id);
CUresult cuCtxGetApiVersion(CUcontext context, unsigned int* version);
CUresult cuCtxSynchronize(void);
CUresult cuCtxSetLimit(CUlimit limit, size_t value);
CUresult cuCtxGetLimit(size_t* value, CUlimit limit);
CUresult cuCtxSetCacheConfig(CUfunc_cache config);
CUresult cuCtxGetCacheConfig(CUfunc_cache* config);
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config);
CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config);
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest);
CUresult cuCtxResetPersistingL2Cache(void);
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags);
CUresult cuCtxDisablePeerAccess(CUcontext peer);

// ---- modules, libraries, linking ---------------------------------------------------------------------
CUresult cuModuleLoad(CUmodule* module, const char* file);
CUresult cuModuleLoadData(CUmodule* module, const void* image);
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int count, CUjit_option* options,
                            void** values);
CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image);
CUresult cuModuleUnload(CUmodule module);
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode);
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name);
CUresult cuModuleGetFunctionCount(unsigned int* count, CUmodule module);
CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned int count, CUmodule module);
CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule module, const char* name);
CUresult cuLinkCreate(unsigned int count, CUjit_option* options, void** values, CUlinkState* state);
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t bytes, const char* name,
                       unsigned int count, CUjit_option* options, void** values);
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* file, unsigned int count,
                       CUjit_option* options, void** values);
CUresult cuLinkComplete(CUlinkState state, void** image, size_t* bytes);
CUresult cuLinkDestroy(CUlinkState state);
CUresult cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option* options, void** values,
                           unsigned int count, CUlibraryOption* library_options, void** library_values,
                           unsigned int library_count);
CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* file, CUjit_option* options, void** values,
                               unsigned int count, CUlibraryOption* library_options, void** library_values,
                               unsigned int library_count);
CUresult cuLibraryUnload(CUlibrary library);
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name);
CUresult cuLibraryGetKernelCount(unsigned int* count, CUlibrary library);
CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned int count, CUlibrary library);
CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library);
CUresult cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary library, const char* name);
CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel);
CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel);
CUresult cuKernelGetName(const char** name, CUkernel kernel);
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* bytes);
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device);
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device);
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device);

// ---- functions and launches --------------------------------------------------------------------------
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function);
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value);
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config);
CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config);
CUresult cuFuncGetModule(CUmodule* module, CUfunction function);
CUresult cuFuncGetName(const char** name, CUfunction function);
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes);
CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z,
                        unsigned int shared_bytes, CUstream stream, void** arguments, void** extra);
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments, void** extra);
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                                   void** arguments);
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     size_t shared_bytes);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function, int threads,
                                                              size_t shared_bytes, unsigned int flags);
CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                          CUoccupancyB2DSize shared_of_block, size_t shared_bytes, int limit);
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of_block, size_t shared_bytes,
                                                   int limit, unsigned int flags);
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction function, int blocks, int threads);

// ---- memory ------------------------------------------------------------------------------------------
CUresult cuMemGetInfo(size_t* available, size_t* total);
CUresult cuMemAlloc(CUdeviceptr* pointer, size_t bytes);
CUresult cuMemAllocPitch(CUdeviceptr* pointer, size_t* pitch, size_t width, size_t height,
                         unsigned int element_bytes);
CUresult cuMemAllocManaged(CUdeviceptr* pointer, size_t bytes, unsigned int flags);
CUresult cuMemFree(CUdeviceptr pointer);
CUresult cuMemGetAddressRange(CUdeviceptr* begin, size_t* bytes, CUdeviceptr pointer);
CUresult cuMemAllocHost(void** pointer, size_t bytes);
CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned int flags);
CUresult cuMemFreeHost(void* pointer);
CUresult cuMemHostRegister(void* pointer, size_t bytes, unsigned int flags);
CUresult cuMemHostUnregister(void* pointer);
CUresult cuMemHostGetDevicePointer(CUdeviceptr* device, void* host, unsigned int flags);
CUresult cuMemHostGetFlags(unsigned int* flags, void* host);
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr pointer);
CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr pointer);
CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUmemLocation place);
CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUmemLocation place, unsigned int flags,
                            CUstream stream);
CUresult cuMemRangeGetAttribute(void* data, size_t data_bytes, CUmem_range_attribute attribute,
                                CUdeviceptr pointer, size_t bytes);
CUresult cuMemRangeGetAttributes(void** data, size_t* data_bytes, CUmem_range_attribute* attributes,
                                 size_t count, CUdeviceptr pointer, size_t bytes);
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                      size_t bytes);
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                           size_t bytes, CUstream stream);
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes);
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset, size_t bytes);
CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void* from, size_t bytes);
CUresult cuMemcpyAtoH(void* to, CUarray from, size_t offset, size_t bytes);
CUresult cuMemcpy2D(const CUDA_MEMCPY2D* copy);
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* copy);
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* copy, CUstream stream);
CUresult cuMemcpy3D(const CUDA_MEMCPY3D* copy);
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* copy, CUstream stream);
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count);
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count);
CUresult cuMemsetD32(CUdeviceptr to, unsigned int value, size_t count);
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height);
CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height);
CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height);
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream);
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream);
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream);
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
                           CUstream stream);
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
                            CUstream stream);
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height,
                            CUstream stream);
CUresult cuMemAllocAsync(CUdeviceptr* pointer, size_t bytes, CUstream stream);
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* pointer, size_t bytes, CUmemoryPool pool, CUstream stream);
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream);
CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties);
CUresult cuMemPoolDestroy(CUmemoryPool pool);
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value);
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value);
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t kept_bytes);
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* access, size_t count);

// ---- arrays, textures, surfaces ----------------------------------------------------------------------
CUresult cuArrayCreate(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* descriptor);
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR* descriptor, CUarray array);
CUresult cuArray3DCreate(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* descriptor);
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR* descriptor, CUarray array);
CUresult cuArrayDestroy(CUarray array);
CUresult cuTexObjectCreate(CUtexObject* texture, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* description, const CUDA_RESOURCE_VIEW_DESC* view);
CUresult cuTexObjectDestroy(CUtexObject texture);
CUresult cuSurfObjectCreate(CUsurfObject* surface, const CUDA_RESOURCE_DESC* resource);
CUresult cuSurfObjectDestroy(CUsurfObject surface);

// ---- streams, events, graphs -------------------------------------------------------------------------
CUresult cuStreamCreate(CUstream* stream, unsigned int flags);
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned int flags, int priority);
CUresult cuStreamDestroy(CUstream stream);
CUresult cuStreamQuery(CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags);
CUresult cuStreamGetFlags(CUstream stream, unsigned int* flags);
CUresult cuStreamGetPriority(CUstream stream, int* priority);
CUresult cuStreamGetId(CUstream stream, unsigned long long* id);
CUresult cuStreamGetDevice(CUstream stream, CUdevice* device);
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context);
CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue* value);
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr pointer, size_t bytes, unsigned int flags);
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned int flags);
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode);
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph);
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status);
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode);
CUresult cuGraphCreate(CUgraph* graph, unsigned int flags);
CUresult cuGraphDestroy(CUgraph graph);
CUresult cuGraphClone(CUgraph* clone, CUgraph original);
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count);
CUresult cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, unsigned long long flags);
CUresult cuGraphExecDestroy(CUgraphExec exec);
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream);
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream);
CUresult cuEventCreate(CUevent* event, unsigned int flags);
CUresult cuEventDestroy(CUevent event);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags);
CUresult cuEventQuery(CUevent event);
CUresult cuEventSynchronize(CUevent event);
CUresult cuEventElapsedTime(float* ms, CUevent start, CUevent end);

CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

}  // extern "C"
