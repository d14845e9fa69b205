#include "vgpu/matrices/product.h"

namespace cudalab::vgpu {
namespace {

template <class Number>
using Numbers = std::array<Number, kMostElements>;

template <class Number>
Number value_of(Element element, std::uint64_t bits) {
  if constexpr (std::is_same_v<Number, double>)
    return number_of(element, bits);
  else
    return integer_of(element, bits);
}

template <class Number>
void read(Numbers<Number>& to, const ElementBits& bits, Element element, int count) {
  for (int i = 0; i < count; ++i) to[i] = value_of<Number>(element, bits[i]);
}

std::uint64_t result_bits(const ProductTypes& types, double sum) { return bits_of_number(types.d, sum); }
std::uint64_t result_bits(const ProductTypes& types, std::int64_t sum) {
  using Limits = std::numeric_limits<std::int32_t>;
  if (types.saturates)
    sum = std::min<std::int64_t>(std::max<std::int64_t>(sum, Limits::min()), Limits::max());
  return static_cast<std::uint32_t>(sum);
}

// `add(sum, a, b)` adds a product. kFirst: the sum begins with c, else c is added last.
template <class Number, bool CFirst, class Add>
void multiply_with(const ProductTypes& types, const ProductShape& shape, ProductMatrices& matrices, Add add) {
  Numbers<Number> a, b;
  read<Number>(a, matrices.a, types.a, shape.m * shape.k);
  read<Number>(b, matrices.b, types.b, shape.k * shape.n);
  for (int row = 0; row < shape.m; ++row) {
    std::array<Number, 32> sums;
    for (int column = 0; column < shape.n; ++column)
      sums[column] = CFirst ? value_of<Number>(types.c, matrices.c[row * shape.n + column]) : Number{0};
    for (int k = 0; k < shape.k; ++k)
      for (int column = 0; column < shape.n; ++column)
        add(sums[column], a[row * shape.k + k], b[k * shape.n + column]);
    for (int column = 0; column < shape.n; ++column) {
      const int i = row * shape.n + column;
      if (!CFirst) sums[column] += value_of<Number>(types.c, matrices.c[i]);
      matrices.d[i] = result_bits(types, sums[column]);
    }
  }
}

}  // namespace

void multiply(const ProductTypes& types, const ProductShape& shape, ProductMatrices& matrices) {
  using Integer = std::int64_t;
  if (types.a == Element::kB1 && types.ands)
    return multiply_with<Integer, true>(types, shape, matrices,
                                        [](Integer& sum, Integer a, Integer b) { sum += a & b; });
  if (types.a == Element::kB1)
    return multiply_with<Integer, true>(types, shape, matrices,
                                        [](Integer& sum, Integer a, Integer b) { sum += a ^ b; });
  if (info(types.a).is_integer)
    return multiply_with<Integer, true>(types, shape, matrices,
                                        [](Integer& sum, Integer a, Integer b) { sum += a * b; });
  if (types.a == Element::kF64)
    return multiply_with<double, true>(types, shape, matrices,
                                       [](double& sum, double a, double b) { sum = std::fma(a, b, sum); });
  multiply_with<double, false>(types, shape, matrices, [](double& sum, double a, double b) { sum += a * b; });
}

}  // namespace cudalab::vgpu
