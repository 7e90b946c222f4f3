#include "packages/image/planes.h"

#include <algorithm>
#include <type_traits>

#include "packages/image/split.h"

namespace mt::image {
namespace {

// The coefficients of BT.601's luma, as in image.rgb2y.
constexpr double kRed = 0.299, kGreen = 0.587, kBlue = 0.114;

// Converts a double to an element: floats are unchanged; 0..1 becomes a byte 0..255; NaN becomes 0 in integers.
template <class Out> Out scaled(double sample, int) {
  if constexpr (std::is_floating_point_v<Out>) return static_cast<Out>(sample);
  if constexpr (std::is_same_v<Out, uint8_t>) return sample > 0 ? static_cast<uint8_t>(std::min(sample, 1.0) * 255 + 0.5) : uint8_t{0};
  if constexpr (std::is_same_v<Out, int32_t>)
    return sample == sample ? static_cast<int32_t>(std::clamp(sample, -2147483648.0, 2147483647.0)) : 0;
}

// Converts a sample to an element: the number itself, the fraction sample / most, or a byte; the high byte of 16 bits, as in Torch7.
template <class Out> Out scaled(int sample, int most) {
  if constexpr (std::is_same_v<Out, int32_t>) return sample;
  if constexpr (std::is_same_v<Out, uint8_t>)
    return static_cast<uint8_t>(most == 255 ? sample : most == 65535 ? sample >> 8 : (sample * 510 + most) / (2 * most));
  if constexpr (std::is_floating_point_v<Out>) return static_cast<Out>(sample) / static_cast<Out>(most);
}

template <class Out> Out luma(Out red, Out green, Out blue) {
  if constexpr (std::is_floating_point_v<Out>)
    return static_cast<Out>(kRed) * red + static_cast<Out>(kGreen) * green + static_cast<Out>(kBlue) * blue;
  return static_cast<Out>(kRed * red + kGreen * green + kBlue * blue + 0.5);
}

}  // namespace

Planes::Planes(const mt_image_request& request, void* out, Samples samples)
    : samples_(samples), element_(request.element), channels_(request.channels), width_(request.width) {
  const int64_t height = request.height, width = request.width;
  // Exif's orientation tells which sides of the picture are row 0 and column 0 of the file.
  const bool turned = request.orientation >= 5;
  const bool right_to_left = request.orientation == 2 || request.orientation == 3 || request.orientation == 7 || request.orientation == 8;
  const bool bottom_up = request.orientation == 3 || request.orientation == 4 || request.orientation == 6 || request.orientation == 7;
  row_step_ = turned ? 1 : width;
  column_step_ = turned ? height : 1;
  plane_step_ = height * width;
  int64_t first = 0;
  if (bottom_up) {
    first += (height - 1) * row_step_;
    row_step_ = -row_step_;
  }
  if (right_to_left) {
    first += (width - 1) * column_step_;
    column_step_ = -column_step_;
  }
  const int64_t size = element_ == MT_IMAGE_BYTE ? 1 : element_ == MT_IMAGE_DOUBLE ? 8 : 4;
  first_ = static_cast<char*>(out) + first * size;
}

template <class Out> void Planes::split(int64_t y, const uint8_t* row) const {
  Out* const out = reinterpret_cast<Out*>(first_) + y * row_step_;
  if (samples_.channels == 3) return split3(row, out, out + plane_step_, out + 2 * plane_step_, width_);
  if constexpr (std::is_same_v<Out, float>) {
    scale_bytes(row, out, width_);
  } else {
    std::copy_n(row, width_, out);
  }
}

template <class In, class Out> void Planes::put_as(int64_t y, const In* row) const {
  Out* const out = reinterpret_cast<Out*>(first_) + y * row_step_;
  const int given = samples_.channels, most = samples_.most, colours = given >= 3 ? 3 : 1;
  const auto fill = [&](int channel, auto value) {
    Out* to = out + channel * plane_step_;
    for (int64_t x = 0; x < width_; ++x) to[x * column_step_] = value(row + x * given);
  };
  const bool has_alpha = channels_ == 2 || channels_ == 4;
  const int wanted = channels_ - (has_alpha ? 1 : 0);
  if (wanted == 1 && colours == 3) {
    fill(0, [most](const In* p) { return luma(scaled<Out>(p[0], most), scaled<Out>(p[1], most), scaled<Out>(p[2], most)); });
  } else {
    for (int i = 0; i < wanted; ++i) {
      const int from = colours == 3 ? i : 0;
      fill(i, [most, from](const In* p) { return scaled<Out>(p[from], most); });
    }
  }
  if (!has_alpha) return;
  const int alpha = given == 2 || given == 4 ? given - 1 : -1;
  const In opaque = std::is_same_v<In, double> ? In{1} : static_cast<In>(most);
  fill(channels_ - 1, [most, alpha, opaque](const In* p) { return scaled<Out>(alpha < 0 ? opaque : p[alpha], most); });
}

void Planes::put(int64_t y, const void* row) const {
  const auto* bytes = static_cast<const uint8_t*>(row);
  const auto* pairs = static_cast<const uint16_t*>(row);
  const bool plain = samples_.most == 255 && samples_.bits == 8 && channels_ == samples_.channels && column_step_ == 1 &&
                     (channels_ == 3 || channels_ == 1);
  if (samples_.bits == 64) {
    const auto* doubles = static_cast<const double*>(row);
    switch (element_) {
      case MT_IMAGE_BYTE:
        return put_as<double, uint8_t>(y, doubles);
      case MT_IMAGE_FLOAT:
        return put_as<double, float>(y, doubles);
      case MT_IMAGE_DOUBLE:
        return put_as<double, double>(y, doubles);
      default:
        return put_as<double, int32_t>(y, doubles);
    }
  }
  switch (element_) {
    case MT_IMAGE_BYTE:
      return plain                ? split<uint8_t>(y, bytes)
             : samples_.bits == 8 ? put_as<uint8_t, uint8_t>(y, bytes)
                                  : put_as<uint16_t, uint8_t>(y, pairs);
    case MT_IMAGE_FLOAT:
      return plain ? split<float>(y, bytes) : samples_.bits == 8 ? put_as<uint8_t, float>(y, bytes) : put_as<uint16_t, float>(y, pairs);
    case MT_IMAGE_DOUBLE:
      return samples_.bits == 8 ? put_as<uint8_t, double>(y, bytes) : put_as<uint16_t, double>(y, pairs);
    default:
      return samples_.bits == 8 ? put_as<uint8_t, int32_t>(y, bytes) : put_as<uint16_t, int32_t>(y, pairs);
  }
}

namespace {

// Converts an element to a sample. Floats are clamped to 0..1, scaled and rounded; NaN becomes 0.
template <class T> int sample_of(T x, int most) {
  if constexpr (std::is_same_v<T, uint8_t>) return most == 255 ? x : x * 257;
  if constexpr (std::is_same_v<T, int32_t>) return std::clamp(x, 0, most);
  if constexpr (std::is_floating_point_v<T>) {
    if (!(x > 0)) return 0;
    return x >= 1 ? most : static_cast<int>(x * static_cast<T>(most) + static_cast<T>(0.5));
  }
}

template <class T> void gather(const mt_image_picture& picture, int64_t y, uint8_t* row) {
  const int channels = picture.channels, most = picture.bits == 16 ? 65535 : 255;
  if constexpr (std::is_same_v<T, uint8_t> || std::is_same_v<T, float>) {
    if (channels == 3 && most == 255) {
      const T* first = static_cast<const T*>(picture.data) + y * picture.width;
      const int64_t plane = picture.height * picture.width;
      return join3(first, first + plane, first + 2 * plane, row, picture.width);
    }
  }
  for (int c = 0; c < channels; ++c) {
    const T* x = static_cast<const T*>(picture.data) + (c * picture.height + y) * picture.width;
    if (most == 255) {
      for (int64_t i = 0; i < picture.width; ++i) row[i * channels + c] = static_cast<uint8_t>(sample_of(x[i], most));
    } else {
      for (int64_t i = 0; i < picture.width; ++i) {
        const int sample = sample_of(x[i], most);
        row[(i * channels + c) * 2] = static_cast<uint8_t>(sample >> 8);
        row[(i * channels + c) * 2 + 1] = static_cast<uint8_t>(sample);
      }
    }
  }
}

// Copies elements as they are.
template <class T> void copy_row(const mt_image_picture& picture, int64_t y, T* row) {
  for (int c = 0; c < picture.channels; ++c) {
    const T* x = static_cast<const T*>(picture.data) + (c * picture.height + y) * picture.width;
    for (int64_t i = 0; i < picture.width; ++i) row[i * picture.channels + c] = x[i];
  }
}

}  // namespace

void gather_row(const mt_image_picture& picture, int64_t y, uint8_t* row) {
  if (picture.bits == 64) return copy_row(picture, y, reinterpret_cast<double*>(row));
  if (picture.bits == 32) {
    return picture.element == MT_IMAGE_FLOAT ? copy_row(picture, y, reinterpret_cast<float*>(row))
                                             : copy_row(picture, y, reinterpret_cast<int32_t*>(row));
  }
  switch (picture.element) {
    case MT_IMAGE_BYTE:
      return gather<uint8_t>(picture, y, row);
    case MT_IMAGE_FLOAT:
      return gather<float>(picture, y, row);
    case MT_IMAGE_DOUBLE:
      return gather<double>(picture, y, row);
    default:
      return gather<int32_t>(picture, y, row);
  }
}

// Returns whether the format and the elements allow the number of bits.
static bool has_bits(const mt_image_picture& picture) {
  if (picture.bits == 8 || picture.bits == 16) return true;
  if (picture.format != MT_IMAGE_TIFF) return false;
  if (picture.bits == 64) return picture.element == MT_IMAGE_DOUBLE;
  return picture.bits == 32 && (picture.element == MT_IMAGE_FLOAT || picture.element == MT_IMAGE_INT);
}

bool is_sound(const mt_image_picture& picture) {
  return picture.channels >= 1 && picture.channels <= 4 && picture.height > 0 && picture.width > 0 && picture.data != nullptr &&
         picture.element >= MT_IMAGE_BYTE && picture.element <= MT_IMAGE_INT && has_bits(picture);
}

}  // namespace mt::image
