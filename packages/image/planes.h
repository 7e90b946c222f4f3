// Converts rows of interleaved samples, the layout of files, to planes of elements, the layout of tensors, and back.
#pragma once

#include <cstdint>

#include "packages/image/image.h"

namespace mt::image {

// The samples of a file: `channels` per pixel, of 8 or 16 bits, from 0 to `most`; or doubles (64 bits), where bytes are 0..1.
struct Samples {
  int channels;
  int bits;
  int most;
};

// The destination of decoded rows. `put` scales them, converts them to the requested channels, and applies Exif's orientation.
class Planes {
 public:
  Planes(const mt_image_request& request, void* out, Samples samples);

  // Writes row y of the requested part; `row` begins at its first pixel.
  void put(int64_t y, const void* row) const;

 private:
  template <class In, class Out> void put_as(int64_t y, const In* row) const;
  template <class Out> void split(int64_t y, const uint8_t* row) const;

  char* first_;  // address, in the first plane, of the file's pixel 0, 0
  Samples samples_;
  int element_, channels_;
  int64_t width_, row_step_, column_step_, plane_step_;  // in elements
};

// Writes a row of a picture for an encoder: samples as bytes, or as big-endian pairs of bytes; those of 32 and 64 bits as elements in
// memory.
void gather_row(const mt_image_picture& picture, int64_t y, uint8_t* row);

// Returns whether a picture's fields are valid; callers should have checked them.
bool is_sound(const mt_image_picture& picture);

}  // namespace mt::image
