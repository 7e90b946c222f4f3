// Arithmetic on vectors of floats or doubles as a list of instructions, which machine code is made of. Instructions have the results of
// the vector operations that compiled kernels use, to the bit.
#pragma once

#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/dtype.h"

namespace mt {

class Trace {
 public:
  enum class Code : uint8_t {
    constant,  // the bits of an element
    load,      // place `bits`
    add,
    subtract,
    multiply,
    divide,
    multiply_add,           // a b + c, rounded once
    negative_multiply_add,  // c - a b, likewise
    multiply_subtract,      // a b - c, likewise
    least,                  // a < b ? a : b
    greatest,               // a > b ? a : b
    square_root,
    nearest,  // rounded to a whole number: to the nearest, halves to even
    floor,
    ceil,
    truncate,
    less,  // a mask: all bits of a lane are set, or none
    less_equal,
    equal,
    not_equal,
    bit_and,
    bit_or,
    bit_xor,
    choose,      // a ? b : c; a is a mask
    to_integer,  // of 32 bits, as the next four
    integer_add,
    integer_subtract,
    shift_left,   // by `bits`
    shift_right,  // likewise; copies the sign
    refuse        // the code ends here, before it stores anything, if a lane of the mask a is set
  };
  struct Instruction {
    Code code;
    int32_t a = -1, b = -1, c = -1;  // instructions
    uint64_t bits = 0;
    bool operator==(const Instruction&) const = default;
  };

  explicit Trace(DType dtype) : dtype_(dtype) {}

  DType dtype() const { return dtype_; }
  const std::vector<Instruction>& instructions() const { return list_; }
  bool is_complete() const { return complete_; }  // no operation was met that has no instructions

  int32_t load(int place) { return add({Code::load, -1, -1, -1, static_cast<uint64_t>(place)}); }
  int32_t constant_bits(uint64_t bits) { return add({Code::constant, -1, -1, -1, bits}); }
  int32_t constant(double value);
  int32_t add(Code code, int32_t a, int32_t b = -1, int32_t c = -1);
  int32_t shift(Code code, int32_t a, int count) { return add({code, a, -1, -1, static_cast<uint64_t>(count)}); }
  int32_t opaque(int32_t a) {  // an operation without instructions
    complete_ = false;
    return a;
  }

 private:
  int32_t add(const Instruction& instruction);
  bool is_constant(int32_t i, double value) const;

  DType dtype_;
  std::vector<Instruction> list_;
  bool complete_ = true;
};

// Appends the instructions of an op in the trace's dtype. Returns the instruction of its result; -1, after which the trace is of no use, if
// the op has none.
int32_t trace_op(std::string_view op, Trace& trace, std::span<const int32_t> operands);

}  // namespace mt
