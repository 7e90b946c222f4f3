// Source: CIPA DC-008 (Exif 2.32), 4.5 and 4.6: the tag 0x0112 in the first directory of a TIFF structure.
#include "packages/image/exif.h"

#include <cstring>

namespace mt::image {
namespace {

constexpr unsigned kOrientation = 0x0112;
constexpr size_t kEntry = 12;

class Numbers {
 public:
  Numbers(const uint8_t* data, size_t length) : data_(data), length_(length), little_(length > 0 && data[0] == 'I') {}
  bool has(size_t at, size_t count) const { return at <= length_ && count <= length_ - at; }
  unsigned two(size_t at) const { return little_ ? data_[at] | data_[at + 1] << 8 : data_[at] << 8 | data_[at + 1]; }
  size_t four(size_t at) const {
    const size_t a = two(at), b = two(at + 2);
    return little_ ? a | b << 16 : a << 16 | b;
  }

 private:
  const uint8_t* data_;
  size_t length_;
  bool little_;
};

}  // namespace

int tiff_orientation(const uint8_t* tiff, size_t length) {
  const Numbers numbers(tiff, length);
  if (!numbers.has(0, 8) || numbers.two(2) != 42) return 1;
  const size_t directory = numbers.four(4);
  if (!numbers.has(directory, 2)) return 1;
  const unsigned entries = numbers.two(directory);
  for (unsigned i = 0; i < entries; ++i) {
    const size_t at = directory + 2 + i * kEntry;
    if (!numbers.has(at, kEntry)) return 1;
    if (numbers.two(at) != kOrientation) continue;
    const unsigned value = numbers.two(at + 8);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

int jpeg_orientation(const uint8_t* file, size_t length) {
  static const char mark[] = "Exif\0";  // followed by the string's terminating zero
  size_t at = 2;
  while (at + 4 <= length && file[at] == 0xFF && file[at + 1] != 0xDA) {
    const size_t segment = file[at + 2] << 8 | file[at + 3];
    if (segment < 2 || segment > length - at - 2) return 1;
    const uint8_t* const content = file + at + 4;
    const size_t size = segment - 2;
    if (file[at + 1] == 0xE1 && size >= sizeof mark && std::memcmp(content, mark, sizeof mark) == 0)
      return tiff_orientation(content + sizeof mark, size - sizeof mark);
    at += 2 + segment;
  }
  return 1;
}

}  // namespace mt::image
