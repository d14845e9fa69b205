typedef signed char int8_t; typedef unsigned char uint8_t;
typedef short int16_t; typedef unsigned short uint16_t;
typedef int int32_t; typedef unsigned int uint32_t;
typedef long long int64_t; typedef unsigned long long uint64_t;
typedef uint64_t uintptr_t; typedef int64_t intptr_t;
typedef unsigned long long CUdeviceptr, CUtexObject, CUsurfObject;
typedef unsigned short ushort; typedef unsigned int uint; typedef unsigned long ulong;
namespace std {
using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t; using ::int32_t; using ::uint32_t;
using ::int64_t; using ::uint64_t; using ::uintptr_t; using ::intptr_t; using ::size_t;
using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::pow; using ::exp; using ::log;
using ::log2; using ::log10; using ::sin; using ::cos; using ::tan; using ::asin; using ::acos;
using ::atan; using ::atan2; using ::sinh; using ::cosh; using ::tanh; using ::floor; using ::ceil;
using ::round; using ::trunc; using ::fmin; using ::fmax; using ::fma;
using ::fmod; using ::hypot; using ::erf;
}
#define CHAR_BIT 8
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-LONG_MAX - 1)
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-LLONG_MAX - 1)
#define ULLONG_MAX 18446744073709551615ull
#define INT32_MAX INT_MAX
#define INT32_MIN INT_MIN
#define UINT32_MAX UINT_MAX
#define UINT64_MAX ULLONG_MAX
#define SIZE_MAX ULONG_MAX
#define RAND_MAX INT_MAX
#define FLT_EPSILON 1.1920928955078125e-7f
#define FLT_MAX 3.40282346638528859812e38f
#define FLT_MIN 1.17549435082228750797e-38f
#define DBL_EPSILON 2.2204460492503130808e-16
#define DBL_MAX 1.79769313486231570815e308
#define DBL_MIN 2.22507385850720138309e-308
#define INFINITY __int_as_float(0x7f800000)
#define HUGE_VALF INFINITY
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000)
#define NAN __int_as_float(0x7fffffff)
#define M_E 2.7182818284590452354
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_SQRT2 1.41421356237309504880
#define M_LN2 0.69314718055994530942
#line 1
