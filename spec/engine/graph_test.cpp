// Graphs: every op is captured, run with other elements, written as text and parsed back; and what captures do with writes and views.
#include "engine/graph/graph.h"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>

#include "engine/graph/capture.h"
#include "engine/graph/executor.h"
#include "engine/graph/text.h"
#include "engine/graph/verify.h"
#include "engine/ops/calls.h"
#include "engine/passes/passes.h"
#include "spec/engine/one_call.h"
#include "spec/engine/values.h"

using namespace mt;
using namespace mt::test;

namespace {

std::vector<Tensor> run(const Executor& executor, std::deque<Tensor>& inputs, Generators* generators = nullptr) {
  std::vector<Value> values;
  for (Tensor& t : inputs) values.emplace_back(t);
  RunSettings settings;
  settings.generators = generators;
  GraphResults results(executor);
  executor.run(settings, values, results.tensors());
  executor.update(settings, values, results.tensors());
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < executor.graph().outputs.size(); ++i) outputs.push_back(executor.output(i, values, results.tensors()));
  return outputs;
}

Tensor vector_of(std::initializer_list<double> elements) {
  Tensor t = Tensor::empty(DType::float64, {static_cast<int64_t>(elements.size())});
  std::copy(elements.begin(), elements.end(), t.data<double>());
  return t;
}

std::vector<double> elements_of(const Tensor& t) {
  const Tensor x = contiguous(t);
  return {x.data<double>(), x.data<double>() + x.numel()};
}

const Op& op_called(const char* name) { return *Registry::instance().find(name); }

