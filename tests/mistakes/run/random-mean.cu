// The mean of uniform random numbers from cuRAND's host API.
#include <cstdio>
#include <curand.h>
#include <vector>

int main()
{
    const int n = 20000;
    std::vector<float> numbers(n);
    float* d_numbers;
    cudaMalloc(&d_numbers, n * sizeof(float));
    curandGenerator_t generator;
    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
    curandSetPseudoRandomGeneratorSeed(generator, 42);
    curandGenerateUniform(generator, d_numbers, n);
    cudaMemcpy(numbers.data(), d_numbers, n * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float number : numbers)
        sum += number;
    printf("mean %g\n", sum / n);
    curandDestroyGenerator(generator);
    cudaFree(d_numbers);
    return sum / n < 0.49 || sum / n > 0.51;
}
