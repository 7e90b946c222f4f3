// TIFF through libtiff: strips or tiles, of 1 to 16 bits, 32 bits and floats, grey, RGB and palettes; libtiff
// converts other colours (YCbCr, CMYK, L*a*b*) to RGB.
// Format: Adobe, "TIFF Revision 6.0" (1992).
#include <algorithm>
#include <bit>
#include <cstring>

#include "packages/image/format.h"
#include "packages/image/planes.h"
#include "packages/image/tiff_library.h"

namespace mt::image {
namespace {

constexpr uint16_t kWhiteIsZero = 0, kBlackIsZero = 1, kRgb = 2, kPalette = 3;
constexpr uint16_t kUnsigned = 1, kSigned = 2, kFloat = 3, kUntyped = 4;
constexpr uint16_t kSeparate = 2, kTopLeft = 1;
constexpr int kMostSamples = 4096, kMostFrames = 65535;
constexpr int64_t kMostBlock = int64_t{1} << 30;

// The description of a picture in its directory.
struct Layout {
  uint32_t width = 0, height = 0, block_width = 0, block_height = 0;
  uint16_t bits = 1, samples = 1, format = kUnsigned, photometric = kBlackIsZero, planes = 1, orientation = kTopLeft;
  bool has_alpha = false, is_tiled = false, is_direct = false;
  const uint16_t* map[3] = {nullptr, nullptr, nullptr};

  int colors() const { return photometric == kRgb || photometric == kPalette ? 3 : 1; }
  int channels() const { return is_direct ? colors() + (has_alpha ? 1 : 0) : has_alpha ? 4 : 3; }
  // Bits of a sample in a decoded row: 8 or 16, or 64 for doubles.
  int row_bits() const {
    if (!is_direct || photometric == kPalette || bits < 8) return 8;
    return format == kUnsigned && bits <= 16 ? bits : 64;
  }
  int most() const { return row_bits() == 16 ? 65535 : 255; }
};

class TiffDecoder : public Decoder {
 public:
  explicit TiffDecoder(Bytes bytes) : file_(bytes) { read_layout(); }

  mt_image_info info() const override {
    mt_image_info out{};
    out.format = MT_IMAGE_TIFF;
    out.channels = layout_.channels();
    out.bits = layout_.row_bits() == 64 ? 32 : layout_.row_bits();
    out.orientation = layout_.is_direct ? layout_.orientation : kTopLeft;
    out.height = layout_.height;
    out.width = layout_.width;
    return out;
  }

  int32_t frames() override {
    int32_t count = 0;
    if (f_.set_directory(file_.get(), 0) != 0) {
      do ++count;
      while (count < kMostFrames && f_.next_directory(file_.get()) != 0);
    }
    choose(frame_);
    return std::max(count, 1);
  }

  void choose(int32_t frame) override {
    file_.forget_message();
    if (f_.set_directory(file_.get(), static_cast<uint32_t>(frame)) == 0) file_.fail("frame " + std::to_string(frame + 1) + " is damaged");
    frame_ = frame;
    read_layout();
  }

  bool again() const override { return true; }

  void decode(const mt_image_request& request, void* out) override {
    file_.forget_message();
    const Planes planes(request, out, {.channels = layout_.channels(), .bits = layout_.row_bits(), .most = layout_.most()});
    layout_.is_direct ? decode_blocks(request, planes) : decode_rgba(request, planes);
  }

 private:
  uint16_t short_of(uint32_t tag, uint16_t otherwise) {
    uint16_t value = otherwise;
    return f_.get_defaulted(file_.get(), tag, &value) != 0 ? value : otherwise;
  }

  void read_layout() {
    Layout found;
    if (f_.get(file_.get(), tag::width, &found.width) == 0 || f_.get(file_.get(), tag::height, &found.height) == 0 || found.width == 0 ||
        found.height == 0 || found.width > INT32_MAX || found.height > INT32_MAX)
      file_.fail("it has no pixels");
    found.bits = short_of(tag::bits, 1);
    found.samples = short_of(tag::samples, 1);
    found.format = short_of(tag::sample_format, kUnsigned);
    if (found.format == kUntyped) found.format = kUnsigned;
    found.planes = short_of(tag::planes, 1);
    found.orientation = std::clamp<uint16_t>(short_of(tag::orientation, kTopLeft), 1, 8);
    if (f_.get(file_.get(), tag::photometric, &found.photometric) == 0) found.photometric = found.samples >= 3 ? kRgb : kBlackIsZero;
    found.is_tiled = f_.is_tiled(file_.get()) != 0;
    read_alpha(found);
    read_blocks(found);
    found.is_direct = is_direct(found);
    layout_ = found;
    if (!found.is_direct) check_rgba();
  }

