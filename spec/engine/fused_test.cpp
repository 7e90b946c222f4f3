// Fused loops against the same ops called one by one: random programs of all elementwise ops, over random shapes and layouts.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/core/arguments.h"
#include "engine/core/parallel.h"
#include "engine/graph/fused/loop.h"
#include "engine/graph/fused/plan.h"
#include "engine/graph/fused/reduction.h"
#include "engine/ops/pointwise.h"
#include "spec/engine/values.h"

using namespace mt;

namespace {

using Ref = FusedProgram::Ref;
using Argument = FusedProgram::Argument;

const Op& op(std::string_view name) { return *Registry::instance().find(name); }

// The bits are equal, or both elements are NaN: which NaN an operation returns is open.
bool same_elements(const Tensor& a, const Tensor& b) {
  if (!a.same_sizes(b) || a.dtype() != b.dtype()) return false;
  const Tensor x = contiguous(a), y = contiguous(b);
  return dispatch(a.dtype(), [&]<class T>(std::type_identity<T>) {
    for (int64_t i = 0; i < x.numel(); ++i) {
      const T p = x.data<T>()[i], q = y.data<T>()[i];
      if (std::memcmp(&p, &q, sizeof(T)) == 0) continue;
      if constexpr (std::is_integral_v<T>) return false;
      const auto u = static_cast<double>(static_cast<Compute<T>>(p)), v = static_cast<double>(static_cast<Compute<T>>(q));
      if (!std::isnan(u) || !std::isnan(v)) return false;
    }
    return true;
  });
}

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}

  int below(int n) { return static_cast<int>(engine_() % static_cast<uint32_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }

  void fill(const Tensor& t) {
    constexpr double special[] = {0, -0.0, 1, -1, 0.5, 1e-3, 50, -50, 1e6, INFINITY, -INFINITY, NAN};
    std::byte* const memory = t.storage()->data;
    for (int64_t i = 0; i < t.storage()->size; ++i) {
      double value = (below(4001) - 2000) / 512.0;
      if (is_float(t.dtype()) && chance(10)) value = special[below(std::size(special))];
      if (!is_float(t.dtype())) value = below(100) - (t.dtype() == DType::uint8 || t.dtype() == DType::boolean ? 0 : 50);
      dispatch(t.dtype(), [&]<class T>(std::type_identity<T>) { reinterpret_cast<T*>(memory)[i] = element_from<T>(value); });
    }
  }

  // A tensor of this shape, some dimensions of size 1 or left out at the front, in some layout.
  Tensor tensor(DType dtype, const Shape& full, bool broadcast) {
    Shape sizes = full;
    if (broadcast) {
      while (sizes.size() > 1 && chance(20)) sizes.erase(0);
      for (int d = 0; d < sizes.size(); ++d) {
        if (chance(30)) sizes[d] = 1;
      }
    }
    Tensor t;
    switch (below(4)) {
      case 0: {  // dimensions in reverse order in memory
        Shape reversed;
        for (int d = sizes.size(); d-- > 0;) reversed.push(sizes[d]);
        t = Tensor::empty(dtype, reversed);
        Shape strides;
        for (int d = sizes.size(); d-- > 0;) strides.push(t.stride(d));
        t.set_geometry(0, sizes, strides);
        break;
      }
      case 1: {  // part of a larger tensor
        Shape larger = sizes;
        larger[larger.size() - 1] = 2 * larger[larger.size() - 1] + 1;
        t = Tensor::empty(dtype, larger);
        Shape strides(t.strides());
        strides[strides.size() - 1] = 2;
        t.set_geometry(1, sizes, strides);
        break;
      }
      default:
        t = Tensor::empty(dtype, sizes);
    }
    fill(t);
    return t;
  }

 private:
  std::mt19937 engine_;
};

