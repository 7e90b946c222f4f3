// Ops that change sizes or the order of elements, or make tensors.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/onnx/node_kind.h"

namespace mt::onnx {
namespace {

void identity(NodeRun& n) { n.give_value(n.in(0)); }

void constant(NodeRun& n) {
  if (const Attribute* value = n.attribute("value")) {
    if (!value->tensor) n.refuse("a value that is no tensor", "a tensor");
    return n.give(value->tensor->tensor, value->tensor->is_scalar);
  }
  if (const Attribute* value = n.attribute("value_int")) return n.give(n.from_integers(std::span(&value->integer, 1)), true);
  if (const Attribute* value = n.attribute("value_float")) return n.give(n.filled({}, value->number, DType::float32), true);
  if (const auto list = n.integers("value_ints")) return n.give(n.from_integers(*list));
  if (n.attribute("value_floats") != nullptr) {
    const std::vector<float> list = n.numbers("value_floats");
    Tensor made = Tensor::empty(DType::float32, {static_cast<int64_t>(list.size())});
    std::ranges::copy(list, made.data<float>());
    return n.give(made);
  }
  n.refuse("a constant without a value", "a tensor or numbers");
}

// ---- sizes as values: they are known without the elements

void give_known(NodeRun& n, std::span<const int64_t> numbers, bool is_scalar) {
  NodeValue value{n.from_integers(numbers), is_scalar};
  value.is_known = true;
  n.give_value(value);
}

void shape(NodeRun& n) {
  const Sizes sizes = n.sizes(0);
  const auto rank = static_cast<int64_t>(sizes.size());
  const auto bounded = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
  const int64_t first = bounded(n.integer("start", 0)), end = std::max(first, bounded(n.integer("end", rank)));
  give_known(n, sizes.subspan(static_cast<size_t>(first), static_cast<size_t>(end - first)), false);
}

void size(NodeRun& n) {
  const int64_t count = n.tensor(0).numel();
  give_known(n, std::span(&count, 1), true);
}

// ---- reshaping

void reshape(NodeRun& n) {
  const Sizes from = n.sizes(0);
  auto sizes = n.integers(1, "shape");
  if (!sizes) n.refuse("no shape", "one");
  int64_t known = 1, unknown = -1;
  for (size_t i = 0; i < sizes->size(); ++i) {
    int64_t& size = (*sizes)[i];
    if (size == 0 && n.integer("allowzero", 0) == 0) {
      if (i >= from.size()) n.refuse(concat("a copied size ", i + 1, " of a tensor with ", from.size()), "one that it has");
      size = from[i];
    }
    if (size == -1 && unknown >= 0) n.refuse("two sizes of -1", "one");
    if (size < -1) n.refuse(concat("a size of ", size), "a size that is not negative, or -1");
    if (size == -1)
      unknown = static_cast<int64_t>(i);
    else if (__builtin_mul_overflow(known, size, &known))
      n.refuse("more elements than there can be", concat(n.tensor(0).numel()));
  }
  const int64_t count = n.tensor(0).numel();
  if (unknown >= 0) {
    if (known == 0 || count % known != 0) n.refuse(concat(count, " elements for multiples of ", known), "a multiple");
    (*sizes)[static_cast<size_t>(unknown)] = count / known;
    known = count;
  }
  if (known != count) n.refuse(concat("sizes of ", known, " elements"), concat(count));
  n.give(n.tensor(0), *sizes);
}

void flatten(NodeRun& n) {
  const int64_t given = n.integer("axis", 1);
  const int64_t rank = n.rank(0), axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis > rank) n.refuse(concat("the axis ", given), concat("one of ", rank, " dimensions"));
  int64_t rows = 1, columns = 1;
  for (int64_t dim = 0; dim < rank; ++dim) (dim < axis ? rows : columns) *= n.sizes(0)[static_cast<size_t>(dim)];
  n.give(n.tensor(0), Shape{rows, columns});
}

void squeeze(NodeRun& n) {
  const auto given = n.integers(1, "axes");
  std::vector<bool> goes(static_cast<size_t>(n.rank(0)));
  if (given) {
    for (const int64_t each : *given) goes[static_cast<size_t>(n.axis(each, n.rank(0)))] = true;
  }
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < goes.size(); ++i) {
    const int64_t size = n.sizes(0)[i];
    if (given ? !goes[i] : size != 1)
      sizes.push_back(size);
    else if (size != 1)
      n.refuse(concat("a dimension of size ", size), "1");
  }
  n.give(n.tensor(0), sizes);
}

