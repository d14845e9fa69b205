// Transforms arrays one dimension after the other, several neighbouring lines at a time.
#include "libraries/fft/transform.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <mutex>
#include <utility>

#include "libraries/fft/lines.h"
#include "libraries/half.h"
#include "libraries/host_threads.h"

namespace cudalab::fft {
namespace {

std::int64_t product(const Sizes& sizes) { return sizes[0] * sizes[1] * sizes[2]; }

// The strides of an array without gaps.
Layout dense(const Sizes& sizes) { return {{sizes[1] * sizes[2], sizes[2], 1}, product(sizes)}; }

// Objects for lines of one length that no thread uses at the moment.
template <class R>
class LinePool {
 public:
  explicit LinePool(std::int64_t length) : length_(length) {}
  std::unique_ptr<Line<R>> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return line_of<R>(length_);
    auto line = std::move(free_.back());
    free_.pop_back();
    return line;
  }
  void put_back(std::unique_ptr<Line<R>> line) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(line));
  }

 private:
  std::int64_t length_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Line<R>>> free_;
};

// One side of a pass: the elements of a line are `step` apart, and line n begins at start(n). The other
// dimensions, with the batch as the first, count the lines.
template <class T>
struct Side {
  T* first = nullptr;
  std::int64_t length = 0, step = 0;
  std::array<std::int64_t, kMaxRank> counts{}, steps{};

  Side(T* memory, const Sizes& sizes, std::int64_t batch, const Layout& layout, int axis)
      : first(memory),
        length(sizes[axis]),
        step(layout.strides[axis]),
        counts{batch},
        steps{layout.distance} {
    int at = 0;
    for (int i = 0; i < kMaxRank; ++i)
      if (i != axis) ++at, counts[at] = sizes[i], steps[at] = layout.strides[i];
  }
  std::int64_t lines() const { return counts[0] * counts[1] * counts[2]; }
  T* start(std::int64_t line) const {
    T* place = first;
    for (int i = kMaxRank - 1; i >= 0; --i, line /= counts[i + 1]) place += line % counts[i] * steps[i];
    return place;
  }
};

// Lines that are next to each other are read and written together, so each cache line is used as a whole.
constexpr std::int64_t kTogether = 8;

template <class R, class In, class Out>
class Lines {
 public:
  Lines(LinePool<R>& pool, const Side<const In>& from, const Side<Out>& to, bool is_inverse)
      : pool_(&pool),
        line_(pool.take()),
        from_(from),
        to_(to),
        is_inverse_(is_inverse),
        in_(kTogether * from.length),
        out_(kTogether * to.length) {}
  Lines(Lines&&) noexcept = default;
  ~Lines() {
    if (line_) pool_->put_back(std::move(line_));
  }

  void operator()(std::int64_t part) {
    const std::int64_t begin = part * kTogether, count = std::min(kTogether, from_.lines() - begin);
    const In* inputs[kTogether];
    Out* outputs[kTogether];
    for (std::int64_t i = 0; i < count; ++i)
      inputs[i] = from_.start(begin + i), outputs[i] = to_.start(begin + i);
    for (std::int64_t at = 0; at < from_.length; ++at)
      for (std::int64_t i = 0; i < count; ++i) in_[i * from_.length + at] = inputs[i][at * from_.step];
    for (std::int64_t i = 0; i < count; ++i)
      line_->transform(&in_[i * from_.length], &out_[i * to_.length], is_inverse_);
    for (std::int64_t at = 0; at < to_.length; ++at)
      for (std::int64_t i = 0; i < count; ++i) outputs[i][at * to_.step] = out_[i * to_.length + at];
  }

 private:
  LinePool<R>* pool_;
  std::unique_ptr<Line<R>> line_;
  Side<const In> from_;
  Side<Out> to_;
  bool is_inverse_;
  std::vector<In> in_;
  std::vector<Out> out_;
};

template <class R, class In, class Out>
void pass(LinePool<R>& pool, const Side<const In>& from, const Side<Out>& to, bool is_inverse,
          unsigned threads) {
  const std::int64_t lines = from.lines();
  const double numbers = static_cast<double>(lines) * static_cast<double>(std::max(from.length, to.length));
  constexpr double kOperations = 5;  // per number and level of a radix-2 transform
  libraries::for_each_part((lines + kTogether - 1) / kTogether, threads,
                           kOperations * numbers * std::log2(numbers + 1),
                           [&] { return Lines<R, In, Out>(pool, from, to, is_inverse); });
}

