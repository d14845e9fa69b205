// Sum of squares, in pairs: neighbours, then pairs of neighbours, and so on. A square goes through log2(n) additions.
//
//     level 0    x0²  x1²   x2²  x3²   x4²  …
//     level 1    [0 + 1]    [2 + 3]    …
//     level 2    [0 + 1 + 2 + 3]       …
//
// One thread keeps the newest sum of each level. A new square climbs as a carry does when a binary number is counted up:
// where its level has a sum already, the two are added, and their sum climbs on.

#define LEVELS 40  // for up to 2^40 squares

extern "C" __global__ void sum(const TYPE* x, TYPE* result, size_t n)
{
    TYPE of_level[LEVELS];

    for (size_t i = 0; i < n; ++i) {
        TYPE sum = x[i] * x[i];
        unsigned level = 0;
        for (; i >> level & 1; ++level)
            sum = of_level[level] + sum;
        of_level[level] = sum;
    }

    TYPE sum = 0;
    for (unsigned level = 0; level < LEVELS; ++level)  // the levels that hold a sum are the binary digits of n
        if (n >> level & 1)
            sum = of_level[level] + sum;
    *result = sum;
}
