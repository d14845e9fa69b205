// Blocks that wait for other blocks of their launch: locks, chains, hand-written barriers, loops around a compare-and-swap.
// Tickets and flags are not reset between launches; they continue. Also similar kernels in which no block waits, fences, and
// blocks that do more work than the others.

// Each element is computed by a chain of `length` multiplications, whose duration is known.
__device__ float work(float x, int length)
{
    for (int i = 0; i < length; ++i)
        x = x * 0.999f + 0.5f;
    return x;
}

// One thread of each block acquires one of `locks` locks, in a loop around a compare-and-swap.
extern "C" __global__ void spin_lock(unsigned* lock, float* sums, int locks, int length)
{
    if (threadIdx.x == 0) {
        const int own = blockIdx.x % locks;
        while (atomicCAS(lock + own, 0u, 1u) != 0u)
            ;
        __threadfence();
        volatile float* sum = sums + 32 * own;
        *sum = work(*sum, length);
        __threadfence();
        atomicExch(lock + own, 0u);
    }
}

// Each block draws a ticket, and waits until it is shown.
extern "C" __global__ void ticket_lock(unsigned* drawn, volatile unsigned* shown, volatile float* sum, int length)
{
    if (threadIdx.x == 0) {
        const unsigned number = atomicAdd(drawn, 1u);
        while (*shown != number)
            ;
        __threadfence();
        *sum = work(*sum, length);
        __threadfence();
        *shown = number + 1;
    }
}

// Each block adds to the previous block's result. Blocks take numbers when they start, so the awaited block runs.
extern "C" __global__ void chained_scan(const unsigned* in, unsigned* out, unsigned* started, volatile unsigned* flags,
                                        volatile unsigned* sums, int rounds)
{
    __shared__ unsigned number, sum, before;
    if (threadIdx.x == 0) {
        number = atomicAdd(started, 1u);
        sum = 0;
    }
    __syncthreads();
    const unsigned launch = number / gridDim.x + 1, block = number % gridDim.x;
    unsigned own = 0;
    for (int round = 0; round < rounds; ++round)
        own += in[(block * rounds + round) * blockDim.x + threadIdx.x];
    atomicAdd(&sum, own);
    __syncthreads();
    if (threadIdx.x == 0) {
        before = 0;
        if (block > 0) {
            while (flags[block - 1] < launch)
                ;
            __threadfence();
            before = sums[block - 1];
        }
        sums[block] = before + sum;
        __threadfence();
        flags[block] = launch;
    }
    __syncthreads();
    out[block * blockDim.x + threadIdx.x] = before + own;
}

// A hand-written barrier of the grid. All blocks must be resident at once.
extern "C" __global__ void grid_barrier(unsigned* arrived, float* values, int rounds, int length)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = values[i];
    for (int round = 0; round < rounds; ++round) {
        x = work(x, length);
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            const unsigned number = atomicAdd(arrived, 1u), all = (number / gridDim.x + 1) * gridDim.x;
            while ((int)(*(volatile unsigned*)arrived - all) < 0)
                ;
        }
        __syncthreads();
    }
    values[i] = x;
}

// A pipeline: in each step, a block works when the previous block has done the same step.
extern "C" __global__ void pipeline(unsigned* started, volatile unsigned* done, float* values, int steps, int length)
{
    __shared__ unsigned number;
    if (threadIdx.x == 0)
        number = atomicAdd(started, 1u);
    __syncthreads();
    const unsigned first = number / gridDim.x * steps, block = number % gridDim.x;
    float x = values[block * blockDim.x + threadIdx.x];
    for (int step = 1; step <= steps; ++step) {
        if (threadIdx.x == 0 && block > 0)
            while ((int)(done[block - 1] - (first + step)) < 0)
                ;
        __syncthreads();
        x = work(x, length);
        __syncthreads();
        __threadfence();
        if (threadIdx.x == 0)
            done[block] = first + step;
    }
    values[block * blockDim.x + threadIdx.x] = x;
}

// The first block sets a flag that all others wait for.
extern "C" __global__ void one_flag(unsigned* started, volatile unsigned* flag, float* values, int length)
{
    __shared__ unsigned number;
    if (threadIdx.x == 0)
        number = atomicAdd(started, 1u);
    __syncthreads();
    const unsigned launch = number / gridDim.x + 1, block = number % gridDim.x;
    const int i = block * blockDim.x + threadIdx.x;
    if (block == 0) {
        values[i] = work(values[i], length);
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            *flag = launch;
    } else {
        if (threadIdx.x == 0)
            while (*flag < launch)
                ;
        __syncthreads();
        values[i] += 1;
    }
}

// The maximum of many floats, for which there is no atomic: a loop around a compare-and-swap.
extern "C" __global__ void swap_multiply(unsigned* words, int places, int rounds)
{
    const unsigned t = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u >> 8;
    for (int round = 0; round < rounds; ++round) {
        unsigned* word = words + (t + round * 977) % places;
        unsigned seen = *word, wanted;
        do {
            wanted = seen;
            seen = atomicCAS(word, wanted, wanted * 3 + 1);
        } while (seen != wanted);
    }
}

