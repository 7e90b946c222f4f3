#include "engine/onnx/windows.h"

#include <algorithm>

namespace mt::onnx {

Windows windows_of(const NodeRun& node, Sizes sizes, std::vector<int64_t> kernel) {
  if (sizes.size() < 3) node.refuse(concat(sizes.size(), " dimensions"), "at least 3: batch, channels, and those of a picture");
  const size_t dims = sizes.size() - 2;
  Windows made;
  const auto list = [&](std::string_view name, std::vector<int64_t> otherwise, size_t count, int64_t least) {
    auto numbers = node.integers(name).value_or(std::move(otherwise));
    if (numbers.size() != count) node.refuse(concat(name, " of ", numbers.size(), " numbers"), concat(count));
    for (const int64_t number : numbers) {
      if (number < least || number > INT32_MAX) node.refuse(concat(name, " with ", number), concat("numbers from ", least, " on"));
    }
    return numbers;
  };
  made.kernel = list("kernel_shape", std::move(kernel), dims, 1);
  made.strides = list("strides", std::vector<int64_t>(dims, 1), dims, 1);
  made.dilations = list("dilations", std::vector<int64_t>(dims, 1), dims, 1);
  const auto pads = list("pads", std::vector<int64_t>(2 * dims, 0), 2 * dims, 0);
  made.before.assign(pads.begin(), pads.begin() + static_cast<int64_t>(dims));
  made.after.assign(pads.begin() + static_cast<int64_t>(dims), pads.end());
  const std::string_view automatic = node.string("auto_pad", "NOTSET");
  if (automatic == "VALID") {
    made.before.assign(dims, 0);
    made.after.assign(dims, 0);
  } else if (automatic.starts_with("SAME_")) {
    for (size_t i = 0; i < dims; ++i) {
      const int64_t size = sizes[i + 2], result = (size + made.strides[i] - 1) / made.strides[i];
      const int64_t total = std::max<int64_t>(0, (result - 1) * made.strides[i] + made.extent(i) - size);
      made.before[i] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
      made.after[i] = total - made.before[i];
    }
  }
  return made;
}

void add_row(Windows& windows) {
  windows.kernel.insert(windows.kernel.begin(), 1);
  windows.strides.insert(windows.strides.begin(), 1);
  windows.dilations.insert(windows.dilations.begin(), 1);
  windows.before.insert(windows.before.begin(), 0);
  windows.after.insert(windows.after.begin(), 0);
}

Tensor with_borders(const NodeRun& node, Tensor x, const Windows& windows, double value) {
  for (size_t i = 0; i < windows.dims(); ++i) x = node.padded(x, static_cast<int>(i) + 2, windows.before[i], windows.after[i], value);
  return x;
}

}  // namespace mt::onnx