// A program with tensors and numbers to run it with.
struct Case {
  FusedProgram program;
  std::deque<Tensor> inputs;
  std::vector<Value> numbers;
  std::vector<Ref> tensors;  // inputs and results

  Ref input(const Tensor& t) {
    inputs.push_back(t);
    tensors.push_back(program.input(t.dtype()));
    return tensors.back();
  }
  Ref number(double value) {
    numbers.emplace_back(value);
    return program.number();
  }
  Ref step(std::string_view name, const std::vector<Argument>& arguments) {
    const std::optional<Ref> made = program.step(op(name), arguments);
    REQUIRE(made.has_value());
    tensors.push_back(*made);
    return *made;
  }

  std::vector<Tensor*> pointers() {
    std::vector<Tensor*> list;
    for (Tensor& t : inputs) list.push_back(&t);
    return list;
  }

  // The outputs of the ops, called one by one.
  std::vector<Tensor> expected() {
    std::deque<Tensor> made;
    for (const FusedProgram::Step& step : program.steps()) {
      std::vector<Value> args;
      for (const Ref r : step.operands) {
        const auto i = static_cast<size_t>(r.index);
        if (r.of == Ref::Of::input) args.emplace_back(inputs[i]);
        if (r.of == Ref::Of::result) args.emplace_back(made[i]);
        if (r.of == Ref::Of::number) args.push_back(numbers[i]);
        if (r.of == Ref::Of::constant) args.push_back(program.constants()[i]);
      }
      Tensor* const results[] = {&made.emplace_back()};
      Call call{*step.op, args, results};
      run_op(call);
    }
    std::vector<Tensor> outputs;
    for (const int32_t s : program.outputs()) outputs.push_back(made[static_cast<size_t>(s)]);
    return outputs;
  }

  bool run(const FusedLoop& loop, std::vector<Tensor>& outputs, uint32_t given = 0) {
    std::vector<Tensor*> list;
    outputs.resize(program.outputs().size());
    for (Tensor& t : outputs) list.push_back(&t);
    const std::vector<Tensor*> from = pointers();
    return loop.run({from, numbers, list, given});
  }
};

bool same_layout(const Tensor& a, const Tensor& b) { return std::ranges::equal(a.strides(), b.strides()); }

// Arguments for an op: tensors of the dtype among those of the case, or new ones, and numbers. Nothing if the op doesn't accept the dtype.
std::optional<std::vector<Argument>> arguments_for(Case& c, const Op& called, DType dtype, const Shape& shape, Random& random) {
  const Signature& signature = called.decl->signature;
  std::vector<Argument> arguments;
  bool any = false;
  for (int i = 0; i < signature.count; ++i) {
    const Param& p = signature.params[i];
    const bool last_chance = !any && i + 1 == signature.count;
    if (p.takes(kind_tensor) && (!p.takes(kind_number) || last_chance || random.chance(70))) {
      any = true;
      std::vector<Ref> fitting;
      for (const Ref t : c.tensors) {
        if (c.program.dtype(t) == dtype) fitting.push_back(t);
      }
      if (fitting.empty() || (c.inputs.size() < 10 && random.chance(35)))
        arguments.emplace_back(c.input(random.tensor(dtype, shape, random.chance(40))));
      else
        arguments.emplace_back(fitting[static_cast<size_t>(random.below(static_cast<int>(fitting.size())))]);
    } else if (p.takes(kind_number)) {
      const double value = is_float(dtype) ? (random.below(33) - 16) / 4.0 : random.below(9) - (dtype == DType::uint8 ? 0 : 4);
      if (random.chance(30))
        arguments.emplace_back(c.number(value));
      else if (p.optional && random.chance(50))
        arguments.emplace_back();
      else
        arguments.emplace_back(value);
    } else {
      return std::nullopt;
    }
  }
  return arguments;
}

std::vector<const Op*> elementwise_ops() {
  std::vector<const Op*> list;
  for (const Op& one : Registry::instance().ops()) {
    if (one.plan == &plan_pointwise) list.push_back(&one);
  }
  return list;
}

