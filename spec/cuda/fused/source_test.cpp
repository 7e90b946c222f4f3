// The sources of fused kernels as text, and that NVRTC accepts them for all elementwise ops and dtypes.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "cuda/fused/source.h"

#include <doctest/doctest.h>

#include <set>

#include "cuda/fused/arguments.h"
#include "cuda/fused/nvrtc.h"
#include "cuda/fused/texts.h"
#include "spec/cuda/fused/programs.h"

using namespace mt;
using namespace mt::cuda;
using mt::test::op;
using mt::test::step;
using Ref = FusedProgram::Ref;

namespace {

constexpr int toolkit = 13;  // the major version of CUDA

// tanh(x1 + n1 x2), and whether that is above a number of the run.
FusedProgram two_outputs() {
  FusedProgram program;
  const Ref x1 = program.input(DType::float32), x2 = program.input(DType::float32), n = program.number();
  const Ref tanh = step(program, "tanh", {step(program, "add", {x1, x2, 0.5})});
  program.output(step(program, "gt", {tanh, n}));
  program.output(tanh);
  return program;
}

FusedProgram sixteen_bits() {
  FusedProgram program;
  const Ref x = program.input(DType::float16);
  program.output(step(program, "pow", {step(program, "cmul", {x, x}), 0.5}));
  return program;
}

}  // namespace

TEST_CASE("the source of contiguous tensors loads packs of 16 bytes, and a tensor of one element once") {
  CHECK(fused_source(two_outputs(), {.single = 8}) == R"(#include "cuda/fused/kernel.h"

namespace mt::cuda {

struct Fused {
  int64_t n, packs;
  uint8_t* y1;
  float* y2;
  const float* x1;
  const float* x2;
  alignas(8) float n1;
  alignas(8) float n2;

  MT_DEVICE void compute(float x1, float x2, uint8_t& y1, float& y2) const {
    const float s1 = element<"add", float>(widen(x1), widen(x2), n1);
    const float s2 = element<"tanh", float>(widen(s1));
    const uint8_t s3 = element<"gt", float>(widen(s2), n2);
    y1 = s3;
    y2 = s2;
  }

  MT_DEVICE void operator()(Thread& t) const {
    const float single_x2 = *x2;
    for (int64_t i = t.global_index(); i < packs; i += t.global_threads()) {
      Pack<uint8_t, 4> pack_y1;
      Pack<float, 4> pack_y2;
      const Pack<float, 4> pack_x1 = load_pack<4>(x1 + i * 4);
      for (int k = 0; k < 4; ++k) compute(pack_x1.at[k], single_x2, pack_y1.at[k], pack_y2.at[k]);
      store_pack(y1 + i * 4, pack_y1);
      store_pack(y2 + i * 4, pack_y2);
    }
    for (int64_t i = packs * 4 + t.global_index(); i < n; i += t.global_threads()) compute(x1[i], single_x2, y1[i], y2[i]);
  }
};

}  // namespace mt::cuda

MT_FUSED_KERNEL(64)
)");
}

TEST_CASE("the source of other layouts has their number of dimensions, and powers by numbers have their own functor") {
  CHECK(fused_source(sixteen_bits(), {.dims = 2}) == R"(#include "cuda/fused/kernel.h"

namespace mt::cuda {

struct Fused {
  int64_t n;
  Half* y1;
  const Half* x1;
  alignas(8) float n1;
  Offsets<2, 2, uint32_t> offsets;

  MT_DEVICE void compute(Half x1, Half& y1) const {
    const Half s1 = element<"cmul", Half>(widen(x1), widen(x1));
    const Half s2 = element<"number_pow", Half>(widen(s1), n1);
    y1 = s2;
  }

  MT_DEVICE void operator()(Thread& t) const {
    for (int64_t i = t.global_index(); i < n; i += t.global_threads()) {
      int64_t at[2];
      offsets.find(static_cast<uint32_t>(i), at);
      compute(at_offset(x1, at[1]), at_offset(y1, at[0]));
    }
  }
};

}  // namespace mt::cuda

MT_FUSED_KERNEL(88)
)");
}

TEST_CASE("numbers are arguments: sources of programs that differ in them are equal") {
  const auto source = [](double number) {
    FusedProgram program;
    program.output(step(program, "add", {program.input(DType::float32), number}));
    return fused_source(program, {});
  };
  CHECK(source(2) == source(3));
  CHECK(source(2) == source(-0.0));
  CHECK(source(2) != source(1));  // the same number as the default of alpha
}

TEST_CASE("the form of a run follows from its layouts") {
  const auto form = [](const Tensor& y, const Tensor& x) {
    const Tensor* const tensors[] = {&y, &x};
    return form_of(FusedOperands(1, tensors, {}));
  };
  const auto empty = [](const Shape& sizes) { return Tensor::empty(DType::float32, sizes, meta_device); };
  CHECK(form(empty({4, 5}), empty({4, 5})) == FusedForm{});
  CHECK(form(empty({4, 5}), empty({1, 1})) == FusedForm{.single = 2});
  CHECK(form(empty({4, 5}), empty({4, 1})) == FusedForm{.dims = 2});
  const int64_t half = int64_t{1} << 15;
  CHECK(form(empty({half, 2 * half}), empty({half, 1})) == FusedForm{.dims = 2, .wide = true});
  CHECK(form(empty({half, 2 * half - 1}), empty({half, 1})) == FusedForm{.dims = 2});
}

