#include "engine/graph/fused/schedule.h"

#include <algorithm>

#include "engine/ops/pointwise_number.h"

namespace mt {
namespace {

using Ref = FusedProgram::Ref;

// The kernel of most elementwise ops; others have their own, which choose a loop by the numbers of a call.
const cpu::PointwiseLoops no_loops{};
bool is_plain(const Kernel& kernel) { return kernel.run == mt::kernel<&cpu::run_pointwise>(no_loops).run; }

bool has_code(const FusedProgram::Step& step) {
  if ((step.computed != DType::float32 && step.computed != DType::float64) || step.stored != step.computed) return false;
  Trace trial(step.computed);
  std::vector<int32_t> operands;
  for (size_t i = 0; i < step.operands.size(); ++i) operands.push_back(trial.load(static_cast<int>(i)));
  return trace_op(step.op->decl->name, trial, operands) >= 0;
}

class Scheduler {
 public:
  explicit Scheduler(const FusedProgram& program) : program_(program), info_(program.steps().size()) {}

  std::shared_ptr<const FusedSchedule> run();

 private:
  // What is known of a step of the program.
  struct Info {
    bool is_output = false;
    bool is_live = false;  // an output depends on it
    bool has_code = false;
    size_t position = 0;  // among the steps of the schedule
    size_t last_use = 0;  // the position of the last step that reads its result
    int place = -1;       // of its result
  };

  void find_live();
  void order();
  bool is_ready(size_t step) const;
  void append(size_t step);
  bool place_results();
  void make_steps();
  int place_of(Ref operand, DType dtype);
  void make_code(FusedSchedule::Unit& unit);
  void choose_sizes();