// Runs an op; `given` is the out argument, or null.
Tensor apply(OpHook* hook, const char* name, std::vector<Value> args, Tensor* given = nullptr) {
  const Op& op = op_called(name);
  const Signature& signature = op.decl->signature;
  for (int i = static_cast<int>(args.size()); i < signature.count; ++i) {
    args.emplace_back();
    set_default(args.back(), signature.params[i]);
  }
  Tensor made[Signature::max_results];
  Tensor* results[Signature::max_results];
  for (int r = 0; r < signature.result_count; ++r) results[r] = &made[r];
  if (given != nullptr) results[0] = given;
  Call call{op, args, {results, static_cast<size_t>(signature.result_count)}, given != nullptr ? 1u : 0u};
  call.hook = hook;
  run_op(call);
  return *results[0];
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("every op is captured, and its graph runs with other elements and survives as text") {
  int count = 0;
  std::map<std::string, int> captured;
  for (const Op& op : Registry::instance().ops()) {
    if (op.decl->name == "empty") continue;  // has undefined elements
    for (const Recipe& recipe : recipes()) {
      if (recipe.first.size() == 0 || recipe.others.size() == 0) continue;  // no memory
      CAPTURE(op.decl->name);
      OneCall first(op, recipe), expected(op, recipe), second(op, recipe);
      Capture capture([] { return std::string("spec.lua:1"); });
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
      Graph graph;
      try {
        graph = capture.finish(outputs);
      } catch (const Error&) {
        continue;  // arguments that no form of the op has together
      }
      const std::string text = to_text(graph);
      CAPTURE(text);
      CHECK(to_text(parse_graph(text)) == text);
      const Executor executor(parse_graph(text));
      const std::vector<Tensor> results = run(executor, second.arguments.tensors(), &second.generators);
      REQUIRE(results.size() == wanted.size());
      for (size_t i = 0; i < results.size(); ++i) CHECK(same_bits(results[i], wanted[i]));
      ++captured[std::string(op.decl->name)];
      ++count;
    }
  }
  CHECK(captured.size() * 10 >= Registry::instance().ops().size() * 8);
  CHECK(count > 1000);
}

TEST_CASE("writes in place become new values, and views are taken again") {
  Tensor x = vector_of({1, 2, 3, 4}), w = vector_of({10, 20, 30, 40});
  Capture capture([] { return std::string(); });
  capture.add_input("x", x);
  Tensor view = apply(&capture, "narrow", {Value(w), integer_value(0), integer_value(1), integer_value(2)});
  Tensor before = apply(&capture, "sum", {Value(view)});
  Tensor part = apply(&capture, "narrow", {Value(x), integer_value(0), integer_value(0), integer_value(2)});
  apply(&capture, "add", {Value(view), Value(part)}, &view);  // w[2..3] += x[1..2]
  Tensor after = apply(&capture, "sum", {Value(view)});
  Tensor whole = apply(&capture, "mul", {Value(w), Value(2.0)});
  CHECK(elements_of(w) == std::vector<double>{10, 21, 32, 40});
  const std::vector<Tensor> outputs{before, after, whole};
  const Executor executor(capture.finish(outputs));
  CAPTURE(to_text(executor.graph()));
  CHECK(executor.graph().updates.size() == 1);
  std::deque<Tensor> inputs{vector_of({100, 200, 0, 0})};
  const std::vector<Tensor> results = run(executor, inputs);
  CHECK(elements_of(results[0]) == std::vector<double>{53});
  CHECK(elements_of(results[1]) == std::vector<double>{353});
  CHECK(elements_of(results[2]) == std::vector<double>{20, 242, 464, 80});
  CHECK(elements_of(w) == std::vector<double>{10, 121, 232, 40});
}

TEST_CASE("parts of one storage that the program held before are parts of one constant") {
  Tensor flat = vector_of({1, 2, 3, 4, 5, 6}), weight = flat, bias = flat;
  weight.set_geometry(0, Shape{2, 2}, Shape{2, 1});
  bias.set_geometry(4, Shape{2}, Shape{1});
  Tensor x = vector_of({1, 1});
  Capture capture([] { return std::string(); });
  capture.add_input("x", x);
  Tensor y = apply(&capture, "mv", {Value(weight), Value(x)});
  Tensor z = apply(&capture, "add", {Value(y), Value(bias)});
  apply(&capture, "mul", {Value(flat), Value(2.0)}, &flat);  // what an optimiser does with all parameters
  Tensor later = apply(&capture, "add", {Value(y), Value(bias)});
  CHECK(elements_of(z) == std::vector<double>{8, 13});
  CHECK(elements_of(later) == std::vector<double>{13, 19});
  const std::vector<Tensor> outputs{z, later};
  const Executor executor(capture.finish(outputs));
  CAPTURE(to_text(executor.graph()));
  CHECK(executor.graph().constants.size() == 1);
  std::deque<Tensor> inputs{vector_of({1, 0})};
  const std::vector<Tensor> results = run(executor, inputs);
  CHECK(elements_of(results[0]) == std::vector<double>{2 + 10, 6 + 12});
  CHECK(elements_of(results[1]) == std::vector<double>{2 + 20, 6 + 24});
  CHECK(elements_of(flat) == std::vector<double>{4, 8, 12, 16, 20, 24});
}

TEST_CASE("a capture refuses what a graph can't repeat") {
  Tensor x = vector_of({1, 0, 2});
  Capture capture([] { return std::string("train.lua:7"); });
  capture.add_input("x", x);
  CHECK(message_of([&] { apply(&capture, "nonzero", {Value(x)}); }) ==
        "nonzero: sizes that depend on elements inside a capture, expected sizes that are the same in each run, or guards");
  CHECK(message_of([&] { call_read(&capture, x); }) ==
        "read: an element that the program reads inside a capture, expected ops on tensors, or guards; the element may differ in each run");
  CHECK(message_of([&] { call_expose(&capture, x); }) ==
        "expose: a pointer to elements inside a capture, expected ops, which the graph can repeat");
}

TEST_CASE("a text is parsed with nested calls, sizes and arguments by name") {
  const Graph graph = parse_graph(R"(
    graph(x: tensor, n: number, dim: dim?) {
      y = mul(add(x, 1), n)                          -- a.lua:1
      values, positions = max(view(y, {size(x, 2), size(x, 1) * 2 - 3 * (size(x, 1) - 1) // 1}), dim=2)
      return values, sum(x, dim)
    }
  )");
  CHECK(graph.steps.size() == 5);
  CHECK(graph.steps[1].origin == "a.lua:1");
  CHECK(graph.inputs[2].optional);
  const std::string text = to_text(graph);
  CHECK(to_text(parse_graph(text)) == text);
}

TEST_CASE("wrong texts and graphs are refused with their place") {
  const std::pair<const char*, const char*> cases[] = {
      {"graph(x) { return y }", "expected the name of an input, a constant or an earlier result"},
      {"graph(x) { y = what(x) return y }", "expected an op of the engine"},
      {"graph(x) { y = add(x return y }", "expected ,"},
      {"graph(x: thing) { }", "expected a kind of arguments or a dtype"},
      {"graph(x, x) { }", "expected a name that is not defined yet"},
      {"graph(x) { y = add(x, 1) y = add(x, 2) return y }", "expected a name that is not defined yet"},
      {"graph(x) { y, z = add(x, 1) return y }", "expected at most 1 names"},
      {"graph(x) { return narrow(x, 0, 1, 1) }", "a dimension counted from 1"},
      {"graph(x) { return x } x", "expected the end"},
      {"graph(x) { constant w: float32[2] return x }", "expected a text without constants"},
      {"graph(x) { return max(x, 1)[3] }", "expected at most 2 results"},
      {"graph(x) { return mul(x, 'a') }", "expected (x: tensor"},
      {"", "expected a name"},
  };
  for (const auto& [text, expected] : cases) {
    CAPTURE(text);
    const std::string message = message_of([text = text] { parse_graph(text); });
    CAPTURE(message);
    CHECK(message.find(expected) != std::string::npos);
    CHECK(message.starts_with("graph: text: "));
  }
  Graph cycle = parse_graph("graph(x) { y = add(x, 1) z = mul(y, 2) return z }");
  cycle.steps[0].arguments[0].value = {Graph::Ref::Of::result, 1};
  CHECK(message_of([&] { verify(cycle); }).find("step 1, add, x: a value that is not defined before") != std::string::npos);
}

TEST_CASE("a size that no integer holds is an error, not another size") {
  const Executor executor(parse_graph("graph(x) { return view(x, {size(x, 1) * 9007199254740992 * 9007199254740992}) }"));
  std::deque<Tensor> inputs{vector_of({1, 2, 3, 4})};
  CHECK(message_of([&] { run(executor, inputs); }).find("a size that no integer holds") != std::string::npos);
  const Executor divided(parse_graph("graph(x) { return view(x, {4 // (size(x, 1) - 4)}) }"));
  CHECK(message_of([&] { run(divided, inputs); }).find("divided by 0") != std::string::npos);
}

TEST_CASE("passes remove dead and common steps, and what changes nothing") {
  const Graph graph = parse_graph(R"(graph(x: tensor) {
  a = exp(x)
  b = exp(x)
  c = mul(b, 1)
  d = neg(neg(c))
  e = transpose(transpose(d, 1, 2), 2, 1)
  dead = sqrt(a)
  r = uniform(0, 1) into float64[2]
  f = add(a, e)
  return f
}
)");
  CHECK(to_text(optimized(graph)) == R"(graph(x: tensor) {
  a = exp(x)
  r = uniform(none, 0, 1) into float64[2]
  f = add(a, a)
  return f
}
)");
}

TEST_CASE("steps of optimisers overwrite constants themselves if nothing reads these later") {
  Tensor w = vector_of({1, 2});
  const auto constant = [&](std::string_view) { return w; };
  const auto text = [&](const char* source) { return to_text(optimized(parse_graph(source, {.constant = constant}))); };
  CHECK(text(R"(graph(g: tensor) {
  constant w: float64[2]
  y = mul(w, 2)
  c = clone(w)
  sgd_step({c}, {g}, {}, 0.5) writes c
  update w = c
  return y
})") == R"(graph(g: tensor) {
  constant w: float64[2]
  y = mul(w, 2)
  sgd_step({w}, {g}, {}, 0.5) writes w
  return y
}
)");
  const std::string kept = text(R"(graph(g: tensor) {
  constant w: float64[2]
  v = view(w, {2, 1})
  c = clone(w)
  sgd_step({c}, {g}, {}, 0.5) writes c
  y = mul(v, 2)
  update w = c
  return y
})");
  CHECK(kept.find("c = clone(w)") != std::string::npos);
  CHECK(kept.find("update w = c") != std::string::npos);
  const Executor executor(parse_graph(kept, {.constant = constant}));
  std::deque<Tensor> inputs{vector_of({2, 4})};
  CHECK(elements_of(run(executor, inputs)[0]) == std::vector<double>{2, 4});
  CHECK(elements_of(w) == std::vector<double>{0, 0});
}

TEST_CASE("a scatter in the memory of its argument changes no other value") {
  const Executor alone(parse_graph(R"(graph(x: tensor, y: tensor) {
  a = mul(x, 2)
  b = strided_scatter(a, y, {2}, {2}, 1)
  return b
})"));
  std::deque<Tensor> inputs{vector_of({1, 2, 3, 4}), vector_of({10, 20})};
  CHECK(elements_of(run(alone, inputs)[0]) == std::vector<double>{10, 4, 20, 8});
  CHECK(elements_of(inputs[0]) == std::vector<double>{1, 2, 3, 4});
  const Executor shared(parse_graph(R"(graph(x: tensor, y: tensor) {
  a = mul(x, 2)
  v = narrow(a, 1, 1, 3)
  b = strided_scatter(a, y, {2}, {2}, 1)
  return b, v
})"));
  const std::vector<Tensor> results = run(shared, inputs);
  CHECK(elements_of(results[0]) == std::vector<double>{10, 4, 20, 8});
  CHECK(elements_of(results[1]) == std::vector<double>{2, 4, 6});
  const Executor of_input(parse_graph("graph(x: tensor, y: tensor) { return strided_scatter(x, y, {2}, {2}, 1) }"));
  run(of_input, inputs);
  CHECK(elements_of(inputs[0]) == std::vector<double>{1, 2, 3, 4});
}
