// A few rounds of k-means in the plane. The GPU assigns the points to the
// nearest centre and sums the clusters; the host computes the new centres.
#include <cuda_runtime.h>
#include <climits>
#include <cstdio>
#include <vector>

const int POINTS = 600;
const int K = 5;
const int ROUNDS = 3;

__global__ void assign(const int2 *points, int n, const int2 *centre, int *label,
                       int *sums, int *members)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    int2 p = points[i];
    int best = INT_MAX;
    int which = 0;
    for (int k = 0; k < K; k++) {
        int dx = p.x - centre[k].x;
        int dy = p.y - centre[k].y;
        int dist = dx * dx + dy * dy;
        if (dist < best) {
            best = dist;
            which = k;
        }
    }
    label[i] = which;
    atomicAdd(&sums[2 * which], p.x);
    atomicAdd(&sums[2 * which + 1], p.y);
    atomicAdd(&members[which], 1);
}

// the same on the CPU
void reference(const std::vector<int2> &pts, std::vector<int2> c, std::vector<int> &label)
{
    for (int round = 0; round < 3; round++) {
        long sx[5] = {0}, sy[5] = {0}, m[5] = {0};
        for (size_t i = 0; i < pts.size(); i++) {
            long nearest = -1, bestDist = 0;
            for (int k = 0; k < 5; k++) {
                long dx = pts[i].x - c[k].x, dy = pts[i].y - c[k].y;
                if (nearest < 0 || dx * dx + dy * dy < bestDist) {
                    nearest = k;
                    bestDist = dx * dx + dy * dy;
                }
            }
            label[i] = (int)nearest;
            sx[nearest] += pts[i].x;
            sy[nearest] += pts[i].y;
            m[nearest]++;
        }
        for (int k = 0; k < 5; k++)
            if (m[k] > 0)
                c[k] = make_int2((int)(sx[k] / m[k]), (int)(sy[k] / m[k]));
    }
}

int main()
{
    std::vector<int2> pts(POINTS), centre(K);
    unsigned s = 12;
    for (int2 &p : pts) {
        s = s * 1103515245u + 12345u;
        p.x = (s >> 12) % 1000;
        s = s * 1103515245u + 12345u;
        p.y = (s >> 12) % 1000;
    }
    for (int k = 0; k < K; k++)
        centre[k] = pts[k * 7];

    std::vector<int> want(POINTS), label(POINTS, -1), sums(2 * K), members(K);
    reference(pts, centre, want);

    int2 *d_pts, *d_centre;
    int *d_label, *d_sums, *d_members;
    cudaMalloc(&d_pts, POINTS * sizeof(int2));
    cudaMalloc(&d_centre, K * sizeof(int2));
    cudaMalloc(&d_label, POINTS * sizeof(int));
    cudaMalloc(&d_sums, 2 * K * sizeof(int));
    cudaMalloc(&d_members, K * sizeof(int));
    cudaMemcpy(d_pts, pts.data(), POINTS * sizeof(int2), cudaMemcpyHostToDevice);
    cudaMemcpy(d_centre, centre.data(), K * sizeof(int2), cudaMemcpyHostToDevice);

    for (int round = 0; round < ROUNDS; round++) {
        cudaMemset(d_sums, 0, 2 * K * sizeof(int));
        cudaMemset(d_members, 0, K * sizeof(int));
        assign<<<(POINTS + 127) / 128, 128>>>(d_pts, POINTS, d_centre, d_label, d_sums, d_members);
        cudaMemcpy(sums.data(), d_sums, 2 * K * sizeof(int), cudaMemcpyDeviceToHost);
        cudaMemcpy(members.data(), d_members, K * sizeof(int), cudaMemcpyDeviceToHost);
        for (int k = 0; k < K; k++) {
            if (members[k] == 0)
                continue;
            centre[k].x = sums[2 * k] / members[k];
            centre[k].y = sums[2 * k + 1] / members[k];
        }
        // the next round works with the new centres
        cudaMemcpy(d_centre, centre.data(), K * sizeof(int2), cudaMemcpyHostToDevice);
    }
    cudaMemcpy(label.data(), d_label, POINTS * sizeof(int), cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int i = 0; i < POINTS; i++)
        wrong += label[i] != want[i];
    printf("k-means: %d points with a wrong label\n", wrong);

    cudaFree(d_pts);
    cudaFree(d_centre);
    cudaFree(d_label);
    cudaFree(d_sums);
    cudaFree(d_members);
    return wrong == 0 ? 0 : 1;
}
