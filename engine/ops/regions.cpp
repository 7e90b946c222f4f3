#include "engine/ops/regions.h"

#include "engine/ops/images.h"
#include "engine/ops/index.h"

namespace mt {
namespace {

constexpr int64_t most_samples = 1024;

void expect_boxes(const Call& call, int arg) {
  const Tensor& boxes = call.tensor(arg);
  if (boxes.dim() != 2 || boxes.size(1) != 4) call.fail_at<Status::shape>(arg, boxes.sizes(), ", expected boxes (count, 4)");
}

// The tensors of Regions; a plan does not keep them alive.
struct CheckedRegions {
  Tensor boxes, index;
  Regions regions;
};

// Boxes at argument `arg`, their images at the next one. `sizes` are those of the images.
CheckedRegions checked_regions(const Call& call, int arg, Sizes sizes, DType inner) {
  expect_boxes(call, arg);
  const Tensor& index = call.tensor(arg + 1);
  if (index.dim() != 1 || index.size(0) != call.tensor(arg).size(0))
    call.fail_at<Status::shape>(arg + 1, index.sizes(), ", expected [", call.tensor(arg).size(0), "]");
  CheckedRegions found{dense_argument(call, arg, inner), checked_index(call, arg + 1, sizes[0]), {}};
  found.regions.boxes = found.boxes, found.regions.index = found.index;
  found.regions.images = sizes[0], found.regions.channels = sizes[1], found.regions.rows = sizes[2], found.regions.columns = sizes[3];
  return found;
}

void expect_batch(const Call& call, int arg, Sizes sizes) {
  if (sizes.size() != 4) call.fail_at<Status::shape>(arg, sizes, ", expected (images, channels, height, width)");
}

// Reads the arguments of samples from `arg` on: scale, samples, aligned.
void read_sampling(const Call& call, int arg, Regions& regions) {
  regions.scale = call.number(arg);
  regions.samples = expect_at_least(call, arg + 1, 0);
  if (regions.samples > most_samples) call.fail_at<Status::range>(arg + 1, regions.samples, ", expected at most ", most_samples);
  regions.aligned = call.boolean(arg + 2);
}

// The regions of images x at argument 0, whose bins are at 3 and 4.
CheckedRegions regions_of_images(const Call& call, DType inner) {
  expect_batch(call, 0, call.tensor(0).sizes());
  CheckedRegions found = checked_regions(call, 1, call.tensor(0).sizes(), inner);
  found.regions.height = expect_at_least(call, 3, 1), found.regions.width = expect_at_least(call, 4, 1);
  return found;
}

Shape sizes_of_result(const Regions& r) { return Shape{r.count(), r.channels, r.height, r.width}; }

}  // namespace

void plan_nms_mask(Call& call) {
  expect_boxes(call, 0);
  const Tensor& given = call.tensor(0);
  const double threshold = call.number(1);
  if (!(threshold >= 0)) call.fail_at<Status::range>(1, threshold, ", expected 0 or more");
  if (call.has(2) && !integer_dtypes.contains(call.tensor(2).dtype()))
    call.fail_at<Status::dtype>(2, call.tensor(2).dtype(), ", expected a tensor of integers");
  const Tensor boxes = dense_argument(call, 0, image_dtype(call, 0, given.dtype())),
               groups = values_of(call, 2, DType::int64, given.size(0));
  const Tensor out = call.output(0, DType::uint8, Shape{given.size(0)}, {.dense = true});
  if (out.numel() > 0) call.launch<NmsPlan>(boxes, groups, out, threshold);
  call.finish(0, out);
}

void plan_roi_align(Call& call) {
  const DType dtype = call.tensor(0).dtype(), inner = image_dtype(call, 0, dtype);
  CheckedRegions found = regions_of_images(call, inner);
  read_sampling(call, 5, found.regions);
  const Tensor x = dense_argument(call, 0, inner);
  const Tensor out = call.output(0, dtype, sizes_of_result(found.regions), {.dense = true, .computed_in = inner});
  if (out.numel() > 0) call.launch<RoiAlignPlan>(found.regions, x, out);
  call.finish(0, out);
}

void plan_roi_align_grad(Call& call) {
  const Sizes sizes = call.sizes(1);
  expect_batch(call, 1, sizes);
  checked_product(call.name(), sizes);
  const Tensor& given = call.tensor(0);
  const DType dtype = given.dtype(), inner = image_dtype(call, 0, dtype);
  CheckedRegions found = checked_regions(call, 2, sizes, inner);
  Regions& regions = found.regions;
  if (given.dim() != 4 || given.size(0) != regions.count() || given.size(1) != regions.channels)
    call.fail_at<Status::shape>(0, given.sizes(), ", expected (", regions.count(), ", ", regions.channels, ", height, width)");
  regions.height = given.size(2), regions.width = given.size(3);
  read_sampling(call, 4, regions);
  const Tensor g = dense_argument(call, 0, inner);
  const Tensor out = call.output(0, dtype, sizes, {.dense = true, .computed_in = inner});
  if (out.numel() > 0) call.launch<RoiAlignGradPlan>(regions, g, out);
  call.finish(0, out);
}

void plan_roi_max(Call& call) {
  const DType dtype = call.tensor(0).dtype(), inner = image_dtype(call, 0, dtype);
  CheckedRegions found = regions_of_images(call, inner);
  found.regions.scale = call.number(5);
  const Tensor x = dense_argument(call, 0, inner);
  const Shape sizes = sizes_of_result(found.regions);
  const Tensor out = call.output(0, dtype, sizes, {.dense = true, .computed_in = inner});
  const Tensor places = call.output(1, DType::int64, sizes, {.dense = true});
  if (out.numel() > 0) call.launch<RoiMaxPlan>(found.regions, x, out, places);
  call.finish(0, out);
  call.finish(1, places);
}

}  // namespace mt
