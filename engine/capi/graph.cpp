// Graphs of the C interface: building, parsing, saving and loading them.
#include "engine/capi/graph.h"

#include <algorithm>

#include "engine/capi/arguments.h"
#include "engine/graph/control.h"
#include "engine/graph/file.h"
#include "engine/graph/infer.h"
#include "engine/graph/text.h"
#include "engine/graph/verify.h"
#include "engine/passes/passes.h"

using mt::concat;
using mt::fail;
using mt::Graph;
using mt::refuse_argument;
using mt::Status;
using mt::Value;
using mt::ValueType;
using mt::capi::guard;
using mt::capi::take;

namespace mt::capi {

void finish(mt_graph& graph) {
  verify(graph.graph);
  auto executor = std::make_unique<const Executor>(optimized(graph.graph));
  const auto results = infer_types(graph.graph);
  for (const Graph::Ref output : graph.graph.outputs)
    graph.types.push_back(output.of == Graph::Ref::Of::result ? results[static_cast<size_t>(output.index)] : graph.graph.type_of(output));
  for (const Graph::Constant& constant : graph.graph.constants) {
    if (Storage* const storage = constant.tensor.storage()) storage->share_between_threads();
  }
  graph.executor = std::move(executor);
}

mt_graph* finished_handle(Graph graph) {
  auto made = std::make_unique<mt_graph>();
  made->graph = std::move(graph);
  finish(*made);
  return made.release();
}

const mt_graph& finished(const mt_graph* graph, const char* function) {
  if (take(graph, function, "graph").executor == nullptr)
    fail(function, "graph", "one that is not finished, expected mt_graph_finish before");
  return *graph;
}

}  // namespace mt::capi

