// The same loop with loads of 16 bytes: four elements in flight per load, and LOADS loads in flight per thread.
//
// A wide load has the latency of a narrow one, but it brings four times the bytes. It also takes a quarter of the
// instructions. Its address must be a multiple of 16 bytes: the arrays begin at one, and so does every chunk.

#define WIDE 4

struct alignas(16) Chunk { float element[WIDE]; };

__device__ Chunk scaled(Chunk chunk, float factor)
{
    for (float& element : chunk.element)
        element *= factor;
    return chunk;
}

extern "C" __global__ void scale(const float* in, float* out, size_t n, float factor)
{
    const Chunk* from = (const Chunk*)in;
    Chunk* to = (Chunk*)out;

    const size_t chunks = n / WIDE;
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    const size_t thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    for (size_t i = thread; i < chunks; i += LOADS * stride) {
        Chunk x[LOADS];
#pragma unroll
        for (int j = 0; j < LOADS; ++j)
            if (i + j * stride < chunks)
                x[j] = from[i + j * stride];
#pragma unroll
        for (int j = 0; j < LOADS; ++j)
            if (i + j * stride < chunks)
                to[i + j * stride] = scaled(x[j], factor);
    }

    const size_t rest = chunks * WIDE + thread;  // up to three elements that fill no chunk
    if (rest < n)
        out[rest] = factor * in[rest];
}
