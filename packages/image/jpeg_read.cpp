// JPEG, by libjpeg-turbo: grey or RGB; CMYK and YCCK become RGB. Decoding a part of a picture, or a size reduced in eighths, costs less
// than decoding all of it.
#ifdef MT_WITH_JPEG
#include <algorithm>

#include "packages/image/exif.h"
#include "packages/image/format.h"
#include "packages/image/jpeg_error.h"
#include "packages/image/planes.h"

namespace mt::image {
namespace {

constexpr int kMostScans = 200, kUsualScans = 20;  // decoding a small file with thousands of scans takes hours
constexpr uint64_t kMostVisits = 1 << 25;          // of blocks, by all scans of a file that has more than kUsualScans
constexpr uint64_t kMostBlocks = 8;                // of 8 x 8 pixels that a byte can encode: one bit each
constexpr uint64_t kMostByArithmetic = 64 * kMostBlocks;
constexpr int kMostRows = 16, kEdge = 2;

int divided_255(int product) { return (((product + 128) >> 8) + product + 128) >> 8; }

struct Codec : jpeg_decompress_struct {
  Codec() : jpeg_decompress_struct{} {}
  Codec(const Codec&) = delete;
  Codec& operator=(const Codec&) = delete;
  ~Codec() { jpeg_destroy_decompress(this); }
};

class JpegDecoder : public Decoder {
 public:
  explicit JpegDecoder(Bytes bytes) : bytes_(bytes) {
    codec_.err = errors_.begin();
    if (!attempt([this] { read_header(); })) fail();
    check();
  }

  mt_image_info info() const override {
    mt_image_info out{};
    out.format = MT_IMAGE_JPEG;
    out.channels = codec_.jpeg_color_space == JCS_GRAYSCALE ? 1 : 3;
    out.bits = 8;
    out.orientation = jpeg_orientation(bytes_.data, bytes_.length);
    out.height = codec_.image_height;
    out.width = codec_.image_width;
    return out;
  }

  void decode(const mt_image_request& request, void* out) override {
    const int channels = info().channels;
    const Planes planes(request, out, {channels, 8, 255});
    if (!attempt([&] { start(request); })) fail();
    if (request.x + request.width > first_ + static_cast<int64_t>(codec_.output_width)) damage("libjpeg has changed its mind");
    const size_t row_bytes = static_cast<size_t>(codec_.output_width) * codec_.output_components;
    rows_.resize(row_bytes * kMostRows);
    for (int i = 0; i < kMostRows; ++i) row_pointers_[i] = rows_.data() + i * row_bytes;
    if (!attempt([&] { read_rows(request, planes); })) fail();
  }

 private:
  // Runs f; returns false if it left by longjmp. f must have no local objects with destructors.
  template <class F> bool attempt(F f) {
    if (setjmp(errors_.back) != 0) return false;
    f();
    return true;
  }

  [[noreturn]] void fail() const { damage(errors_.message); }

  void read_header() {
    jpeg_create_decompress(&codec_);
    codec_.progress = &progress_;
    progress_.progress_monitor = [](j_common_ptr codec) {
      const auto* state = reinterpret_cast<j_decompress_ptr>(codec);
      const int scans = state->input_scan_number;
      if (scans <= kUsualScans) return;
      const uint64_t blocks = static_cast<uint64_t>(state->image_height) * state->image_width / DCTSIZE2;
      if (scans > kMostScans || scans * blocks > kMostVisits) JpegErrors::of(codec)->leave("it has too many scans");
    };
    jpeg_mem_src(&codec_, bytes_.data, bytes_.length);
    jpeg_read_header(&codec_, TRUE);
  }

  void check() const {
    switch (codec_.jpeg_color_space) {
      case JCS_GRAYSCALE:
      case JCS_RGB:
      case JCS_YCbCr:
      case JCS_CMYK:
      case JCS_YCCK:
        break;
      default:
        damage("it has " + std::to_string(codec_.num_components) + " components, which are no known colours");
    }
    const uint64_t blocks = static_cast<uint64_t>(codec_.comp_info[0].width_in_blocks) * codec_.comp_info[0].height_in_blocks;
    if (blocks / (codec_.arith_code != 0 ? kMostByArithmetic : kMostBlocks) > bytes_.whole) damage_of_size(info(), bytes_.whole);
  }

  bool is_cmyk() const { return codec_.out_color_space == JCS_CMYK; }

  void start(const mt_image_request& request) {
    const J_COLOR_SPACE colours = codec_.jpeg_color_space;
    codec_.out_color_space = colours == JCS_GRAYSCALE ? JCS_GRAYSCALE : colours == JCS_CMYK || colours == JCS_YCCK ? JCS_CMYK : JCS_RGB;
    codec_.scale_num = static_cast<unsigned>(request.eighths);
    codec_.scale_denom = 8;
    jpeg_start_decompress(&codec_);
    first_ = 0;
    if (request.width < static_cast<int64_t>(codec_.output_width)) {
      // The interpolation of colours at the edge of the part reads pixels outside of it.
      const int64_t left = std::max<int64_t>(request.x - kEdge, 0);
      JDIMENSION x = static_cast<JDIMENSION>(left);
      auto width = static_cast<JDIMENSION>(std::min<int64_t>(request.x + request.width + kEdge, codec_.output_width) - left);
      jpeg_crop_scanline(&codec_, &x, &width);
      first_ = x;
    }
  }

  void read_rows(const mt_image_request& request, const Planes& planes) {
    if (request.y > 0) jpeg_skip_scanlines(&codec_, static_cast<JDIMENSION>(request.y));
    const size_t skipped = static_cast<size_t>(request.x - first_) * static_cast<size_t>(info_channels());
    int64_t y = 0;
    while (y < request.height) {
      const auto wanted = static_cast<JDIMENSION>(std::min<int64_t>(request.height - y, kMostRows));
      const JDIMENSION count = jpeg_read_scanlines(&codec_, row_pointers_, wanted);
      if (count == 0) errors_.leave(kEndsEarly);
      for (JDIMENSION i = 0; i < count; ++i, ++y) {
        if (is_cmyk()) mix(row_pointers_[i]);
        planes.put(y, row_pointers_[i] + skipped);
      }
    }
    jpeg_abort_decompress(&codec_);
  }

  int info_channels() const { return is_cmyk() ? 3 : codec_.output_components; }

  // Converts a row from CMYK to RGB in place. Files from Adobe's programs store CMYK inverted.
  void mix(uint8_t* row) const {
    const int inverted = codec_.saw_Adobe_marker != 0 ? 255 : 0;
    for (JDIMENSION i = 0; i < codec_.output_width; ++i) {
      const uint8_t* inks = row + 4 * i;
      const int c = inks[0] ^ inverted, m = inks[1] ^ inverted, y = inks[2] ^ inverted, light = 255 - (inks[3] ^ inverted);
      row[3 * i] = static_cast<uint8_t>(light - divided_255(c * light));
      row[3 * i + 1] = static_cast<uint8_t>(light - divided_255(m * light));
      row[3 * i + 2] = static_cast<uint8_t>(light - divided_255(y * light));
    }
  }

  Bytes bytes_;
  JpegErrors errors_{};
  jpeg_progress_mgr progress_{};
  Codec codec_;
  int64_t first_ = 0;  // the first column of decoded rows
  Buffer rows_;
  JSAMPROW row_pointers_[kMostRows] = {};
};

}  // namespace

std::unique_ptr<Decoder> open_jpeg(Bytes bytes) { return std::make_unique<JpegDecoder>(bytes); }

}  // namespace mt::image
#endif
