// A vector of three numbers for host and device.
#ifndef VEC3_CUH
#define VEC3_CUH
#include "check.h"

struct Vec3 {
  float x, y, z;
  HD Vec3 operator+(const Vec3& o) const { return {x + o.x, y + o.y, z + o.z}; }
  HD Vec3 operator*(float s) const { return {x * s, y * s, z * s}; }
  HD float dot(const Vec3& o) const { return x * o.x + y * o.y + z * o.z; }
};

void print(const Vec3& v) { std::printf("%f %f %f\n", v.x, v.y, v.z); }
#endif
