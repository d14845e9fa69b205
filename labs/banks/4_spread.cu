// Reads of small elements in shared memory, each in its own word: thread t reads s[APART * t].
//
//     bank          0    1    2    3    …        1-byte elements, APART = 4 (2-byte elements: APART = 2)
//     s             0... 1... 2... 3... …        a dot is an unused byte
//
// Old textbooks recommend this layout. On GPUs of compute capability 1.x, four threads that read the four bytes of
// one word conflicted. Today, a word is delivered to all threads that need a part of it, so adjacent elements s[t]
// cause no conflict. This layout only takes four times the memory.

extern "C" __global__ void read_shared(const TYPE* in, TYPE* out, unsigned stride)
{
    __shared__ TYPE s[APART * COUNT];

    for (unsigned i = threadIdx.x; i < COUNT; i += blockDim.x)
        s[APART * i] = in[i];

    __syncthreads();

    const unsigned t = threadIdx.x;
    out[blockIdx.x * blockDim.x + t] = s[APART * (t * stride % COUNT)];
}
