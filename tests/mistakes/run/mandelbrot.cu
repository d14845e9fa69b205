#include <iostream>
#include <cstdlib>
using namespace std;

struct Complex {
    float re, im;
    __host__ __device__ Complex(float a, float b) : re(a), im(b) {}
    __host__ __device__ float norm() const { return re * re + im * im; }
    __host__ __device__ Complex operator*(const Complex &o) const {
        return Complex(re * o.re - im * o.im, im * o.re + re * o.im);
    }
    __host__ __device__ Complex operator+(const Complex &o) const {
        return Complex(re + o.re, im + o.im);
    }
};

__host__ __device__ int escape(int px, int py, int w, int h, int maxIter)
{
    Complex c(-2.0f + 3.0f * px / w, -1.0f + 2.0f * py / h);
    Complex z(0, 0);
    int n = 0;
    while (n < maxIter && z.norm() < 4.0f) {
        z = z * z + c;
        n++;
    }
    return n;
}

__global__ void mandelbrot(int *image, int w, int h, int maxIter)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x < w && y < h)
        image[y * w + x] = escape(x, y, w, h, maxIter);
}

int main()
{
    const int w = 120, h = 80, maxIter = 64;
    int *image = new int[w * h];
    int *d_image;
    cudaMalloc(&d_image, w * h * sizeof(int));

    dim3 threads(16, 8);
    dim3 blocks((w + threads.x - 1) / threads.x, (h + threads.y - 1) / threads.y);
    mandelbrot<<<blocks, threads>>>(d_image, w, h, maxIter);
    cudaError_t status = cudaDeviceSynchronize();
    if (status != cudaSuccess) {
        cerr << "kernel: " << cudaGetErrorString(status) << endl;
        return 1;
    }
    cudaMemcpy(image, d_image, w * h * sizeof(int), cudaMemcpyDeviceToHost);

    int differ = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            if (abs(image[y * w + x] - escape(x, y, w, h, maxIter)) > 1) differ++;
    cout << differ << " pixels differ: " << (differ < w * h / 100 ? "PASS" : "FAIL") << endl;
    delete[] image;
    cudaFree(d_image);
    return differ < w * h / 100 ? 0 : 1;
}