// ---- who waits for nobody ----------------------------------------------------------------------------
// The block that counts last adds up what all have left.
extern "C" __global__ void last_block(const float* in, float* sums, unsigned* counter, int rounds)
{
    __shared__ bool is_last;
    float own = 0;
    for (int round = 0; round < rounds; ++round)
        own += in[(blockIdx.x * rounds + round) * blockDim.x + threadIdx.x];
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = own;
        __threadfence();
        is_last = atomicAdd(counter, 1u) % gridDim.x == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) {
        float all = 0;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
            all += ((volatile float*)sums)[i];
        sums[gridDim.x + threadIdx.x] = all;
    }
}

// Blocks fetch their work until none is left.
extern "C" __global__ void work_queue(unsigned* next, float* values, unsigned items, int length)
{
    __shared__ unsigned item;
    for (;;) {
        if (threadIdx.x == 0)
            item = atomicAdd(next, 1u);
        __syncthreads();
        const unsigned own = item;
        __syncthreads();
        if (own >= items) {
            // The last block that finds no work resets the counter.
            if (threadIdx.x == 0 && own == items + gridDim.x - 1)
                *next = 0;
            return;
        }
        values[own * blockDim.x + threadIdx.x] = work(values[own * blockDim.x + threadIdx.x], length);
    }
}

// ---- loops around a compare-and-swap, fences, and blocks unlike the others ------------------------------------------
// One thread of each block changes one of `places` words, `rounds` times.
extern "C" __global__ void swap_by_one(unsigned* words, int places, int rounds)
{
    if (threadIdx.x != 0)
        return;
    for (int round = 0; round < rounds; ++round) {
        unsigned* word = words + (blockIdx.x * 7 + round) % places;
        unsigned seen = *word, wanted;
        do {
            wanted = seen;
            seen = atomicCAS(word, wanted, wanted * 3 + 1);
        } while (seen != wanted);
    }
}

// The addition of doubles as written before GPUs had an atomic for it.
extern "C" __global__ void add_doubles(unsigned long long* sums, int places)
{
    unsigned long long* sum = sums + (blockIdx.x * blockDim.x + threadIdx.x) % places;
    unsigned long long seen = *sum, wanted;
    do {
        wanted = seen;
        seen = atomicCAS(sum, wanted, __double_as_longlong(__longlong_as_double(wanted) + 1.0));
    } while (seen != wanted);
}

// Each warp inserts `each` elements at the head of a list.
extern "C" __global__ void push(unsigned* head, volatile unsigned* next, int each)
{
    if (threadIdx.x % 32 != 0)
        return;
    for (int k = 0; k < each; ++k) {
        const unsigned own = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * each + k;
        unsigned seen = *head, wanted;
        do {
            wanted = seen;
            next[own] = wanted;
            __threadfence();
            seen = atomicCAS(head, wanted, own);
        } while (seen != wanted);
    }
}

// A lock whose owner works as a whole block, and for which other blocks wait with pauses.
extern "C" __global__ void patient_lock(unsigned* lock, float* values, int n)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0u, 1u) != 0u)
            __nanosleep(100);
        __threadfence();
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        values[i] += 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicExch(lock, 0u);
}

// Each thread stores, fences and stores again.
extern "C" __global__ void store_and_fence(float* values, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int round = 0; round < rounds; ++round) {
        values[i] = round;
        __threadfence();
        values[i + all] = round;
    }
}

// All threads of a block store and fence, and one of them counts the round.
extern "C" __global__ void publish_rounds(float* values, unsigned* rounds_done, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < rounds; ++round) {
        values[i] = round;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            atomicAdd(rounds_done + blockIdx.x, 1u);
    }
}

// The block that finishes last processes everything that the others have stored.
extern "C" __global__ void last_goes_over_all(float* values, unsigned* counter, float* sum, int rounds)
{
    __shared__ bool is_last;
    const int all = gridDim.x * blockDim.x;
    for (int round = 0; round < rounds; ++round)
        values[(round * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] += 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    float own = 0;
    for (int i = threadIdx.x; i < all * rounds; i += blockDim.x)
        own += values[i];
    atomicAdd(sum, own);
}

// The first block reads much more than the others, which only compute.
extern "C" __global__ void one_reads_more(float* values, int n, int length)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i;
    if (blockIdx.x == 0)
        for (int at = threadIdx.x; at < n; at += blockDim.x)
            x += values[at];
    else
        x = work(x, length);
    values[i] = x;
}

// Each block reads `each` elements per thread more than the block before.
extern "C" __global__ void triangle(const float* values, float* out, int n, int each)
{
    float sum = 0;
    for (int i = 0; i < each * blockIdx.x; ++i)
        sum += values[(i * blockDim.x + threadIdx.x) % n];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
