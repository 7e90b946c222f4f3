#include "engine/graph/fused/schedule.h"

#include <algorithm>

#include "engine/ops/pointwise_number.h"

namespace mt {
namespace {

using Ref = FusedProgram::Ref;

// The kernel of most elementwise ops; others have their own, which choose a loop by the numbers of a call.
const cpu::PointwiseLoops no_loops{};
bool is_plain(const Kernel& kernel) { return kernel.run == mt::kernel<&cpu::run_pointwise>(no_loops).run; }

class Scheduler {
 public:
  explicit Scheduler(const FusedProgram& program)
      : program_(program), last_use_(program.steps().size(), -1), place_(program.steps().size(), -1) {}

  std::shared_ptr<const FusedSchedule> run();

 private:
  void find_uses();
  bool place_results();
  int place_of(Ref operand, DType dtype);
  int number(Ref ref, DType dtype);
  bool is_output(size_t step) const {
    const auto& outputs = program_.outputs();
    return std::find(outputs.begin(), outputs.end(), static_cast<int32_t>(step)) != outputs.end();
  }
  void choose_sizes();

  const FusedProgram& program_;
  std::vector<int> last_use_;  // by step: the last step that reads its result; -1: none
  std::vector<int> place_;     // by step, of its result
  FusedSchedule made_;
  int first_number_ = 0;
};

// Steps on which no output depends are left out.
void Scheduler::find_uses() {
  const auto& steps = program_.steps();
  for (size_t s = steps.size(); s-- > 0;) {
    if (last_use_[s] < 0 && !is_output(s)) continue;
    for (const Ref operand : steps[s].operands) {
      if (operand.of != Ref::Of::result) continue;
      int& use = last_use_[static_cast<size_t>(operand.index)];
      use = std::max(use, static_cast<int>(s));
    }
  }
}

// A temporary is free again after the last step that reads it; that step may overwrite it, if the elements have the same size.
bool Scheduler::place_results() {
  const auto& steps = program_.steps();
  std::vector<int> free_at;  // by temporary: the step after which it is free
  for (size_t s = 0; s < steps.size(); ++s) {
    const auto output = std::find(program_.outputs().begin(), program_.outputs().end(), static_cast<int32_t>(s));
    if (output != program_.outputs().end()) {
      place_[s] = static_cast<int>(output - program_.outputs().begin());
      continue;
    }
    if (last_use_[s] < 0) continue;
    const int size = size_of(steps[s].stored);
    size_t t = 0;
    while (t < free_at.size() && (free_at[t] > static_cast<int>(s) || made_.temporary_sizes[t] != size)) ++t;
    if (t == free_at.size()) {
      free_at.push_back(0);
      made_.temporary_sizes.push_back(size);
    }
    free_at[t] = last_use_[s];
    place_[s] = made_.tensors() + static_cast<int>(t);
  }
  made_.temporaries = static_cast<int>(free_at.size());
  first_number_ = made_.tensors() + made_.temporaries;
  return made_.temporaries <= FusedSchedule::max_temporaries;
}

int Scheduler::number(Ref ref, DType dtype) {
  for (size_t i = 0; i < made_.numbers.size(); ++i) {
    if (made_.numbers[i].ref == ref && made_.numbers[i].dtype == dtype) return first_number_ + static_cast<int>(i);
  }
  FusedSchedule::Number& entry = made_.numbers.emplace_back(FusedSchedule::Number{ref, dtype, {}});
  if (ref.of == Ref::Of::constant) set_pointwise_number(entry.value, program_.constants()[static_cast<size_t>(ref.index)], dtype);
  return first_number_ + static_cast<int>(made_.numbers.size()) - 1;
}

int Scheduler::place_of(Ref operand, DType dtype) {
  switch (operand.of) {
    case Ref::Of::input:
      return made_.outputs + operand.index;
    case Ref::Of::result:
      return place_[static_cast<size_t>(operand.index)];
    default:
      return number(operand, dtype);
  }
}

// All elements of a block, of tensors and temporaries, fit in the first-level cache.
void Scheduler::choose_sizes() {
  constexpr int64_t cache = 24576, least = 256, most = 4096;
  int64_t bytes = 0, temporary_bytes = 0;
  for (const DType dtype : made_.dtypes) bytes += size_of(dtype);
  for (const int size : made_.temporary_sizes) temporary_bytes += size;
  made_.block = std::clamp(cache / (bytes + temporary_bytes) / 64 * 64, least, most);
  if (temporary_bytes > 0) made_.block = std::min(made_.block, FusedSchedule::buffer_bytes / temporary_bytes / 64 * 64);
  const auto steps = static_cast<int64_t>(made_.steps.size());
  made_.grain = std::max<int64_t>(pointwise_grain * 2 / (steps + 1) / 64 * 64, 8192);
}

std::shared_ptr<const FusedSchedule> Scheduler::run() {
  made_.outputs = static_cast<int>(program_.outputs().size());
  made_.inputs = static_cast<int>(program_.inputs().size());
  if (made_.outputs == 0 || made_.tensors() > FusedSchedule::max_tensors) return nullptr;
  const auto& steps = program_.steps();
  for (const int32_t output : program_.outputs()) made_.dtypes.push_back(steps[static_cast<size_t>(output)].stored);
  made_.dtypes.insert(made_.dtypes.end(), program_.inputs().begin(), program_.inputs().end());
  find_uses();
  if (!place_results()) return nullptr;
  made_.read_later.assign(static_cast<size_t>(made_.outputs), 0);
  uint32_t written = 0;  // bit i: output i
  for (size_t s = 0; s < steps.size(); ++s) {
    if (place_[s] < 0) continue;
    const FusedProgram::Step& step = steps[s];
    FusedSchedule::Step& entry = made_.steps.emplace_back();
    entry.op = step.op;
    entry.loop = nullptr;
    if (is_plain(step.op->kernel))
      entry.loop = static_cast<const cpu::PointwiseLoops*>(step.op->kernel.data)->loops[static_cast<size_t>(step.computed)];
    entry.dtype = step.computed;
    entry.result_dtype = step.stored;
    entry.count = static_cast<uint8_t>(step.operands.size());
    entry.places[0] = static_cast<uint8_t>(place_[s]);
    for (size_t k = 0; k < step.operands.size(); ++k) {
      const Ref operand = step.operands[k];
      entry.places[k + 1] = static_cast<uint8_t>(place_of(operand, step.computed));
      if (!operand.is_tensor()) entry.numbers |= 1u << k;
      for (size_t o = 0; operand.of == Ref::Of::input && o < made_.read_later.size(); ++o) {
        if ((written >> o & 1) != 0) made_.read_later[o] |= 1u << operand.index;
      }
    }
    if (place_[s] < made_.outputs) written |= 1u << place_[s];
  }
  if (made_.numbers.size() > FusedSchedule::max_numbers) return nullptr;
  choose_sizes();
  return std::make_shared<const FusedSchedule>(std::move(made_));
}

}  // namespace

std::shared_ptr<const FusedSchedule> schedule(const FusedProgram& program) { return Scheduler(program).run(); }

}  // namespace mt