void unsqueeze(NodeRun& n) {
  const auto given = n.integers(1, "axes");
  if (!given) n.refuse("no axes", "dimensions to add");
  const auto rank = static_cast<int>(n.sizes(0).size() + given->size());
  std::vector<int64_t> sizes(static_cast<size_t>(rank), 0);
  for (const int64_t each : *given) {
    int64_t& size = sizes[static_cast<size_t>(n.axis(each, rank))];
    if (size == 1) n.refuse(concat("the axis ", each, " twice"), "different axes");
    size = 1;
  }
  auto next = n.sizes(0).begin();
  for (int64_t& size : sizes) {
    if (size == 0) size = *next++;
  }
  // A size of 0 of the tensor stays 0: it was copied in its turn.
  n.give(n.tensor(0), sizes);
}

void transpose(NodeRun& n) {
  const int rank = n.rank(0);
  std::vector<int64_t> order(static_cast<size_t>(rank));
  for (int dim = 0; dim < rank; ++dim) order[static_cast<size_t>(dim)] = rank - 1 - dim;
  if (const auto given = n.integers("perm")) order = *given;
  if (rank == 0) return n.give_value(n.in(0));
  if (order.size() != static_cast<size_t>(rank)) n.refuse(concat("an order of ", order.size(), " dimensions"), concat(rank));
  for (int64_t& dim : order) dim = n.axis(dim, rank);
  n.give(n.permuted(n.tensor(0), order));
}

void expand(NodeRun& n) {
  const std::vector<int64_t> wanted = n.integers(1);
  std::vector<int64_t> sizes(n.sizes(0).begin(), n.sizes(0).end());
  if (wanted.size() > sizes.size()) sizes.insert(sizes.begin(), wanted.size() - sizes.size(), 1);
  for (size_t i = 0; i < wanted.size(); ++i) {
    int64_t& size = sizes[sizes.size() - wanted.size() + i];
    if (size == 1)
      size = wanted[i];
    else if (wanted[i] != 1 && wanted[i] != size)
      n.refuse(concat("a size of ", size, " to expand to ", wanted[i]), "1, or the same size");
  }
  n.give(n.broadcast(n.in(0), sizes), sizes.empty());
}

void tile(NodeRun& n) {
  const std::vector<int64_t> repeats = n.integers(1);
  if (repeats.size() != n.sizes(0).size()) n.refuse(concat(repeats.size(), " repeats"), concat(n.sizes(0).size()));
  Tensor t = n.tensor(0);
  for (size_t i = 0; i < repeats.size(); ++i) {
    if (repeats[i] == 1) continue;
    if (repeats[i] < 0) n.refuse(concat(repeats[i], " repeats"), "at least 0");
    // Copies along a dimension of their own, which joins the repeated one.
    std::vector<int64_t> column(t.sizes().begin(), t.sizes().end()), joined = column;
    column.insert(column.begin() + static_cast<int64_t>(i), 1);
    std::vector<int64_t> wide = column;
    wide[i] = repeats[i];
    joined[i] = n.product(Shape{joined[i], repeats[i]});
    t = n.reshaped(n.broadcast({n.reshaped(t, column)}, wide), joined);
  }
  n.give(t, n.in(0).is_scalar);
}

void concat_nodes(NodeRun& n) {
  std::vector<Tensor> parts;
  const int dim = n.axis_attribute(n.version() < 4 ? 1 : 0, n.rank(0));
  for (size_t i = 0; i < n.inputs(); ++i) {
    if (n.rank(i) != n.rank(0)) n.refuse(concat("an input with ", n.rank(i), " dimensions"), concat(n.rank(0)));
    parts.push_back(n.tensor(i));
  }
  // An engine op would skip tensors without elements whatever their sizes.
  for (const Tensor& part : parts) {
    for (int d = 0; d < part.dim(); ++d) {
      if (d != dim && part.size(d) != parts[0].size(d)) n.refuse(concat("an input of size ", part.size(d)), concat(parts[0].size(d)));
    }
  }
  n.give(n.concatenated(parts, dim));
}

