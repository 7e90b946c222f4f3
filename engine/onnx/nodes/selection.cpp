// Ops that choose elements by positions, or write to them. ONNX counts positions from 0, and negative ones from the end.
#include <algorithm>
#include <numeric>

#include "engine/onnx/node_kind.h"
#include "engine/onnx/unsigned.h"

namespace mt::onnx {
namespace {

// Positions as the engine counts them.
Tensor positions(const NodeRun& n, const Tensor& index, int64_t size) {
  return n.eval("(at, size) add(where(lt(at, 0), add(at, size), at), 1)", {n.converted(index, DType::int64), Operand(size)});
}

void gather(NodeRun& n) {
  const NodeValue &x = n.in(0), &index = n.in(1);
  const int dim = n.axis_attribute(0, x.rank());
  std::vector<int64_t> sizes(x.sizes().begin(), x.sizes().end());
  sizes.erase(sizes.begin() + dim);
  sizes.insert(sizes.begin() + dim, index.sizes().begin(), index.sizes().end());
  if (index.is_known && index.tensor.numel() == 1) {  // a view
    const int64_t at = n.integers(1)[0], size = x.tensor.size(dim), first = at < 0 ? at + size : at;
    if (first < 0 || first >= size) n.refuse(concat("the position ", at), concat("one of ", size, " from 0"));
    return n.give(n.narrowed(x.tensor, dim, first, 1), sizes);
  }
  const Tensor at = positions(n, n.reshaped(index.tensor, Shape{index.tensor.numel()}), x.tensor.size(dim));
  n.give(n.eval("(x, dim, at) index(x, dim, at)", {x.tensor, dimension(dim), at}), sizes);
}

void gather_elements(NodeRun& n) {
  const Tensor& x = n.tensor(0);
  const int dim = n.axis_attribute(0, n.rank(0));
  const Tensor at = positions(n, n.tensor(1), x.size(dim));
  n.give(n.eval("(x, dim, at) gather(x, dim, at)", {x, dimension(dim), at}));
}

// Positions of rows in x as a matrix, from tuples along the last dimension of the index; the first `batch` dimensions of both are paired.
struct Rows {
  Tensor at;                     // counted from 1
  int64_t rows = 1, length = 1;  // of the matrix
};

Rows rows_at(const NodeRun& n, Sizes sizes, const Tensor& index, size_t batch) {
  const auto width = static_cast<size_t>(index.size(index.dim() - 1));
  if (batch + width > sizes.size()) n.refuse(concat(width, " positions in a tuple"), concat("at most ", sizes.size() - batch));
  Rows made;
  for (size_t i = 0; i < sizes.size(); ++i) (i < batch + width ? made.rows : made.length) *= sizes[i];
  const int64_t tuples = width == 0 ? 0 : index.numel() / static_cast<int64_t>(width);
  if (width == 0) n.refuse("tuples without positions", "at least one position");
  const Tensor flat = n.reshaped(n.converted(index, DType::int64), Shape{tuples, static_cast<int64_t>(width)});
  int64_t stride = made.rows, batches = 1;
  for (size_t i = 0; i < batch; ++i) {
    stride /= std::max<int64_t>(sizes[i], 1);
    batches *= sizes[i];
  }
  Tensor total;
  if (batch > 0) {
    std::vector<int64_t> first(static_cast<size_t>(tuples));
    for (size_t i = 0; i < first.size(); ++i)
      first[i] = static_cast<int64_t>(i) / std::max<int64_t>(tuples / std::max<int64_t>(batches, 1), 1) * stride;
    total = n.from_integers(first);
  }
  for (size_t i = 0; i < width; ++i) {
    const int64_t size = sizes[batch + i];
    stride /= std::max<int64_t>(size, 1);
    const Tensor part =
        n.eval("(at, i, size, stride) mul(where(lt(select(at, 2, i), 0), add(select(at, 2, i), size), select(at, 2, i)), stride)",
               {flat, Operand(static_cast<int64_t>(i) + 1), Operand(size), Operand(stride)});
    total = total.dim() == 0 ? part : n.eval("(x, y) add(x, y)", {total, part});
  }
  made.at = n.eval("(x) add(x, 1)", {total});
  return made;
}

void gather_nd(NodeRun& n) {
  const auto batch = static_cast<size_t>(n.integer("batch_dims", 0));
  const Sizes from = n.sizes(0), tuples = n.sizes(1);
  if (tuples.empty() || batch >= tuples.size() || batch > from.size()) n.refuse(concat(batch, " batch dimensions"), "fewer than both have");
  const Rows rows = rows_at(n, from, n.tensor(1), batch);
  std::vector<int64_t> sizes(tuples.begin(), tuples.end() - 1);
  sizes.insert(sizes.end(), from.begin() + static_cast<int64_t>(batch) + tuples.back(), from.end());
  const Tensor matrix = n.reshaped(n.tensor(0), Shape{rows.rows, rows.length});
  n.give(n.eval("(x, at) index(x, 1, at)", {matrix, rows.at}), sizes);
}

// ---- writes

// The formula of two tensors by which new elements join those that are there; none: they replace them.
std::string_view joining(const NodeRun& n) {
  const std::string_view reduction = n.string("reduction", "none");
  if (reduction == "none") return {};
  if (reduction == "add") return "(x, y) add(x, y)";
  if (reduction == "mul") return "(x, y) cmul(x, y)";
  if (reduction == "max") return "(x, y) cmax(x, y)";
  if (reduction == "min") return "(x, y) cmin(x, y)";
  n.refuse(concat("the reduction ", reduction), "none, add, mul, max or min");
}

// Positions within one slice of the index never repeat, so slices are joined one after another.
void scatter_elements(NodeRun& n) {
  Tensor x = n.tensor(0);
  const int dim = n.axis_attribute(0, n.rank(0));
  const Tensor at = positions(n, n.tensor(1), x.size(dim)), &updates = n.tensor(2);
  const std::string_view join = joining(n);
  if (join.empty()) return n.give(n.eval("(x, dim, at, y) scatter(x, dim, at, y)", {x, dimension(dim), at, updates}));
  for (int64_t i = 0; i < at.size(dim); ++i) {
    const Tensor slice = n.narrowed(at, dim, i, 1), now = n.eval("(x, dim, at) gather(x, dim, at)", {x, dimension(dim), slice});
    const Tensor joined = n.eval(join, {now, n.narrowed(updates, dim, i, 1)});
    x = n.eval("(x, dim, at, y) scatter(x, dim, at, y)", {x, dimension(dim), slice, joined});
  }
  n.give(x);
}

void scatter_nd(NodeRun& n) {
  const Sizes sizes = n.sizes(0);
  const Rows rows = rows_at(n, sizes, n.tensor(1), 0);
  Tensor x = n.reshaped(n.tensor(0), Shape{rows.rows, rows.length});
  const int64_t count = rows.at.numel();
  const Tensor updates = n.reshaped(n.tensor(2), Shape{count, rows.length});
  const std::string_view join = joining(n);
  if (join.empty()) return n.give(n.eval("(x, at, y) indexCopy(x, 1, at, y)", {x, rows.at, updates}), sizes);
  if (n.string("reduction", "") == "add") return n.give(n.eval("(x, at, y) indexAdd(x, 1, at, y)", {x, rows.at, updates}), sizes);
  for (int64_t i = 0; i < count; ++i) {
    const Tensor at = n.narrowed(rows.at, 0, i, 1);
    const Tensor joined = n.eval(join, {n.eval("(x, at) index(x, 1, at)", {x, at}), n.narrowed(updates, 0, i, 1)});
    x = n.eval("(x, at, y) indexCopy(x, 1, at, y)", {x, at, joined});
  }
  n.give(x, sizes);
}

// ---- order, and sizes that depend on elements

void top_k(NodeRun& n) {
  const int64_t k = n.has(1) ? n.integer(size_t{1}) : n.integer("k", 0);
  const int dim = n.axis_attribute(-1, n.rank(0));
  const auto both = n.eval_all("(x, k, dim, largest) topk(x, k, dim, largest, true)[1], add(topk(x, k, dim, largest, true)[2], -1)",
                               {in_order(n, n.tensor(0)), Operand(k), dimension(dim), n.integer("largest", 1) != 0});
  n.give(from_order(n, both[0], n.dtype(0)), false, 0);
  n.give(both[1], false, 1);
}

void nonzero(NodeRun& n) {
  Tensor x = n.tensor(0);
  if (x.dtype() == DType::boolean) x = n.converted(x, DType::uint8);
  const int64_t rank = n.rank(0);
  Tensor found = n.eval("(x) nonzero(x)", {x});
  if (found.dim() != 2) return n.give(Tensor::empty(DType::int64, {rank, 0}));
  if (rank == 0) return n.give(Tensor::empty(DType::int64, {0, found.size(0)}));
  n.give(n.eval("(at) add(t(at), -1)", {found}));
}

void compress(NodeRun& n) {
  const std::vector<int64_t> condition = n.integers(1);
  std::vector<int64_t> at;
  for (size_t i = 0; i < condition.size(); ++i) {
    if (condition[i] != 0) at.push_back(static_cast<int64_t>(i) + 1);
  }
  Tensor x = n.tensor(0);
  int dim = 0;
  if (n.attribute("axis") != nullptr)
    dim = n.axis_attribute(0, n.rank(0));
  else
    x = n.reshaped(x, Shape{x.numel()});
  n.give(n.eval("(x, dim, at) index(x, dim, at)", {x, dimension(dim), n.from_integers(at)}));
}

void one_hot(NodeRun& n) {
  const int64_t depth = n.integer(size_t{1});
  const Tensor& index = n.tensor(0);
  const int rank = n.rank(0) + 1, dim = n.axis(n.integer("axis", -1), rank);
  if (depth < 0) n.refuse(concat("a depth of ", depth), "at least 0");
  std::vector<int64_t> sizes(n.sizes(0).begin(), n.sizes(0).end()), one = sizes;
  sizes.insert(sizes.begin() + dim, depth);
  one.insert(one.begin() + dim, 1);
  Tensor numbers = Tensor::empty(DType::int64, {depth});
  std::iota(numbers.data<int64_t>(), numbers.data<int64_t>() + depth, int64_t{0});
  std::vector<int64_t> line(static_cast<size_t>(rank), 1);
  line[static_cast<size_t>(dim)] = depth;
  const Tensor at = n.eval("(at, size) where(lt(at, 0), add(at, size), at)", {n.converted(index, DType::int64), Operand(depth)});
  const Tensor wanted = n.broadcast({n.reshaped(at, one)}, sizes), counted = n.broadcast({n.reshaped(numbers, line)}, sizes);
  const Tensor off = n.narrowed(n.tensor(2), 0, 0, 1), on = n.narrowed(n.tensor(2), 0, 1, 1);
  n.give(n.eval("(x, y, on, off) where(eq(x, y), on, off)",
                {wanted, counted, n.broadcast({on, true}, sizes), n.broadcast({off, true}, sizes)}));
}

void reverse_sequence(NodeRun& n) {
  const Tensor& x = n.tensor(0);
  const int time = n.axis(n.integer("time_axis", 0), n.rank(0)), batch = n.axis(n.integer("batch_axis", 1), n.rank(0));
  const std::vector<int64_t> lengths = n.integers(1);
  if (lengths.size() != static_cast<size_t>(x.size(batch))) n.refuse(concat(lengths.size(), " lengths"), concat(x.size(batch)));
  std::vector<int64_t> at;
  for (const int64_t length : lengths) {
    if (length < 0 || length > x.size(time)) n.refuse(concat("a length of ", length), concat("0..", x.size(time)));
    for (int64_t i = 0; i < x.size(time); ++i) at.push_back(i < length ? length - i : i + 1);
  }
  std::vector<int64_t> sizes(static_cast<size_t>(x.dim()), 1), order{0, 1};
  Tensor index = n.reshaped(n.from_integers(at), Shape{x.size(batch), x.size(time)});
  if (time < batch) index = n.permuted(index, {1, 0});
  sizes[static_cast<size_t>(time)] = x.size(time);
  sizes[static_cast<size_t>(batch)] = x.size(batch);
  n.give(n.eval("(x, dim, at) gather(x, dim, at)", {x, dimension(time), n.broadcast({n.reshaped(index, sizes)}, x.sizes())}));
}

// The different elements or slices, in order of value or of appearance.
void unique(NodeRun& n) {
  const Tensor& given = n.tensor(0);
  const bool has_axis = n.attribute("axis") != nullptr;
  const int dim = has_axis ? n.axis_attribute(0, n.rank(0)) : 0;
  Tensor x = given;
  if (!has_axis) x = n.reshaped(x, Shape{x.numel()});
  std::vector<int64_t> order(static_cast<size_t>(x.dim()));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::swap(order[0], order[static_cast<size_t>(dim)]);
  const int64_t count = x.size(dim), length = count == 0 ? 0 : x.numel() / count;
  const Tensor rows = n.reshaped(n.permuted(x, order), Shape{count, length});
  const bool is_integer = !is_float(x.dtype());
  const std::vector<int64_t> integers = is_integer ? n.elements<int64_t>(rows) : std::vector<int64_t>();
  const std::vector<double> numbers = is_integer ? std::vector<double>() : n.elements<double>(rows);
  const auto less = [&](int64_t a, int64_t b) {
    const auto compare = [&](const auto& list) {
      const auto from = [&](int64_t row) { return list.begin() + row * length; };
      return std::lexicographical_compare(from(a), from(a) + length, from(b), from(b) + length);
    };
    return is_integer ? compare(integers) : compare(numbers);
  };
  std::vector<int64_t> sorted(static_cast<size_t>(count));
  std::iota(sorted.begin(), sorted.end(), int64_t{0});
  std::ranges::stable_sort(sorted, less);
  std::vector<int64_t> firsts, counts, groups(static_cast<size_t>(count));  // by group, in order of value
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || less(sorted[i - 1], sorted[i])) {
      firsts.push_back(sorted[i]);
      counts.push_back(0);
    }
    ++counts.back();
    groups[static_cast<size_t>(sorted[i])] = static_cast<int64_t>(firsts.size()) - 1;
  }
  if (n.integer("sorted", 1) == 0) {
    std::vector<int64_t> by_place(firsts.size()), places(firsts.size());
    std::iota(by_place.begin(), by_place.end(), int64_t{0});
    std::ranges::sort(by_place, {}, [&](int64_t group) { return firsts[static_cast<size_t>(group)]; });
    std::vector<int64_t> new_firsts, new_counts;
    for (size_t i = 0; i < by_place.size(); ++i) {
      const auto group = static_cast<size_t>(by_place[i]);
      places[group] = static_cast<int64_t>(i);
      new_firsts.push_back(firsts[group]);
      new_counts.push_back(counts[group]);
    }
    firsts = new_firsts;
    counts = new_counts;
    for (int64_t& group : groups) group = places[static_cast<size_t>(group)];
  }
  std::vector<int64_t> from_1 = firsts;
  for (int64_t& first : from_1) ++first;
  n.give(n.eval("(x, dim, at) index(x, dim, at)", {x, dimension(dim), n.from_integers(from_1)}));
  n.give(n.from_integers(firsts), false, 1);
  n.give(n.from_integers(groups), false, 2);
  n.give(n.from_integers(counts), false, 3);
}

constexpr NodeKind kinds[] = {
    {"Compress", compress},
    {"Gather", gather},
    {"GatherElements", gather_elements},
    {"GatherND", gather_nd},
    {"NonZero", nonzero},
    {"OneHot", one_hot},
    {"ReverseSequence", reverse_sequence},
    {"Scatter", scatter_elements},
    {"ScatterElements", scatter_elements},
    {"ScatterND", scatter_nd},
    {"TopK", top_k},
    {"Unique", unique},
};

}  // namespace

std::span<const NodeKind> selection_kinds() { return built_kinds<kinds>(); }

}  // namespace mt::onnx
