// BMP: 1, 4, 8 bits with a palette, plain or run-length coded; 16, 24 and 32 bits a pixel, with masks.
// Format: Microsoft, "Bitmap Storage" (BITMAPCOREHEADER, BITMAPINFOHEADER, BITMAPV4HEADER, BITMAPV5HEADER).
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "packages/image/format.h"
#include "packages/image/planes.h"

namespace mt::image {
namespace {

constexpr size_t kFileHeader = 14;
constexpr uint32_t kPlain = 0, kRuns8 = 1, kRuns4 = 2, kMasks = 3, kMasksAlpha = 6;
constexpr int64_t kMostSide = 1 << 24;

class BmpDecoder : public Decoder {
 public:
  explicit BmpDecoder(Bytes bytes) : bytes_(bytes) {
    if (bytes.length < kFileHeader + 12 || bytes.data[0] != 'B' || bytes.data[1] != 'M') damage("it does not begin with BM");
    pixels_at_ = number32(10);
    read_header();
    read_masks();
    read_palette();
    check_length();
  }

  mt_image_info info() const override {
    mt_image_info out{};
    out.format = MT_IMAGE_BMP;
    out.channels = channels();
    out.bits = 8;
    out.orientation = 1;
    out.height = height_;
    out.width = width_;
    return out;
  }

  void decode(const mt_image_request& request, void* out) override {
    const Planes planes(request, out, {.channels = channels(), .bits = 8, .most = 255});
    if (compression_ == kRuns8 || compression_ == kRuns4) expand_runs();
    Buffer row(static_cast<size_t>(width_) * 4);
    for (int64_t y = 0; y < request.height; ++y) {
      read_row(request.y + y, row.data());
      planes.put(y, row.data() + request.x * channels());
    }
  }

 private:
  uint32_t byte(size_t at) const {
    if (at >= bytes_.length) damage(kEndsEarly);
    return bytes_.data[at];
  }
  uint32_t number16(size_t at) const { return byte(at) | byte(at + 1) << 8; }
  uint32_t number32(size_t at) const { return number16(at) | number16(at + 2) << 16; }

  void read_header() {
    header_ = number32(kFileHeader);
    if (header_ != 12 && (header_ < 16 || header_ > 4096)) damage("a header of " + std::to_string(header_) + " bytes is none of BMP");
    const size_t at = kFileHeader + 4;
    if (header_ == 12) {  // OS/2
      width_ = number16(at);
      height_ = static_cast<int16_t>(number16(at + 2));
      bits_ = number16(at + 6);
    } else {
      width_ = static_cast<int32_t>(number32(at));
      height_ = static_cast<int32_t>(number32(at + 4));
      bits_ = number16(at + 10);
      compression_ = header_ >= 20 ? number32(at + 12) : 0;
      colors_ = header_ >= 36 ? number32(at + 28) : 0;
    }
    from_top_ = height_ < 0;
    height_ = from_top_ ? -height_ : height_;
    if (width_ <= 0 || height_ <= 0 || width_ > kMostSide || height_ > kMostSide)
      damage("it has no pixels: " + std::to_string(height_) + " x " + std::to_string(width_));
    const bool known = compression_ == kPlain
                           ? bits_ == 1 || bits_ == 2 || bits_ == 4 || bits_ == 8 || bits_ == 16 || bits_ == 24 || bits_ == 32
                       : compression_ == kRuns8 ? bits_ == 8
                       : compression_ == kRuns4 ? bits_ == 4
                                                : (compression_ == kMasks || compression_ == kMasksAlpha) && (bits_ == 16 || bits_ == 32);
    if (!known)
      damage("pixels of " + std::to_string(bits_) + " bits in coding " + std::to_string(compression_) +
             " are not read: save it as PNG, or as a plain BMP");
  }

  // The position of a colour's bits in a pixel of 16 or 32 bits.
  struct Mask {
    uint32_t mask = 0;
    uint8_t of(uint32_t pixel) const {
      if (mask == 0) return 255;
      const int low = std::countr_zero(mask), width = std::popcount(mask);
      const uint64_t value = (pixel & mask) >> low, most = (uint64_t{1} << width) - 1;
      return static_cast<uint8_t>((value * 510 + most) / (2 * most));
    }
  };

