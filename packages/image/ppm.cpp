// Netpbm's PBM, PGM and PPM (P1 to P6): samples as text or bytes; 16 bits if the largest sample needs them.
// Source: netpbm.sourceforge.net/doc/pbm.html, pgm.html, ppm.html
#include <cstring>

#include "packages/image/format.h"
#include "packages/image/planes.h"

namespace mt::image {
namespace {

bool is_space(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

class PpmDecoder : public Decoder {
 public:
  explicit PpmDecoder(Bytes bytes) : bytes_(bytes), kind_(bytes.data[1] - '0') {
    at_ = 2;
    width_ = number("width", 0x7fffffff);
    height_ = number("height", 0x7fffffff);
    if (width_ == 0 || height_ == 0) damage("it has no pixels: " + std::to_string(width_) + " x " + std::to_string(height_));
    most_ = is_bitmap() ? 1 : number("largest sample", 65535);
    if (most_ == 0) damage("its largest sample is 0");
    if (!is_text() && (at_ == bytes_.length || !is_space(bytes_.data[at_++]))) damage("expected a blank after its header");
    check_length();
  }

  mt_image_info info() const override {
    mt_image_info out{};
    out.format = MT_IMAGE_PPM;
    out.channels = channels();
    out.bits = most_ > 255 ? 16 : 8;
    out.orientation = 1;
    out.height = height_;
    out.width = width_;
    return out;
  }

  void decode(const mt_image_request& request, void* out) override {
    const Planes planes(request, out, {channels(), most_ > 255 ? 16 : 8, static_cast<int>(most_)});
    row_.resize(static_cast<size_t>(samples()) * 2);
    const size_t first = static_cast<size_t>(request.x) * channels() * (most_ > 255 ? 2 : 1);
    for (int64_t y = 0; y < height_; ++y) {
      const uint8_t* row = next_row();
      if (y >= request.y && y < request.y + request.height) planes.put(y - request.y, row + first);
    }
  }

 private:
  bool is_text() const { return kind_ <= 3; }
  bool is_bitmap() const { return kind_ == 1 || kind_ == 4; }
  int channels() const { return kind_ == 3 || kind_ == 6 ? 3 : 1; }
  int64_t samples() const { return width_ * channels(); }
  int64_t packed_row_bytes() const { return is_bitmap() ? (width_ + 7) / 8 : samples() * (most_ > 255 ? 2 : 1); }

  void skip_blanks() {
    while (at_ < bytes_.length && (is_space(bytes_.data[at_]) || bytes_.data[at_] == '#')) {
      if (bytes_.data[at_++] != '#') continue;
      while (at_ < bytes_.length && bytes_.data[at_] != '\n' && bytes_.data[at_] != '\r') ++at_;
    }
  }

  int64_t number(const char* what, int64_t most) {
    skip_blanks();
    if (at_ == bytes_.length) damage(kEndsEarly);
    if (!is_digit(bytes_.data[at_])) damage(std::string("expected a number for its ") + what);
    int64_t value = 0;
    for (; at_ < bytes_.length && is_digit(bytes_.data[at_]); ++at_) {
      value = value * 10 + (bytes_.data[at_] - '0');
      if (value > most) damage(std::string("its ") + what + " is more than " + std::to_string(most));
    }
    return value;
  }

  // Checks that the remaining bytes can hold the pixels. A sample in text has at least a digit and, except in bitmaps, a separator.
  void check_length() const {
    const int64_t row = !is_text() ? packed_row_bytes() : is_bitmap() ? samples() : 2 * samples();
    const auto left = static_cast<int64_t>(bytes_.whole - at_) + (is_text() ? 1 : 0);  // no separator follows the last sample
    if (height_ > left / row) damage_of_size(info(), bytes_.whole);
  }

  const uint8_t* next_row() {
    if (is_text()) return read_text_row();
    const uint8_t* packed = bytes_.data + at_;
    const auto size = static_cast<size_t>(packed_row_bytes());
    if (size > bytes_.length - at_) damage(kEndsEarly);
    at_ += size;
    if (is_bitmap()) {
      for (int64_t x = 0; x < width_; ++x) row_[x] = (packed[x / 8] >> (7 - x % 8) & 1) ^ 1;
      return row_.data();
    }
    if (most_ == 255) return packed;
    for (int64_t i = 0; i < samples(); ++i) keep(i, most_ > 255 ? packed[2 * i] << 8 | packed[2 * i + 1] : packed[i]);
    return row_.data();
  }

  const uint8_t* read_text_row() {
    for (int64_t i = 0; i < samples(); ++i) {
      if (is_bitmap()) {
        skip_blanks();
        if (at_ == bytes_.length) damage(kEndsEarly);
        const uint8_t digit = bytes_.data[at_++];
        if (digit != '0' && digit != '1') damage("expected 0 or 1 for a pixel");
        row_[i] = digit == '0' ? 1 : 0;
      } else {
        keep(i, number("sample", most_));
      }
    }
    return row_.data();
  }

  void keep(int64_t i, int64_t sample) {
    if (sample > most_) damage("its sample " + std::to_string(sample) + " is more than " + std::to_string(most_));
    if (most_ <= 255) {
      row_[i] = static_cast<uint8_t>(sample);
      return;
    }
    const auto pair = static_cast<uint16_t>(sample);
    std::memcpy(row_.data() + 2 * i, &pair, 2);
  }

  Bytes bytes_;
  int kind_;
  size_t at_;
  int64_t width_, height_, most_ = 1;
  Buffer row_;
};

}  // namespace

std::unique_ptr<Decoder> open_ppm(Bytes bytes) {
  if (bytes.length < 3 || bytes.data[0] != 'P' || bytes.data[1] < '1' || bytes.data[1] > '6') damage("it does not begin with P1 to P6");
  return std::make_unique<PpmDecoder>(bytes);
}

void encode_ppm(const mt_image_picture& picture, Buffer& out) {
  if (picture.channels != 1 && picture.channels != 3)
    damage(std::to_string(picture.channels) + " channels; a PPM file has 3, RGB, and a PGM file 1, grey");
  const std::string header = std::string(picture.channels == 3 ? "P6" : "P5") + "\n" + std::to_string(picture.width) + " " +
                             std::to_string(picture.height) + "\n" + (picture.bits == 16 ? "65535" : "255") + "\n";
  const size_t row_bytes = static_cast<size_t>(picture.width) * picture.channels * picture.bits / 8;
  out.resize(header.size() + row_bytes * static_cast<size_t>(picture.height));
  std::memcpy(out.data(), header.data(), header.size());
  for (int64_t y = 0; y < picture.height; ++y) gather_row(picture, y, out.data() + header.size() + static_cast<size_t>(y) * row_bytes);
}

}  // namespace mt::image
