// Prepared runs: every op runs from memory that was laid out once; memory plans; runs in several threads.
#include "engine/graph/prepared.h"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>

#include "engine/core/allocator.h"
#include "engine/graph/capture.h"
#include "engine/graph/memory_plan.h"
#include "engine/graph/text.h"
#include "spec/engine/one_call.h"
#include "spec/engine/values.h"

using namespace mt;
using namespace mt::test;

namespace {

std::vector<const Tensor*> pointers(const std::deque<Tensor>& tensors) {
  std::vector<const Tensor*> list;
  for (const Tensor& t : tensors) list.push_back(&t);
  return list;
}

std::vector<Value> values_of(std::deque<Tensor>& tensors) {
  std::vector<Value> values;
  for (Tensor& t : tensors) values.emplace_back(t);
  return values;
}

std::shared_ptr<const Executor> parsed(const char* text, const ParseOptions& options = {}) {
  return std::make_shared<const Executor>(parse_graph(text, options));
}

Tensor vector_of(std::initializer_list<double> elements) {
  Tensor t = Tensor::empty(DType::float64, {static_cast<int64_t>(elements.size())});
  std::copy(elements.begin(), elements.end(), t.data<double>());
  return t;
}

Tensor filled(Sizes sizes, double element) {
  Tensor t = Tensor::empty(DType::float64, sizes);
  std::fill_n(t.data<double>(), t.numel(), element);
  return t;
}

std::vector<double> elements_of(const Tensor& t) {
  const Tensor x = contiguous(t);
  return {x.data<double>(), x.data<double>() + x.numel()};
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

void expect_apart(const std::vector<LiveRange>& values, const MemoryPlan& plan) {
  for (size_t a = 0; a < values.size(); ++a) {
    CHECK(plan.offsets[a] % memory_plan_alignment == 0);
    CHECK(plan.offsets[a] + values[a].bytes <= plan.bytes);
    for (size_t b = 0; b < a; ++b) {
      const bool apart = plan.offsets[a] + values[a].bytes <= plan.offsets[b] || plan.offsets[b] + values[b].bytes <= plan.offsets[a];
      CHECK((apart || !values[a].overlaps(values[b])));
    }
  }
}

}  // namespace

TEST_CASE("every op that a graph can repeat is prepared, and runs with other elements") {
  std::map<std::string, int> prepared_ops;
  std::map<std::string, bool> allocating;
  for (const Op& op : Registry::instance().ops()) {
    if (op.decl->name == "empty") continue;  // has undefined elements
    for (const Recipe& recipe : recipes()) {
      if (recipe.first.size() == 0 || recipe.others.size() == 0) continue;  // no memory
      CAPTURE(op.decl->name);
      OneCall first(op, recipe), expected(op, recipe), second(op, recipe);
      Capture capture([] { return std::string(); });
      int number = 0;
      for (Tensor& t : first.arguments.tensors()) capture.add_input(concat("x", ++number), t);
      first.call.hook = &capture;
      try {
        run_op(first.call);
      } catch (const Error&) {
        continue;  // the arguments don't fit, or the op can't be captured
      }
      for (OneCall* const one : {&expected, &second}) {
        for (const Tensor& t : one->arguments.tensors()) change(t);
      }
      try {
        run_op(expected.call);
      } catch (const Error&) {
        continue;
      }
      std::vector<Tensor> wanted, outputs;
      for (size_t r = 0; r < first.made.size(); ++r) {
        if (first.made[r].storage() == nullptr) continue;
        outputs.push_back(first.made[r]);
        wanted.push_back(expected.made[r]);
      }
      std::unique_ptr<Prepared> prepared;
      try {
        auto executor = std::make_shared<const Executor>(capture.finish(outputs));
        prepared = std::make_unique<Prepared>(executor, values_of(first.arguments.tensors()), RunSettings{});
      } catch (const Error&) {
        continue;  // it draws, waits for an answer, or writes to an argument
      }
      for (int run = 0; run < 2; ++run) {
        fail_allocations_after(1);
        try {
          prepared->run(pointers(second.arguments.tensors()));
          fail_allocations_after(0);
        } catch (const Error&) {  // the kernel takes scratch memory
          fail_allocations_after(0);
          allocating[std::string(op.decl->name)] = true;
          prepared->run(pointers(second.arguments.tensors()));
        }
        for (size_t i = 0; i < wanted.size(); ++i) CHECK(same_bits(prepared->output(i), wanted[i]));
      }
      CHECK(prepared->bytes() >= prepared->needed_bytes());
      ++prepared_ops[std::string(op.decl->name)];
    }
  }
  std::string names;
  for (const auto& [name, _] : allocating) names += " " + name;
  MESSAGE("kernels that take scratch memory from the cache of blocks:" << names);
  for (const char* const name :
       {"add", "relu", "exp", "softmax", "linear", "addmm", "batchNorm", "layerNorm", "lstm_cell", "cat", "sum", "index"})
    CHECK(allocating.count(name) == 0);
  MESSAGE(prepared_ops.size() << " ops of " << Registry::instance().ops().size());
  CHECK(prepared_ops.size() * 10 >= Registry::instance().ops().size() * 6);
}

TEST_CASE("values that are needed at the same time lie apart, and chains need no more than two neighbours") {
  std::mt19937 draw(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<LiveRange> values, chain;
    for (int i = 0; i < 20; ++i) {
      const auto bytes = static_cast<int64_t>(draw() % 1000), first = static_cast<int64_t>(draw() % 20);
      values.push_back({bytes, static_cast<int32_t>(first), static_cast<int32_t>(first + draw() % 6)});
      chain.push_back({bytes, i, i + 1});
    }
    const MemoryPlan plan = plan_memory(values), of_chain = plan_memory(chain);
    expect_apart(values, plan);
    expect_apart(chain, of_chain);
    CHECK(plan.bytes >= needed_bytes(values));
    int64_t most = 0;  // two neighbours of a chain, in blocks of 64 bytes
    for (size_t i = 1; i < chain.size(); ++i) most = std::max(most, (chain[i - 1].bytes + 63) / 64 * 64 + (chain[i].bytes + 63) / 64 * 64);
    CHECK(of_chain.bytes == most);
  }
  CHECK(plan_memory({}).bytes == 0);
}

TEST_CASE("a chain of ops needs the memory of its inputs and two results") {
  const auto executor = parsed("graph(x: float64[1024]) { return exp(neg(abs(tanh(sqrt(sin(x)))))) }");
  std::deque<Tensor> inputs{filled(Shape{1024}, 0.5)};
  Prepared prepared(executor, values_of(inputs), {});
  CHECK(prepared.launches() == 6);
  CHECK(prepared.bytes() == 3 * 8192);
  inputs[0] = filled(Shape{1024}, 0.25);
  prepared.run(pointers(inputs));
  CHECK(elements_of(prepared.output(0))[1023] == doctest::Approx(std::exp(-std::tanh(std::sqrt(std::sin(0.25))))).epsilon(1e-14));
}

TEST_CASE("parts of a concatenation are computed in place if nothing else needs them there") {
  const std::pair<const char*, size_t> cases[] = {
      {"return cat({exp(x), sin(x)}, 1)", 2},
      {"return cat({cat({exp(x), sin(x)}, 1), cos(x), tanh(x)}, 1)", 4},
      {"y = exp(x) return cat({y, sin(y)}, 1)", 2},  // the part is read before it is copied
      {"y = exp(x) return cat({y, y}, 1)", 2},
      {"return cat({exp(x), x}, 1)", 2},                // the input stays where it is
      {"return cat({exp(x), k}, 1)", 2},                // so does a constant
      {"return cat({exp(x), sin(x)}, 2)", 4},           // rows of both in turn
      {"y = exp(x) return cat({y, sin(x)}, 1), y", 3},  // an output
      {"y = exp(x) z = cat({y, sin(x)}, 1) return z, sin(y)", 4},
      {"y = exp(x) return cat({narrow(y, 1, 1, 1), sin(x)}, 1)", 3},
      {"y = exp(x) z = cat({y, sin(x)}, 1) return z, strided_scatter(y, k, {2, 3}, {3, 1})", 4},  // in y
      {"y = exp(x) z = cat({y, sin(x)}, 1) w = cat({y, cos(x)}, 1) return z, w", 4},
      {"y = exp(x) b = cmul(y, y) return strided_scatter(b, y, {2, 3}, {3, 1})", 3},
      {"y = exp(x) b = cat({x, x}, 1) return strided_scatter(b, y, {2, 3}, {3, 1}, 3)", 4},  // b is written after y
      {"b = cat({x, x}, 1) y = exp(b) s = narrow(y, 1, 1, 2) return strided_scatter(b, s, {2, 3}, {3, 1}, 3)", 4},
  };
  for (const auto& [body, launches] : cases) {
    const std::string text = concat("graph(x: float64[2, 3]) { constant k: float64[2, 3] ", body, " }");
    CAPTURE(text);
    const auto executor = parsed(text.c_str(), {.constant = [](std::string_view) { return filled(Shape{2, 3}, 7); }});
    std::deque<Tensor> x{filled(Shape{2, 3}, 0.5)};
    Prepared prepared(executor, values_of(x), {});
    CHECK(prepared.launches() == launches);
    for (int run = 0; run < 2; ++run) {
      for (int64_t i = 0; i < 6; ++i) x[0].data<double>()[i] = 0.1 * static_cast<double>(i + run);
      prepared.run(pointers(x));
      GraphResults results(*executor);
      std::vector<Value> values = values_of(x);
      executor->run({}, values, results.tensors());
      for (size_t i = 0; i < executor->graph().outputs.size(); ++i)
        CHECK(same_bits(prepared.output(i), executor->output(i, values, results.tensors())));
    }
  }
}

TEST_CASE("inputs that are there already are not copied, and keep their elements") {
  std::deque<Tensor> inputs{vector_of({1, 2}), vector_of({3, 4})};
  Prepared prepared(parsed("graph(x: float64[2], y: float64[2]) { return add(mul(x, 2), y), x }"), values_of(inputs), {});
  const Tensor &x = prepared.input(0), &y = prepared.input(1);
  prepared.run(std::vector<const Tensor*>{&x, &y});
  CHECK(elements_of(prepared.output(0)) == std::vector<double>{5, 8});
  x.data<double>()[0] = 10;
  prepared.run(std::vector<const Tensor*>{&x, &y});
  CHECK(elements_of(prepared.output(0)) == std::vector<double>{23, 8});
  CHECK(elements_of(prepared.output(1)) == std::vector<double>{10, 2});
  const Tensor output = prepared.output(0);  // an output may be the next input
  prepared.run(std::vector<const Tensor*>{&output, &y});
  CHECK(elements_of(prepared.output(0)) == std::vector<double>{49, 20});
}

TEST_CASE("inputs of other dtypes and sizes, draws and reads are refused") {
  std::deque<Tensor> inputs{vector_of({1, 2})};
  Prepared prepared(parsed("graph(x) { return exp(x) }"), values_of(inputs), {});
  const Tensor longer = vector_of({1, 2, 3}), other = Tensor::empty(DType::float32, {2});
  CHECK(message_of([&] { prepared.run(std::vector<const Tensor*>{&longer}); }) ==
        "prepare: x: torch.DoubleTensor [3], expected torch.DoubleTensor [2], for which the run was prepared");
  CHECK(message_of([&] { prepared.run(std::vector<const Tensor*>{&other}); }) ==
        "prepare: x: torch.FloatTensor [2], expected torch.DoubleTensor [2], for which the run was prepared");
  CHECK(message_of([&] { prepared.run({}); }) == "prepare: run: 0 inputs, expected 1");
  Generators generators(1);
  RunSettings settings;
  settings.generators = &generators;
  CHECK(message_of([&] {
          Prepared(parsed("graph(x) { y = uniform(0, 1) into float64[2] -- net.lua:3\n return add(x, y) }"), values_of(inputs), settings);
        }) == "graph: step 1 (net.lua:3): prepare: it draws random numbers, expected a step that can be repeated");
}

TEST_CASE("the first run changes no constant, later ones write to it") {
  Tensor total = vector_of({1, 2});
  Tensor x = vector_of({10, 20});
  Capture capture([] { return std::string(); });
  capture.add_input("x", x);
  const Op& add = *Registry::instance().find("add");
  Tensor* const results[] = {&total};
  std::vector<Value> args{Value(total), Value(x)};
  for (int i = 2; i < add.decl->signature.count; ++i) set_default(args.emplace_back(), add.decl->signature.params[i]);
  Call call{add, args, results, 1};
  call.hook = &capture;
  run_op(call);
  CHECK(elements_of(total) == std::vector<double>{11, 22});
  std::deque<Tensor> inputs{vector_of({5, 6})};
  Prepared prepared(std::make_shared<const Executor>(capture.finish(std::vector<Tensor>{total})), values_of(inputs), {});
  CHECK(elements_of(total) == std::vector<double>{11, 22});
  const uint64_t before = total.storage()->version;
  prepared.run(pointers(inputs));
  prepared.run(pointers(inputs));
  CHECK(elements_of(total) == std::vector<double>{21, 34});
  CHECK(total.storage()->version != before);
}

TEST_CASE("a constant that its program lets grow stays valid for runs") {
  Tensor w = vector_of({3, 4});
  ParseOptions options;
  options.constant = [&](std::string_view) { return w; };
  std::deque<Tensor> inputs{vector_of({1, 1})};
  Prepared prepared(parsed("graph(x) { constant w: float64[2] return add(x, w) }", options), values_of(inputs), {});
  w.resize("spec", Shape{100000});
  std::fill_n(w.data<double>(), w.numel(), 0.0);
  prepared.run(pointers(inputs));
  CHECK(elements_of(prepared.output(0)) == std::vector<double>{4, 5});
}

TEST_CASE("prepared runs of several threads share constants") {
  Tensor w = Tensor::empty(DType::float64, {64, 64});
  for (int64_t i = 0; i < w.numel(); ++i) w.data<double>()[i] = static_cast<double>(i % 7);
  ParseOptions options;
  options.constant = [&](std::string_view) { return w; };
  const auto executor = parsed("graph(x) { constant w: float64[64, 64] return tanh(mv(w, mul(x, 0.001))) }", options);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::deque<Tensor> inputs{filled(Shape{64}, 1.0 + t)};
      Prepared prepared(executor, values_of(inputs), {});
      for (int i = 0; i < 50; ++i) {
        prepared.run(pointers(inputs));
        double sum = 0;
        for (int k = 0; k < 64; ++k) sum += static_cast<double>(k % 7) * 0.001 * (1 + t);
        if (std::abs(elements_of(prepared.output(0))[0] - std::tanh(sum)) > 1e-12) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("a clone has memory of its own and shares packed operands") {
  Tensor w = Tensor::empty(DType::float32, {300, 200});
  for (int64_t i = 0; i < w.numel(); ++i) w.data<float>()[i] = static_cast<float>(i % 5) - 2;
  ParseOptions options;
  options.constant = [&](std::string_view) { return w; };
  std::deque<Tensor> inputs{Tensor::empty(DType::float32, {1, 200})};
  std::fill_n(inputs[0].data<float>(), 200, 1.0F);
  Prepared first(parsed("graph(x) { constant w: float32[300, 200] return linear(x, w) }", options), values_of(inputs), {});
  const int64_t before = memory_stats().live_bytes;
  const std::unique_ptr<Prepared> second = first.clone();
  CHECK(memory_stats().live_bytes - before < 300 * 200 * 4 / 4);
  first.run(pointers(inputs));
  const float kept = first.output(0).data<float>()[7];
  std::fill_n(inputs[0].data<float>(), 200, 2.0F);
  second->run(pointers(inputs));
  CHECK(second->output(0).data<float>()[7] == 2 * kept);
  CHECK(first.output(0).data<float>()[7] == kept);
}
