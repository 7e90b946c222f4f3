// Copies rows of images between zeros, with columns grouped by their remainder modulo the stride, so that a tap of neighbouring results is
// a plain vector. Included once for each CPU instruction set, after Highway; no include guard.

HWY_BEFORE_NAMESPACE();
namespace mt::HWY_NAMESPACE {
namespace {

template <class T> struct RowsBetweenZeros {
  const ConvShape& s;
  int64_t phase, row, plane;  // distances: from one column to the next, from row to row, from channel to channel

  // For the taps of some rows of results.
  RowsBetweenZeros(const ConvShape& shape, int64_t results) : s(shape) {
    const ConvAxis &down = s.axes[1], &across = s.axes[2];
    phase = across.out() + (across.kernel - 1) * across.dilation / across.stride;
    row = phase * across.stride;
    plane = ((results - 1) * down.stride + down.window()) * row;
  }

  // Where a tap of the first result is, in rows from its own.
  int64_t column_of(int64_t tap) const {
    const ConvAxis& across = s.axes[2];
    return tap * across.dilation % across.stride * phase + tap * across.dilation / across.stride;
  }

  // Copies `rows` rows from `top` of some channels.
  void fill(const T* image, int64_t channels, int64_t top, int64_t rows, T* to) const {
    const ConvAxis &down = s.axes[1], &across = s.axes[2];
    for (int64_t channel = 0; channel < channels; ++channel)
      for (int64_t r = 0; r < rows; ++r) {
        const bool inside = top + r >= 0 && top + r < down.size;
        for (int64_t p = 0; p < across.stride; ++p)
          fill_row(inside ? image + (channel * down.size + top + r) * across.size : nullptr, p - across.pad,
                   to + channel * plane + r * row + p * phase);
      }
  }

 private:
  // Copies every stride-th column from `first`; zeros for a row outside of the image.
  void fill_row(const T* from, int64_t first, T* HWY_RESTRICT to) const {
    if (from == nullptr) {
      std::fill_n(to, phase, T(0));
      return;
    }
    const ConvAxis& across = s.axes[2];
    const int64_t stride = across.stride, begin = first < 0 ? std::min((-first + stride - 1) / stride, phase) : 0;
    const int64_t end = std::clamp((across.size - first + stride - 1) / stride, begin, phase);
    std::fill_n(to, begin, T(0));
    if (stride == 1)
      std::copy_n(from + begin + first, end - begin, to + begin);
    else if (stride == 2)  // in vectors
      for (int64_t i = begin; i < end; ++i) to[i] = from[2 * i + first];
    else
      for (int64_t i = begin; i < end; ++i) to[i] = from[i * stride + first];
    std::fill_n(to + end, phase - end, T(0));
  }
};

}  // namespace
}  // namespace mt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
