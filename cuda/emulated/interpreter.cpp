// Fused loops on an emulated device without a compiler: one kernel runs the functors of the steps one after another for each element.
#include <array>
#include <cstring>
#include <map>
#include <memory>

#include "cuda/functors.h"
#include "cuda/fused/arguments.h"
#include "cuda/fused/compiler.h"
#include "cuda/launch.h"

namespace mt::cuda::compiler {
namespace {

using Ref = FusedProgram::Ref;

// Computes a functor. Operands have the type of the arithmetic; the result is an element.
using ElementFn = void (*)(const ScalarValue* operands, ScalarValue& result);
using ElementFns = std::array<ElementFn, dtype_count>;

template <class Op, class T, size_t... I> void compute(const ScalarValue* operands, ScalarValue& result, std::index_sequence<I...>) {
  result.set(element_of<Op, T>(operands[I].as<Compute<T>>()...));
}

template <class Op> ElementFns functions_of() {
  return by_dtype<ElementFn, computed_dtypes(Op::decl) & ordered_dtypes>([]<class T>(std::type_identity<T>) -> ElementFn {
    return [](const ScalarValue* operands, ScalarValue& result) {
      compute<Op, T>(operands, result, std::make_index_sequence<static_cast<size_t>(Op::decl.signature.count)>());
    };
  });
}

template <class... Op> std::map<std::string_view, ElementFns> functions_of(List<Op...>) { return {{Op::decl.name, functions_of<Op>()}...}; }

ElementFn function_of(const FusedProgram::Step& step) {
  static const std::map<std::string_view, ElementFns> all = functions_of(AllFunctors());
  return all.at(functor_of(step))[static_cast<size_t>(step.computed)];
}

// An element as the type of its arithmetic.
void load(ScalarValue& to, const std::byte* from, DType dtype) {
  dispatch(dtype, [&]<class T>(std::type_identity<T>) {
    T element;
    std::memcpy(&element, from, sizeof element);
    to.set(widen(element));
  });
}

struct Interpreted {
  const FusedLaunch launch;
  std::vector<ElementFn> functions;

  explicit Interpreted(const FusedLaunch& given) : launch(given) {
    for (const FusedProgram::Step& step : launch.program->steps()) functions.push_back(function_of(step));
  }

  // The address of element i in a tensor.
  std::byte* at(int tensor, int64_t i) const {
    const FusedOperands& operands = launch.operands;
    std::byte* address = driver::reachable(operands.data(tensor));
    if (!operands.geometry) return address + i * operands.strides[tensor];
    for (int d = operands.geometry.dim() - 1; d >= 0; --d) {
      address += i % operands.geometry.size(d) * operands.geometry.stride(tensor, d);
      i /= operands.geometry.size(d);
    }
    return address;
  }

  void compute_element(int64_t i, std::vector<ScalarValue>& results) const {
    const FusedProgram& program = *launch.program;
    const auto outputs = static_cast<int>(program.outputs().size());
    for (size_t s = 0; s < functions.size(); ++s) {
      const FusedProgram::Step& step = program.steps()[s];
      ScalarValue operands[Signature::max_params];
      for (size_t k = 0; k < step.operands.size(); ++k) {
        const Ref ref = step.operands[k];
        if (ref.of == Ref::Of::input)
          load(operands[k], at(outputs + ref.index, i), step.computed);
        else if (ref.of == Ref::Of::result)
          load(operands[k], results[static_cast<size_t>(ref.index)].bytes, step.computed);
        else
          operands[k] = launch.operands.numbers[program.index_of({ref, step.computed})];
      }
      functions[s](operands, results[s]);
    }
    for (int o = 0; o < outputs; ++o) {
      const auto s = static_cast<size_t>(program.outputs()[static_cast<size_t>(o)]);
      std::memcpy(at(o, i), results[s].bytes, static_cast<size_t>(size_of(program.steps()[s].stored)));
    }
  }

  void operator()(Thread& t) const {
    std::vector<ScalarValue> results(functions.size());
    for (int64_t i = t.global_index(); i < launch.operands.n; i += t.global_threads()) compute_element(i, results);
  }
};

// A kernel by reference: launches copy it.
struct Shared {
  std::shared_ptr<const Interpreted> kernel;
  void operator()(Thread& t) const { (*kernel)(t); }
};

}  // namespace

extern const bool has_interpreter = true;

void interpret(Stream stream, const FusedLaunch& launch) {
  emulated::launch(stream, blocks_for(stream, launch.operands.n), block_threads, 0, Shared{std::make_shared<const Interpreted>(launch)});
}

}  // namespace mt::cuda::compiler
