// loses: nothing
#include <cuda/atomic>
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* total, size_t n)
{
    __shared__ TYPE s[BLOCK];
    const size_t first = size_t(blockIdx.x) * BLOCK * EACH;
    TYPE sum = 0;
    for (size_t i = first + threadIdx.x; i < first + size_t(BLOCK) * EACH && i < n; i += BLOCK) sum += a[i] * b[i];
    s[threadIdx.x] = sum;
    for (unsigned left = BLOCK; left > 1; left = (left + 1) / 2) {
        __syncthreads();
        const unsigned other = threadIdx.x + (left + 1) / 2;
        if (other < left) s[threadIdx.x] += s[other];
    }
    if (threadIdx.x == 0) cuda::atomic_ref<TYPE, cuda::thread_scope_device>(*total).fetch_add(s[0], cuda::memory_order_relaxed);
}