std::vector<int64_t> split_sizes(const NodeRun& n, int64_t size, size_t count) {
  if (const auto given = n.integers(1, "split")) return *given;
  const int64_t parts = n.integer("num_outputs", static_cast<int64_t>(count));
  if (parts <= 0 || parts != static_cast<int64_t>(count)) n.refuse(concat(parts, " parts for ", count, " outputs"), "as many");
  const int64_t each = (size + parts - 1) / parts;
  std::vector<int64_t> sizes;
  for (int64_t first = 0; static_cast<int64_t>(sizes.size()) < parts; first += each)
    sizes.push_back(std::clamp<int64_t>(size - first, 0, each));
  return sizes;
}

void split(NodeRun& n) {
  const int dim = n.axis_attribute(0, n.rank(0));
  const Tensor& x = n.tensor(0);
  const std::vector<int64_t> sizes = split_sizes(n, x.size(dim), n.outputs());
  if (sizes.size() != n.outputs()) n.refuse(concat(sizes.size(), " parts for ", n.outputs(), " outputs"), "as many");
  int64_t first = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || sizes[i] > x.size(dim) - first)
      n.refuse(concat("a part of size ", sizes[i]), concat("at most ", x.size(dim) - first));
    n.give(n.narrowed(x, dim, first, sizes[i]), false, i);
    first += sizes[i];
  }
  if (first != x.size(dim)) n.refuse(concat("parts with ", first, " elements"), concat(x.size(dim)));
}

// ---- slices and borders

struct Range {
  int64_t first, count, step;
};

Range range_of(int64_t start, int64_t end, int64_t step, int64_t size) {
  if (start < 0) start += size;
  if (end < 0 && end >= -size) end += size;
  if (step > 0) {
    start = std::clamp<int64_t>(start, 0, size);
    end = std::clamp<int64_t>(end, 0, size);
    return {start, end > start ? (end - start - 1) / step + 1 : 0, step};
  }
  start = std::clamp<int64_t>(start, -1, size - 1);
  end = std::clamp<int64_t>(end, -1, size - 1);
  return {start, start > end ? (start - end - 1) / -step + 1 : 0, step};
}

// Every step-th element of a dimension. Whole ranges from the other end are a flip first.
Tensor every(const NodeRun& n, Tensor t, int dim, Range range) {
  if (range.count == 0) return n.narrowed(t, dim, 0, 0);
  if (range.step < 0) {
    const int64_t size = t.size(dim);
    t = n.eval("(x, dims) flip(x, dims)", {t, std::vector<int64_t>{dim + 1}});
    range = {size - 1 - range.first, range.count, -range.step};
  }
  const int64_t step = range.count == 1 ? 1 : range.step;
  t = n.narrowed(t, dim, range.first, (range.count - 1) * step + 1);
  if (step == 1) return t;
  return n.eval("(x, dim, step) select(unfold(x, dim, 1, step), -1, 1)", {t, dimension(dim), Operand(step)});
}

void slice(NodeRun& n) {
  const auto starts = n.integers(1, "starts"), ends = n.integers(2, "ends");
  if (!starts || !ends || starts->size() != ends->size()) n.refuse("starts and ends of different number", "as many of both");
  auto axes = n.integers(3, "axes");
  if (!axes) {
    axes.emplace(starts->size());
    std::iota(axes->begin(), axes->end(), int64_t{0});
  }
  const std::vector<int64_t> steps = n.has(4) ? n.integers(4) : std::vector<int64_t>(starts->size(), 1);
  if (axes->size() != starts->size() || steps.size() != starts->size()) n.refuse("axes or steps of another number", concat(starts->size()));
  Tensor t = n.tensor(0);
  for (size_t i = 0; i < starts->size(); ++i) {
    if (steps[i] == 0) n.refuse("a step of 0", "another number");
    const int dim = n.axis((*axes)[i], n.rank(0));
    t = every(n, t, dim, range_of((*starts)[i], (*ends)[i], std::max<int64_t>(steps[i], -INT64_MAX), t.size(dim)));
  }
  n.give(t);
}

