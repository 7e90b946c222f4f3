// WebP through libwebp; animations through libwebpdemux.
#include <cstring>

#include "packages/image/format.h"
#include "packages/image/opened_library.h"
#include "packages/image/planes.h"

namespace mt::image {
namespace {

// Structs of libwebp's interface, which are the same in all versions with this ABI.
struct Features {
  int width, height, has_alpha, has_animation, format;
  uint32_t padding[5];
};
struct AnimationData {
  const uint8_t* bytes;
  size_t size;
};
struct AnimationOptions {
  int mode, use_threads;
  uint32_t padding[7];
};
struct AnimationInfo {
  uint32_t width, height, loops, background, frames, padding[4];
};
constexpr int kDecoderVersion = 0x0208, kDemuxVersion = 0x0107, kRgba = 1;

struct Webp {
  int (*features)(const uint8_t*, size_t, Features*, int);
  uint8_t* (*decode_rgb)(const uint8_t*, size_t, uint8_t*, size_t, int);
  uint8_t* (*decode_rgba)(const uint8_t*, size_t, uint8_t*, size_t, int);
  size_t (*encode_rgb)(const uint8_t*, int, int, int, float, uint8_t**);
  size_t (*encode_rgba)(const uint8_t*, int, int, int, float, uint8_t**);
  size_t (*encode_lossless_rgb)(const uint8_t*, int, int, int, uint8_t**);
  size_t (*encode_lossless_rgba)(const uint8_t*, int, int, int, uint8_t**);
  void (*free)(void*);
};

const Webp& webp() {
  static const Webp functions = functions_of<Webp>(system_library("webp"), [](Webp& f, const Finder& find) {
    find("WebPGetFeaturesInternal", f.features);
    find("WebPDecodeRGBInto", f.decode_rgb);
    find("WebPDecodeRGBAInto", f.decode_rgba);
    find("WebPEncodeRGB", f.encode_rgb);
    find("WebPEncodeRGBA", f.encode_rgba);
    find("WebPEncodeLosslessRGB", f.encode_lossless_rgb);
    find("WebPEncodeLosslessRGBA", f.encode_lossless_rgba);
    find("WebPFree", f.free);
  });
  return functions;
}

struct Demux {
  void* (*open)(const AnimationData*, const AnimationOptions*, int);
  int (*info)(const void*, AnimationInfo*);
  int (*next)(void*, uint8_t**, int*);
  void (*close)(void*);
};

const Demux& demux() {
  static const Demux functions = functions_of<Demux>(system_library("webpdemux"), [](Demux& f, const Finder& find) {
    find("WebPAnimDecoderNewInternal", f.open);
    find("WebPAnimDecoderGetInfo", f.info);
    find("WebPAnimDecoderGetNext", f.next);
    find("WebPAnimDecoderDelete", f.close);
  });
  return functions;
}

class WebpDecoder : public Decoder {
 public:
  explicit WebpDecoder(Bytes bytes) : bytes_(bytes) {
    if (webp().features(bytes.data, bytes.length, &features_, kDecoderVersion) != 0) damage("its header is damaged, or it ends there");
    if (features_.width <= 0 || features_.height <= 0) damage("it has no pixels");
  }
  ~WebpDecoder() override { close(); }
  WebpDecoder(const WebpDecoder&) = delete;
  WebpDecoder& operator=(const WebpDecoder&) = delete;

  mt_image_info info() const override {
    mt_image_info out{};
    out.format = MT_IMAGE_WEBP;
    out.channels = channels();
    out.bits = 8;
    out.orientation = 1;
    out.height = features_.height;
    out.width = features_.width;
    out.delay = delay_;
    return out;
  }

  int32_t frames() override {
    if (features_.has_animation == 0) return 1;
    restart();
    AnimationInfo found{};
    if (demux().info(animation_, &found) == 0 || found.frames == 0 || found.frames > INT32_MAX) damage("it has no frames");
    return static_cast<int32_t>(found.frames);
  }

  void choose(int32_t frame) override { wanted_ = frame; }