bool are_equal(const Shape& shape, const Layout& a, const Layout& b) {
  return std::equal(a.strides.begin(), a.strides.begin() + shape.rank, b.strides.begin()) &&
         (shape.batch == 1 || a.distance == b.distance);
}

template <class R>
class TransformOf final : public Transform {
 public:
  using C = std::complex<R>;
  explicit TransformOf(const Shape& shape) : shape_(shape) {
    for (int axis = 0; axis < shape.rank; ++axis) {
      const auto* same = std::find(shape.size.begin(), shape.size.begin() + axis, shape.size[axis]);
      pools_[axis] = same == shape.size.begin() + axis ? std::make_shared<LinePool<R>>(shape.size[axis])
                                                       : pools_[same - shape.size.begin()];
    }
  }

  void run(const Layout& input, const void* in, const Layout& output, void* out, bool is_inverse,
           unsigned threads) const override {
    // In place, a line is written where it was read, unless the layouts differ.
    std::vector<std::byte> kept;
    if (in == out && !is_safe_in_place(input, output)) {
      const Extent extent = extent_of(shape_, input, false);
      const auto* bytes = static_cast<const std::byte*>(in);
      const std::size_t count =
          ((extent.rows - 1) * extent.pitch + extent.row_elements) * shape_.element_bytes(false);
      kept.assign(bytes, bytes + count);
      in = kept.data();
    }
    switch (shape_.kind) {
      case Kind::kComplex: forward<C>(input, in, output, out, is_inverse, threads); break;
      case Kind::kRealToComplex: forward<R>(input, in, output, out, false, threads); break;
      case Kind::kComplexToReal: to_real(input, in, output, out, threads); break;
    }
  }

 private:
  bool is_safe_in_place(Layout input, Layout output) const {
    const auto in_reals = [](Layout& layout) {
      for (std::int64_t& stride : layout.strides) stride *= 2;
      layout.distance *= 2;
    };
    if (shape_.kind == Kind::kComplex) return are_equal(shape_, input, output);
    Layout& complex = shape_.kind == Kind::kRealToComplex ? output : input;
    const Layout& real = shape_.kind == Kind::kRealToComplex ? input : output;
    const int last = shape_.rank - 1;
    if (complex.strides[last] != 1 || real.strides[last] != 1) return false;
    in_reals(complex);
    complex.strides[last] = 1;
    return are_equal(shape_, complex, real);
  }

  // The last dimension first, from the input to the output; the others in the output.
  template <class In>
  void forward(const Layout& input, const void* in, const Layout& output, void* out, bool is_inverse,
               unsigned threads) const {
    const int last = shape_.rank - 1;
    auto* to = static_cast<C*>(out);
    pass<R, In, C>(*pools_[last],
                   {static_cast<const In*>(in), shape_.stored(false), shape_.batch, input, last},
                   {to, shape_.stored(true), shape_.batch, output, last}, is_inverse, threads);
    for (int axis = last - 1; axis >= 0; --axis)
      pass<R, C, C>(*pools_[axis], {to, shape_.stored(true), shape_.batch, output, axis},
                    {to, shape_.stored(true), shape_.batch, output, axis}, is_inverse, threads);
  }

  // The last dimension last, because only its result is real. The input is not changed.
  void to_real(const Layout& input, const void* in, const Layout& output, void* out, unsigned threads) const {
    const int last = shape_.rank - 1;
    const Sizes half = shape_.stored(false);
    const auto* from = static_cast<const C*>(in);
    Layout layout = input;
    std::vector<C> between(last > 0 ? static_cast<std::size_t>(product(half) * shape_.batch) : 0);
    for (int axis = 0; axis < last; ++axis) {
      pass<R, C, C>(*pools_[axis], {from, half, shape_.batch, layout, axis},
                    {between.data(), half, shape_.batch, dense(half), axis}, true, threads);
      from = between.data(), layout = dense(half);
    }
    pass<R, C, R>(*pools_[last], {from, half, shape_.batch, layout, last},
                  {static_cast<R*>(out), shape_.stored(true), shape_.batch, output, last}, true, threads);
  }

