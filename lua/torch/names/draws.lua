--- Single random numbers: torch.uniform(a, b) and the others without a tensor, in loops that LuaJIT compiles. Uniform numbers and integers
-- come from the generator's memory, without a call, after which compiled code would read all memory anew; the others from functions of C.
-- Other arguments, such as a generator, go to the op.
-- @module torch.names.draws
local bit, ffi = require 'bit', require 'ffi'
local C = require 'libmoontorch'

-- As engine/core/mersenne.h has it, on a little-endian machine. Writes of 16 bits leave what compiled code knows of tensors in registers.
ffi.cdef [[
typedef struct {
  uint64_t seed;
  uint16_t next, high_of_next;
  uint32_t fresh;
  int32_t state[624];
} mt_mersenne_view;
]]

local type, cast, floor, ceil = type, ffi.cast, math.floor, math.ceil
local band, bxor, lshift, rshift = bit.band, bit.bxor, bit.lshift, bit.rshift

local state, hook, isTwister, twister, addresses = C.numberDraws()
state = cast('void *', state)      -- compiled code can't convert a light userdata
hook, isTwister = cast('void **', hook), cast('const uint8_t *', isTwister)
twister = cast('mt_mersenne_view *', twister)
local value = ffi.new 'double[1]'

local function drawOf(name) return cast('bool (*)(void *, double, double, double *)', addresses[name]) end

-- Returns 32 random bits as a number; nil if the op has to draw them.
local function drawBits()
  if hook[0] ~= nil or isTwister[0] == 0 or twister.next >= 624 then return nil end
  local y = twister.state[twister.next]
  twister.next = twister.next + 1
  y = bxor(y, rshift(y, 11))
  y = bxor(y, band(lshift(y, 7), 0x9d2c5680))
  y = bxor(y, band(lshift(y, 15), 0xefc60000))
  return bxor(y, rshift(y, 18), 0x80000000) + 2 ^ 31
end

-- Returns the function of an op with two parameters, which have defaults.
local function ofTwo(name, defaultA, defaultB)
  local op, draw = C.functions[name], drawOf(name)
  return function(...)
    local a, b, other = ...
    if a == nil then a = defaultA end
    if b == nil then b = defaultB end
    if other == nil and type(a) == 'number' and type(b) == 'number' and draw(state, a, b, value) then return value[0] end
    return op(...)
  end
end

-- Returns the function of an op with one parameter, which may have a default.
local function ofOne(name, default)
  local op, draw = C.functions[name], drawOf(name)
  return function(...)
    local a, other = ...
    if a == nil then a = default end
    if other == nil and type(a) == 'number' and draw(state, a, 0, value) then return value[0] end
    return op(...)
  end
end

local draws = {
  normal = ofTwo('normal', 0, 1),
  cauchy = ofTwo('cauchy', 0, 1),
  logNormal = ofTwo('logNormal', 1, 2),
  exponential = ofOne 'exponential',
  geometric = ofOne 'geometric',
  bernoulli = ofOne('bernoulli', 0.5),
}

local uniform = ofTwo('uniform', 0, 1)

function draws.uniform(...)
  local a, b, other = ...
  if a == nil then a = 0 end
  if b == nil then b = 1 end
  if other == nil and type(a) == 'number' and type(b) == 'number' then
    local bits = drawBits()
    if bits then return bits * 2 ^ -32 * (b - a) + a end
  end
  return uniform(...)
end

local random, drawWord, drawFrom = C.functions.random, drawOf 'bits', drawOf 'random'

-- Returns an integer from `first` to `last`, which are truncated; nil if the op has to draw it.
local function drawInteger(first, last)
  if not (first > -2 ^ 52 and last < 2 ^ 52) then return nil end
  first, last = first < 0 and ceil(first) or floor(first), last < 0 and ceil(last) or floor(last)
  local count = last - first + 1
  if count < 1 or count >= 2 ^ 32 then return nil end
  local bits = drawBits()
  if bits then return first + bits % count end
  if drawFrom(state, first, last, value) then return value[0] end
end

function draws.random(...)
  local a, b, other = ...
  local drawn
  if other == nil then
    if b == nil then a, b = 1, a end
    if a == nil then a = 1 end
    if b == nil then
      drawn = drawBits()
      if not drawn and drawWord(state, 0, 0, value) then drawn = value[0] end
    elseif type(a) == 'number' and type(b) == 'number' then
      drawn = drawInteger(a, b)
    end
  end
  if drawn then return drawn end
  return random(...)
end

return draws
