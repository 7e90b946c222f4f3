// The C interface: files, checks of requests, and errors as sentences.
#include "packages/image/image.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "packages/image/format.h"
#include "packages/image/planes.h"
#include "packages/image/split.h"

using namespace mt::image;

struct mt_image {
  std::unique_ptr<uint8_t[]> own;
  Buffer made;
  Bytes bytes{};
  int32_t format = MT_IMAGE_UNKNOWN;
  std::unique_ptr<Decoder> decoder;
  bool decoded = false;
};

namespace {

constexpr size_t kSignature = 12;

thread_local char message[512];

// Calls f and catches all exceptions.
template <class F> int32_t guarded(F f) {
  try {
    f();
    return 0;
  } catch (const std::bad_alloc&) {
    std::snprintf(message, sizeof message, "there is not enough memory");
  } catch (const std::exception& problem) {
    std::snprintf(message, sizeof message, "%s", problem.what());
  }
  return 1;
}

int32_t format_of(const uint8_t* data, size_t length) {
  static const uint8_t png[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'}, jpeg[3] = {0xFF, 0xD8, 0xFF};
  if (length >= sizeof png && std::memcmp(data, png, sizeof png) == 0) return MT_IMAGE_PNG;
  if (length >= sizeof jpeg && std::memcmp(data, jpeg, sizeof jpeg) == 0) return MT_IMAGE_JPEG;
  const auto begins = [&](const char* with, size_t count) { return length >= count && std::memcmp(data, with, count) == 0; };
  if (begins("GIF87a", 6) || begins("GIF89a", 6)) return MT_IMAGE_GIF;
  if (begins("II*\0", 4) || begins("MM\0*", 4) || begins("II+\0", 4) || begins("MM\0+", 4)) return MT_IMAGE_TIFF;
  if (begins("RIFF", 4) && length >= 12 && std::memcmp(data + 8, "WEBP", 4) == 0) return MT_IMAGE_WEBP;
  if (begins("BM", 2) && length >= 10 && std::memcmp(data + 6, "\0\0\0\0", 4) == 0) return MT_IMAGE_BMP;
  const bool netpbm = length >= 3 && data[0] == 'P' && data[1] >= '1' && data[1] <= '6';
  return netpbm && std::memchr(" \t\n\r#", data[2], 5) != nullptr ? MT_IMAGE_PPM : MT_IMAGE_UNKNOWN;
}

[[noreturn, maybe_unused]] void lacks(const char* library) {
  damage(std::string("this build has no ") + library + ", without which such files can't be read or written: install " + library +
         "'s headers and build again");
}

std::unique_ptr<Decoder> decoder_of(int32_t format, Bytes bytes) {
  switch (format) {
    case MT_IMAGE_PNG:
#ifdef MT_WITH_PNG
      return open_png(bytes);
#else
      lacks("libpng");
#endif
    case MT_IMAGE_JPEG:
#ifdef MT_WITH_JPEG
      return open_jpeg(bytes);
#else
      lacks("libjpeg-turbo");
#endif
    case MT_IMAGE_GIF:
      return open_gif(bytes);
    case MT_IMAGE_BMP:
      return open_bmp(bytes);
    case MT_IMAGE_TIFF:
      return open_tiff(bytes);
    case MT_IMAGE_WEBP:
      return open_webp(bytes);
    default:
      return open_ppm(bytes);
  }
}

void encode(const mt_image_picture* pictures, int64_t count, Buffer& out) {
  const mt_image_picture& picture = *pictures;
  switch (picture.format) {
    case MT_IMAGE_PNG:
#ifdef MT_WITH_PNG
      return encode_png(picture, out);
#else
      lacks("libpng");
#endif
    case MT_IMAGE_JPEG:
#ifdef MT_WITH_JPEG
      return encode_jpeg(picture, out);
#else
      lacks("libjpeg-turbo");
#endif
    case MT_IMAGE_BMP:
      return encode_bmp(picture, out);
    case MT_IMAGE_TIFF:
      return encode_tiff(pictures, count, out);
    case MT_IMAGE_WEBP:
      return encode_webp(picture, out);
    case MT_IMAGE_GIF:
      damage("GIF files are read, not written: PNG has more colours");
    default:
      return encode_ppm(picture, out);
  }
}

class File {
 public:
  explicit File(const char* path) : descriptor_(open(path, O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) damage(std::strerror(errno));
  }
  ~File() { close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // The length in bytes; returns whether it is a regular file, since the length of others is unknown.
  bool length(int64_t& out) const {
    struct stat facts;
    if (fstat(descriptor_, &facts) != 0) damage(std::strerror(errno));
    out = facts.st_size;
    return S_ISREG(facts.st_mode);
  }

  // Reads until `to` has `room` bytes or the file ends; returns the number of bytes.
  size_t read_into(uint8_t* to, size_t room) const {
    size_t count = 0;
    while (count < room) {
      const ssize_t n = read(descriptor_, to + count, room - count);
      if (n == 0) break;
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) damage(std::strerror(errno));
      count += static_cast<size_t>(n);
    }
    return count;
  }

 private:
  int descriptor_;
};

[[noreturn]] void damage_of_length(const std::string& length, size_t most) {
  damage("it has " + length + " bytes, more than the " + std::to_string(most) + " that are allowed");
}

// Reads up to `head` bytes from the start of a picture's file. `signature` holds the first `count` of them, which were read before.
void read_regular(mt_image& out, const File& file, size_t length, size_t count, const uint8_t* signature, size_t most, size_t head) {
  if (length > most) damage_of_length(std::to_string(length), most);
  const size_t room = std::max(count, std::min(length, head));
  out.own = std::make_unique_for_overwrite<uint8_t[]>(room);
  std::memcpy(out.own.get(), signature, count);
  count += file.read_into(out.own.get() + count, room - count);
  out.bytes = {out.own.get(), count, head < length ? length : count};
}

// The same for a pipe or device, whose length is unknown: it is read to its end.
void read_stream(mt_image& out, const File& file, size_t count, const uint8_t* signature, size_t most) {
  out.made.assign(signature, signature + count);
  for (size_t room = 4096; count == out.made.size(); room = 2 * count) {
    if (count > most) damage_of_length("at least " + std::to_string(count), most);
    out.made.resize(room);
    count += file.read_into(out.made.data() + count, room - count);
  }
  out.bytes = {out.made.data(), count, count};
}

void read_file(mt_image& out, const char* path, size_t most, size_t head) {
  const File file(path);
  uint8_t signature[kSignature];
  int64_t length = 0;
  const bool regular = file.length(length);
  const size_t count = file.read_into(signature, sizeof signature);
  if (out.format == MT_IMAGE_UNKNOWN) out.format = format_of(signature, count);
  if (out.format == MT_IMAGE_UNKNOWN) {
    out.bytes = {nullptr, 0, 0};
  } else if (regular && length >= static_cast<int64_t>(count)) {
    read_regular(out, file, static_cast<size_t>(length), count, signature, most, head);
  } else {
    read_stream(out, file, count, signature, most);
  }
}

bool is_sound(const mt_image_request& request, const mt_image_info& info) {
  if (request.size != sizeof request || request.element < MT_IMAGE_BYTE || request.element > MT_IMAGE_INT) return false;
  if (request.channels < 1 || request.channels > 4 || request.orientation < 1 || request.orientation > 8) return false;
  if (request.eighths < 1 || request.eighths > 8 || (request.eighths != 8 && info.format != MT_IMAGE_JPEG)) return false;
  const int64_t height = (info.height * request.eighths + 7) / 8, width = (info.width * request.eighths + 7) / 8;
  return request.x >= 0 && request.y >= 0 && request.width > 0 && request.height > 0 && request.x <= width - request.width &&
         request.y <= height - request.height;
}

void describe(mt_image& file) {
  if (!file.decoder) file.decoder = decoder_of(file.format, file.bytes);
}

}  // namespace

extern "C" {

const char* mt_image_error(void) { return message; }

int32_t mt_image_knows(int32_t format) {
#ifdef MT_WITH_PNG
  if (format == MT_IMAGE_PNG) return 1;
#endif
#ifdef MT_WITH_JPEG
  if (format == MT_IMAGE_JPEG) return 1;
#endif
  return format >= MT_IMAGE_PPM && format <= MT_IMAGE_WEBP ? 1 : 0;
}

int32_t mt_image_open(const char* path, int32_t format, int64_t most_bytes, int64_t head_bytes, mt_image** out) {
  return guarded([&] {
    auto file = std::make_unique<mt_image>();
    file->format = format;
    read_file(*file, path, static_cast<size_t>(std::max<int64_t>(most_bytes, 0)), static_cast<size_t>(std::max<int64_t>(head_bytes, 0)));
    *out = file.release();
  });
}

int32_t mt_image_borrow(const void* bytes, size_t length, int32_t format, mt_image** out) {
  return guarded([&] {
    auto file = std::make_unique<mt_image>();
    file->bytes = {static_cast<const uint8_t*>(bytes), length, length};
    file->format = format != MT_IMAGE_UNKNOWN ? format : format_of(file->bytes.data, length);
    *out = file.release();
  });
}

int32_t mt_image_describe(mt_image* file, mt_image_info* out) {
  return guarded([&] {
    mt_image_info info{};
    if (file->format != MT_IMAGE_UNKNOWN) {
      describe(*file);
      info = file->decoder->info();
    }
    info.size = out->size;
    std::memcpy(out, &info, std::min(out->size, sizeof info));
  });
}

int32_t mt_image_frames(mt_image* file, int32_t* out) {
  return guarded([&] {
    describe(*file);
    *out = file->decoder->frames();
  });
}

int32_t mt_image_choose(mt_image* file, int32_t frame) {
  return guarded([&] {
    describe(*file);
    const int32_t count = file->decoder->frames();
    if (frame < 0 || frame >= count) damage("frame " + std::to_string(frame + 1) + ", expected 1 to " + std::to_string(count));
    file->decoder->choose(frame);
  });
}

int32_t mt_image_decode(mt_image* file, const mt_image_request* request, void* out) {
  return guarded([&] {
    if (file->format == MT_IMAGE_UNKNOWN || file->bytes.length < file->bytes.whole) damage("it was not opened for decoding");
    describe(*file);
    if ((file->decoded && !file->decoder->again()) || !is_sound(*request, file->decoder->info())) damage("what was asked for is not in it");
    file->decoded = true;
    choose_instructions();
    file->decoder->decode(*request, out);
  });
}

int32_t mt_image_encode(const mt_image_picture* pictures, int64_t count, mt_image** out) {
  return guarded([&] {
    if (count < 1 || (count > 1 && pictures->format != MT_IMAGE_TIFF)) damage("only TIFF files have pages");
    for (int64_t i = 0; i < count; ++i) {
      if (pictures[i].size != sizeof *pictures || !is_sound(pictures[i]) || pictures[i].format != pictures->format)
        damage("there is no such picture");
    }
    choose_instructions();
    auto file = std::make_unique<mt_image>();
    encode(pictures, count, file->made);
    file->format = pictures->format;
    file->bytes = {file->made.data(), file->made.size(), file->made.size()};
    *out = file.release();
  });
}

const void* mt_image_bytes(const mt_image* file, size_t* length) {
  *length = file->bytes.length;
  return file->bytes.data;
}

void mt_image_close(mt_image* file) { delete file; }

}  // extern "C"