  void read_masks() {
    if (bits_ != 16 && bits_ != 32) return;
    if (compression_ == kPlain) {
      const std::array<uint32_t, 3> usual =
          bits_ == 16 ? std::array<uint32_t, 3>{0x7C00, 0x3E0, 0x1F} : std::array<uint32_t, 3>{0xFF0000, 0xFF00, 0xFF};
      for (size_t i = 0; i < 3; ++i) masks_[i].mask = usual[i];
      return;
    }
    const size_t at = kFileHeader + 40, count = header_ >= 56 || compression_ == kMasksAlpha ? 4 : 3;
    for (size_t i = 0; i < count; ++i) masks_[i].mask = number32(at + 4 * i);
    for (size_t i = 0; i < 3; ++i) {
      if (masks_[i].mask == 0) damage("a colour has no bits");
    }
    has_alpha_ = masks_[3].mask != 0;
  }

  void read_palette() {
    if (bits_ > 8) return;
    const uint32_t most = 1U << bits_;
    const size_t entry = header_ == 12 ? 3 : 4, at = kFileHeader + header_;
    uint32_t count = colors_ == 0 ? most : std::min(colors_, most);
    if (pixels_at_ > at) count = std::min<uint32_t>(count, static_cast<uint32_t>((pixels_at_ - at) / entry));
    palette_.assign(size_t{256} * 3, 0);
    is_grey_ = true;
    for (uint32_t i = 0; i < count; ++i) {
      for (size_t c = 0; c < 3; ++c) palette_[i * 3 + c] = static_cast<uint8_t>(byte(at + i * entry + 2 - c));
      is_grey_ = is_grey_ && palette_[i * 3] == palette_[i * 3 + 1] && palette_[i * 3] == palette_[i * 3 + 2];
    }
  }

  int channels() const { return bits_ <= 8 ? (is_grey_ ? 1 : 3) : has_alpha_ ? 4 : 3; }
  int64_t row_bytes() const { return (width_ * bits_ + 31) / 32 * 4; }
  bool has_runs() const { return compression_ == kRuns8 || compression_ == kRuns4; }

  // Plain rows have a fixed size in bytes. With run-length coding, two bytes encode at most 255 pixels, or end the picture.
  void check_length() const {
    if (pixels_at_ > bytes_.whole) damage(kEndsEarly);
    const auto left = static_cast<int64_t>(bytes_.whole - pixels_at_);
    if (has_runs() ? height_ * width_ > left * 1024 + (1 << 20) : height_ > left / row_bytes()) damage_of_size(info(), bytes_.whole);
  }

  // Decodes the runs to indices into the palette, from the bottom row up.
  void expand_runs() {
    runs_.assign(static_cast<size_t>(width_ * height_), 0);
    size_t at = pixels_at_;
    int64_t x = 0, y = 0;
    const bool nibbles = compression_ == kRuns4;
    const auto put = [&](uint32_t index) {
      if (x < width_ && y < height_) runs_[static_cast<size_t>(y * width_ + x)] = static_cast<uint8_t>(index);
      ++x;
    };
    while (y < height_) {
      const uint32_t count = byte(at), value = byte(at + 1);
      at += 2;
      if (count > 0) {
        for (uint32_t i = 0; i < count; ++i) put(!nibbles ? value : i % 2 == 0 ? value >> 4 : value & 15);
      } else if (value == 0) {
        x = 0;
        ++y;
      } else if (value == 1) {
        break;
      } else if (value == 2) {
        x += byte(at);
        y += byte(at + 1);
        at += 2;
      } else {
        for (uint32_t i = 0; i < value; ++i) {
          const uint32_t pair = byte(at + (nibbles ? i / 2 : i));
          put(!nibbles ? pair : i % 2 == 0 ? pair >> 4 : pair & 15);
        }
        const size_t used = nibbles ? (value + 1) / 2 : value;
        at += used + used % 2;
      }
    }
  }

