#include "engine/arguments/match.h"

namespace mt {

std::vector<Pattern> patterns_of(const Op& op, bool is_method) {
  const Signature& signature = op.decl->signature;
  const bool in_place = op.decl->method == Method::always_in_place || (is_method && op.decl->method == Method::in_place);
  std::vector<Pattern> patterns;
  const auto flatten = [&](const Form& form, bool with_results, bool self_twice) {
    Pattern p;
    p.self_twice = self_twice;
    p.passes_over = self_twice && op.decl->passes_over;
    if (with_results) {
      for (int r = 0; r < signature.result_count; ++r) p.steps[p.count++] = {static_cast<int8_t>(-1 - r), r > 0, kind_tensor};
    }
    const FormSteps steps(signature, form);
    for (int s = 0; s < steps.size(); ++s) p.steps[p.count++] = steps[s];
    // x:op(...) with x in both roles: the first argument must be a tensor.
    if (!self_twice || (p.count > 0 && (p.steps[0].kinds & kind_tensor) != 0)) patterns.push_back(p);
  };
  const auto without_results = [&] {
    for (const Form& form : op.forms) {
      if (!form.method_only || is_method) flatten(form, false, in_place && signature.result_count > 0);
    }
  };
  const auto with_results = [&] {
    for (const Form& form : op.forms) {
      if (signature.result_count > 0 && !form.method_only) flatten(form, true, false);
    }
  };
  // An op that draws numbers fills its first tensor, even if that could be an argument: torch.bernoulli(x) does not use x as probabilities.
  if (signature.params[0].takes(kind_generator) && signature.params[1].takes(kind_tensor) && !in_place) {
    with_results();
    without_results();
  } else {
    without_results();
    with_results();
  }
  return patterns;
}

}  // namespace mt