// The positions in a dimension of `size` elements with `before` and `after` more, by the mode.
std::vector<int64_t> border_positions(std::string_view mode, int64_t size, int64_t before, int64_t after) {
  std::vector<int64_t> positions;
  for (int64_t at = -before; at < size + after; ++at) {
    int64_t from = at;
    if (mode == "edge") {
      from = std::clamp<int64_t>(at, 0, size - 1);
    } else if (mode == "wrap") {
      from = ((at % size) + size) % size;
    } else {
      const int64_t period = std::max<int64_t>(2 * (size - 1), 1);
      from = ((at % period) + period) % period;
      if (from >= size) from = period - from;
    }
    positions.push_back(from + 1);
  }
  return positions;
}

void pad(NodeRun& n) {
  const auto pads = n.integers(1, n.version() < 2 ? "paddings" : "pads");
  const int rank = n.rank(0);
  std::vector<int64_t> axes;
  if (n.has(3)) {
    for (const int64_t axis : n.integers(3)) axes.push_back(n.axis(axis, rank));
  } else {
    axes.resize(static_cast<size_t>(rank));
    std::iota(axes.begin(), axes.end(), int64_t{0});
  }
  if (!pads || pads->size() != 2 * axes.size()) n.refuse("pads of another number", concat(2 * axes.size()));
  const std::string_view mode = n.string("mode", "constant");
  const double value = n.has(2) ? n.number(size_t{2}) : n.number("value", 0);
  Tensor t = n.tensor(0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto dim = static_cast<int>(axes[i]);
    const int64_t before = (*pads)[i], after = (*pads)[axes.size() + i];
    const int64_t left = std::max<int64_t>(0, -before), right = std::max<int64_t>(0, -after);
    if (left + right > t.size(dim))
      n.refuse(concat("pads of ", before, " and ", after), concat("a size of ", t.size(dim), " or less to remove"));
    if (left + right > 0) t = n.narrowed(t, dim, left, t.size(dim) - left - right);
    if (before <= 0 && after <= 0) continue;
    const int64_t more = std::max<int64_t>(before, 0), last = std::max<int64_t>(after, 0);
    if (mode == "constant")
      t = n.padded(t, dim, more, last, value);
    else if (t.size(dim) == 0)
      n.refuse("a border of a dimension without elements", "elements");
    else
      t = n.eval("(x, dim, at) index(x, dim, at)", {t, dimension(dim), n.from_integers(border_positions(mode, t.size(dim), more, last))});
  }
  n.give(t, n.in(0).is_scalar);
}

// Crops or pads around the center.
void center_crop_pad(NodeRun& n) {
  const std::vector<int64_t> sizes = n.integers(1);
  std::vector<int64_t> axes(sizes.size());
  std::iota(axes.begin(), axes.end(), int64_t{0});
  if (const auto given = n.integers("axes")) axes = *given;
  if (axes.size() != sizes.size()) n.refuse(concat(sizes.size(), " sizes"), concat(axes.size()));
  Tensor t = n.tensor(0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int dim = n.axis(axes[i], n.rank(0));
    const int64_t more = sizes[i] - t.size(dim);
    if (more < 0) t = n.narrowed(t, dim, -more / 2, sizes[i]);
    if (more > 0) t = n.padded(t, dim, more / 2, more - more / 2, 0);
  }
  n.give(t);
}

// ---- pixels and channels

void depth_to_space(NodeRun& n) {
  const Sizes s = n.sizes(0);
  const int64_t block = n.integer("blocksize", 1);
  if (s.size() != 4 || block <= 0 || block > INT32_MAX || s[1] % (block * block) != 0)
    n.refuse("sizes that the block does not divide", "4 dimensions, channels for blocks");
  const int64_t channels = s[1] / (block * block);
  const bool is_crd = n.string("mode", "DCR") == "CRD";
  const Shape parts = is_crd ? Shape{s[0], channels, block, block, s[2], s[3]} : Shape{s[0], block, block, channels, s[2], s[3]};
  const Tensor split = n.reshaped(n.tensor(0), parts);
  const Tensor moved = n.permuted(split, is_crd ? std::vector<int64_t>{0, 1, 4, 2, 5, 3} : std::vector<int64_t>{0, 3, 4, 1, 5, 2});
  n.give(moved, Shape{s[0], channels, s[2] * block, s[3] * block});
}

