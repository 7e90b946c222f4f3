// PNG, by libpng.
#ifdef MT_WITH_PNG
#include <csetjmp>
#include <cstring>
#include <unordered_map>

#include <png.h>

#include "packages/image/format.h"
#include "packages/image/planes.h"

namespace mt::image {
namespace {

struct Writer {
  png_structp png = nullptr;
  png_infop info = nullptr;
  Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { png_destroy_write_struct(&png, &info); }
};

// The colours of a picture of 8 bits, in order of their first pixels, and the index of each pixel's colour.
class Palette {
 public:
  explicit Palette(const mt_image_picture& picture) {
    if (picture.bits != 8) damage("16 bits with a palette, which has 8");
    const auto width = static_cast<size_t>(picture.width), channels = static_cast<size_t>(picture.channels);
    Buffer row(width * channels);
    numbers_.reserve(width * static_cast<size_t>(picture.height));
    for (int64_t y = 0; y < picture.height; ++y) {
      gather_row(picture, y, row.data());
      for (size_t x = 0; x < width; ++x) numbers_.push_back(number_of(row.data() + x * channels, picture.channels));
    }
  }

  int bits() const { return colours_.size() <= 2 ? 1 : colours_.size() <= 4 ? 2 : colours_.size() <= 16 ? 4 : 8; }

  void write(png_structp png, png_infop info) const {
    png_set_PLTE(png, info, colours_.data(), static_cast<int>(colours_.size()));
    if (transparent_) png_set_tRNS(png, info, alphas_.data(), static_cast<int>(alphas_.size()), nullptr);
  }

  const uint8_t* row(int64_t y, int64_t width) const { return numbers_.data() + y * width; }

 private:
  uint8_t number_of(const uint8_t* pixel, int channels) {
    const uint8_t red = pixel[0], green = channels >= 3 ? pixel[1] : red, blue = channels >= 3 ? pixel[2] : red;
    const uint8_t alpha = channels % 2 == 0 ? pixel[channels - 1] : 255;
    const uint32_t key = static_cast<uint32_t>(red) << 24 | green << 16 | blue << 8 | alpha;
    const auto [place, is_new] = known_.try_emplace(key, static_cast<uint8_t>(colours_.size()));
    if (is_new) {
      if (colours_.size() == PNG_MAX_PALETTE_LENGTH) damage("it has more than the 256 colours of a palette");
      colours_.push_back({red, green, blue});
      alphas_.push_back(alpha);
      transparent_ = transparent_ || alpha < 255;
    }
    return place->second;
  }

  std::unordered_map<uint32_t, uint8_t> known_;
  std::vector<png_color> colours_;
  Buffer alphas_, numbers_;
  bool transparent_ = false;
};

class PngEncoder {
 public:
  PngEncoder(const mt_image_picture& picture, Buffer& out) : picture_(picture), out_(out) {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) damage("libpng has no memory");
    row_.resize(static_cast<size_t>(picture.width) * picture.channels * picture.bits / 8);
    if (picture.palette != 0) palette_ = std::make_unique<Palette>(picture);
  }

  void run() {
    if (!attempt()) damage(message_);
  }

 private:
  bool attempt() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    write();
    return true;
  }

  void write() {
    static const int types[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    png_set_write_fn(png_, this, put, nullptr);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(picture_.width), static_cast<png_uint_32>(picture_.height),
                 palette_ ? palette_->bits() : picture_.bits, palette_ ? PNG_COLOR_TYPE_PALETTE : types[picture_.channels],
                 picture_.progressive != 0 ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png_, picture_.level);
    if (palette_) palette_->write(png_, info_);
    png_write_info(png_, info_);
    png_set_packing(png_);
    const int passes = png_set_interlace_handling(png_);
    for (int pass = 0; pass < passes; ++pass) {
      for (int64_t y = 0; y < picture_.height; ++y) {
        if (!palette_) gather_row(picture_, y, row_.data());
        png_write_row(png_, palette_ ? palette_->row(y, picture_.width) : row_.data());
      }
    }
    png_write_end(png_, info_);
  }

  static void on_error(png_structp png, png_const_charp message) {
    auto* self = static_cast<PngEncoder*>(png_get_error_ptr(png));
    std::strncpy(self->message_, message, sizeof self->message_ - 1);
    png_longjmp(png, 1);
  }

  static void on_warning(png_structp, png_const_charp) {}

  static void put(png_structp png, png_bytep bytes, size_t length) {
    auto* self = static_cast<PngEncoder*>(png_get_io_ptr(png));
    bool grown = true;
    try {
      self->out_.insert(self->out_.end(), bytes, bytes + length);
    } catch (const std::bad_alloc&) {
      grown = false;
    }
    if (!grown) png_error(png, "there is no memory for the file");
  }

  const mt_image_picture& picture_;
  Buffer& out_;
  Buffer row_;
  std::unique_ptr<Palette> palette_;
  Writer writer_;
  png_structp& png_ = writer_.png;
  png_infop& info_ = writer_.info;
  char message_[200] = {};
};

}  // namespace

void encode_png(const mt_image_picture& picture, Buffer& out) { PngEncoder(picture, out).run(); }

}  // namespace mt::image
#endif
