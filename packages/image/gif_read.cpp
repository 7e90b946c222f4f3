// GIF through giflib. Frames are composed as in browsers: each is drawn over the canvas that the previous frame's disposal leaves.
// Format: CompuServe, "Graphics Interchange Format, Version 89a" (1990).
#include <algorithm>
#include <array>
#include <cstring>

#include "packages/image/format.h"
#include "packages/image/opened_library.h"
#include "packages/image/planes.h"

namespace mt::image {
namespace {

// giflib's structs, which are the same in all versions with the soname libgif.so.7.
struct GifColor {
  uint8_t red, green, blue;
};
struct GifColorMap {
  int count, bits;
  bool sorted;
  GifColor* colors;
};
struct GifImage {
  int left, top, width, height;
  bool interlaced;
  GifColorMap* map;
};
struct GifFile {
  int width, height, resolution, background;
  uint8_t aspect;
  GifColorMap* map;
  int image_count;
  GifImage image;
  void* saved_images;
  int extension_count;
  void* extensions;
  int error;
  void* user_data;
  void* internals;
};

constexpr int kImage = 2, kExtension = 3, kEnd = 4;  // GifRecordType
constexpr int kGraphicControl = 0xF9;
constexpr int kToBackground = 2, kToPrevious = 3;
constexpr int64_t kMostExpansion = 4096;  // pixels per byte, at most, by LZW's table of 4096 codes

struct Giflib {
  GifFile* (*open)(void*, int (*)(GifFile*, uint8_t*, int), int*);
  int (*close)(GifFile*, int*);
  int (*record_type)(GifFile*, int*);
  int (*image_header)(GifFile*);
  int (*line)(GifFile*, uint8_t*, int);
  int (*extension)(GifFile*, int*, uint8_t**);
  int (*next_extension)(GifFile*, uint8_t**);
};

const Giflib& giflib() {
  static const Giflib functions = functions_of<Giflib>(system_library("gif"), [](Giflib& f, const Finder& find) {
    find("DGifOpen", f.open);
    find("DGifCloseFile", f.close);
    find("DGifGetRecordType", f.record_type);
    find("DGifGetImageDesc", f.image_header);
    find("DGifGetLine", f.line);
    find("DGifGetExtension", f.extension);
    find("DGifGetExtensionNext", f.next_extension);
  });
  return functions;
}

// Facts about a file from its blocks, without decoding a pixel.
struct Outline {
  int32_t frames = 0;
  bool transparent = false;  // whether the first frame leaves some pixels of the picture undrawn
};

class BlockReader {
 public:
  explicit BlockReader(Bytes bytes) : bytes_(bytes) {}

  // Stops at the end of the bytes, even in the middle of a frame.
  Outline outline() {
    Outline found;
    const int width = number(6), height = number(8);
    at_ = 13;
    skip_colors(bytes_.data[10]);
    bool clear = false;
    while (at_ < bytes_.length) {
      const uint8_t kind = bytes_.data[at_++];
      if (kind == '!') {
        if (at_ + 2 < bytes_.length && bytes_.data[at_] == kGraphicControl) clear = (bytes_.data[at_ + 2] & 1) != 0;
        ++at_;
        skip_blocks();
      } else if (kind == ',' && at_ + 9 <= bytes_.length) {
        const bool covers = number(at_) == 0 && number(at_ + 2) == 0 && number(at_ + 4) >= width && number(at_ + 6) >= height;
        if (found.frames == 0) found.transparent = clear || !covers;
        ++found.frames;
        clear = false;
        at_ += 9;
        skip_colors(bytes_.data[at_ - 1]);
        ++at_;  // skip the size of LZW codes
        skip_blocks();
      } else {
        break;
      }
    }
    return found;
  }

 private:
  int number(size_t at) const { return bytes_.data[at] | bytes_.data[at + 1] << 8; }
  void skip_colors(uint8_t flags) {
    if ((flags & 0x80) != 0) at_ += size_t{3} << ((flags & 7) + 1);
  }
  void skip_blocks() {
    while (at_ < bytes_.length && bytes_.data[at_] != 0) at_ += size_t{1} + bytes_.data[at_];
    ++at_;
  }

  Bytes bytes_;
  size_t at_ = 0;
};

class GifDecoder : public Decoder {
 public:
  explicit GifDecoder(Bytes bytes) : bytes_(bytes), outline_(outline_of(bytes)) {
    width_ = bytes.data[6] | bytes.data[7] << 8;
    height_ = bytes.data[8] | bytes.data[9] << 8;
    if (width_ == 0 || height_ == 0) damage("it has no pixels: " + std::to_string(width_) + " x " + std::to_string(height_));
    if (outline_.frames == 0) damage(kEndsEarly);
  }
  ~GifDecoder() override { close(); }
  GifDecoder(const GifDecoder&) = delete;
  GifDecoder& operator=(const GifDecoder&) = delete;

  mt_image_info info() const override {
    mt_image_info out{};
    out.format = MT_IMAGE_GIF;
    out.channels = outline_.transparent ? 4 : 3;
    out.bits = 8;
    out.orientation = 1;
    out.height = height_;
    out.width = width_;
    out.delay = delay_;
    return out;
  }

  int32_t frames() override { return outline_.frames; }

  void choose(int32_t frame) override { wanted_ = frame; }

  bool again() const override { return true; }

  void decode(const mt_image_request& request, void* out) override {
    compose();
    const Planes planes(request, out, {.channels = 4, .bits = 8, .most = 255});
    for (int64_t y = 0; y < request.height; ++y) planes.put(y, canvas_.data() + ((request.y + y) * width_ + request.x) * 4);
  }