  void read_alpha(Layout& found) {
    uint16_t count = 0;
    const uint16_t* kinds = nullptr;
    if (f_.get_defaulted(file_.get(), tag::extra_samples, &count, &kinds) == 0 || count == 0 || kinds == nullptr) return;
    found.has_alpha = (kinds[0] == 1 || kinds[0] == 2) && found.samples > found.colors() && found.photometric <= kRgb;
  }

  void read_blocks(Layout& found) {
    if (found.is_tiled) {
      f_.get(file_.get(), tag::tile_width, &found.block_width);
      f_.get(file_.get(), tag::tile_height, &found.block_height);
    } else {
      found.block_width = found.width;
      f_.get_defaulted(file_.get(), tag::rows_per_strip, &found.block_height);
      found.block_height = std::min(found.block_height, found.height);
    }
    if (found.block_width == 0 || found.block_height == 0) file_.fail("it has strips or tiles without pixels");
  }

  // Whether samples are read directly, without libtiff's conversion to RGB.
  bool is_direct(Layout& found) {
    const uint16_t bits = found.bits;
    if (found.samples < 1 || found.samples > kMostSamples || found.samples < (found.photometric == kRgb ? 3 : 1)) return false;
    const bool whole = bits == 8 || bits == 16 || bits == 32;
    const bool small = bits == 1 || bits == 2 || bits == 4;
    if (found.photometric == kPalette) {
      const bool has_map = f_.get(file_.get(), tag::color_map, &found.map[0], &found.map[1], &found.map[2]) != 0 && found.map[2] != nullptr;
      return has_map && found.format == kUnsigned && (small || bits == 8);
    }
    if (found.photometric > kRgb) return false;
    if (found.format == kFloat) return bits == 32 || bits == 64;
    return (found.format == kUnsigned && (whole || small)) || (found.format == kSigned && whole);
  }

  void check_rgba() {
    char why[1024] = "";
    if (f_.rgba_is_ok(file_.get(), why) == 0) damage(std::string("its pixels can't be read: ") + why);
  }

  // The number of a sample in a row that libtiff has decompressed.
  template <class T> static T at(const uint8_t* row, int64_t i) {
    T value;
    std::memcpy(&value, row + i * static_cast<int64_t>(sizeof(T)), sizeof value);
    return value;
  }
  uint32_t small_at(const uint8_t* row, int64_t i) const {
    const int64_t first = i * layout_.bits;
    return row[first / 8] >> (8 - layout_.bits - first % 8) & ((1U << layout_.bits) - 1);
  }
  double number_at(const uint8_t* row, int64_t i) const {
    if (layout_.format == kFloat) return layout_.bits == 32 ? at<float>(row, i) : at<double>(row, i);
    if (layout_.format == kSigned)
      return layout_.bits == 8 ? at<int8_t>(row, i) : layout_.bits == 16 ? at<int16_t>(row, i) : at<int32_t>(row, i);
    return at<uint32_t>(row, i);
  }

  // Copies a channel's samples of one row of a block to the rows of pixels: every `step`-th sample from `first` on.
  void put_channel(const uint8_t* row, int64_t first, int64_t step, int64_t count, int channel, uint8_t* to) const {
    const int channels = layout_.channels();
    const bool inverted = layout_.photometric == kWhiteIsZero && channel == 0;
    for (int64_t x = 0; x < count; ++x) {
      const int64_t i = first + x * step, place = x * channels + channel;
      if (layout_.row_bits() == 64) {
        const double value = number_at(row, i);
        std::memcpy(to + place * 8, &value, 8);
      } else if (layout_.row_bits() == 16) {
        const auto value = static_cast<uint16_t>(inverted ? 65535 - at<uint16_t>(row, i) : at<uint16_t>(row, i));
        std::memcpy(to + place * 2, &value, 2);
      } else if (layout_.photometric == kPalette) {
        const uint32_t index = layout_.bits == 8 ? row[i] : small_at(row, i);
        for (int c = 0; c < 3; ++c) to[x * 3 + c] = static_cast<uint8_t>(layout_.map[c][index] >> 8);
      } else {
        const uint32_t most = (1U << layout_.bits) - 1, value = layout_.bits == 8 ? row[i] : small_at(row, i) * 255 / most;
        to[place] = static_cast<uint8_t>(inverted ? 255 - value : value);
      }
    }
  }