namespace {

using Argument = Graph::Argument;
using Ref = Graph::Ref;

constexpr int of_shift = 32;

mt_ref handle_of(Ref ref) { return static_cast<mt_ref>(ref.of) << of_shift | ref.index; }

Ref ref_of(const Graph& graph, mt_ref ref, const char* function, std::string_view argument) {
  const auto of = ref >> of_shift, index = ref & 0xffff'ffff;
  const int64_t counts[] = {static_cast<int64_t>(graph.inputs.size()), static_cast<int64_t>(graph.constants.size()), graph.result_count()};
  if (of < 0 || of > 2 || index >= counts[of])
    refuse_argument<Status::range>(function, argument, concat("the value ", ref), "one that a function of this graph returned");
  return {static_cast<Ref::Of>(of), static_cast<int32_t>(index)};
}

// The graph of a handle that may be changed.
Graph& unfinished(mt_graph* graph, const char* function) {
  if (take(graph, function, "graph").executor != nullptr) fail(function, "graph", "one that is finished, expected one that can be changed");
  return graph->graph;
}

// A text for a comment: without control characters.
std::string line_of(const char* text) {
  std::string line(text != nullptr ? text : "");
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return line;
}

void check_count(const char* function, const char* argument, int32_t count, const void* list) {
  if (count < 0 || (count > 0 && list == nullptr))
    refuse_argument(function, argument, concat(count, " at ", list == nullptr ? "NULL" : argument), "as many as their count says");
}

// A value as an argument of a step.
Argument argument_of(const Graph& graph, const mt_value& v, const char* function, std::string_view name) {
  Argument argument;
  switch (v.kind) {
    case MT_NONE:
      return argument;
    case MT_REF:
      return Argument(ref_of(graph, v.as.ref, function, name));
    case MT_REFS:
      check_count(function, "refs", v.count, v.as.refs);
      argument.type = Argument::Type::values;
      for (int32_t k = 0; k < v.count; ++k) argument.values.push_back(ref_of(graph, v.as.refs[k], function, name));
      return argument;
    case MT_NUMBER:
      return Argument(Value(v.as.number));
    case MT_STRING:
      check_count(function, "string", v.count, v.as.string);
      argument.type = Argument::Type::string;
      argument.text.assign(v.as.string, static_cast<size_t>(v.count));
      return argument;
    case MT_SIZES:
      check_count(function, "sizes", v.count, v.as.sizes);
      argument.type = Argument::Type::sizes;
      for (int32_t k = 0; k < v.count; ++k) argument.sizes.push_back({{.number = v.as.sizes[k]}});
      return argument;
    default:
      break;
  }
  Value value;
  if ((mt::capi::kinds_of(v) & mt::number_kinds) != 0) {
    value.type = Value::Type::integer;
    value.integer = v.as.integer;
  } else if (v.kind == MT_BOOLEAN) {
    value.type = Value::Type::boolean;
    value.boolean = v.as.boolean != 0;
  } else if (v.kind == MT_DTYPE && v.as.dtype >= 0 && v.as.dtype < mt::dtype_count) {
    value.type = Value::Type::dtype;
    value.dtype = static_cast<mt::DType>(v.as.dtype);
    value.count = 0;
  } else {
    refuse_argument(function, name, concat("a value of the kind ", v.kind), "a number, boolean, string, sizes, dtype, MT_REF or MT_REFS");
  }
  return Argument(value);
}

void add_step(Graph& graph, const mt::Op& op, const mt::capi::Arguments& given, const char* origin, int32_t n_results, mt_ref* results) {
  constexpr const char* function = "mt_graph_step";
  const int most = op.decl->signature.result_count;
  check_count(function, "args", given.count, given.args);
  check_count(function, "named", given.named_count, given.named);
  check_count(function, "results", n_results, results);
  if (most == 0) fail<Status::unsupported>(function, op.decl->name, "an op without results, expected one that returns tensors");
  if (n_results > most) refuse_argument<Status::range>(function, "results", n_results, "0..", most);
  std::vector<Argument> arguments;
  std::vector<std::string> names;
  (void)mt::capi::ArgumentOrder(op, given);  // checks the names
  for (int32_t i = 0; i < given.count; ++i)
    arguments.push_back(argument_of(graph, given.args[i], function, concat(op.decl->name, ", argument ", int64_t{i} + 1)));
  for (int32_t i = 0; i < given.named_count; ++i) {
    names.emplace_back(given.named[i].name);
    arguments.push_back(argument_of(graph, given.named[i].value, function, concat(op.decl->name, ", ", names.back())));
  }
  const Ref first = graph.append(op, std::move(arguments), names, false);
  graph.steps.back().origin = line_of(origin);
  for (int32_t r = 0; r < n_results; ++r) results[r] = handle_of({Ref::Of::result, first.index + r});
}

void add_control(Graph& graph, const mt::Op& op, const mt::capi::Arguments& given, std::span<const mt_graph* const> bodies,
                 const char* origin, int32_t n_results, mt_ref* results) {
  constexpr const char* function = "mt_graph_control";
  const auto names = mt::body_names(op);
  if (bodies.size() != names.size()) refuse_argument(function, "bodies", bodies.size(), names.size());
  Graph::Step bodied;
  for (const mt_graph* body : bodies) bodied.bodies.push_back(std::make_shared<const Graph>(take(body, function, "bodies").graph));
  check_count(function, "args", given.count, given.args);
  check_count(function, "results", n_results, results);
  const int most = bodied.results();
  if (n_results > most) refuse_argument<Status::range>(function, "results", n_results, "0..", most);
  std::vector<Argument> arguments;
  for (int32_t i = 0; i < given.count; ++i)
    arguments.push_back(argument_of(graph, given.args[i], function, concat(op.decl->name, ", argument ", int64_t{i} + 1)));
  Graph changed = graph;
  const Ref first = changed.append(op, std::move(arguments), {}, false);
  Graph::Step& step = changed.steps.back();
  step.bodies = std::move(bodied.bodies);
  step.origin = line_of(origin);
  mt::check_bodies(changed, step, concat("step ", changed.steps.size(), ", ", op.decl->name));
  graph = std::move(changed);
  for (int32_t r = 0; r < n_results; ++r) results[r] = handle_of({Ref::Of::result, first.index + r});
}

}  // namespace

mt_status mt_graph_create(mt_graph** out) {
  return guard([&] {
    take(out, "mt_graph_create", "out");
    *out = new mt_graph;
  });
}

void mt_graph_free(mt_graph* graph) { delete graph; }

mt_status mt_graph_input(mt_graph* graph, const char* name, mt_dtype dtype, int32_t ndim, const int64_t* sizes, mt_ref* out) {
  return guard([&] {
    constexpr const char* function = "mt_graph_input";
    Graph& g = unfinished(graph, function);
    take(out, function, "out");
    if (dtype < -1 || dtype >= mt::dtype_count) fail<Status::dtype>(function, "dtype", dtype, ", expected -1..", mt::dtype_count - 1);
    if (ndim < 0 || ndim > mt::max_dims) fail<Status::range>(function, "ndim", ndim, ", expected 0..", mt::max_dims);
    check_count(function, "sizes", ndim, sizes);
    Graph::Input input;
    if (name != nullptr) input.name = name;
    if (dtype >= 0) input.type = ValueType{static_cast<mt::DType>(dtype), {}};
    if (dtype < 0 && ndim > 0) fail<Status::shape>(function, "sizes", ndim, " of them without a dtype, expected 0");
    for (int32_t d = 0; d < ndim; ++d) {
      if (sizes[d] < -1) fail<Status::range>(function, "sizes", sizes[d], ", expected a size, or -1 for any");
      input.type->sizes.push_back(sizes[d]);
    }
    g.inputs.push_back(std::move(input));
    *out = handle_of({Ref::Of::input, static_cast<int32_t>(g.inputs.size()) - 1});
  });
}