// A random program whose last steps are the given op and another one.
bool random_case(Case& c, const Op& last, DType dtype, const Shape& shape, const std::vector<const Op*>& ops, Random& random) {
  c.input(random.tensor(dtype, shape, false));
  const auto add = [&](const Op& called) {
    const auto arguments = arguments_for(c, called, dtype, shape, random);
    if (!arguments) return false;
    const std::optional<Ref> made = c.program.step(called, *arguments);
    if (made) c.tensors.push_back(*made);
    return made.has_value();
  };
  const int before = random.below(6);
  for (int i = 0; i < before; ++i) add(*ops[static_cast<size_t>(random.below(static_cast<int>(ops.size())))]);
  if (!add(last)) return false;
  c.program.output(c.tensors.back());
  if (random.chance(50) && add(*ops[static_cast<size_t>(random.below(static_cast<int>(ops.size())))])) c.program.output(c.tensors.back());
  return true;
}

}  // namespace

TEST_CASE("a fused loop has the elements of its ops") {
  const std::vector<const Op*> ops = elementwise_ops();
  CHECK(ops.size() > 60);
  const Shape shapes[] = {{7}, {300}, {5, 8}, {3, 70}, {70, 3}, {2, 3, 4, 5}, {1, 6, 1}, {2, 2000}, {9000}, {0, 3}};
  size_t fused = 0, one_by_one = 0;
  std::string never;
  uint32_t seed = 0;
  for (const Op* const last : ops) {
    size_t runs = 0;
    for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16, DType::int64, DType::int32, DType::int16,
                              DType::int8, DType::uint8, DType::boolean}) {
      for (int repeat = 0; repeat < (dtype == DType::float32 ? 6 : 2); ++repeat) {
        Random random(++seed);
        const Shape& shape = shapes[random.below(std::size(shapes))];
        Case c;
        if (!random_case(c, *last, dtype, shape, ops, random)) continue;
        const std::vector<Tensor> expected = [&]() -> std::vector<Tensor> {
          try {
            return c.expected();
          } catch (const Error&) {
            return {};
          }
        }();
        CAPTURE(last->decl->name);
        CAPTURE(seed);
        const FusedLoop loop(c.program);
        std::vector<Tensor> outputs;
        if (expected.empty()) {
          CHECK_THROWS_AS(c.run(loop, outputs), Error);
          continue;
        }
        ++runs;
        for (int time = 0; time < 2; ++time) {  // machine code serves the second run of few elements
          outputs.clear();
          (c.run(loop, outputs) ? fused : one_by_one) += 1;
          for (size_t i = 0; i < outputs.size(); ++i) {
            CHECK(same_elements(outputs[i], expected[i]));
            CHECK(same_layout(outputs[i], expected[i]));
          }
        }
      }
    }
    if (runs == 0) never.append(" ").append(last->decl->name);
  }
  CHECK(never == "");
  CHECK(fused > 4 * one_by_one);
}

TEST_CASE("a fused loop accepts steps of other shapes that no output reads") {
  for (const Shape& unread : {Shape{0, 3}, Shape{7}, Shape{4, 3}, Shape{5, 4, 1, 3}}) {
    Case c;
    const Ref x = c.input(Random(1).tensor(DType::float64, unread, false));
    c.step("exp", {x});
    const Ref y = c.input(Random(2).tensor(DType::float64, {1, 3}, false));
    c.program.output(c.step("add", {y, 2.0}));
    std::vector<Tensor> outputs;
    CHECK(!c.run(FusedLoop(c.program), outputs));
    CHECK(same_elements(outputs[0], c.expected()[0]));
  }
}

