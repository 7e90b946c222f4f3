// Rows of interleaved samples, as files have them, into planes of elements, as tensors have them, and back.
#pragma once

#include <cstdint>

#include "packages/image/image.h"

namespace mt::image {

// Samples of a file: so many a pixel, of 8 or 16 bits, up to `most`; or doubles (64 bits), whose largest fraction is 1.
struct Samples {
  int channels;
  int bits;
  int most;
};

// Where decoded rows go: scaled, with the channels that are asked for, turned by Exif's orientation.
class Planes {
 public:
  Planes(const mt_image_request& request, void* out, Samples samples);

  // Puts row y of the requested part there; `row` begins at its first pixel.
  void put(int64_t y, const void* row) const;

 private:
  template <class In, class Out> void put_as(int64_t y, const In* row) const;
  template <class Out> void split(int64_t y, const uint8_t* row) const;

  char* first_;  // of the first plane: the pixel at 0, 0 of the file
  Samples samples_;
  int element_, channels_;
  int64_t width_, row_step_, column_step_, plane_step_;  // in elements
};

// A row of a picture that is encoded: samples in bytes, or in big-endian pairs of bytes.
void gather_row(const mt_image_picture& picture, int64_t y, uint8_t* row);

// Checks what a caller of ours should have checked.
bool is_sound(const mt_image_picture& picture);

}  // namespace mt::image
