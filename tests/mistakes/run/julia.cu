// A Julia set with a class of complex numbers for host and device.
#include <cstdio>
#include <vector>

class Complex {
public:
    __host__ __device__ Complex(double r, double i) : real(r), imag(i) {}
    __host__ __device__ Complex squared() const { return Complex(real * real - imag * imag, 2 * real * imag); }
    __host__ __device__ Complex operator+(const Complex& other) const
    {
        return Complex(real + other.real, imag + other.imag);
    }
    __host__ __device__ bool is_small() const { return real * real + imag * imag < 4; }

private:
    double real, imag;
};

__host__ __device__ int steps(int x, int y, int size)
{
    Complex z(3.0 * x / size - 1.5, 3.0 * y / size - 1.5), c(-0.75, 0.125);
    int n = 0;
    for (; n < 40 && z.is_small(); ++n)
        z = z.squared() + c;
    return n;
}

__global__ void julia(int* image, int size)
{
    int x = blockIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < size)
        image[y * size + x] = steps(x, y, size);
}

int main()
{
    const int size = 50;
    std::vector<int> image(size * size);
    int* d_image;
    cudaMalloc(&d_image, size * size * sizeof(int));
    julia<<<dim3(size, (size + 31) / 32), dim3(1, 32)>>>(d_image, size);
    cudaMemcpy(image.data(), d_image, size * size * sizeof(int), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < size * size; ++i)
        wrong += image[i] != steps(i % size, i / size, size);
    printf("%d wrong\n", wrong);
    cudaFree(d_image);
    return wrong > size;
}