TEST_CASE("a fused loop may have more values than the processor has registers") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const int64_t n : {1, 7, 8, 9, 64, 1001, 20000}) {
      Random random(static_cast<uint32_t>(n));
      Case c;
      std::vector<Ref> values;
      for (int i = 0; i < 12; ++i) values.push_back(c.input(random.tensor(dtype, {n}, false)));
      for (int i = 0; i < 12; ++i)
        values.push_back(c.step("cmul", {values[static_cast<size_t>(i)], values[static_cast<size_t>(11 - i / 2)]}));
      for (int i = 0; i < 10; ++i)
        values.push_back(c.step("add", {values[static_cast<size_t>(i)], values[static_cast<size_t>(12 + i)], c.number(i)}));
      Ref sum = values[0];
      for (size_t i = 1; i < values.size(); ++i)
        sum = c.step(i % 3 == 0 ? "cmax" : "addcmul", i % 3 == 0 ? std::vector<Argument>{sum, values[i]}
                                                                 : std::vector<Argument>{sum, values[i], values[values.size() - i], 0.125});
      for (const size_t i : {13, 20, 30}) c.program.output(values[i]);
      c.program.output(sum);
      const FusedLoop loop(c.program);
      const std::vector<Tensor> expected = c.expected();
      for (int time = 0; time < 2; ++time) {
        std::vector<Tensor> outputs;
        CHECK(c.run(loop, outputs));
        for (size_t i = 0; i < outputs.size(); ++i) CHECK(same_elements(outputs[i], expected[i]));
      }
    }
  }
}

TEST_CASE("short rows, and elements that are not adjacent, are copied to blocks") {
  Random random(6);
  for (const DType dtype : {DType::float32, DType::float64, DType::int16}) {
    for (const Shape& shape : {Shape{3000, 10}, Shape{1500, 31}, Shape{40, 900}, Shape{700, 2, 7}}) {
      const int last = shape.size() - 1;
      Shape row{shape[last]}, column = shape, wide = shape;
      column[last] = 1;
      wide[last] = 2 * shape[last];
      const Tensor all = Tensor::empty(dtype, wide);
      random.fill(all);
      Tensor every_second = all, first_half = all;
      Shape strides(all.strides());
      first_half.set_geometry(0, shape, strides);
      strides[last] = 2;
      every_second.set_geometry(1, shape, strides);
      Case c;
      const auto dense = [&](const Shape& sizes) {
        const Tensor t = Tensor::empty(dtype, sizes);
        random.fill(t);
        return c.input(t);
      };
      const Ref x = dense(shape), r = dense(row), k = dense(column), e = c.input(every_second), h = c.input(first_half);
      const Ref sum = c.step("add", {c.step("cmul", {x, r}), c.step("csub", {k, e})});
      c.program.output(c.step("cmax", {sum, h}));
      c.program.output(c.step("cmul", {sum, r}));
      const FusedLoop loop(c.program);
      const std::vector<Tensor> expected = c.expected();
      for (int time = 0; time < 2; ++time) {
        std::vector<Tensor> outputs;
        CHECK(c.run(loop, outputs));
        for (size_t i = 0; i < 2; ++i) CHECK(same_elements(outputs[i], expected[i]));
      }
    }
  }
}

TEST_CASE("elements outside of the range of machine code have the ops' results, in any place") {
  for (const int64_t n : {40, 9001}) {
    for (const int64_t far : {int64_t{0}, int64_t{7}, n / 2, n - 1}) {
      Random random(7);
      Case c;
      Tensor t = Tensor::empty(DType::float32, {n});
      random.fill(t);
      t.data<float>()[far] = 123456.7F;
      t.data<float>()[n / 3] = -INFINITY;
      const Ref x = c.input(t);
      const Ref s = c.step("csub", {c.step("sin", {c.step("mul", {x, 2.0})}), c.step("gelu", {x})});
      c.program.output(s);
      c.program.output(c.step("cmul", {s, c.step("cos", {x})}));
      const FusedLoop loop(c.program);
      const std::vector<Tensor> expected = c.expected();
      const Tensor before = clone(t);
      for (int time = 0; time < 3; ++time) {
        std::vector<Tensor> outputs = {Tensor::empty(DType::float32, {n}),
                                       time < 2 ? Tensor::empty(DType::float32, {n}) : t};  // at last in place
        CHECK(c.run(loop, outputs, 3));
        for (size_t i = 0; i < 2; ++i) CHECK(same_elements(outputs[i], expected[i]));
        copy(t, before);
      }
    }
  }
}

