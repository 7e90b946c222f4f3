// Converts interleaved bytes to planes and back, with vector instructions.
#pragma once

#include <cstdint>

namespace mt::image {

// Converts n pixels of 3 bytes to three planes: of bytes, or of floats x / 255.
void split3(const uint8_t* pixels, uint8_t* a, uint8_t* b, uint8_t* c, int64_t n);
void split3(const uint8_t* pixels, float* a, float* b, float* c, int64_t n);

// Converts three planes to n pixels of 3 bytes. Floats are clamped to 0..1 (NaN is 0), multiplied by 255 and rounded.
void join3(const uint8_t* a, const uint8_t* b, const uint8_t* c, uint8_t* pixels, int64_t n);
void join3(const float* a, const float* b, const float* c, uint8_t* pixels, int64_t n);

// Converts n bytes to floats x / 255.
void scale_bytes(const uint8_t* x, float* out, int64_t n);

// Selects the best instruction set of the processor, or the one in MOONTORCH_CPU. Must be called before the functions above.
void choose_instructions();

}  // namespace mt::image
