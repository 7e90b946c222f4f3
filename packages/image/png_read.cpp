// PNG, by libpng: palettes become RGB, transparent colours become alpha, grey of 1 to 4 bits becomes 8 bits; 16 bits are unchanged.
#ifdef MT_WITH_PNG
#include <csetjmp>
#include <cstring>

#include <png.h>

#include "packages/image/exif.h"
#include "packages/image/format.h"
#include "packages/image/planes.h"

namespace mt::image {
namespace {

constexpr uint64_t kMostInflated = 1032;  // bytes into which zlib inflates one byte, at most
constexpr png_alloc_size_t kLongestChunk = 8 << 20;

struct Reader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
};

class PngDecoder : public Decoder {
 public:
  explicit PngDecoder(Bytes bytes) : bytes_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) damage("libpng has no memory");
    if (!attempt([this] { read_header(); })) fail();
    check_length();
  }

  mt_image_info info() const override {
    mt_image_info out{};
    out.format = MT_IMAGE_PNG;
    out.channels = channels_;
    out.bits = png_get_bit_depth(png_, info_) == 16 ? 16 : 8;
    out.orientation = orientation_;
    out.height = png_get_image_height(png_, info_);
    out.width = png_get_image_width(png_, info_);
    return out;
  }

  void decode(const mt_image_request& request, void* out) override {
    const mt_image_info picture = info();
    if (!attempt([this] { start(); })) fail();
    const size_t row_bytes = png_get_rowbytes(png_, info_);
    if (row_bytes != static_cast<size_t>(picture.width) * picture.channels * picture.bits / 8) damage("libpng has changed its mind");
    const Planes planes(request, out, {picture.channels, picture.bits, picture.bits == 16 ? 65535 : 255});
    const bool interlaced = png_get_interlace_type(png_, info_) != PNG_INTERLACE_NONE;
    rows_.resize(row_bytes * (interlaced ? static_cast<size_t>(picture.height) : 1));
    const size_t first = static_cast<size_t>(request.x) * picture.channels * picture.bits / 8;
    if (!attempt([&] { interlaced ? read_interlaced(picture, row_bytes) : read_rows(request, planes, first); })) fail();
    if (!interlaced) return;
    for (int64_t y = 0; y < request.height; ++y) planes.put(y, rows_.data() + static_cast<size_t>(request.y + y) * row_bytes + first);
  }

 private:
  // Runs f; returns false if it left by libpng's longjmp. f must have no local objects with destructors.
  template <class F> bool attempt(F f) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    f();
    return true;
  }

  [[noreturn]] void fail() const { damage(message_); }

  static void on_error(png_structp png, png_const_charp message) {
    auto* self = static_cast<PngDecoder*>(png_get_error_ptr(png));
    std::strncpy(self->message_, message, sizeof self->message_ - 1);
    png_longjmp(png, 1);
  }

  static void on_warning(png_structp, png_const_charp) {}

  static void read(png_structp png, png_bytep out, size_t length) {
    auto* self = static_cast<PngDecoder*>(png_get_io_ptr(png));
    if (length > self->bytes_.length - self->at_) png_error(png, kEndsEarly);
    std::memcpy(out, self->bytes_.data + self->at_, length);
    self->at_ += length;
  }

  void read_header() {
    png_set_read_fn(png_, this, read);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(png_, kLongestChunk);
    // Texts and colour profiles are skipped, so that they can't inflate to large sizes.
    static const png_byte unread[] = "iCCP\0iTXt\0tEXt\0zTXt\0sPLT\0hIST";
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, unread, 6);
    png_read_info(png_, info_);
    const int type = png_get_color_type(png_, info_);
    const bool alpha = (type & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
    channels_ = ((type & PNG_COLOR_MASK_COLOR) != 0 ? 3 : 1) + (alpha ? 1 : 0);
    png_uint_32 length = 0;
    png_bytep exif = nullptr;
    if (png_get_eXIf_1(png_, info_, &length, &exif) != 0) orientation_ = tiff_orientation(exif, length);
  }

  // The pixels must not exceed the size to which the file's bytes can inflate.
  void check_length() const {
    const uint64_t raw = static_cast<uint64_t>(png_get_rowbytes(png_, info_)) * png_get_image_height(png_, info_);
    if (raw / kMostInflated > bytes_.whole) damage_of_size(info(), bytes_.whole);
  }

  void start() {
    png_set_expand(png_);  // palettes, transparent colours, few bits
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    png_set_swap(png_);
#endif
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
  }

  void read_rows(const mt_image_request& request, const Planes& planes, size_t first) {
    const auto height = static_cast<int64_t>(png_get_image_height(png_, info_));
    for (int64_t y = 0; y < height; ++y) {
      png_read_row(png_, rows_.data(), nullptr);
      if (y >= request.y && y < request.y + request.height) planes.put(y - request.y, rows_.data() + first);
    }
    png_read_end(png_, nullptr);
  }

  void read_interlaced(const mt_image_info& picture, size_t row_bytes) {
    for (int pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; ++pass) {
      for (int64_t y = 0; y < picture.height; ++y) png_read_row(png_, rows_.data() + static_cast<size_t>(y) * row_bytes, nullptr);
    }
    png_read_end(png_, nullptr);
  }

  Bytes bytes_;
  size_t at_ = 0;
  Reader reader_;
  png_structp& png_ = reader_.png;
  png_infop& info_ = reader_.info;
  int channels_ = 0, orientation_ = 1;
  char message_[200] = {};
  Buffer rows_;
};

}  // namespace

std::unique_ptr<Decoder> open_png(Bytes bytes) { return std::make_unique<PngDecoder>(bytes); }

}  // namespace mt::image
#endif
