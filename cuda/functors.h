// The functors of all elementwise ops, by the names of the ops.
#pragma once

#include "cuda/element.h"
#include "cuda/functors/activation.h"
#include "cuda/functors/arithmetic.h"
#include "cuda/functors/bits.h"
#include "cuda/functors/compare.h"
#include "cuda/functors/elementary.h"
#include "cuda/functors/power.h"
#include "cuda/functors/rounding.h"
#include "cuda/functors/special.h"

namespace mt::cuda {

// A name as an argument of a template.
template <size_t n> struct Word {
  char text[n];
  constexpr Word(const char (&literal)[n]) {  // NOLINT: implicit
    for (size_t i = 0; i < n; ++i) text[i] = literal[i];
  }
};

template <class... A, class... B> List<A..., B...> operator+(List<A...>, List<B...>);

using AllFunctors = decltype(ActivationOps() + ArithmeticOps() + BitOps() + CompareOps() + ElementaryOps() + List<Pow, NumberPower>() +
                             PointwiseOps() + SpecialOps());

template <Word name, class First, class... Rest> constexpr auto functor_in(List<First, Rest...>) {
  if constexpr (std::string_view(name.text) == First::decl.name)
    return First();
  else
    return functor_in<name>(List<Rest...>());
}
template <Word name> using Functor = decltype(functor_in<name>(AllFunctors()));

// The result of an op for one element of each operand.
template <Word op, class T, class... Operands> MT_DEVICE auto element(Operands... operands) {
  return element_of<Functor<op>, T>(operands...);
}

}  // namespace mt::cuda
