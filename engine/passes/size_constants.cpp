#include "engine/passes/size_constants.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "engine/core/arguments.h"
#include "engine/core/device.h"
#include "engine/graph/guard.h"
#include "engine/passes/rewrite.h"

namespace mt {
namespace {

using Argument = Graph::Argument;
using Ref = Graph::Ref;

constexpr double largest_whole = 0x1p53;

const std::byte* bytes_of(const Tensor& t) {
  const std::byte* const first = t.storage()->data;
  return first + t.offset() * size_of(t.dtype());
}

// Calls f with the position and the index, a number for each dimension, of each element of a contiguous tensor of these sizes, until it
// returns false. Returns whether it never did.
template <class F> bool each_index(Sizes sizes, F&& f) {
  std::vector<int64_t> index(sizes.size(), 0);
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  for (int64_t at = 0; at < count; ++at) {
    if (!f(at, index)) return false;
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
  }
  return true;
}

int64_t position_of(const std::vector<int64_t>& index, Sizes sizes) {
  int64_t position = 0;
  for (size_t d = 0; d < index.size(); ++d) position = position * sizes[d] + index[d];
  return position;
}

// Finds the steps for one constant. `samples` are contiguous tensors on the host.
class Maker {
 public:
  Maker(Graph& graph, std::span<const Tensor> samples, DeviceId device, const SizeFormulas& formulas)
      : graph_(graph), samples_(samples), device_(device), formulas_(formulas) {}

  std::optional<Ref> make() {
    if (!find_sizes()) return std::nullopt;
    if (const auto rising = append_rising()) return rising;
    return append_repeated();
  }

 private:
  // A sample with whole elements start + step * (position along `axis`).
  struct Line {
    int64_t start = 0, step = 0;
    size_t axis = 0;
  };

  bool find_sizes() {
    for (int d = 0; d < samples_[0].dim(); ++d) {
      const auto size = formulas_.find(each([d](const Tensor& t) { return t.size(d); }));
      if (!size) return false;
      sizes_.push_back(*size);
    }
    return true;
  }

  template <class F> std::vector<int64_t> each(F&& f) const {
    std::vector<int64_t> values;
    for (const Tensor& sample : samples_) values.push_back(f(sample));
    return values;
  }

  static std::optional<Line> line_of(const Tensor& t) {
    const Tensor numbers = to_dtype(t, DType::float64);
    const auto* const elements = reinterpret_cast<const double*>(bytes_of(numbers));
    const auto is_whole = [](double x) { return x == std::floor(x) && std::abs(x) < largest_whole; };
    const auto is_negative_zero = [](double x) { return x == 0 && std::signbit(x); };
    if (!is_whole(elements[0])) return std::nullopt;
    Line line{static_cast<int64_t>(elements[0])};
    for (int d = 0; d < t.dim(); ++d) {
      const double step = t.size(d) > 1 ? elements[t.stride(d)] - elements[0] : 0;
      if (step == 0) continue;
      if (line.step != 0 || !is_whole(step)) return std::nullopt;
      line.step = static_cast<int64_t>(step);
      line.axis = static_cast<size_t>(d);
    }
    const bool fits = each_index(t.sizes(), [&](int64_t at, const std::vector<int64_t>& index) {
      return elements[at] == static_cast<double>(line.start + line.step * index[line.axis]) && !is_negative_zero(elements[at]);
    });
    return fits ? std::optional(line) : std::nullopt;
  }

  // One number in all places, or whole numbers that rise evenly along one dimension.
  std::optional<Ref> append_rising() {
    std::vector<Line> lines;
    for (const Tensor& sample : samples_) {
      const auto line = line_of(sample);
      if (!line || (!lines.empty() && (line->step != lines[0].step || line->axis != lines[0].axis))) return std::nullopt;
      lines.push_back(*line);
    }
    std::vector<int64_t> starts, ends;
    for (size_t i = 0; i < lines.size(); ++i) {
      starts.push_back(lines[i].start);
      ends.push_back(lines[i].start + lines[i].step * (samples_[i].size(static_cast<int>(lines[i].axis)) - 1));
    }
    const auto start = number(starts), end = number(ends);
    if (!start || !end) return std::nullopt;
    if (lines[0].step == 0) return append("full", {list(sizes_), *start, dtype()});
    const Ref range = append("range", {*start, *end, Argument(Value(static_cast<double>(lines[0].step))), dtype()});
    if (sizes_.size() == 1) return range;
    std::vector<Graph::SizeExpression> along(sizes_.size(), {{.number = 1}}), counts = sizes_;
    std::swap(along[lines[0].axis], counts[lines[0].axis]);
    const Ref shaped = append("view", {Argument(range), list(along)});
    return append("repeatTensor", {Argument(shaped), list(counts)});
  }