  void read_row(int64_t y, uint8_t* row) const {
    const int64_t stored = from_top_ ? y : height_ - 1 - y;
    const size_t at = pixels_at_ + static_cast<size_t>(stored * row_bytes());
    if (!has_runs() && at + static_cast<size_t>(row_bytes()) > bytes_.length) damage(kEndsEarly);
    const uint8_t* from = bytes_.data + at;
    const uint8_t* run = has_runs() ? runs_.data() + stored * width_ : nullptr;
    for (int64_t x = 0; x < width_; ++x) {
      uint32_t pixel = 0;
      if (run != nullptr) {
        pixel = run[x];
      } else if (bits_ <= 8) {
        pixel = from[x * bits_ / 8] >> (8 - bits_ - x * bits_ % 8) & ((1U << bits_) - 1);
      } else {
        for (uint32_t i = 0; i < bits_ / 8; ++i) pixel |= static_cast<uint32_t>(from[x * bits_ / 8 + i]) << (8 * i);
      }
      row = put_pixel(pixel, row);
    }
  }

  uint8_t* put_pixel(uint32_t pixel, uint8_t* to) const {
    if (bits_ <= 8) {
      const uint8_t* color = palette_.data() + size_t{pixel} * 3;
      for (int c = 0; c < channels(); ++c) *to++ = color[c];
    } else if (bits_ == 24) {
      for (int c = 2; c >= 0; --c) *to++ = static_cast<uint8_t>(pixel >> (8 * c));
    } else {
      for (int c = 0; c < channels(); ++c) *to++ = masks_[c].of(pixel);
    }
    return to;
  }

  Bytes bytes_;
  size_t pixels_at_ = 0;
  uint32_t header_ = 0, bits_ = 0, compression_ = 0, colors_ = 0;
  int64_t width_ = 0, height_ = 0;
  bool from_top_ = false, has_alpha_ = false, is_grey_ = false;
  std::array<Mask, 4> masks_;
  Buffer palette_, runs_;
};

void append(Buffer& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

}  // namespace

std::unique_ptr<Decoder> open_bmp(Bytes bytes) { return std::make_unique<BmpDecoder>(bytes); }

void encode_bmp(const mt_image_picture& picture, Buffer& out) {
  if (picture.channels == 2) damage("2 channels; a BMP file has 1, grey, 3, RGB, or 4, RGB and alpha");
  if (picture.width > kMostSide || picture.height > kMostSide) damage("a BMP file has at most 2^24 pixels a side");
  const auto channels = static_cast<uint64_t>(picture.channels), width = static_cast<uint64_t>(picture.width);
  const uint64_t row_bytes = (width * channels + 3) / 4 * 4, header = channels == 4 ? 108 : 40, palette = channels == 1 ? 1024 : 0;
  const uint64_t first = kFileHeader + header + palette, size = first + row_bytes * static_cast<uint64_t>(picture.height);
  if (size > UINT32_MAX) damage("a BMP file has less than 4 GB");
  out.reserve(size);
  append(out, 'B' | 'M' << 8, 2);
  append(out, size, 4);
  append(out, 0, 4);
  append(out, first, 4);
  append(out, header, 4);
  append(out, width, 4);
  append(out, static_cast<uint64_t>(picture.height), 4);
  append(out, 1, 2);
  append(out, channels * 8, 2);
  append(out, channels == 4 ? kMasks : kPlain, 4);
  append(out, size - first, 4);
  append(out, 2835, 4);  // 72 dots an inch
  append(out, 2835, 4);
  append(out, channels == 1 ? 256 : 0, 4);
  append(out, 0, 4);
  if (channels == 4) {
    for (const uint32_t mask : {0xFF0000U, 0xFF00U, 0xFFU, 0xFF000000U}) append(out, mask, 4);
    append(out, 0x73524742, 4);  // sRGB
    append(out, 0, 8);
    out.resize(kFileHeader + header, 0);
  }
  for (uint64_t i = 0; i < palette / 4; ++i) append(out, i * 0x10101, 4);
  Buffer row(width * channels);
  for (int64_t y = picture.height - 1; y >= 0; --y) {
    gather_row(picture, y, row.data());
    if (channels >= 3) {
      for (uint64_t x = 0; x < width; ++x) std::swap(row[x * channels], row[x * channels + 2]);
    }
    out.insert(out.end(), row.begin(), row.end());
    out.resize(out.size() + row_bytes - row.size(), 0);
  }
}

}  // namespace mt::image
