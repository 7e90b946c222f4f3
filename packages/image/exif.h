// Exif's orientation: how a camera was held.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mt::image {

// Of the TIFF structure that Exif is; 1, upright, where it says nothing.
int tiff_orientation(const uint8_t* tiff, size_t length);

// Of a JPEG file.
int jpeg_orientation(const uint8_t* file, size_t length);

}  // namespace mt::image
