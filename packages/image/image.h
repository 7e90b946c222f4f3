/* The picture files of the package image: PNG, JPEG, PPM and its kin, BMP, GIF, TIFF, WebP, from and to memory. Plain C, called by
 * lua/image through FFI.
 *
 * Every function that returns an int32_t gives 0, or 1 where something was wrong: mt_image_error() says what, for the thread that called.
 * Pictures are planes: (channels, height, width), contiguous. Nothing of the file is believed before its length allows it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define MT_IMAGE_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

enum mt_image_format {
  MT_IMAGE_UNKNOWN,
  MT_IMAGE_PNG,
  MT_IMAGE_JPEG,
  MT_IMAGE_PPM,
  MT_IMAGE_GIF,
  MT_IMAGE_BMP,
  MT_IMAGE_TIFF,
  MT_IMAGE_WEBP
};

/* Elements: bytes 0..255; floats 0..1; the file's own numbers. */
enum mt_image_element { MT_IMAGE_BYTE, MT_IMAGE_FLOAT, MT_IMAGE_DOUBLE, MT_IMAGE_INT };

/* Bytes of a picture file, opened for decoding or made by encoding. */
typedef struct mt_image mt_image;

typedef struct mt_image_info {
  size_t size; /* of this struct, set by the caller */
  int32_t format;
  int32_t channels;    /* 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha */
  int32_t bits;        /* 8, 16, or 32 for numbers of any kind, which are given as they are */
  int32_t orientation; /* Exif's, 1 to 8; 1 is upright */
  int64_t height, width;
  int64_t delay; /* of the frame that was decoded last, ms */
} mt_image_info;

/* What is to be decoded. */
typedef struct mt_image_request {
  size_t size;
  int32_t element;
  int32_t channels;    /* 1 to 4 */
  int32_t orientation; /* that of the file turns the picture upright; 1 leaves it */
  int32_t eighths;     /* JPEG: size in eighths, 1 to 8 */
  int64_t x, y;        /* the part of the (smaller) picture that is wanted, before it is turned */
  int64_t height, width;
} mt_image_request;

typedef struct mt_image_picture {
  size_t size;
  int32_t format;
  int32_t element;
  int32_t channels;
  int32_t bits;        /* PNG, PPM, TIFF: 8 or 16; TIFF: 32 and 64, which are written as they are: of floats, doubles or ints */
  int32_t quality;     /* JPEG, WebP: 0 to 100 */
  int32_t subsampling; /* JPEG: of colours, 444, 422 or 420 */
  int32_t progressive; /* JPEG: progressive; PNG: interlaced */
  int32_t level;       /* PNG: zlib's, 0 to 9 */
  int32_t palette;     /* PNG of 8 bits: its colours are listed, up to 256, and pixels are numbers of them */
  int32_t lossless;    /* WebP */
  int32_t compression; /* TIFF: 1 none, 5 LZW, 8 deflate; 0 is the best that there is */
  int64_t height, width;
  int64_t pages; /* of the file; set by the encoder */
  const void* data;
} mt_image_picture;

/** What went wrong last in this thread. */
MT_IMAGE_API const char* mt_image_error(void);

/** Whether this build knows a format. */
MT_IMAGE_API int32_t mt_image_knows(int32_t format);

/** Reads a file.
 *  @param format what to take it for; MT_IMAGE_UNKNOWN: what its first bytes say, after which one of no known format is left
 *  @param most_bytes a longer file is refused
 *  @param head_bytes no more of them are read: enough for mt_image_describe alone, where they are less than the file's
 *  @param out to be given back with mt_image_close; untouched on error */
MT_IMAGE_API int32_t mt_image_open(const char* path, int32_t format, int64_t most_bytes, int64_t head_bytes, mt_image** out);

/** Takes bytes, which must stay until mt_image_close. */
MT_IMAGE_API int32_t mt_image_borrow(const void* bytes, size_t length, int32_t format, mt_image** out);

/** Reads the header. The format is MT_IMAGE_UNKNOWN where the bytes are of none, without an error. */
MT_IMAGE_API int32_t mt_image_describe(mt_image* file, mt_image_info* out);

/** How many frames (GIF, WebP) or pages (TIFF) there are. */
MT_IMAGE_API int32_t mt_image_frames(mt_image* file, int32_t* out);

/** Chooses the frame, from 0, that is described and decoded from now on; the first unless chosen. */
MT_IMAGE_API int32_t mt_image_choose(mt_image* file, int32_t frame);

/** Decodes, once a file (those that have frames: any number of times), into memory for channels x height x width elements of the request.
 */
MT_IMAGE_API int32_t mt_image_decode(mt_image* file, const mt_image_request* request, void* out);

/** Encodes a picture, or several as the pages of a TIFF file. */
MT_IMAGE_API int32_t mt_image_encode(const mt_image_picture* pictures, int64_t count, mt_image** out);

/** The bytes of a file, which live as long as it. */
MT_IMAGE_API const void* mt_image_bytes(const mt_image* file, size_t* length);

MT_IMAGE_API void mt_image_close(mt_image* file);

#ifdef __cplusplus
}
#endif
