// Shared by all formats: the bytes of a file, the decoder's interface, and errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "packages/image/image.h"

namespace mt::image {

// An error in a file. Its message is a sentence that follows the file's name.
struct Damage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] inline void damage(const std::string& what) { throw Damage(what); }

inline constexpr char kEndsEarly[] = "it ends before the picture does";

// Raises the error for a picture that is too large for the bytes of its file.
[[noreturn]] inline void damage_of_size(const mt_image_info& info, size_t bytes) {
  damage(std::to_string(info.height) + " x " + std::to_string(info.width) + " pixels do not fit into its " + std::to_string(bytes) +
         " bytes");
}

struct Bytes {
  const uint8_t* data;
  size_t length;  // of `data`
  size_t whole;   // length of the file; `data` may hold only its beginning
};

// Reads one file. The caller first calls `info`, then `decode` at most once, or any number of times if `again` is true.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual mt_image_info info() const = 0;
  virtual void decode(const mt_image_request& request, void* out) = 0;
  virtual int32_t frames() { return 1; }
  virtual void choose(int32_t) {}  // a frame that there is, from 0
  virtual bool again() const { return false; }
};

std::unique_ptr<Decoder> open_png(Bytes bytes);
std::unique_ptr<Decoder> open_jpeg(Bytes bytes);
std::unique_ptr<Decoder> open_ppm(Bytes bytes);
std::unique_ptr<Decoder> open_gif(Bytes bytes);
std::unique_ptr<Decoder> open_bmp(Bytes bytes);
std::unique_ptr<Decoder> open_tiff(Bytes bytes);
std::unique_ptr<Decoder> open_webp(Bytes bytes);

using Buffer = std::vector<uint8_t>;
void encode_png(const mt_image_picture& picture, Buffer& out);
void encode_jpeg(const mt_image_picture& picture, Buffer& out);
void encode_ppm(const mt_image_picture& picture, Buffer& out);
void encode_bmp(const mt_image_picture& picture, Buffer& out);
void encode_tiff(const mt_image_picture* pictures, int64_t count, Buffer& out);
void encode_webp(const mt_image_picture& picture, Buffer& out);

}  // namespace mt::image