TEST_CASE("elements of a fused loop don't depend on the number of threads, nor on its size") {
  Random random(1);
  for (const int64_t n : {100003, 4300000}) {  // the results of the second one are written by streaming stores
    Case c;
    const Ref x = c.input(random.tensor(DType::float32, {n}, false)), y = c.input(random.tensor(DType::float32, {n}, false));
    const Ref s = c.step("sigmoid", {c.step("add", {c.step("cmul", {x, y}), x, 0.25})});
    c.program.output(s);
    c.program.output(c.step("cdiv", {s, c.number(3)}));
    const FusedLoop loop(c.program);
    const std::vector<Tensor> expected = c.expected();
    for (const int threads : {1, 2, 3}) {
      set_own_threads(threads);
      std::vector<Tensor> outputs;
      CHECK(c.run(loop, outputs));
      for (size_t i = 0; i < 2; ++i) CHECK(same_elements(outputs[i], expected[i]));
    }
    parallel_detail::own_count = 0;  // back to the process's number
  }
}

TEST_CASE("a fused loop writes to given outputs, also to its inputs") {
  Random random(2);
  for (const std::pair<DType, int64_t>& one : std::vector<std::pair<DType, int64_t>>{
           {DType::float64, 5}, {DType::float64, 3000}, {DType::float64, 70000}, {DType::int32, 5}, {DType::int32, 70000}}) {
    const DType dtype = one.first;
    const int64_t n = one.second;
    Case c;
    const Tensor x = random.tensor(dtype, {n}, false), y = random.tensor(dtype, {n}, false);
    const Ref a = c.input(contiguous(x)), b = c.input(contiguous(y));
    const Ref sum = c.step("add", {a, b});
    c.program.output(sum);
    c.program.output(c.step("cmul", {sum, a}));  // reads `a` after the first output
    const FusedLoop loop(c.program);
    const std::vector<Tensor> expected = c.expected();
    const Tensor first = clone(c.inputs[0]), second = clone(c.inputs[1]);
    const auto check = [&](std::vector<Tensor> outputs) {
      CHECK(c.run(loop, outputs, 3));
      for (size_t i = 0; i < 2; ++i) CHECK(same_elements(outputs[i], expected[i]));
      copy(c.inputs[0], first);
      copy(c.inputs[1], second);
    };
    const auto fresh = [&] { return Tensor::empty(dtype, {n}); };
    check({fresh(), fresh()});
    check({c.inputs[0], fresh()});
    check({c.inputs[1], fresh()});
    check({fresh(), c.inputs[0]});
    check({c.inputs[1], c.inputs[0]});
    check({Tensor::empty(dtype, {2}), fresh()});  // is resized
    const Tensor room = Tensor::empty(dtype, {2 * n});
    Tensor shifted = room, inside = room;  // an input that begins one element before an output
    inside.set_geometry(0, Shape{n}, Shape{1});
    shifted.set_geometry(1, Shape{n}, Shape{1});
    copy(inside, first);
    c.inputs[0] = inside;
    std::vector<Tensor> outputs = {fresh(), shifted};
    CHECK(c.run(loop, outputs, 3));
    for (size_t i = 0; i < 2; ++i) CHECK(same_elements(outputs[i], expected[i]));
  }
}

