// JPEG, by libjpeg-turbo: grey or RGB.
#ifdef MT_WITH_JPEG
#include <cstdlib>

#include "packages/image/format.h"
#include "packages/image/jpeg_error.h"
#include "packages/image/planes.h"

namespace mt::image {
namespace {

class JpegEncoder {
 public:
  explicit JpegEncoder(const mt_image_picture& picture) : picture_(picture) {
    codec_.err = errors_.begin();
    row_.resize(static_cast<size_t>(picture.width) * picture.channels);
  }

  ~JpegEncoder() {
    jpeg_destroy_compress(&codec_);
    std::free(bytes_);
  }
  JpegEncoder(const JpegEncoder&) = delete;
  JpegEncoder& operator=(const JpegEncoder&) = delete;

  void run(Buffer& out) {
    if (!attempt()) damage(errors_.message);
    out.assign(bytes_, bytes_ + length_);
  }

 private:
  bool attempt() {
    if (setjmp(errors_.back) != 0) return false;
    write();
    return true;
  }

  void write() {
    jpeg_create_compress(&codec_);
    jpeg_mem_dest(&codec_, &bytes_, &length_);
    codec_.image_width = static_cast<JDIMENSION>(picture_.width);
    codec_.image_height = static_cast<JDIMENSION>(picture_.height);
    codec_.input_components = picture_.channels;
    codec_.in_color_space = picture_.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&codec_);
    jpeg_set_quality(&codec_, picture_.quality, TRUE);
    if (picture_.channels == 3) {
      codec_.comp_info[0].h_samp_factor = picture_.subsampling == 444 ? 1 : 2;
      codec_.comp_info[0].v_samp_factor = picture_.subsampling == 420 ? 2 : 1;
    }
    if (picture_.progressive != 0) jpeg_simple_progression(&codec_);
    jpeg_start_compress(&codec_, TRUE);
    JSAMPROW row = row_.data();
    for (int64_t y = 0; y < picture_.height; ++y) {
      gather_row(picture_, y, row);
      jpeg_write_scanlines(&codec_, &row, 1);
    }
    jpeg_finish_compress(&codec_);
  }

  const mt_image_picture& picture_;
  JpegErrors errors_{};
  jpeg_compress_struct codec_{};
  Buffer row_;
  unsigned char* bytes_ = nullptr;
  unsigned long length_ = 0;  // NOLINT: libjpeg's type
};

}  // namespace

void encode_jpeg(const mt_image_picture& picture, Buffer& out) {
  if (picture.channels != 1 && picture.channels != 3)
    damage(std::to_string(picture.channels) + " channels; a JPEG file has 1, grey, or 3, RGB");
  JpegEncoder(picture).run(out);
}

}  // namespace mt::image
#endif