  // A part that is the same in all samples, repeated.
  std::optional<Ref> append_repeated() {
    const Tensor& first = samples_[0];
    std::vector<int64_t> part;
    std::vector<Graph::SizeExpression> counts;
    for (int d = 0; d < first.dim(); ++d) {
      int64_t divisor = 0;
      for (const Tensor& sample : samples_) divisor = std::gcd(divisor, sample.size(d));
      part.push_back(divisor);
      const auto count = formulas_.find(each([&](const Tensor& t) { return t.size(d) / divisor; }));
      if (!count) return std::nullopt;
      counts.push_back(*count);
    }
    const auto bytes = static_cast<size_t>(size_of(first.dtype()));
    const Tensor repeated = Tensor::empty(first.dtype(), part);
    std::byte* const base = const_cast<std::byte*>(bytes_of(repeated));
    const auto at = [bytes](auto* data, int64_t element) { return data + static_cast<size_t>(element) * bytes; };
    each_index(part, [&](int64_t to, const std::vector<int64_t>& index) {
      std::memcpy(at(base, to), at(bytes_of(first), position_of(index, first.sizes())), bytes);
      return true;
    });
    for (const Tensor& sample : samples_) {
      const bool fits = each_index(sample.sizes(), [&](int64_t element, std::vector<int64_t> index) {
        for (size_t d = 0; d < index.size(); ++d) index[d] %= part[d];
        return std::memcmp(at(bytes_of(sample), element), at(base, position_of(index, part)), bytes) == 0;
      });
      if (!fits) return std::nullopt;
    }
    const Argument constant = add_constant(graph_, to_device(repeated, device_));
    return append("repeatTensor", {constant, list(counts)});
  }

  std::optional<Argument> number(const std::vector<int64_t>& values) const {
    const auto expression = formulas_.find(values);
    if (!expression) return std::nullopt;
    if (expression->size() == 1 && (*expression)[0].type == Graph::SizeToken::Type::number)
      return Argument(Value(static_cast<double>((*expression)[0].number)));
    Argument size;
    size.type = Argument::Type::size;
    size.sizes = {*expression};
    return size;
  }

  static Argument list(std::vector<Graph::SizeExpression> expressions) {
    Argument sizes;
    sizes.type = Argument::Type::sizes;
    sizes.sizes = std::move(expressions);
    return sizes;
  }

  Argument dtype() const {
    Value value;
    value.type = Value::Type::dtype;
    value.dtype = samples_[0].dtype();
    if (device_ != cpu_device) name_device(value, device_);
    return Argument(value);
  }

  Ref append(std::string_view op, std::vector<Argument> arguments) {
    Graph::Step step;
    step.op = Registry::instance().find(op);
    step.first = graph_.result_count();
    step.arguments = std::move(arguments);
    step.arguments.resize(static_cast<size_t>(step.op->decl->signature.count));
    graph_.steps.push_back(std::move(step));
    return {Ref::Of::result, graph_.steps.back().first};
  }

  Graph& graph_;
  std::span<const Tensor> samples_;
  const DeviceId device_;
  const SizeFormulas& formulas_;
  std::vector<Graph::SizeExpression> sizes_;
};

}  // namespace

bool have_same_bits(const Tensor& a, const Tensor& b) {
  if (a.device() != b.device()) return false;
  return Guard{contiguous(on_host(a)), false, {}}.holds(b);
}

std::optional<Ref> append_constant(Graph& graph, std::span<const Tensor> samples, const SizeFormulas& sizes) {
  std::vector<Tensor> on_hosts;
  for (const Tensor& sample : samples) {
    if (sample.dtype() != samples[0].dtype() || sample.device() != samples[0].device() || sample.dim() != samples[0].dim() ||
        sample.numel() == 0)
      return std::nullopt;
    on_hosts.push_back(contiguous(on_host(sample)));
  }
  return Maker(graph, on_hosts, samples[0].device(), sizes).make();
}

}  // namespace mt
