// Copy: the ceiling. Whatever moves every element once cannot be faster than this.
//
// Every thread moves 16 bytes: WIDE elements in one access. Neighbouring threads move neighbouring bytes, so a warp
// reads 512 bytes in a row and writes 512 bytes in a row.

struct alignas(WIDE * sizeof(TYPE)) Chunk { TYPE element[WIDE]; };

extern "C" __global__ void copy(const TYPE* in, TYPE* out, size_t count)
{
    const size_t thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t first = thread * WIDE;

    if (first + WIDE <= count) {
        *(Chunk*)&out[first] = *(const Chunk*)&in[first];
    } else {
        for (size_t i = first; i < count; ++i)  // the last thread, when WIDE does not divide count
            out[i] = in[i];
    }
}