  const FusedProgram& program_;
  std::vector<Info> info_;       // by step of the program
  std::vector<size_t> ordered_;  // steps of the program, by position
  std::vector<bool> done_;       // by step of the program, while they are put in order
  FusedSchedule made_;
  int first_number_ = 0;
};

void Scheduler::find_live() {
  for (const int32_t output : program_.outputs()) info_[static_cast<size_t>(output)].is_output = true;
  for (size_t s = info_.size(); s-- > 0;) {
    info_[s].is_live = info_[s].is_live || info_[s].is_output;
    if (!info_[s].is_live) continue;
    for (const Ref operand : program_.steps()[s].operands) {
      if (operand.of == Ref::Of::result) info_[static_cast<size_t>(operand.index)].is_live = true;
    }
  }
}

bool Scheduler::is_ready(size_t step) const {
  return info_[step].is_live && !done_[step] && std::ranges::all_of(program_.steps()[step].operands, [&](Ref operand) {
           return operand.of != Ref::Of::result || done_[static_cast<size_t>(operand.index)];
         });
}

void Scheduler::append(size_t step) {
  done_[step] = true;
  info_[step].position = ordered_.size();
  info_[step].last_use = ordered_.size();
  for (const Ref operand : program_.steps()[step].operands) {
    if (operand.of == Ref::Of::result) info_[static_cast<size_t>(operand.index)].last_use = ordered_.size();
  }
  ordered_.push_back(step);
}

// Units with machine code become as large as possible: steps without code come as early as they can.
void Scheduler::order() {
  const bool codes = MachineCode::is_available();
  for (size_t s = 0; codes && s < info_.size(); ++s) info_[s].has_code = info_[s].is_live && mt::has_code(program_.steps()[s]);
  done_.assign(info_.size(), false);
  while (true) {
    const size_t first = ordered_.size();
    for (size_t s = 0; s < info_.size(); ++s) {
      if (!info_[s].has_code && is_ready(s)) append(s);
    }
    if (ordered_.size() > first) made_.units.push_back({first, ordered_.size(), nullptr});
    const size_t next = ordered_.size();
    std::optional<DType> dtype;
    for (size_t s = 0; s < info_.size(); ++s) {
      if (!info_[s].has_code || !is_ready(s) || program_.steps()[s].computed != dtype.value_or(program_.steps()[s].computed)) continue;
      dtype = program_.steps()[s].computed;
      append(s);
    }
    if (ordered_.size() > next) made_.units.push_back({next, ordered_.size(), nullptr});
    if (ordered_.size() == first) return;
  }
}

// A temporary is free again after the last step that reads it; that step may overwrite it, if the elements have the same size.
bool Scheduler::place_results() {
  std::vector<size_t> busy_until;  // by temporary, a position
  for (size_t position = 0; position < ordered_.size(); ++position) {
    Info& step = info_[ordered_[position]];
    if (step.is_output) {
      const auto& outputs = program_.outputs();
      step.place = static_cast<int>(std::find(outputs.begin(), outputs.end(), static_cast<int32_t>(ordered_[position])) - outputs.begin());
      continue;
    }
    const int size = size_of(program_.steps()[ordered_[position]].stored);
    size_t t = 0;
    while (t < busy_until.size() && (busy_until[t] > position || made_.temporary_sizes[t] != size)) ++t;
    if (t == busy_until.size()) {
      busy_until.push_back(0);
      made_.temporary_sizes.push_back(size);
    }
    busy_until[t] = step.last_use;
    step.place = made_.tensors() + static_cast<int>(t);
  }
  first_number_ = made_.tensors() + static_cast<int>(busy_until.size());
  return busy_until.size() <= FusedSchedule::max_temporaries;
}

int Scheduler::place_of(Ref operand, DType dtype) {
  switch (operand.of) {
    case Ref::Of::input:
      return made_.outputs + operand.index;
    case Ref::Of::result:
      return info_[static_cast<size_t>(operand.index)].place;
    default:
      return first_number_ + program_.index_of({operand, dtype});
  }
}

void Scheduler::make_steps() {
  made_.read_later.assign(static_cast<size_t>(made_.outputs), 0);
  uint32_t written = 0;  // bit i: output i
  for (const size_t s : ordered_) {
    const FusedProgram::Step& step = program_.steps()[s];
    FusedSchedule::Step& entry = made_.steps.emplace_back();
    entry.op = step.op;
    entry.loop = nullptr;
    if (is_plain(step.op->kernel))
      entry.loop = static_cast<const cpu::PointwiseLoops*>(step.op->kernel.data)->loops[static_cast<size_t>(step.computed)];
    entry.dtype = step.computed;
    entry.result_dtype = step.stored;
    entry.count = static_cast<uint8_t>(step.operands.size());
    entry.places[0] = static_cast<uint8_t>(info_[s].place);
    for (size_t k = 0; k < step.operands.size(); ++k) {
      const Ref operand = step.operands[k];
      entry.places[k + 1] = static_cast<uint8_t>(place_of(operand, step.computed));
      if (!operand.is_tensor()) entry.numbers |= 1u << k;
      for (size_t o = 0; operand.of == Ref::Of::input && o < made_.read_later.size(); ++o) {
        if ((written >> o & 1) != 0) made_.read_later[o] |= 1u << operand.index;
      }
    }
    if (info_[s].is_output) written |= 1u << info_[s].place;
  }
}

void Scheduler::make_code(FusedSchedule::Unit& unit) {
  const auto step_at = [&](size_t position) -> const FusedProgram::Step& { return program_.steps()[ordered_[position]]; };
  if (unit.end - unit.first < 2 || !info_[ordered_[unit.first]].has_code) return;
  Trace trace(step_at(unit.first).computed);
  std::vector<uint8_t> places;
  const auto index_of = [&](int place) {
    auto found = std::find(places.begin(), places.end(), place);
    if (found == places.end()) found = places.insert(found, static_cast<uint8_t>(place));
    return static_cast<int>(found - places.begin());
  };
  std::vector<int32_t> results;  // by step of the unit
  std::vector<MachineCode::Store> stores;
  for (size_t position = unit.first; position < unit.end; ++position) {
    const FusedProgram::Step& step = step_at(position);
    std::vector<int32_t> operands;
    for (const Ref operand : step.operands) {
      const int place = place_of(operand, step.computed);
      if (operand.of == Ref::Of::result && info_[static_cast<size_t>(operand.index)].position >= unit.first) {
        operands.push_back(results[info_[static_cast<size_t>(operand.index)].position - unit.first]);
      } else if (operand.of == Ref::Of::constant) {
        const ScalarValue& value = made_.constants[static_cast<size_t>(place - first_number_)];
        operands.push_back(trace.constant_bits(step.computed == DType::float64 ? value.as<uint64_t>() : value.as<uint32_t>()));
      } else {
        operands.push_back(trace.load(index_of(place)));
      }
    }
    results.push_back(trace_op(step.op->decl->name, trace, operands));
    const Info& info = info_[ordered_[position]];
    if (info.is_output || info.last_use >= unit.end) stores.push_back({results.back(), index_of(info.place)});
  }
  if (places.size() > 64) return;  // their layouts are the bits of a word
  // The code must not store what it loads: an earlier store may have overwritten that.
  for (const MachineCode::Store& store : stores) {
    const Trace::Code code = trace.instructions()[static_cast<size_t>(store.value)].code;
    if (code == Trace::Code::load || code == Trace::Code::constant) return;
  }
  unit.code = std::make_shared<const FusedCode>(std::move(trace), std::move(stores), std::move(places));
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
  for (const int32_t output : program_.outputs()) made_.dtypes.push_back(program_.steps()[static_cast<size_t>(output)].stored);
  made_.dtypes.insert(made_.dtypes.end(), program_.inputs().begin(), program_.inputs().end());
  find_live();
  order();
  if (!place_results()) return nullptr;
  if (program_.number_operands().size() > FusedSchedule::max_numbers) return nullptr;
  for (const FusedProgram::NumberOperand& number : program_.number_operands()) {
    ScalarValue& value = made_.constants.emplace_back();
    if (number.ref.of == Ref::Of::constant)
      set_pointwise_number(value, program_.constants()[static_cast<size_t>(number.ref.index)], number.dtype);
  }
  make_steps();
  for (FusedSchedule::Unit& unit : made_.units) make_code(unit);
  choose_sizes();
  return std::make_shared<const FusedSchedule>(std::move(made_));
}

}  // namespace

std::shared_ptr<const FusedSchedule> schedule(const FusedProgram& program) { return Scheduler(program).run(); }

}  // namespace mt