 private:
  static Outline outline_of(Bytes bytes) {
    if (bytes.length < 14 || std::memcmp(bytes.data, "GIF", 3) != 0) damage("it does not begin with GIF");
    return BlockReader(bytes).outline();
  }

  static int read(GifFile* file, uint8_t* to, int count) {
    auto* self = static_cast<GifDecoder*>(file->user_data);
    const auto n = static_cast<int>(std::min<size_t>(static_cast<size_t>(std::max(count, 0)), self->bytes_.length - self->at_));
    std::memcpy(to, self->bytes_.data + self->at_, static_cast<size_t>(n));
    self->at_ += static_cast<size_t>(n);
    return n;
  }

  void close() {
    int error = 0;
    if (file_ != nullptr) giflib().close(file_, &error);
    file_ = nullptr;
  }

  void restart() {
    close();
    at_ = 0;
    next_ = 0;
    int error = 0;
    file_ = giflib().open(this, read, &error);
    if (file_ == nullptr) damage("its header is damaged");
    canvas_.assign(static_cast<size_t>(width_ * height_) * 4, 0);
    rest_.clear();
    disposal_ = 0;
  }

  // Composes frames up to the wanted one.
  void compose() {
    if (file_ == nullptr || next_ > wanted_ + 1 || !canvas_sound_) restart();
    canvas_sound_ = false;
    while (next_ <= wanted_) compose_next();
    canvas_sound_ = true;
  }

  void compose_next() {
    const Giflib& f = giflib();
    int transparent = -1, disposal = 0;
    int64_t delay = 0;
    while (true) {
      int type = 0;
      if (f.record_type(file_, &type) == 0 || type == kEnd) damage(kEndsEarly);
      if (type == kImage) break;
      if (type != kExtension) continue;
      int code = 0;
      uint8_t* block = nullptr;
      if (f.extension(file_, &code, &block) == 0) damage(kEndsEarly);
      if (code == kGraphicControl && block != nullptr && block[0] >= 4) {
        disposal = block[1] >> 2 & 7;
        transparent = (block[1] & 1) != 0 ? block[4] : -1;
        delay = (block[2] | block[3] << 8) * 10;
      }
      while (block != nullptr) {
        if (f.next_extension(file_, &block) == 0) damage(kEndsEarly);
      }
    }
    if (f.image_header(file_) == 0) damage("a header of frame " + std::to_string(next_ + 1) + " is damaged");
    dispose();
    draw(transparent);
    disposal_ = disposal;
    delay_ = delay;
    ++next_;
  }

  // Applies the disposal of the previous frame.
  void dispose() {
    if (disposal_ == kToPrevious && !rest_.empty()) {
      canvas_ = rest_;
    } else if (disposal_ == kToBackground) {
      for (int64_t y = top_; y < bottom_; ++y)
        std::memset(canvas_.data() + (y * width_ + left_) * 4, 0, static_cast<size_t>(std::max<int64_t>(right_ - left_, 0)) * 4);
    }
    rest_ = canvas_;
  }

  void draw(int transparent) {
    const GifImage& image = file_->image;
    const GifColorMap* map = image.map != nullptr ? image.map : file_->map;
    if (map == nullptr) damage("frame " + std::to_string(next_ + 1) + " has no colours");
    if (image.width <= 0 || image.height <= 0 || int64_t{image.width} * image.height > static_cast<int64_t>(bytes_.whole) * kMostExpansion)
      damage("frame " + std::to_string(next_ + 1) + " of " + std::to_string(image.height) + " x " + std::to_string(image.width) +
             " pixels does not fit into its bytes");
    left_ = std::clamp<int64_t>(image.left, 0, width_);
    right_ = std::clamp<int64_t>(int64_t{image.left} + image.width, 0, width_);
    top_ = std::clamp<int64_t>(image.top, 0, height_);
    bottom_ = std::clamp<int64_t>(int64_t{image.top} + image.height, 0, height_);
    line_.resize(static_cast<size_t>(image.width));
    static constexpr std::array<std::pair<int, int>, 4> passes{{{0, 8}, {4, 8}, {2, 4}, {1, 2}}};
    for (size_t pass = 0; pass < (image.interlaced ? passes.size() : 1); ++pass) {
      const auto [first, step] = image.interlaced ? passes[pass] : std::pair{0, 1};
      for (int y = first; y < image.height; y += step) {
        if (giflib().line(file_, line_.data(), image.width) == 0) damage(kEndsEarly);
        if (image.top + y >= top_ && image.top + y < bottom_) draw_line(image, *map, y, transparent);
      }
    }
  }

  void draw_line(const GifImage& image, const GifColorMap& map, int y, int transparent) {
    uint8_t* to = canvas_.data() + ((int64_t{image.top} + y) * width_ + left_) * 4;
    for (int64_t x = left_; x < right_; ++x, to += 4) {
      const int index = line_[static_cast<size_t>(x - image.left)];
      if (index == transparent) continue;
      const GifColor color = index < map.count ? map.colors[index] : GifColor{0, 0, 0};
      to[0] = color.red;
      to[1] = color.green;
      to[2] = color.blue;
      to[3] = 255;
    }
  }

  Bytes bytes_;
  Outline outline_;
  int64_t width_ = 0, height_ = 0, delay_ = 0;
  GifFile* file_ = nullptr;
  size_t at_ = 0;
  int32_t next_ = 0, wanted_ = 0;  // the frame that is composed next; the requested one
  int disposal_ = 0;
  bool canvas_sound_ = true;
  int64_t left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;  // of the frame drawn last, within the picture
  Buffer canvas_, rest_, line_;                          // RGB and alpha; a copy from before the last frame; a row of palette indices
};

}  // namespace

std::unique_ptr<Decoder> open_gif(Bytes bytes) { return std::make_unique<GifDecoder>(bytes); }

}  // namespace mt::image
