#include "engine/graph/fused/machine_code.h"

#include "engine/cpu/target.h"

#ifdef MT_WITH_XBYAK

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <optional>

#define XBYAK_NO_OP_NAMES
#include <xbyak/xbyak.h>

namespace mt {
namespace {

using Code = Trace::Code;
using Xbyak::Address;
using Xbyak::Operand;
using Xbyak::Reg64;
using Xbyak::Ymm;

constexpr size_t most_bytes = 65536;

// Generates the function. Values are assigned to registers in the order of the instructions; the value that is needed last makes room.
class Generator : public Xbyak::CodeGenerator {
 public:
  Generator(const Trace& trace, std::span<const MachineCode::Store> stores, uint64_t single, bool streams, void* memory);

 private:
  static constexpr int registers = 16, most_slots = 128;
  static constexpr int never = 1 << 30;

  struct Value {
    int reg = -1;                 // the register that has it
    int slot = -1;                // the part of the stack that has it
    size_t used = 0;              // the uses that are done
    std::vector<int> uses;        // instructions, then stores
    std::optional<size_t> label;  // of a constant
  };

  void find_uses();
  void load_addresses();
  void loop();
  void body(bool last);
  void instruction(int i);
  void emit(const Trace::Instruction& in, int i);
  void store(const MachineCode::Store& one, int i);
  void multiply_and_add(const Trace::Instruction& in, int i);
  void constants();

  // Operands. A register that is read by the current instruction is not given to another value.
  Ymm in_register(int32_t v);
  const Operand& operand(int32_t v);  // a register, or else memory
  Ymm result(int i);                  // after the operands have been read
  Ymm result_over(int i, int32_t v);  // the same, with the value v in it
  bool is_memory(int32_t v) const { return value(v).reg < 0 && (value(v).label || value(v).slot >= 0 || is_foldable(v)); }
  bool is_foldable(int32_t v) const { return is_load(v) && !masked_ && !is_single(v) && value(v).uses.size() == 1; }
  bool dies(int32_t v, int i) const { return value(v).uses.back() <= i; }
  void done(int i);
  int free_register();
  Address memory_of(int32_t v);
  Address element(int place);
  Address slot(int number) { return yword[rsp + 32 * number]; }
  void move(Ymm to, const Operand& from) { from.isMEM() ? vmovups(to, from) : vmovaps(to, from); }

  Value& value(int32_t v) { return values_[static_cast<size_t>(v)]; }
  const Value& value(int32_t v) const { return values_[static_cast<size_t>(v)]; }
  const Trace::Instruction& code_of(int32_t v) const { return trace_.instructions()[static_cast<size_t>(v)]; }
  bool is_load(int32_t v) const { return code_of(v).code == Code::load; }
  bool is_single(int32_t v) const { return (single_ >> code_of(v).bits & 1) != 0; }
  int take_slot() {
    if (slots_ == most_slots) throw Xbyak::Error(Xbyak::ERR_CODE_IS_TOO_BIG);
    return slots_++;
  }