TEST_CASE("several threads may run a fused loop at a time") {
  Random random(8);
  Case c;
  const Ref x = c.input(random.tensor(DType::float32, {40, 500}, false)), y = c.input(random.tensor(DType::float32, {40, 500}, true));
  c.program.output(c.step("tanh", {c.step("add", {c.step("cmul", {x, y}), x})}));
  const FusedLoop loop(c.program);
  const Tensor expected = c.expected()[0];
  std::vector<Tensor> results(4);
  std::vector<std::thread> threads;
  for (Tensor& result : results) {
    threads.emplace_back([&] {
      Tensor inputs[] = {c.inputs[0], c.inputs[1]};
      Tensor* const from[] = {&inputs[0], &inputs[1]};
      Tensor* const to[] = {&result};
      for (int time = 0; time < 20; ++time) {
        result = Tensor();
        loop.run({from, {}, to});
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (const Tensor& result : results) CHECK(same_elements(result, expected));
}

TEST_CASE("a fused loop counts writes, and leaves outputs alone if an op raises an error") {
  Case c;
  Random random(3);
  const Ref x = c.input(random.tensor(DType::float32, {4}, false));
  c.program.output(c.step("exp", {x}));
  const FusedLoop loop(c.program);
  std::vector<Tensor> outputs = {Tensor::empty(DType::float32, {4})};
  const auto version = outputs[0].storage()->version.load();
  CHECK(c.run(loop, outputs, 1));
  CHECK(outputs[0].storage()->version.load() != version);

  outputs = {Tensor::empty(DType::float64, {4})};
  fill(outputs[0], ScalarValue::of(7.0));
  CHECK_THROWS_AS(c.run(loop, outputs, 1), Error);
  CHECK(outputs[0].data<double>()[3] == 7.0);
}

TEST_CASE("ops that a fused loop can't contain are refused") {
  FusedProgram program;
  const Ref x = program.input(DType::float32), d = program.input(DType::float64), i = program.input(DType::int32);
  const auto refused = [&](std::string_view name, const std::vector<Argument>& arguments) {
    return !program.step(op(name), arguments) && !program.refusal().empty();
  };
  CHECK(refused("sum", {x}));
  CHECK(refused("add", {x, d}));
  CHECK(refused("exp", {i}));
  CHECK(refused("cdiv", {i, i}));
  CHECK(refused("add", {1.0, 2.0}));
  CHECK(refused("mul", {x, x}));
  CHECK(program.steps().empty());
}

TEST_CASE("tensors that a fused loop wasn't made for go through the ops one by one") {
  Case c;
  Random random(4);
  const Ref x = c.input(random.tensor(DType::float32, {2, 3}, false)), y = c.input(random.tensor(DType::float32, {3, 2}, false));
  c.program.output(c.step("neg", {c.step("add", {x, y})}));
  const FusedLoop loop(c.program);
  std::vector<Tensor> outputs;
  CHECK_FALSE(c.run(loop, outputs));  // as many elements in other shapes: Torch7 pairs them in order
  CHECK(same_elements(outputs[0], c.expected()[0]));
  c.inputs[0] = random.tensor(DType::float64, {3, 2}, false);
  CHECK_FALSE(c.run(loop, outputs));
  CHECK(same_elements(outputs[0], c.expected()[0]));
  c.inputs[0] = random.tensor(DType::float32, {4, 2}, false);
  CHECK_THROWS_AS(c.run(loop, outputs), Error);
}

TEST_CASE("a reduction reads the elements of a fused loop, with the bits of one after the other") {
  struct Reducer {
    std::string_view op;
    bool all, dim;  // whether it reduces all elements, and one dimension
  };
  const Reducer reducers[] = {{"sum", true, true},       {"mean", true, true},  {"max", true, true},      {"min", true, true},
                              {"prod", true, true},      {"norm", true, false}, {"var", true, true},      {"std", true, true},
                              {"argmax", true, true},    {"all", true, true},   {"softmax", false, true}, {"logsoftmax", false, true},
                              {"logsumexp", false, true}};
  const Shape shapes[] = {{5}, {40, 7}, {7, 100}, {3, 40000}, {2, 3, 50}, {100003}, {5000, 30}};
  int fused = 0, other = 0;
  uint32_t seed = 100;
  for (const Reducer& reducer : reducers) {
    for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::int32}) {
      for (const Shape& shape : shapes) {
        for (int dim = reducer.all ? -1 : 0; dim < (reducer.dim ? shape.size() : 0); ++dim) {
          Random random(++seed);
          Case c;
          const Ref x = c.input(random.tensor(dtype, shape, false)), y = c.input(random.tensor(dtype, shape, true));
          c.program.output(c.step("add", {c.step("cmul", {x, y}), x, c.number(2)}));
          std::vector<Value> arguments;
          const Signature& signature = op(reducer.op).decl->signature;
          const int at = signature.find("dim");
          if (dim >= 0 && at < 0) continue;
          for (int i = 1; i <= at && dim >= 0; ++i) arguments.push_back(i == at ? integer_value(dim) : Value());
          if (reducer.op == "norm") arguments = {Value(2.0)};
          std::vector<Value> args = {Value()};
          Tensor elements = c.expected()[0];
          args[0] = Value(elements);
          for (int i = 1; i < signature.count; ++i) {
            args.push_back(static_cast<size_t>(i) <= arguments.size() ? arguments[static_cast<size_t>(i) - 1] : Value());
            if (!args.back().given()) set_default(args.back(), signature.params[i]);
          }
          std::vector<Tensor> expected(static_cast<size_t>(signature.result_count)), results(expected.size());
          std::vector<Tensor*> to, from;
          for (Tensor& t : results) to.push_back(&t);
          for (Tensor& t : expected) from.push_back(&t);
          Call call{op(reducer.op), args, from};
          try {
            run_op(call);
          } catch (const Error&) {
            continue;
          }
          CAPTURE(reducer.op);
          CAPTURE(seed);
          const FusedReduction reduction(c.program, op(reducer.op), arguments);
          const std::vector<Tensor*> inputs = c.pointers();
          for (int time = 0; time < 2; ++time) {
            for (Tensor& t : results) t = Tensor();
            set_own_threads(time + 1);
            const bool was_fused = reduction.run({inputs, c.numbers, to});
            if (dim < 0 || dim + 1 == shape.size()) (was_fused ? fused : other) += 1;
            parallel_detail::own_count = 0;  // back to the process's number
            for (size_t i = 0; i < results.size(); ++i) CHECK(same_elements(results[i], expected[i]));
          }
        }
      }
    }
  }
  CHECK(fused > 3 * other);
}

TEST_CASE("the plan of a fused loop is a value") {
  static_assert(is_plan<FusedPlan>);
  Case c;
  Random random(5);
  const Ref x = c.input(random.tensor(DType::float32, {500}, false));
  c.program.output(c.step("add", {c.step("exp", {x}), 0.5}));
  const auto made = schedule(c.program);
  const Tensor input = contiguous(c.inputs[0]), other = clone(input), result = Tensor::empty(DType::float32, {500}),
               later = Tensor::empty(DType::float32, {500});
  random.fill(other);
  const ScalarValue numbers[] = {made->constants[0], made->constants[1]};
  const Tensor* const tensors[] = {&result, &input};
  FusedPlan copied = FusedPlan(made, tensors, {numbers, made->constants.size()});
  struct Rebind final : OperandVisitor {
    const Tensor *input, *from, *to, *result;
    void place(OperandPlace& place) override { place.storage = place.storage == input->storage() ? from->storage() : to->storage(); }
  } visitor;
  visitor.input = &input;
  visitor.from = &other;
  visitor.to = &later;
  copied.visit(visitor);
  run_fused(copied);
  c.inputs[0] = other;
  CHECK(same_elements(later, c.expected()[0]));
}
