// PNG, by libpng.
#ifdef MT_WITH_PNG
#include <csetjmp>
#include <cstring>

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

class PngEncoder {
 public:
  PngEncoder(const mt_image_picture& picture, Buffer& out) : picture_(picture), out_(out) {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) damage("libpng has no memory");
    row_.resize(static_cast<size_t>(picture.width) * picture.channels * picture.bits / 8);
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
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(picture_.width), static_cast<png_uint_32>(picture_.height), picture_.bits,
                 types[picture_.channels], picture_.progressive != 0 ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png_, picture_.level);
    png_write_info(png_, info_);
    const int passes = png_set_interlace_handling(png_);
    for (int pass = 0; pass < passes; ++pass) {
      for (int64_t y = 0; y < picture_.height; ++y) {
        gather_row(picture_, y, row_.data());
        png_write_row(png_, row_.data());
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
  Writer writer_;
  png_structp& png_ = writer_.png;
  png_infop& info_ = writer_.info;
  char message_[200] = {};
};

}  // namespace

void encode_png(const mt_image_picture& picture, Buffer& out) { PngEncoder(picture, out).run(); }

}  // namespace mt::image
#endif
