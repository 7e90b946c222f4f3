// TIFF files of one page or more through libtiff: samples of 8 and 16 bits, or of 32 and 64 bits unchanged.
#include <algorithm>
#include <bit>

#include "packages/image/format.h"
#include "packages/image/planes.h"
#include "packages/image/tiff_library.h"

namespace mt::image {
namespace {

constexpr int kNone = 1, kLzw = 5, kDeflate = 8;       // compressions
constexpr int kUnsigned = 1, kSigned = 2, kFloat = 3;  // formats of samples
constexpr int kBlackIsZero = 1, kRgb = 2, kTopLeft = 1;
constexpr uint64_t kMostClassic = 0xf0000000;  // bytes of pixels in a file with 32-bit offsets

int64_t row_bytes_of(const mt_image_picture& picture) { return picture.width * picture.channels * picture.bits / 8; }

int compression_of(const mt_image_picture& picture) {
  if (picture.compression != 0) return picture.compression;
  return libtiff().has_codec(kDeflate) != 0 ? kDeflate : kLzw;
}

void describe(Tiff* tiff, const mt_image_picture& picture) {
  constexpr int horizontal = 2, page = 2;
  constexpr uint16_t straight_alpha = 2;
  const TiffLibrary& f = libtiff();
  const bool is_plain = picture.bits <= 16, is_whole = picture.element == MT_IMAGE_BYTE || picture.element == MT_IMAGE_INT;
  f.set(tiff, tag::subfile, picture.pages > 1 ? page : 0);
  f.set(tiff, tag::width, static_cast<uint32_t>(picture.width));
  f.set(tiff, tag::height, static_cast<uint32_t>(picture.height));
  f.set(tiff, tag::bits, picture.bits);
  f.set(tiff, tag::samples, picture.channels);
  f.set(tiff, tag::sample_format, is_plain ? kUnsigned : is_whole ? kSigned : kFloat);
  f.set(tiff, tag::photometric, picture.channels >= 3 ? kRgb : kBlackIsZero);
  f.set(tiff, tag::planes, 1);
  f.set(tiff, tag::orientation, kTopLeft);
  const int compression = compression_of(picture);
  if (compression != kNone && f.has_codec(static_cast<uint16_t>(compression)) == 0) damage("this libtiff lacks the compression");
  f.set(tiff, tag::compression, compression);
  if (compression != kNone && (is_plain || is_whole)) f.set(tiff, tag::predictor, horizontal);
  f.set(tiff, tag::rows_per_strip, static_cast<uint32_t>(std::max<int64_t>(1, (int64_t{1} << 18) / row_bytes_of(picture))));
  if (picture.channels == 2 || picture.channels == 4) f.set(tiff, tag::extra_samples, 1, &straight_alpha);
}

}  // namespace

void encode_tiff(const mt_image_picture* pictures, int64_t count, Buffer& out) {
  uint64_t bytes = 0;
  for (int64_t i = 0; i < count; ++i) {
    const mt_image_picture& picture = pictures[i];
    if (picture.width > INT32_MAX || picture.height > INT32_MAX || row_bytes_of(picture) > INT32_MAX)
      damage("a TIFF file has at most 2^31 bytes a row");
    bytes += static_cast<uint64_t>(row_bytes_of(picture)) * static_cast<uint64_t>(picture.height);
  }
  TiffFile file(out, bytes > kMostClassic);
  Tiff* tiff = file.get();
  Buffer row;
  for (int64_t i = 0; i < count; ++i) {
    mt_image_picture picture = pictures[i];
    picture.pages = count;
    describe(tiff, picture);
    row.resize(static_cast<size_t>(row_bytes_of(picture)));
    for (int64_t y = 0; y < picture.height; ++y) {
      gather_row(picture, y, row.data());
      if (picture.bits == 16 && std::endian::native == std::endian::little) {
        for (size_t k = 0; k < row.size(); k += 2) std::swap(row[k], row[k + 1]);
      }
      if (libtiff().write_row(tiff, row.data(), static_cast<uint32_t>(y), 0) < 0) file.fail("it could not be written");
    }
    if (libtiff().write_directory(tiff) == 0) file.fail("it could not be written");
  }
  file.close();
}

}  // namespace mt::image