TEST_CASE("packs need addresses that are multiples of 16 bytes") {
  auto program = std::make_shared<FusedProgram>();
  program->output(step(*program, "exp", {program->input(DType::float32)}));
  const Tensor y = Tensor::empty(DType::float32, {11}), memory = Tensor::empty(DType::float32, {12});
  for (const int64_t first : {0, 1}) {
    Tensor x = memory;
    x.set_geometry(first, Shape{11}, Shape{1});
    const Tensor* const tensors[] = {&y, &x};
    const FusedLaunch launch{program, cpu_device, {1, tensors, {}}};
    const std::vector<std::byte> bytes = fused_arguments(launch, {});
    REQUIRE(bytes.size() == argument_bytes(*program, {}));
    const auto* const words = reinterpret_cast<const int64_t*>(bytes.data());
    CHECK(words[0] == 11);
    CHECK(words[1] == (first == 0 ? 2 : 0));
    CHECK(words[3] == static_cast<int64_t>(reinterpret_cast<intptr_t>(x.bytes())));
    CHECK(threads_for(launch, {}) == (first == 0 ? 5 : 11));
  }
}

TEST_CASE("a program with an op that has no functor has no source") {
  FusedProgram program;
  step(program, "exp", {program.input(DType::float32)});
  CHECK(has_source(program));
  static const Decl unknown{.name = "unknown", .signature = "[res] x:tensor"};
  Op other = op("exp");
  other.decl = &unknown;
  program.step(other, std::vector<FusedProgram::Argument>{Ref{Ref::Of::input, 0}});
  CHECK(!has_source(program));
}

namespace {

// A program of all elementwise ops that accept a dtype, with a tensor for each operand that may be one, or, with `numbers`, with a number
// for each operand that may be one. Outputs depend on all results.
FusedProgram all_ops(DType dtype, bool numbers, std::set<std::string_view>& seen) {
  FusedProgram program;
  const Ref x = program.input(dtype), y = program.input(dtype), n = program.number();
  std::optional<Ref> sum, mask;
  const std::set<std::string_view> without_source = {"incomplete", "polynomials", "rare"};  // docs/gpu.md
  for (const Op& each : Registry::instance().ops()) {
    if (without_source.contains(each.family)) continue;
    std::vector<FusedProgram::Argument> arguments;
    bool first = true;
    for (int i = 0; i < each.decl->signature.count; ++i) {
      const Param& p = each.decl->signature.params[i];
      const bool is_tensor = p.takes(kind_tensor) && (first || !numbers || !p.takes(kind_number));
      arguments.emplace_back(is_tensor ? (first ? x : y) : n);
      first = first && !is_tensor;
    }
    const std::optional<Ref> result = program.step(each, arguments);
    if (!result) continue;
    seen.insert(each.decl->name);
    std::optional<Ref>& all = program.dtype(*result) == dtype ? sum : mask;
    all = all ? step(program, "cmax", {*all, *result}) : *result;
  }
  if (sum) program.output(*sum);
  if (mask) program.output(*mask);
  return program;
}

}  // namespace

TEST_CASE("NVRTC compiles every elementwise op for every dtype") {
  const Nvrtc* const nvrtc = Nvrtc::find(toolkit);
  std::set<std::string_view> seen;
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (complex_dtypes.contains(dtype)) continue;  // no fused program has complex numbers
    for (const bool numbers : {false, true}) {
      if (numbers && dtype != DType::float32 && dtype != DType::int32) continue;
      CAPTURE(info(dtype).name);
      CAPTURE(numbers);
      const FusedProgram program = all_ops(dtype, numbers, seen);
      CHECK(has_source(program) == !storage_dtypes.contains(dtype));
      if (!has_source(program)) continue;
      std::string log;
      for (const FusedForm& form : {FusedForm{}, FusedForm{.dims = 3}, FusedForm{.dims = 1, .wide = true}}) {
        if (nvrtc == nullptr || (form.dims > 0 && (numbers || dtype != DType::int64))) continue;
        const bool compiled = nvrtc->compile(fused_source(program, form), "sm_90", log).has_value();
        CHECK_MESSAGE(compiled, log);
      }
    }
  }
  CHECK(seen.size() > 80);
  if (nvrtc == nullptr) MESSAGE("no libnvrtc: the sources were not compiled");
}

TEST_CASE("an error of NVRTC is told") {
  const Nvrtc* const nvrtc = Nvrtc::find(toolkit);
  if (nvrtc == nullptr) {
    MESSAGE("no libnvrtc");
    return;
  }
  CHECK(nvrtc->version().starts_with("nvrtc "));
  std::string log;
  CHECK(!nvrtc->compile("#include \"cuda/fused/kernel.h\"\nint broken = ;", "sm_90", log));
  CHECK(log.find("expected an expression") != std::string::npos);
  CHECK(!nvrtc->compile("", "sm_1", log));
}