  bool again() const override { return true; }

  void decode(const mt_image_request& request, void* out) override {
    const Planes planes(request, out, {.channels = channels(), .bits = 8, .most = 255});
    const uint8_t* pixels = features_.has_animation != 0 ? composed() : decoded();
    for (int64_t y = 0; y < request.height; ++y) planes.put(y, pixels + ((request.y + y) * features_.width + request.x) * channels());
  }

 private:
  int channels() const { return features_.has_alpha != 0 || features_.has_animation != 0 ? 4 : 3; }

  const uint8_t* decoded() {
    const int stride = features_.width * channels();
    pixels_.resize(static_cast<size_t>(stride) * static_cast<size_t>(features_.height));
    const auto decode = channels() == 4 ? webp().decode_rgba : webp().decode_rgb;
    if (decode(bytes_.data, bytes_.length, pixels_.data(), pixels_.size(), stride) == nullptr)
      damage("its pixels are damaged, or end early");
    return pixels_.data();
  }

  void close() {
    if (animation_ != nullptr) demux().close(animation_);
    animation_ = nullptr;
  }

  void restart() {
    close();
    next_ = 0;
    shown_ = 0;
    const AnimationData data{bytes_.data, bytes_.length};
    AnimationOptions options{};
    options.mode = kRgba;
    animation_ = demux().open(&data, &options, kDemuxVersion);
    if (animation_ == nullptr) damage("its frames are damaged, or end early");
  }

  const uint8_t* composed() {
    if (animation_ == nullptr || next_ > wanted_) restart();
    uint8_t* pixels = nullptr;
    while (next_ <= wanted_) {
      int until = 0;
      if (demux().next(animation_, &pixels, &until) == 0) damage("its frames are damaged, or end early");
      delay_ = until - shown_;
      shown_ = until;
      ++next_;
    }
    return pixels;
  }

  Bytes bytes_;
  Features features_{};
  void* animation_ = nullptr;
  int32_t next_ = 0, wanted_ = 0;
  int64_t delay_ = 0, shown_ = 0;  // in ms
  Buffer pixels_;
};

}  // namespace

std::unique_ptr<Decoder> open_webp(Bytes bytes) { return std::make_unique<WebpDecoder>(bytes); }

void encode_webp(const mt_image_picture& picture, Buffer& out) {
  constexpr int64_t most = 16383;
  if (picture.width > most || picture.height > most)
    damage(std::to_string(picture.height) + " x " + std::to_string(picture.width) + " pixels; a WebP file has at most 16383 a side");
  if (picture.channels == 2) damage("2 channels; a WebP file has 3, RGB, or 4, RGB and alpha (1, grey, is written as RGB)");
  const int channels = picture.channels == 4 ? 4 : 3;
  const auto width = static_cast<int>(picture.width), height = static_cast<int>(picture.height);
  Buffer pixels(static_cast<size_t>(picture.width) * static_cast<size_t>(picture.height) * static_cast<size_t>(channels));
  for (int64_t y = 0; y < height; ++y) {
    uint8_t* row = pixels.data() + y * width * channels;
    gather_row(picture, y, row);
    if (picture.channels != 1) continue;
    for (int64_t x = width - 1; x >= 0; --x) row[3 * x] = row[3 * x + 1] = row[3 * x + 2] = row[x];
  }
  const Webp& f = webp();
  uint8_t* made = nullptr;
  const int stride = width * channels;
  const size_t size = picture.lossless != 0
                          ? (channels == 4 ? f.encode_lossless_rgba : f.encode_lossless_rgb)(pixels.data(), width, height, stride, &made)
                          : (channels == 4 ? f.encode_rgba : f.encode_rgb)(pixels.data(), width, height, stride,
                                                                           static_cast<float>(picture.quality), &made);
  if (size == 0) damage("libwebp could not write it");
  const std::unique_ptr<uint8_t, void (*)(void*)> owned(made, f.free);
  out.assign(made, made + size);
}

}  // namespace mt::image
