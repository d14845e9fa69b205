// Wrong: adds in double without compensation, which is enough for floats but not for doubles.

extern "C" __global__ void sum(const TYPE* x, TYPE* result, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; ++i)
        sum += double(x[i]) * x[i];

    *result = sum;
}
