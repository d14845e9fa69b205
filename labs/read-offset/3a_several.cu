// Read with an offset, EACH elements a thread: C[i] = A[i + offset] + B[i + offset].
//
//     elements    |0 …  block - 1 |block …        |2 block …      |3 block …      |
//     thread 0     t0              t0              t0              t0                 all 2 x EACH loads first,
//     thread 1      t1              t1              t1              t1                then the additions and stores
//
// The warps read what they read before, with as many sectors a load. But each thread asks for EACH elements of both
// arrays before it waits for the first. Memory answers after hundreds of cycles: it is busy only while enough has been
// asked for, and then an offset is nothing that it notices.

#define EACH 4

extern "C" __global__ void read_offset(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t offset)
{
    const size_t first = size_t(blockIdx.x) * BLOCK * EACH + threadIdx.x;

    TYPE a[EACH], b[EACH];
    for (unsigned j = 0; j < EACH; ++j) {
        const size_t k = first + j * BLOCK + offset;
        if (k < n) {
            a[j] = A[k];
            b[j] = B[k];
        }
    }

    for (unsigned j = 0; j < EACH; ++j) {
        const size_t i = first + j * BLOCK;
        if (i + offset < n)
            C[i] = a[j] + b[j];
    }
}