void space_to_depth(NodeRun& n) {
  const Sizes s = n.sizes(0);
  const int64_t block = n.integer("blocksize", 1);
  if (s.size() != 4 || block <= 0 || block > INT32_MAX || s[2] % block != 0 || s[3] % block != 0)
    n.refuse("sizes that the block does not divide", "multiples of the block");
  const Tensor split = n.reshaped(n.tensor(0), Shape{s[0], s[1], s[2] / block, block, s[3] / block, block});
  const bool is_crd = n.string("mode", "DCR") == "CRD";
  const Tensor moved = n.permuted(split, is_crd ? std::vector<int64_t>{0, 1, 3, 5, 2, 4} : std::vector<int64_t>{0, 3, 5, 1, 2, 4});
  n.give(moved, Shape{s[0], s[1] * block * block, s[2] / block, s[3] / block});
}

// Adds blocks (batch, channels * elements of a block, blocks) where they were in a picture.
void col2im(NodeRun& n) {
  const std::vector<int64_t> picture = n.integers(1), block = n.integers(2);
  const size_t dims = picture.size();
  const auto list = [&](std::string_view name, size_t count, int64_t otherwise) {
    auto numbers = n.integers(name).value_or(std::vector<int64_t>(count, otherwise));
    if (numbers.size() != count) n.refuse(concat(name, " of ", numbers.size(), " numbers"), concat(count));
    return numbers;
  };
  const auto strides = list("strides", dims, 1), dilations = list("dilations", dims, 1), pads = list("pads", 2 * dims, 0);
  if (block.size() != dims || n.rank(0) != 3) n.refuse("blocks of other dimensions", concat(dims));
  std::vector<int64_t> counts, padded;
  for (size_t i = 0; i < dims; ++i) {
    padded.push_back(picture[i] + pads[i] + pads[dims + i]);
    const int64_t room = padded[i] - (block[i] - 1) * dilations[i] - 1;
    if (block[i] <= 0 || strides[i] <= 0 || dilations[i] <= 0 || room < 0)
      n.refuse("blocks that the picture does not contain", "smaller ones");
    counts.push_back(room / strides[i] + 1);
  }
  const int64_t elements = n.product(block), blocks = n.product(counts), pixels = n.product(padded);
  const Sizes s = n.sizes(0);
  if (s[1] % elements != 0 || s[2] != blocks) n.refuse(concat(s[2], " blocks"), concat(blocks));
  std::vector<int64_t> at;
  for (int64_t e = 0; e < elements; ++e) {
    for (int64_t b = 0; b < blocks; ++b) {
      int64_t element = e, place = b, pixel = 0, below = 1;
      for (size_t i = dims; i-- > 0;) {
        pixel += (place % counts[i] * strides[i] + element % block[i] * dilations[i]) * below;
        below *= padded[i];
        element /= block[i];
        place /= counts[i];
      }
      at.push_back(pixel + 1);
    }
  }
  const int64_t channels = s[1] / elements;
  const Tensor zeros = n.filled(Shape{s[0], channels, pixels}, 0, n.dtype(0));
  Tensor y = n.eval("(x, at, y) indexAdd(x, 3, at, y)",
                    {zeros, n.from_integers(at), n.reshaped(n.tensor(0), Shape{s[0], channels, elements * blocks})});
  std::vector<int64_t> sizes{s[0], channels};
  sizes.insert(sizes.end(), padded.begin(), padded.end());
  y = n.reshaped(y, sizes);
  for (size_t i = 0; i < dims; ++i) y = n.narrowed(y, static_cast<int>(i) + 2, pads[i], picture[i]);
  n.give(y);
}

// ---- new tensors

void constant_of_shape(NodeRun& n) {
  const std::vector<int64_t> sizes = n.integers(0);
  const Attribute* value = n.attribute("value");
  Tensor one = value != nullptr && value->tensor ? value->tensor->tensor : n.filled({}, 0, DType::float32);
  if (one.numel() != 1) n.refuse(concat("a value of ", one.numel(), " elements"), "1");
  n.give(n.broadcast({one, true}, sizes.empty() ? Sizes(one.sizes()) : Sizes(sizes)), sizes.empty());
}

