// The functions of libtiff that this package calls, which are the same in all versions with the sonames libtiff.so.5 and libtiff.so.6;
// and TIFF files in memory.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <string>

#include "packages/image/format.h"

namespace mt::image {

struct Tiff;         // libtiff's TIFF
struct TiffOptions;  // its TIFFOpenOptions, from 4.5 on

namespace tag {
inline constexpr uint32_t subfile = 254, width = 256, height = 257, bits = 258, compression = 259, photometric = 262, orientation = 274,
                          samples = 277, rows_per_strip = 278, planes = 284, predictor = 317, color_map = 320, tile_width = 322,
                          tile_height = 323, extra_samples = 338, sample_format = 339;
}

struct TiffLibrary {
  using ReadWrite = int64_t (*)(void*, void*, int64_t);
  using Seek = uint64_t (*)(void*, uint64_t, int);
  using Close = int (*)(void*);
  using Size = uint64_t (*)(void*);
  using Map = int (*)(void*, void**, uint64_t*);
  using Unmap = void (*)(void*, void*, uint64_t);
  using Handler = void (*)(const char*, const char*, va_list);
  using HandlerOf = int (*)(Tiff*, void*, const char*, const char*, va_list);

  Tiff* (*open)(const char*, const char*, void*, ReadWrite, ReadWrite, Seek, Close, Size, Map, Unmap);
  Tiff* (*open_with)(const char*, const char*, void*, ReadWrite, ReadWrite, Seek, Close, Size, Map, Unmap, TiffOptions*);
  TiffOptions* (*options)();
  void (*free_options)(TiffOptions*);
  void (*set_error)(TiffOptions*, HandlerOf, void*);
  void (*set_warning)(TiffOptions*, HandlerOf, void*);
  void (*set_most_memory)(TiffOptions*, int64_t);
  Handler (*set_errors)(Handler);
  Handler (*set_warnings)(Handler);
  void (*close)(Tiff*);
  int (*get)(Tiff*, uint32_t, ...);
  int (*get_defaulted)(Tiff*, uint32_t, ...);
  int (*set)(Tiff*, uint32_t, ...);
  int (*next_directory)(Tiff*);
  int (*set_directory)(Tiff*, uint32_t);
  int (*is_tiled)(Tiff*);
  int64_t (*tile_size)(Tiff*);
  int64_t (*tile_row_size)(Tiff*);
  int64_t (*strip_size)(Tiff*);
  int64_t (*scanline_size)(Tiff*);
  uint32_t (*strip_of)(Tiff*, uint32_t, uint16_t);
  uint32_t (*tile_of)(Tiff*, uint32_t, uint32_t, uint32_t, uint16_t);
  int64_t (*read_strip)(Tiff*, uint32_t, void*, int64_t);
  int64_t (*read_tile)(Tiff*, uint32_t, void*, int64_t);
  int (*read_rgba)(Tiff*, uint32_t, uint32_t, uint32_t*, int, int);
  int (*rgba_is_ok)(Tiff*, char*);
  int (*write_row)(Tiff*, void*, uint32_t, uint16_t);
  int (*write_directory)(Tiff*);
  int (*has_codec)(uint16_t);
};

const TiffLibrary& libtiff();

// A TIFF file in memory, which is read, or which grows as it is written.
class TiffFile {
 public:
  explicit TiffFile(Bytes bytes);
  TiffFile(Buffer& out, bool is_big);
  ~TiffFile() { close(); }
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;

  Tiff* get() const { return tiff_; }
  void close();
  // Raises an error: libtiff's message if it reported one, else `otherwise`.
  [[noreturn]] void fail(const std::string& otherwise) const;
  void forget_message() { message_.clear(); }

 private:
  void open(const char* mode);
  void say(const char* format, va_list arguments);
  static int64_t read(void* self, void* to, int64_t count);
  static int64_t write(void* self, void* from, int64_t count);
  static uint64_t seek(void* self, uint64_t offset, int whence);
  static uint64_t size(void* self);

  Bytes bytes_{};
  Buffer* out_ = nullptr;
  uint64_t at_ = 0;
  std::string message_;
  Tiff* tiff_ = nullptr;
};

}  // namespace mt::image
