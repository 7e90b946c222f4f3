// Exif's orientation: the position of the camera when it took the picture.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mt::image {

// Returns the orientation in Exif data, which is a TIFF structure; 1 (upright) if the tag is missing.
int tiff_orientation(const uint8_t* tiff, size_t length);

// Returns the orientation of a JPEG file.
int jpeg_orientation(const uint8_t* file, size_t length);

}  // namespace mt::image
