#include "packages/image/tiff_library.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "packages/image/opened_library.h"

namespace mt::image {
namespace {

constexpr int64_t kMostMemory = int64_t{1} << 30;  // bytes, in one allocation by libtiff

int ignore(Tiff*, void*, const char*, const char*, va_list) { return 1; }

}  // namespace

const TiffLibrary& libtiff() {
  static const TiffLibrary functions = functions_of<TiffLibrary>(system_library("tiff"), [](TiffLibrary& f, const Finder& find) {
    find("TIFFClientOpen", f.open);
    find("TIFFClientOpenExt", f.open_with, true);
    find("TIFFOpenOptionsAlloc", f.options, true);
    find("TIFFOpenOptionsFree", f.free_options, true);
    find("TIFFOpenOptionsSetErrorHandlerExtR", f.set_error, true);
    find("TIFFOpenOptionsSetWarningHandlerExtR", f.set_warning, true);
    find("TIFFOpenOptionsSetMaxSingleMemAlloc", f.set_most_memory, true);
    find("TIFFSetErrorHandler", f.set_errors);
    find("TIFFSetWarningHandler", f.set_warnings);
    find("TIFFClose", f.close);
    find("TIFFGetField", f.get);
    find("TIFFGetFieldDefaulted", f.get_defaulted);
    find("TIFFSetField", f.set);
    find("TIFFReadDirectory", f.next_directory);
    find("TIFFSetDirectory", f.set_directory);
    find("TIFFIsTiled", f.is_tiled);
    find("TIFFTileSize", f.tile_size);
    find("TIFFTileRowSize", f.tile_row_size);
    find("TIFFStripSize", f.strip_size);
    find("TIFFScanlineSize", f.scanline_size);
    find("TIFFComputeStrip", f.strip_of);
    find("TIFFComputeTile", f.tile_of);
    find("TIFFReadEncodedStrip", f.read_strip);
    find("TIFFReadEncodedTile", f.read_tile);
    find("TIFFReadRGBAImageOriented", f.read_rgba);
    find("TIFFRGBAImageOK", f.rgba_is_ok);
    find("TIFFWriteScanline", f.write_row);
    find("TIFFWriteDirectory", f.write_directory);
    find("TIFFIsCODECConfigured", f.has_codec);
    if (f.open_with == nullptr) {  // before 4.5 there is one handler for the process, which prints by default
      f.set_errors(nullptr);
      f.set_warnings(nullptr);
    }
  });
  return functions;
}

TiffFile::TiffFile(Bytes bytes) : bytes_(bytes) { open("rm"); }

TiffFile::TiffFile(Buffer& out, bool is_big) : out_(&out) { open(is_big ? "w8" : "w"); }

void TiffFile::open(const char* mode) {
  const TiffLibrary& f = libtiff();
  const auto close = [](void*) { return 0; };
  const auto map = [](void*, void**, uint64_t*) { return 0; };
  const auto unmap = [](void*, void*, uint64_t) {};
  if (f.open_with == nullptr) {
    tiff_ = f.open("", mode, this, read, write, seek, close, size, map, unmap);
  } else {
    TiffOptions* options = f.options();
    if (options == nullptr) throw std::bad_alloc();
    const auto handler = [](Tiff*, void* self, const char*, const char* format, va_list arguments) {
      static_cast<TiffFile*>(self)->say(format, arguments);
      return 1;
    };
    f.set_error(options, handler, this);
    f.set_warning(options, ignore, nullptr);
    if (f.set_most_memory != nullptr) f.set_most_memory(options, kMostMemory);
    tiff_ = f.open_with("", mode, this, read, write, seek, close, size, map, unmap, options);
    f.free_options(options);
  }
  if (tiff_ == nullptr) fail("its header is damaged");
}

void TiffFile::close() {
  if (tiff_ != nullptr) libtiff().close(tiff_);
  tiff_ = nullptr;
}

// Stores the first message only: the later ones report its consequences.
void TiffFile::say(const char* format, va_list arguments) {
  if (!message_.empty()) return;
  char text[300];
  std::vsnprintf(text, sizeof text, format, arguments);
  for (char* c = text; *c != '\0'; ++c) {
    if (*c < ' ' || *c > '~') *c = '?';
  }
  message_ = text;
}

void TiffFile::fail(const std::string& otherwise) const {
  // For sizes of 0, libtiff's message is about lack of memory.
  const bool useful = !message_.empty() && message_.find("memory") == message_.npos;
  damage(useful ? "libtiff says: " + message_ : otherwise);
}

int64_t TiffFile::read(void* self, void* to, int64_t count) {
  auto* file = static_cast<TiffFile*>(self);
  const size_t length = file->out_ != nullptr ? file->out_->size() : file->bytes_.length;
  const uint8_t* data = file->out_ != nullptr ? file->out_->data() : file->bytes_.data;
  if (count <= 0 || file->at_ >= length) return 0;
  const auto n = static_cast<int64_t>(std::min<uint64_t>(static_cast<uint64_t>(count), length - file->at_));
  std::memcpy(to, data + file->at_, static_cast<size_t>(n));
  file->at_ += static_cast<uint64_t>(n);
  return n;
}

// libtiff is written in C, so no exception may pass through it.
int64_t TiffFile::write(void* self, void* from, int64_t count) {
  auto* file = static_cast<TiffFile*>(self);
  if (file->out_ == nullptr || count < 0) return -1;
  try {
    const size_t stop = static_cast<size_t>(file->at_) + static_cast<size_t>(count);
    if (stop > file->out_->size()) file->out_->resize(stop, 0);
    std::memcpy(file->out_->data() + file->at_, from, static_cast<size_t>(count));
    file->at_ = stop;
    return count;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

uint64_t TiffFile::seek(void* self, uint64_t offset, int whence) {
  auto* file = static_cast<TiffFile*>(self);
  if (whence == SEEK_CUR) offset += file->at_;
  if (whence == SEEK_END) offset += size(self);
  file->at_ = offset;
  return offset;
}

uint64_t TiffFile::size(void* self) {
  auto* file = static_cast<TiffFile*>(self);
  return file->out_ != nullptr ? file->out_->size() : file->bytes_.length;
}

}  // namespace mt::image
