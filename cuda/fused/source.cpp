#include "cuda/fused/source.h"

#include <algorithm>
#include <array>

#include "cuda/fused/arguments.h"
#include "cuda/layout.h"

namespace mt::cuda {
namespace {

using Ref = FusedProgram::Ref;

std::string_view element_type(DType dtype) {
  return dispatch(dtype, []<class T>(std::type_identity<T>) -> std::string_view {
    if constexpr (std::is_same_v<T, Half>) return "Half";
    if constexpr (std::is_same_v<T, BFloat16>) return "BFloat16";
    if constexpr (std::is_same_v<T, float>) return "float";
    if constexpr (std::is_same_v<T, double>) return "double";
    if constexpr (std::is_same_v<T, bool>) return "bool";
    if constexpr (std::is_same_v<T, uint8_t>) return "uint8_t";
    if constexpr (std::is_same_v<T, int8_t>) return "int8_t";
    if constexpr (std::is_same_v<T, int16_t>) return "int16_t";
    if constexpr (std::is_same_v<T, int32_t>) return "int32_t";
    if constexpr (std::is_same_v<T, int64_t>) return "int64_t";
  });
}

std::string_view computed_type(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16 ? "float" : element_type(dtype); }

bool is_pow_by_number(const FusedProgram::Step& step) { return step.op->decl->name == "pow" && !step.operands[1].is_tensor(); }

// Writes one source. Outputs are y1, y2, ..., inputs x1, ..., numbers n1, ... and results of steps s1, ...; members of the kernel have the
// same names as the elements.
class Writer {
 public:
  Writer(const FusedProgram& program, const FusedForm& form)
      : program_(program), form_(form), outputs_(program.outputs().size()), tensors_(static_cast<size_t>(program.tensors())) {}

  std::string write() {
    line("#include \"cuda/fused/kernel.h\"\n\nnamespace mt::cuda {\n\nstruct Fused {");
    write_members();
    write_compute();
    form_.dims == 0 ? write_contiguous() : write_strided();
    line("};\n\n}  // namespace mt::cuda\n");
    line("MT_FUSED_KERNEL(" + std::to_string(argument_bytes(program_, form_)) + ")");
    return std::move(text_);
  }

 private:
  void line(std::string_view text) { text_.append(text).append("\n"); }

  std::string name(size_t tensor) const {
    return tensor < outputs_ ? "y" + std::to_string(tensor + 1) : "x" + std::to_string(tensor - outputs_ + 1);
  }
  std::string type(size_t tensor) const { return std::string(element_type(program_.dtype_of_tensor(static_cast<int>(tensor)))); }
  bool is_output(size_t tensor) const { return tensor < outputs_; }
  bool is_single(size_t tensor) const { return (form_.single >> tensor & 1) != 0; }

  void write_members() {
    line(form_.dims == 0 ? "  int64_t n, packs;" : "  int64_t n;");
    for (size_t i = 0; i < tensors_; ++i) line("  " + std::string(is_output(i) ? "" : "const ") + type(i) + "* " + name(i) + ";");
    for (size_t i = 0; i < program_.number_operands().size(); ++i) {
      const DType computed = program_.number_operands()[i].dtype;
      line("  alignas(8) " + std::string(computed_type(computed)) + " n" + std::to_string(i + 1) + ";");
    }
    if (form_.dims > 0) line("  Offsets<" + std::to_string(tensors_) + ", " + std::to_string(form_.dims) + ", " + index() + "> offsets;");
    line("");
  }

  std::string operand(Ref ref, DType computed) const {
    switch (ref.of) {
      case Ref::Of::input:
        return "widen(x" + std::to_string(ref.index + 1) + ")";
      case Ref::Of::result:
        return "widen(s" + std::to_string(ref.index + 1) + ")";
      default:
        return "n" + std::to_string(program_.index_of({ref, computed}) + 1);
    }
  }