  const Trace& trace_;
  const std::span<const MachineCode::Store> stores_;
  const uint64_t single_;
  const bool streams_, wide_;
  const int width_, lanes_;
  bool masked_ = false;  // in the last, incomplete vector
  std::vector<Value> values_;
  std::vector<uint64_t> pool_;       // constants
  std::deque<Xbyak::Label> labels_;  // of these
  Xbyak::Label mask_table_, end_;
  int owner_[registers];  // the value in a register; -1: none
  uint32_t pinned_ = 0;
  int slots_ = 0;
  Address scratch_ = yword[rsp];
  const Reg64 index_ = rax, count_ = rsi, places_ = rdi, limit_ = rdx, temporary_ = rcx;
  const std::vector<Reg64> address_registers_ = {r8, r9, r10, r11, rbx, r12, r13, r14, r15};
};

Generator::Generator(const Trace& trace, std::span<const MachineCode::Store> stores, uint64_t single, bool streams, void* memory)
    : Xbyak::CodeGenerator(most_bytes, memory),
      trace_(trace),
      stores_(stores),
      single_(single),
      streams_(streams),
      wide_(trace.dtype() == DType::float64),
      width_(wide_ ? 8 : 4),
      lanes_(32 / width_),
      values_(trace.instructions().size()) {
  find_uses();
  const std::vector<Reg64> saved = {rbx, r12, r13, r14, r15};
  push(rbp);
  mov(rbp, rsp);
  for (const Reg64& r : saved) push(r);
  sub(rsp, 32 * most_slots);
  and_(rsp, -32);
  load_addresses();
  loop();
  L(end_);
  if (streams_) sfence();
  vzeroupper();
  lea(rsp, ptr[rbp - 8 * static_cast<int>(saved.size())]);
  for (auto r = saved.rbegin(); r != saved.rend(); ++r) pop(*r);
  pop(rbp);
  ret();
  constants();
}

void Generator::find_uses() {
  const auto& list = trace_.instructions();
  const int n = static_cast<int>(list.size());
  for (int i = 0; i < n; ++i) {
    const Trace::Instruction& in = list[static_cast<size_t>(i)];
    for (const int32_t v : {in.a, in.b, in.c}) {
      if (v >= 0) value(v).uses.push_back(i);
    }
    if (in.code == Code::constant) {
      value(i).label = pool_.size();
      pool_.push_back(in.bits);
      labels_.emplace_back();
    }
  }
  for (size_t s = 0; s < stores_.size(); ++s) value(stores_[s].value).uses.push_back(n + static_cast<int>(s));
}

// Values that are the same for all elements go to the stack.
void Generator::load_addresses() {
  const auto& list = trace_.instructions();
  for (int i = 0; i < static_cast<int>(list.size()); ++i) {
    if (list[static_cast<size_t>(i)].code != Code::load || !is_single(i)) continue;
    mov(temporary_, qword[places_ + 8 * static_cast<int>(list[static_cast<size_t>(i)].bits)]);
    if (wide_)
      vbroadcastsd(ymm0, qword[temporary_]);
    else
      vbroadcastss(ymm0, dword[temporary_]);
    value(i).slot = take_slot();
    vmovaps(slot(value(i).slot), ymm0);
  }
  for (size_t place = 0; place < address_registers_.size(); ++place) {
    const bool is_read = std::ranges::any_of(list, [&](const auto& in) { return in.code == Code::load && in.bits == place; });
    const bool is_written = std::ranges::any_of(stores_, [&](const auto& s) { return s.place == static_cast<int>(place); });
    if ((is_read || is_written) && (single_ >> place & 1) == 0)
      mov(address_registers_[place], qword[places_ + 8 * static_cast<int>(place)]);
  }
}

void Generator::loop() {
  Xbyak::Label again, rest;
  xor_(index_, index_);
  lea(limit_, ptr[count_ - lanes_]);
  cmp(limit_, 0);
  jl(rest, T_NEAR);
  align(32);
  L(again);
  body(false);
  add(index_, lanes_);
  cmp(index_, limit_);
  jle(again, T_NEAR);
  L(rest);
  cmp(index_, count_);
  jge(end_, T_NEAR);
  body(true);
  mov(index_, count_);
}

// Computes and stores one vector.
void Generator::body(bool last) {
  masked_ = last;
  std::fill(owner_, owner_ + registers, -1);
  const int singles = slots_;
  for (Value& v : values_) {
    v.reg = -1;
    v.used = 0;
  }
  if (last) {  // ymm15 selects the elements
    owner_[registers - 1] = never;
    mov(temporary_, count_);
    sub(temporary_, index_);
    neg(temporary_);
    lea(limit_, ptr[rip + mask_table_]);
    vmovups(ymm15, yword[limit_ + temporary_ * width_ + 32]);
  }
  const int n = static_cast<int>(trace_.instructions().size());
  for (int i = 0; i < n; ++i) instruction(i);
  for (size_t s = 0; s < stores_.size(); ++s) store(stores_[s], n + static_cast<int>(s));
  for (size_t v = 0; v < values_.size(); ++v) {
    if (values_[v].slot >= singles) values_[v].slot = -1;
  }
  slots_ = singles;
}

void Generator::instruction(int i) {
  const Trace::Instruction& in = code_of(i);
  if (in.code == Code::constant || in.code == Code::load) return;  // read by those that use them
  if (in.code != Code::refuse && value(i).uses.empty()) return;
  emit(in, i);
  done(i);
}

void Generator::emit(const Trace::Instruction& in, int i) {
  const auto binary = [&](auto of_floats, auto of_doubles) {
    const Ymm a = in_register(in.a);
    const Operand& b = operand(in.b);
    wide_ ? (this->*of_doubles)(result(i), a, b) : (this->*of_floats)(result(i), a, b);
  };
  const auto unary = [&](auto of_floats, auto of_doubles) {
    const Operand& a = operand(in.a);
    wide_ ? (this->*of_doubles)(result(i), a) : (this->*of_floats)(result(i), a);
  };
  const auto rounded = [&](uint8_t mode) {
    const Operand& a = operand(in.a);
    wide_ ? vroundpd(result(i), a, mode | 8) : vroundps(result(i), a, mode | 8);
  };
  const auto compared = [&](uint8_t predicate) {
    const Ymm a = in_register(in.a);
    const Operand& b = operand(in.b);
    wide_ ? vcmppd(result(i), a, b, predicate) : vcmpps(result(i), a, b, predicate);
  };
  using G = Xbyak::CodeGenerator;
  using Three = void (G::*)(const Xbyak::Xmm&, const Operand&, const Operand&);
  using Two = void (G::*)(const Xbyak::Xmm&, const Operand&);
  switch (in.code) {
    case Code::add:
      return binary(Three(&G::vaddps), Three(&G::vaddpd));
    case Code::subtract:
      return binary(Three(&G::vsubps), Three(&G::vsubpd));
    case Code::multiply:
      return binary(Three(&G::vmulps), Three(&G::vmulpd));
    case Code::divide:
      return binary(Three(&G::vdivps), Three(&G::vdivpd));
    case Code::least:
      return binary(Three(&G::vminps), Three(&G::vminpd));
    case Code::greatest:
      return binary(Three(&G::vmaxps), Three(&G::vmaxpd));
    case Code::bit_and:
      return binary(Three(&G::vandps), Three(&G::vandpd));
    case Code::bit_or:
      return binary(Three(&G::vorps), Three(&G::vorpd));
    case Code::bit_xor:
      return binary(Three(&G::vxorps), Three(&G::vxorpd));
    case Code::square_root:
      return unary(Two(&G::vsqrtps), Two(&G::vsqrtpd));
    case Code::nearest:
      return rounded(0);
    case Code::floor:
      return rounded(1);
    case Code::ceil:
      return rounded(2);
    case Code::truncate:
      return rounded(3);
    case Code::less:
      return compared(0x11);
    case Code::less_equal:
      return compared(0x12);
    case Code::equal:
      return compared(0);
    case Code::not_equal:
      return compared(4);
    case Code::multiply_add:
    case Code::negative_multiply_add:
    case Code::multiply_subtract:
      return multiply_and_add(in, i);
    case Code::choose: {
      const Ymm mask = in_register(in.a), otherwise = in_register(in.c);
      const Operand& then = operand(in.b);
      wide_ ? vblendvpd(result(i), otherwise, then, mask) : vblendvps(result(i), otherwise, then, mask);
      return;
    }
    case Code::to_integer: {
      const Operand& a = operand(in.a);
      return vcvtps2dq(result(i), a);
    }
    case Code::integer_add: {
      const Ymm a = in_register(in.a);
      const Operand& b = operand(in.b);
      return vpaddd(result(i), a, b);
    }
    case Code::integer_subtract: {
      const Ymm a = in_register(in.a);
      const Operand& b = operand(in.b);
      return vpsubd(result(i), a, b);
    }
    case Code::shift_left: {
      const Ymm a = in_register(in.a);
      return vpslld(result(i), a, static_cast<uint8_t>(in.bits));
    }
    case Code::shift_right: {
      const Ymm a = in_register(in.a);
      return vpsrad(result(i), a, static_cast<uint8_t>(in.bits));
    }
    case Code::refuse: {
      const Ymm mask = in_register(in.a);
      wide_ ? vtestpd(mask, mask) : vtestps(mask, mask);
      return jnz(end_, T_NEAR);
    }
    case Code::constant:
    case Code::load:
      return;
  }
}

// The instruction overwrites a factor or the summand; only one operand can be in memory.
void Generator::multiply_and_add(const Trace::Instruction& in, int i) {
  const bool negative = in.code == Code::negative_multiply_add, subtract = in.code == Code::multiply_subtract;
  int32_t a = in.a, b = in.b;
  const int32_t c = in.c;
  if (is_memory(a)) std::swap(a, b);
  const bool over_factor = is_memory(c) || (!dies(c, i) && (dies(a, i) || (!is_memory(b) && dies(b, i))));
  if (over_factor) {
    if (!dies(a, i) && !is_memory(b) && dies(b, i)) std::swap(a, b);
    const Ymm second = in_register(b);
    in_register(a);
    const Operand& summand = operand(c);
    const Ymm to = result_over(i, a);
    if (negative)
      wide_ ? vfnmadd213pd(to, second, summand) : vfnmadd213ps(to, second, summand);
    else if (subtract)
      wide_ ? vfmsub213pd(to, second, summand) : vfmsub213ps(to, second, summand);
    else
      wide_ ? vfmadd213pd(to, second, summand) : vfmadd213ps(to, second, summand);
    return;
  }
  const Ymm first = in_register(a);
  in_register(c);
  const Operand& second = operand(b);
  const Ymm to = result_over(i, c);
  if (negative)
    wide_ ? vfnmadd231pd(to, first, second) : vfnmadd231ps(to, first, second);
  else if (subtract)
    wide_ ? vfmsub231pd(to, first, second) : vfmsub231ps(to, first, second);
  else
    wide_ ? vfmadd231pd(to, first, second) : vfmadd231ps(to, first, second);
}

void Generator::store(const MachineCode::Store& one, int i) {
  const Ymm from = in_register(one.value);
  const Address to = element(one.place);
  if (masked_)
    wide_ ? vmaskmovpd(to, ymm15, from) : vmaskmovps(to, ymm15, from);
  else if (streams_)
    wide_ ? vmovntpd(to, from) : vmovntps(to, from);
  else
    vmovups(to, from);
  done(i);
}

void Generator::constants() {
  align(32);
  L(mask_table_);
  for (int i = 0; i < 8; ++i) dd(~0U);
  for (int i = 0; i < 8; ++i) dd(0);
  for (size_t c = 0; c < pool_.size(); ++c) {
    L(labels_[c]);
    for (int i = 0; i < lanes_; ++i) wide_ ? dq(pool_[c]) : dd(static_cast<uint32_t>(pool_[c]));
  }
}

Address Generator::element(int place) {
  const auto p = static_cast<size_t>(place);
  if (p < address_registers_.size()) return yword[address_registers_[p] + index_ * width_];
  mov(temporary_, qword[places_ + 8 * place]);
  return yword[temporary_ + index_ * width_];
}

Address Generator::memory_of(int32_t v) {
  if (value(v).label) return yword[rip + labels_[*value(v).label]];
  if (value(v).slot >= 0) return slot(value(v).slot);
  return element(static_cast<int>(code_of(v).bits));
}

int Generator::free_register() {
  int furthest = -1, next = -1;
  for (int r = 0; r < registers; ++r) {
    if (owner_[r] == never || (pinned_ >> r & 1) != 0) continue;
    if (owner_[r] < 0) return r;
    const Value& v = value(owner_[r]);
    const int use = v.used < v.uses.size() ? v.uses[v.used] : never;
    if (use > next) {
      next = use;
      furthest = r;
    }
  }
  Value& moved = value(owner_[furthest]);
  if (!moved.label && moved.slot < 0 && !is_load(owner_[furthest])) {
    moved.slot = take_slot();
    vmovaps(slot(moved.slot), Ymm(furthest));
  }
  moved.reg = -1;
  owner_[furthest] = -1;
  return furthest;
}

Ymm Generator::in_register(int32_t v) {
  if (value(v).reg < 0) {
    const int r = free_register();
    if (masked_ && is_load(v) && value(v).slot < 0)
      wide_ ? vmaskmovpd(Ymm(r), ymm15, memory_of(v)) : vmaskmovps(Ymm(r), ymm15, memory_of(v));
    else
      vmovups(Ymm(r), memory_of(v));
    owner_[r] = v;
    value(v).reg = r;
  }
  pinned_ |= 1u << value(v).reg;
  return Ymm(value(v).reg);
}

const Operand& Generator::operand(int32_t v) {
  static const Ymm all[registers] = {Ymm(0), Ymm(1), Ymm(2),  Ymm(3),  Ymm(4),  Ymm(5),  Ymm(6),  Ymm(7),
                                     Ymm(8), Ymm(9), Ymm(10), Ymm(11), Ymm(12), Ymm(13), Ymm(14), Ymm(15)};
  if (is_memory(v)) return scratch_ = memory_of(v);
  return all[in_register(v).getIdx()];
}

// A register for the result: one of an operand that is not needed any more, else a free one.
Ymm Generator::result(int i) {
  const Trace::Instruction& in = code_of(i);
  int r = -1;
  for (const int32_t v : {in.a, in.b, in.c}) {
    if (v >= 0 && value(v).reg >= 0 && dies(v, i)) r = value(v).reg;
  }
  if (r < 0) {
    r = free_register();
  } else {
    value(owner_[r]).reg = -1;
  }
  owner_[r] = i;
  value(i).reg = r;
  return Ymm(r);
}

Ymm Generator::result_over(int i, int32_t v) {
  int r = value(v).reg;
  const bool is_elsewhere = value(v).label || value(v).slot >= 0 || is_load(v);
  if (dies(v, i) || is_elsewhere) {
    value(v).reg = -1;
  } else {
    r = free_register();
    vmovaps(Ymm(r), Ymm(value(v).reg));
  }
  owner_[r] = i;
  value(i).reg = r;
  return Ymm(r);
}

// Releases the registers of values that no later instruction reads.
void Generator::done(int i) {
  pinned_ = 0;
  const int n = static_cast<int>(trace_.instructions().size());
  const auto use = [&](int32_t v) {
    if (v < 0) return;
    Value& one = value(v);
    while (one.used < one.uses.size() && one.uses[one.used] <= i) ++one.used;
    if (one.used < one.uses.size() || one.reg < 0) return;
    owner_[one.reg] = -1;
    one.reg = -1;
  };
  if (i >= n) return use(stores_[static_cast<size_t>(i - n)].value);
  const Trace::Instruction& in = code_of(i);
  for (const int32_t v : {in.a, in.b, in.c}) use(v);
}

size_t rounded_up(size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

bool MachineCode::is_available() {
  const std::string_view target = cpu::target_name();
  return target == "avx2" || target == "avx3";
}

std::unique_ptr<const MachineCode> MachineCode::make(const Trace& trace, std::span<const Store> stores, uint64_t single, bool streams) {
  void* const memory = mmap(nullptr, most_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  size_t bytes = 0;
  try {
    bytes = rounded_up(Generator(trace, stores, single, streams, memory).getSize());
  } catch (const Xbyak::Error&) {  // too many instructions
  }
  if (bytes < most_bytes) munmap(static_cast<std::byte*>(memory) + bytes, most_bytes - bytes);
  if (bytes == 0) return nullptr;
  if (mprotect(memory, bytes, PROT_READ | PROT_EXEC) != 0) {  // some systems forbid it
    munmap(memory, bytes);
    return nullptr;
  }
  return std::unique_ptr<const MachineCode>(new MachineCode(memory, bytes));
}

MachineCode::~MachineCode() { munmap(reinterpret_cast<void*>(function_), bytes_); }

}  // namespace mt

#else

namespace mt {

bool MachineCode::is_available() { return false; }
std::unique_ptr<const MachineCode> MachineCode::make(const Trace&, std::span<const Store>, uint64_t, bool) { return nullptr; }
MachineCode::~MachineCode() = default;

}  // namespace mt

#endif
