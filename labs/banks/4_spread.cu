// Reading small elements of shared memory, each in a word of its own: thread t reads s[APART * t].
//
//     bank          0    1    2    3    …        1-byte elements, APART = 4 (2-byte elements: APART = 2)
//     s             0... 1... 2... 3... …        a dot is an unused byte
//
// The remedy of old textbooks: on cards of 2008, four threads that read four bytes of one word conflicted. Today a
// word goes to all threads that want a part of it, and the neighbours s[t] need no remedy. This costs four times the
// memory.

extern "C" __global__ void read_shared(const TYPE* in, TYPE* out, unsigned stride)
{
    __shared__ TYPE s[APART * COUNT];

    for (unsigned i = threadIdx.x; i < COUNT; i += blockDim.x)
        s[APART * i] = in[i];

    __syncthreads();

    const unsigned t = threadIdx.x;
    out[blockIdx.x * blockDim.x + t] = s[APART * (t * stride % COUNT)];
}