void eye_like(NodeRun& n) {
  if (n.rank(0) != 2) n.refuse(concat(n.rank(0), " dimensions"), "2");
  const int64_t type = n.integer("dtype", static_cast<int64_t>(element_type_of(n.dtype(0))));
  const auto dtype = dtype_of_elements(type);
  if (!dtype) n.refuse(concat("the type ", shown_element_type(type)), "a type that is a dtype");
  const int64_t rows = n.sizes(0)[0], columns = n.sizes(0)[1], k = n.integer("k", 0);
  Tensor made = Tensor::empty(DType::float32, {rows, columns});
  std::fill_n(made.data<float>(), rows * columns, 0.0F);
  for (int64_t i = 0; i < rows; ++i) {
    if (i + k >= 0 && i + k < columns) made.data<float>()[i * columns + i + k] = 1;
  }
  n.give(n.converted(made, *dtype));
}

// Exact in integers; floats as ONNX Runtime computes them, start + i * delta.
void range(NodeRun& n) {
  const DType dtype = n.dtype(0);
  if (info(dtype).kind == NumberKind::real) {
    const double start = n.number(size_t{0}), limit = n.number(size_t{1}), delta = n.number(size_t{2});
    if (delta == 0) n.refuse("a delta of 0", "another number");
    const double count = std::max(0.0, std::ceil((limit - start) / delta));
    if (!(count < 1e12)) n.refuse(concat(count, " elements"), "fewer");
    Tensor made = Tensor::empty(DType::float64, {static_cast<int64_t>(count)});
    for (int64_t i = 0; i < made.numel(); ++i) made.data<double>()[i] = start + static_cast<double>(i) * delta;
    return n.give(n.converted(made, dtype));
  }
  const int64_t start = n.integer(size_t{0}), limit = n.integer(size_t{1}), delta = n.integer(size_t{2});
  if (delta == 0) n.refuse("a delta of 0", "another number");
  const double count = std::max(0.0, std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta)));
  if (!(count < 1e12)) n.refuse(concat(count, " elements"), "fewer");
  Tensor made = Tensor::empty(DType::int64, {static_cast<int64_t>(count)});
  auto next = static_cast<uint64_t>(start);  // the step after the last element may overflow
  for (int64_t i = 0; i < made.numel(); ++i, next += static_cast<uint64_t>(delta)) made.data<int64_t>()[i] = static_cast<int64_t>(next);
  n.give(n.converted(made, dtype));
}

void trilu(NodeRun& n) {
  const int64_t k = n.has(1) ? n.integer(size_t{1}) : 0;
  const bool is_upper = n.integer("upper", 1) != 0;
  const Sizes s = n.sizes(0);
  if (s.size() < 2) n.refuse(concat(s.size(), " dimensions"), "at least 2");
  const int64_t rows = s[s.size() - 2], columns = s[s.size() - 1];
  Tensor mask = Tensor::empty(DType::boolean, {rows, columns});
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) mask.data<bool>()[i * columns + j] = is_upper ? j - i >= k : j - i <= k;
  }
  n.give(n.eval("(mask, x) where(mask, x, 0)", {n.broadcast({mask}, s), n.tensor(0)}));
}

using Knows = NodeKind::Knows;

constexpr NodeKind kinds[] = {
    {"CenterCropPad", center_crop_pad},
    {"Col2Im", col2im},
    {"Concat", concat_nodes},
    {"Constant", constant},
    {"ConstantOfShape", constant_of_shape},
    {"DepthToSpace", depth_to_space},
    {"Expand", expand},
    {"EyeLike", eye_like},
    {"Flatten", flatten},
    {"Identity", identity},
    {"Pad", pad},
    {"Range", range},
    {"Reshape", reshape},
    {"Shape", shape, {}, {}, Knows::itself},
    {"Size", size, {}, {}, Knows::itself},
    {"Slice", slice},
    {"SpaceToDepth", space_to_depth},
    {"Split", split},
    {"Squeeze", squeeze},
    {"Tile", tile},
    {"Transpose", transpose},
    {"Trilu", trilu},
    {"Unsqueeze", unsqueeze},
};

}  // namespace

std::span<const NodeKind> shape_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