  Shape shape_;
  std::array<std::shared_ptr<LinePool<R>>, kMaxRank> pools_;
};

// Numbers of 16 bits: the input is converted to float, and the result is rounded. Gaps of the output are not
// touched.
template <class T>
class Narrow final : public Transform {
 public:
  explicit Narrow(const Shape& shape) : shape_(shape), wide_(of_floats(shape)) {}

  void run(const Layout& input, const void* in, const Layout& output, void* out, bool is_inverse,
           unsigned threads) const override {
    std::vector<float> from = floats_of(input, false), to = floats_of(output, true);
    const auto* narrow = static_cast<const T*>(in);
    for_each_number(input, false, [&](std::int64_t at) { from[at] = float(narrow[at]); });
    wide_.run(input, from.data(), output, to.data(), is_inverse, threads);
    auto* result = static_cast<T*>(out);
    for_each_number(output, true, [&](std::int64_t at) { result[at] = T(to[at]); });
  }

 private:
  static Shape of_floats(Shape shape) {
    shape.precision = Precision::kSingle;
    return shape;
  }
  std::int64_t parts(bool is_output) const { return shape_.is_real(is_output) ? 1 : 2; }
  std::vector<float> floats_of(const Layout& layout, bool is_output) const {
    const Extent extent = extent_of(shape_, layout, is_output);
    return std::vector<float>(((extent.rows - 1) * extent.pitch + extent.row_elements) * parts(is_output));
  }
  // Calls body(place) for the real and imaginary part of each element.
  template <class Body>
  void for_each_number(const Layout& layout, bool is_output, const Body& body) const {
    const Sizes sizes = shape_.stored(is_output);
    const std::int64_t count = parts(is_output);
    for (std::int64_t b = 0; b < shape_.batch; ++b)
      for (std::int64_t x = 0; x < sizes[0]; ++x)
        for (std::int64_t y = 0; y < sizes[1]; ++y)
          for (std::int64_t z = 0; z < sizes[2]; ++z) {
            const std::int64_t at =
                b * layout.distance + x * layout.strides[0] + y * layout.strides[1] + z * layout.strides[2];
            for (std::int64_t part = 0; part < count; ++part) body(at * count + part);
          }
  }

  Shape shape_;
  TransformOf<float> wide_;
};

}  // namespace

Layout basic_layout(const Shape& shape, bool is_output, bool is_in_place) {
  Sizes sizes = shape.stored(is_output);
  if (is_in_place && shape.is_real(is_output)) sizes[shape.rank - 1] = 2 * (shape.last() / 2 + 1);
  return dense(sizes);
}

Extent extent_of(const Shape& shape, const Layout& layout, bool is_output) {
  struct Dimension {
    std::int64_t count, stride;
  };
  std::vector<Dimension> dimensions;
  const Sizes sizes = shape.stored(is_output);
  if (shape.batch > 1) dimensions.push_back({shape.batch, layout.distance});
  for (int i = 0; i < shape.rank; ++i)
    if (sizes[i] > 1) dimensions.push_back({sizes[i], layout.strides[i]});
  std::ranges::stable_sort(dimensions, {}, &Dimension::stride);
  Extent extent{1};
  std::int64_t elements = 1;
  for (const auto& [count, stride] : dimensions) {
    elements *= count;
    const std::int64_t whole = (extent.rows - 1) * extent.pitch + extent.row_elements;
    if (extent.rows == 1 && stride == extent.row_elements)
      extent.row_elements *= count;
    else if (extent.rows == 1 && stride > extent.row_elements)
      extent.rows = count, extent.pitch = stride;
    else if (extent.rows > 1 && stride == extent.rows * extent.pitch)
      extent.rows *= count;
    else
      extent = {(count - 1) * stride + whole};
  }
  extent.has_gaps = extent.row_elements * extent.rows > elements;
  return extent;
}

std::shared_ptr<const Transform> transform_of(const Shape& shape) {
  switch (shape.precision) {
    case Precision::kHalf: return std::make_shared<Narrow<libraries::Half>>(shape);
    case Precision::kBfloat16: return std::make_shared<Narrow<libraries::Bfloat16>>(shape);
    case Precision::kSingle: return std::make_shared<TransformOf<float>>(shape);
    case Precision::kDouble: break;
  }
  return std::make_shared<TransformOf<double>>(shape);
}

}  // namespace cudalab::fft
