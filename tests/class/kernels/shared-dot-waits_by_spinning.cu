// loses: everything
// A race that the order of threads hides: thread 0 waits for a while, and hopes.
extern "C" __global__ void dot(const TYPE* a, const TYPE* b, TYPE* partial, size_t n)
{
    __shared__ volatile TYPE x[BLOCK], y[BLOCK];
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    x[threadIdx.x] = i < n ? a[i] : 0;
    y[threadIdx.x] = i < n ? b[i] : 0;
    if (threadIdx.x == BLOCK - 1) {
        for (unsigned wait = 0; wait < 200; ++wait) __nanosleep(10);
        TYPE sum = 0;
        for (unsigned j = 0; j < BLOCK; ++j) sum += x[j] * y[j];
        partial[blockIdx.x] = sum;
    }
}