  // Reads the block at a pixel: of all samples, or of one if they are stored in separate planes.
  const uint8_t* read_block(uint32_t x, uint32_t y, uint16_t sample) {
    const int64_t size = layout_.is_tiled ? f_.tile_size(file_.get()) : f_.strip_size(file_.get());
    const int64_t plain = int64_t{layout_.block_width} * layout_.block_height;
    if (size <= 0 || size > kMostBlock || plain > kMostBlock) damage("a strip or tile of it has too many pixels");
    if (static_cast<int64_t>(block_size_) < size) {
      block_ = std::make_unique<uint8_t[]>(static_cast<size_t>(size));
      block_size_ = static_cast<size_t>(size);
    }
    const int64_t got = layout_.is_tiled ? f_.read_tile(file_.get(), f_.tile_of(file_.get(), x, y, 0, sample), block_.get(), size)
                                         : f_.read_strip(file_.get(), f_.strip_of(file_.get(), y, sample), block_.get(), size);
    const int64_t rows = layout_.is_tiled ? layout_.block_height : std::min<int64_t>(layout_.block_height, layout_.height - y);
    if (got < 0 || got < rows * row_size()) file_.fail(kEndsEarly);
    return block_.get();
  }

  int64_t row_size() { return layout_.is_tiled ? f_.tile_row_size(file_.get()) : f_.scanline_size(file_.get()); }

  void decode_blocks(const mt_image_request& request, const Planes& planes) {
    const int64_t pixel = int64_t{layout_.channels()} * layout_.row_bits() / 8;
    const bool apart = layout_.planes == kSeparate;
    const int sources = layout_.photometric == kPalette ? 1 : layout_.channels();
    const int64_t size = row_size(), step = apart ? 1 : layout_.samples;
    if (size <= 0 || size * 8 < int64_t{layout_.block_width} * step * layout_.bits) damage("its strips or tiles are shorter than its rows");
    Buffer rows;
    for (int64_t top = request.y / layout_.block_height * layout_.block_height; top < request.y + request.height;
         top += layout_.block_height) {
      const int64_t count = std::min<int64_t>(layout_.block_height, layout_.height - top);
      if (count * layout_.width > kMostBlock / pixel) damage("a strip or tile of it has too many pixels");
      rows.resize(static_cast<size_t>(count * layout_.width * pixel));
      for (int64_t left = 0; left < layout_.width; left += layout_.block_width) {
        const int64_t columns = std::min<int64_t>(layout_.block_width, layout_.width - left);
        const uint8_t* block = nullptr;
        for (int c = 0; c < sources; ++c) {
          if (apart || c == 0)
            block = read_block(static_cast<uint32_t>(left), static_cast<uint32_t>(top), static_cast<uint16_t>(apart ? c : 0));
          for (int64_t y = 0; y < count; ++y)
            put_channel(block + y * size, apart ? 0 : c, step, columns, c, rows.data() + (y * layout_.width + left) * pixel);
        }
      }
      for (int64_t y = std::max(top, request.y); y < std::min(top + count, request.y + request.height); ++y)
        planes.put(y - request.y, rows.data() + ((y - top) * layout_.width + request.x) * pixel);
    }
  }

  void decode_rgba(const mt_image_request& request, const Planes& planes) {
    const int64_t width = layout_.width, height = layout_.height;
    const int channels = layout_.channels();
    const auto raster = std::make_unique<uint32_t[]>(static_cast<size_t>(width * height));
    if (f_.read_rgba(file_.get(), layout_.width, layout_.height, raster.get(), kTopLeft, 1) == 0) file_.fail(kEndsEarly);
    Buffer row(static_cast<size_t>(request.width * channels));
    for (int64_t y = 0; y < request.height; ++y) {
      const uint32_t* from = raster.get() + (request.y + y) * width + request.x;
      for (int64_t x = 0; x < request.width; ++x) {
        for (int c = 0; c < channels; ++c) row[static_cast<size_t>(x * channels + c)] = static_cast<uint8_t>(from[x] >> (8 * c));
      }
      planes.put(y, row.data());
    }
  }

  const TiffLibrary& f_ = libtiff();
  TiffFile file_;
  Layout layout_;
  int32_t frame_ = 0;
  std::unique_ptr<uint8_t[]> block_;
  size_t block_size_ = 0;
};

}  // namespace

std::unique_ptr<Decoder> open_tiff(Bytes bytes) {
  const bool sound = bytes.length >= 8 && (std::memcmp(bytes.data, "II", 2) == 0 || std::memcmp(bytes.data, "MM", 2) == 0);
  if (!sound) damage("it does not begin with II or MM");
  return std::make_unique<TiffDecoder>(bytes);
}

}  // namespace mt::image
