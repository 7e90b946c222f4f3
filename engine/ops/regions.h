// The plans of suppression of overlapping boxes, and of values of images in boxes.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// boxes (n, 4) float32 or float64, groups int64 (n) or without storage, out uint8 (n) with elements; all contiguous.
struct NmsPlan {
  Operand boxes, groups, out;
  double threshold;
};

// Boxes (count, 4) of images, contiguous, of the images' dtype, float32 or float64; index has a position of an image, from 1, per box.
struct Regions {
  Operand boxes, index;
  int64_t images = 0, channels = 0, rows = 0, columns = 0;  // of the images
  int64_t height = 0, width = 0;                            // bins
  double scale = 1;
  int64_t samples = 0;  // per bin and axis, 0: by the box's size
  bool aligned = false;

  int64_t count() const { return boxes.size(0); }
  int64_t plane() const { return rows * columns; }
  int64_t bins() const { return height * width; }
};

// x and out, and g and x_grad, are contiguous, of the boxes' dtype, and have elements.
struct RoiAlignPlan {
  Regions regions;
  Operand x, out;
};
struct RoiAlignGradPlan {
  Regions regions;
  Operand g, x_grad;
};

// places: int64, of out's sizes.
struct RoiMaxPlan {
  Regions regions;
  Operand x, out, places;
};

void plan_nms_mask(Call& call);
void plan_roi_align(Call& call);
void plan_roi_align_grad(Call& call);
void plan_roi_max(Call& call);

}  // namespace mt