  // The steps for one element.
  void write_compute() {
    std::string parameters;
    for (size_t i = outputs_; i < tensors_; ++i) parameters.append(parameters.empty() ? "" : ", ").append(type(i) + " " + name(i));
    for (size_t i = 0; i < outputs_; ++i) parameters.append(", ").append(type(i) + "& " + name(i));
    line("  MT_DEVICE void compute(" + parameters + ") const {");
    for (size_t s = 0; s < program_.steps().size(); ++s) {
      const FusedProgram::Step& step = program_.steps()[s];
      std::string operands;
      for (const Ref ref : step.operands) operands.append(operands.empty() ? "" : ", ").append(operand(ref, step.computed));
      line("    const " + std::string(element_type(step.stored)) + " s" + std::to_string(s + 1) + " = element<\"" +
           std::string(functor_of(step)) + "\", " + std::string(element_type(step.computed)) + ">(" + operands + ");");
    }
    for (size_t o = 0; o < outputs_; ++o) line("    " + name(o) + " = s" + std::to_string(program_.outputs()[o] + 1) + ";");
    line("  }\n");
  }

  // A call of compute. `element` returns the expression for a tensor's element.
  template <class F> std::string call(F element) const {
    std::string arguments;
    for (size_t i = outputs_; i < tensors_; ++i) arguments.append(arguments.empty() ? "" : ", ").append(element(i));
    for (size_t i = 0; i < outputs_; ++i) arguments.append(", ").append(element(i));
    return "compute(" + arguments + ");";
  }

  void write_contiguous() {
    const std::string width = std::to_string(elements_per_pack(program_));
    const auto single = [&](size_t i) { return "single_" + name(i); };
    const auto pack = [&](size_t i) { return "pack_" + name(i); };
    line("  MT_DEVICE void operator()(Thread& t) const {");
    for (size_t i = 0; i < tensors_; ++i) {
      if (is_single(i)) line("    const " + type(i) + " " + single(i) + " = *" + name(i) + ";");
    }
    line("    for (int64_t i = t.global_index(); i < packs; i += t.global_threads()) {");
    for (size_t i = 0; i < tensors_; ++i) {
      const std::string declared = "Pack<" + type(i) + ", " + width + "> " + pack(i);
      if (is_output(i)) line("      " + declared + ";");
      if (!is_output(i) && !is_single(i))
        line("      const " + declared + " = load_pack<" + width + ">(" + name(i) + " + i * " + width + ");");
    }
    line("      for (int k = 0; k < " + width + "; ++k) " + call([&](size_t i) { return is_single(i) ? single(i) : pack(i) + ".at[k]"; }));
    for (size_t i = 0; i < outputs_; ++i) line("      store_pack(" + name(i) + " + i * " + width + ", " + pack(i) + ");");
    line("    }");
    line("    for (int64_t i = packs * " + width + " + t.global_index(); i < n; i += t.global_threads()) " +
         call([&](size_t i) { return is_single(i) ? single(i) : name(i) + "[i]"; }));
    line("  }");
  }

  std::string index() const { return form_.wide ? "int64_t" : "uint32_t"; }

  void write_strided() {
    line("  MT_DEVICE void operator()(Thread& t) const {");
    line("    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {");
    line("      int64_t at[" + std::to_string(tensors_) + "];");
    line("      offsets.find(static_cast<" + index() + ">(i), at);");
    line("      " + call([&](size_t i) { return "at_offset(" + name(i) + ", at[" + std::to_string(i) + "])"; }));
    line("    }\n  }");
  }

  const FusedProgram& program_;
  const FusedForm& form_;
  const size_t outputs_, tensors_;
  std::string text_;
};

}  // namespace

FusedForm form_of(const FusedOperands& operands) {
  FusedForm form;
  if (operands.geometry) {
    form.dims = std::max(operands.geometry.dim(), 1);
    form.wide = operands.n >= least_wide;
    return form;
  }
  for (int i = 0; i < operands.tensors; ++i) {
    if (operands.strides[i] == 0) form.single |= uint32_t{1} << i;
  }
  return form;
}

std::string_view functor_of(const FusedProgram::Step& step) { return is_pow_by_number(step) ? "number_pow" : step.op->decl->name; }

bool has_source(const FusedProgram& program) {
  for (int i = 0; i < program.tensors(); ++i) {
    if (storage_dtypes.contains(program.dtype_of_tensor(i))) return false;
  }
  return std::ranges::all_of(program.steps(), [](const FusedProgram::Step& step) { return is_functor(functor_of(step)); });
}

std::string fused_source(const FusedProgram& program, const FusedForm& form) { return Writer(program, form).write(); }

int elements_per_pack(const FusedProgram& program) {
  int widest = 1;
  for (int i = 0; i < program.tensors(); ++i) widest = std::max(widest, size_of(program.dtype_of_tensor(i)));
  return 16 / widest;
}

}  // namespace mt::cuda
