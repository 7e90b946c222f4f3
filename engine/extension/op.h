// An op of a library: the library's declaration (moontorch/extension.h), and the engine's declaration, converted from it.
#pragma once

#include <array>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/registry.h"
#include "moontorch/extension.h"

namespace mt {

struct ExtensionOp : Op {
  mt_op_decl declared{};                        // with strings in the library's memory
  Decl own;                                     // the target of `decl`
  std::vector<std::string> arguments, results;  // names, each with a NUL
  std::string library;                          // its path
  bool by_element = false;                      // it has loops; else a plan and kernels
  std::array<mt_op_loop_fn, dtype_count> loops{};
  std::array<mt_op_kernel_fn, dtype_count> kernels{}, adding{};

  bool is_view() const { return (declared.flags & MT_OP_VIEW) != 0; }

  bool has(DType dtype) const { return loops[static_cast<size_t>(dtype)] != nullptr || kernels[static_cast<size_t>(dtype)] != nullptr; }
};

// Creates an op from a declaration. Raises an error that names `function`, the op and the invalid field.
std::unique_ptr<ExtensionOp> make_op(const mt_op_decl& declared, const char* function);

// The library's part of an op; null for ops of this build and for composed ones.
const ExtensionOp* extension_op(const Op& op);

// The dtype in which an op computes elements of another one: itself, or a wider one.
std::optional<DType> computed_in(const ExtensionOp& op, DType dtype);

// Calls f, which calls functions of a library, and converts their C++ exceptions to errors that name the op.
template <class F> auto guard_library(std::string_view op, F&& f) {
  try {
    return f();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    fail(op, "", e.what());
  } catch (...) {
    fail(op, "", "an exception of an unknown type from its library");
  }
}

// The plan and the kernel of an op with loops, and of one with kernels.
Kernel loop_kernel(const ExtensionOp& op);
void plan_extension(Call& call);
void plan_extension_view(Call& call);
bool accumulate_extension(const Call& call, double scale);
Kernel extension_kernel();

}  // namespace mt