mt_status mt_graph_constant(mt_graph* graph, const char* name, const mt_tensor* x, mt_ref* out) {
  return guard([&] {
    constexpr const char* function = "mt_graph_constant";
    Graph& g = unfinished(graph, function);
    take(out, function, "out");
    g.constants.push_back({name != nullptr ? name : "", take(x, function, "x").tensor});
    *out = handle_of({Ref::Of::constant, static_cast<int32_t>(g.constants.size()) - 1});
  });
}

mt_status mt_graph_step(mt_graph* graph, const char* op, const mt_value* args, int32_t n_args, const mt_named_value* named, int32_t n_named,
                        const char* origin, int32_t n_results, mt_ref* results) {
  return guard([&] {
    Graph& g = unfinished(graph, "mt_graph_step");
    add_step(g, mt::capi::op_called(op, "mt_graph_step"), {args, n_args, named, n_named}, origin, n_results, results);
  });
}

mt_status mt_graph_control(mt_graph* graph, const char* op, const mt_value* args, int32_t n_args, const mt_graph* const* bodies,
                           int32_t n_bodies, const char* origin, int32_t n_results, mt_ref* results) {
  return guard([&] {
    constexpr const char* function = "mt_graph_control";
    Graph& g = unfinished(graph, function);
    const std::string_view name = &take(op, function, "op");
    const mt::Op* const control = mt::find_control_op(name);
    if (control == nullptr) refuse_argument(function, "op", name, "cond, while or scan");
    check_count(function, "bodies", n_bodies, bodies);
    add_control(g, *control, {args, n_args, nullptr, 0}, {bodies, static_cast<size_t>(n_bodies)}, origin, n_results, results);
  });
}

mt_status mt_graph_output(mt_graph* graph, mt_ref value) {
  return guard([&] {
    Graph& g = unfinished(graph, "mt_graph_output");
    g.outputs.push_back(ref_of(g, value, "mt_graph_output", "value"));
  });
}

mt_status mt_graph_update(mt_graph* graph, mt_ref target, mt_ref value) {
  return guard([&] {
    Graph& g = unfinished(graph, "mt_graph_update");
    const Ref to = ref_of(g, target, "mt_graph_update", "target");
    if (to.of == Ref::Of::result) refuse_argument("mt_graph_update", "target", "a result of a step", "an input or a constant");
    g.updates.push_back({to, ref_of(g, value, "mt_graph_update", "value")});
  });
}

mt_status mt_graph_finish(mt_graph* graph) {
  return guard([&] {
    unfinished(graph, "mt_graph_finish");
    mt::capi::finish(*graph);
  });
}

mt_status mt_graph_parse(const char* text, const mt_named_value* constants, int32_t n_constants, mt_graph** out) {
  return guard([&] {
    constexpr const char* function = "mt_graph_parse";
    take(text, function, "text");
    take(out, function, "out");
    check_count(function, "constants", n_constants, constants);
    const auto constant = [&](std::string_view name) {
      for (int32_t i = 0; i < n_constants; ++i) {
        const mt_named_value& each = constants[i];
        if (each.name != nullptr && name == each.name && each.value.kind == MT_TENSOR && each.value.as.tensor != nullptr)
          return each.value.as.tensor->tensor;
      }
      fail(function, "constants", "no tensor ", name, ", expected one for each constant of the text");
    };
    *out = mt::capi::finished_handle(mt::parse_graph(text, {.function = function, .constant = constant}));
  });
}

mt_status mt_graph_save(const mt_graph* graph, const char* path) {
  return guard([&] {
    constexpr const char* function = "mt_graph_save";
    mt::save_graph(mt::capi::finished(graph, function).graph, &take(path, function, "path"), function);
  });
}

mt_status mt_graph_load(const char* path, mt_graph** out) {
  return guard([&] {
    constexpr const char* function = "mt_graph_load";
    take(path, function, "path");
    take(out, function, "out");
    *out = mt::capi::finished_handle(mt::load_graph(path, function));
  });
}
