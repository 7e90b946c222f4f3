// Interleaved bytes into planes and back, in vectors.
#pragma once

#include <cstdint>

namespace mt::image {

// n pixels of 3 bytes into three planes: as bytes, or as x / 255.
void split3(const uint8_t* pixels, uint8_t* a, uint8_t* b, uint8_t* c, int64_t n);
void split3(const uint8_t* pixels, float* a, float* b, float* c, int64_t n);

// Three planes into n pixels of 3 bytes: of bytes, or of floats, which are clamped to 0..1 (NaN is 0), times 255 and rounded.
void join3(const uint8_t* a, const uint8_t* b, const uint8_t* c, uint8_t* pixels, int64_t n);
void join3(const float* a, const float* b, const float* c, uint8_t* pixels, int64_t n);

// n bytes as x / 255.
void scale_bytes(const uint8_t* x, float* out, int64_t n);

// Takes the best instructions that the processor has, or those of MOONTORCH_CPU; to be called first.
void choose_instructions();

}  // namespace mt::image
