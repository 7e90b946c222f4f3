--- Reads Python's pickles, protocols 0 to 5, without running code: a class or function is what `find` returns for its name, and only those
-- that this returns with a `call` are called.
-- Format: Python's pickletools (3.13), whose names of the opcodes are used here.
-- @module torch.file.pickle
local ffi = require 'ffi'
local damage = require 'torch.file.damage'
local objects = require 'torch.file.python_tables'
local text = require 'torch.file.pickle_text'

local none, set, noteOf = objects.none, objects.set, objects.note
local exactIntegers = 2 ^ 53
local workPerByte, leastWork = 64, 1000000

local State = {}
State.__index = State

-- Raises damage at the current opcode.
function State:fail(expected, read, isOther) damage.raise(self.first + self.opcodeAt + 1, expected, read, isOther) end

--- Counts copied items or bytes: a small pickle could copy a large value any number of times.
function State:work(n)
  self.done = self.done + n
  if self.done > self.most then self:fail(('a pickle that copies at most %.0f items and bytes'):format(self.most), 'more') end
end

--- Replaces an object, which is on top of the stack and may be in the memo: for objects that exist only when their state is known.
function State:replaceTop(old, new)
  self.stack[self.top] = new
  local index = noteOf(old).index
  if index and self.memo[index] == old then self.memo[index] = new end
end

--- Returns the string that REDUCE left below a class and its arguments: the key under which a dictionary gets the result; else nil.
function State:key()
  local key = self.stack[self.top]
  return type(key) == 'string' and key or nil
end

local function shown(value)
  if value == none then return 'None' end
  if type(value) == 'table' then return noteOf(value).name or noteOf(value).class end
  if type(value) == 'string' then return ('%q'):format(value:sub(1, 40)) end
  return type(value) == 'userdata' and 'a tensor' or tostring(value)
end
State.shown = shown

-- Returns the offset of the next n bytes and moves behind them.
local function take(state, n)
  local at = state.at
  if n > state.size - at then
    state:fail(n == 1 and 'a byte' or ('%.0f bytes'):format(n), ('%.0f bytes to the end of the pickle'):format(state.size - at))
  end
  state.at = at + n
  return at
end

local function unsigned(state, n)
  local at, value = take(state, n), 0
  for i = at + n - 1, at, -1 do value = value * 256 + state.bytes[i] end
  return value
end

local function bytesOf(state, n) return ffi.string(state.bytes + take(state, n), n) end

-- Returns the text to the end of the line.
local function line(state)
  local from = state.bytes + state.at
  local stop = ffi.cast('const uint8_t *', ffi.C.mt_memchr(from, 10, state.size - state.at))
  if stop == nil then state:fail('the end of a line', 'the end of the pickle') end
  local n = tonumber(stop - from)
  local found = bytesOf(state, n)
  state.at = state.at + 1
  return (found:gsub('\r$', ''))
end

local function push(state, value)
  local top = state.top + 1
  state.stack[top], state.top = value, top
end

-- The first slot of the stack above the last mark.
local function bottom(state) return state.marks[state.markCount] or 0 end

local function pop(state)
  local top = state.top
  if top <= bottom(state) then state:fail('a value on the stack', 'an empty stack') end
  local value = state.stack[top]
  state.stack[top], state.top = nil, top - 1
  return value
end

local function peek(state)
  if state.top <= bottom(state) then state:fail('a value on the stack', 'an empty stack') end
  return state.stack[state.top]
end

-- Returns the values above the last mark as a new table, and their number; removes mark and values.
local function popMark(state)
  if state.markCount == 0 then state:fail('a mark on the stack', 'none') end
  local from, top, values = state.marks[state.markCount], state.top, {}
  for i = from + 1, top do
    values[i - from] = state.stack[i]
    state.stack[i] = nil
  end
  state.top, state.markCount = from, state.markCount - 1
  return values, top - from
end

local function popTuple(state, n)
  local values = {}
  for i = n, 1, -1 do values[i] = pop(state) end
  return objects.tuple(values)
end

-- Returns the signed integer of n little-endian bytes: a number; an int64 if it is not exact as a number but fits; else the nearest number.
local function signed(state, n)
  if n == 0 then return 0 end
  local at = take(state, n)
  state:work(n)
  if n <= 8 then
    local value = state.bytes[at + n - 1] >= 128 and -1LL or 0LL
    for i = at + n - 1, at, -1 do value = value * 256 + state.bytes[i] end
    if value >= -exactIntegers and value <= exactIntegers then return tonumber(value) end
    return value
  end
  local value = state.bytes[at + n - 1] >= 128 and -1 or 0
  for i = at + n - 1, at, -1 do value = value * 256 + state.bytes[i] end
  return value
end

local function decimal(state, digits)
  if not digits:find '^%s*[+-]?%d+$' then state:fail('an integer', ('%q'):format(digits)) end
  local value = tonumber(digits)
  if value >= -exactIntegers and value <= exactIntegers or #digits > 19 then return value end
  return ffi.C.mt_strtoll(digits, nil, 10)
end

local float64 = ffi.typeof 'union { double value; uint8_t bytes[8]; }'

local function bigEndianDouble(state)
  local at, cell = take(state, 8), float64()
  for i = 0, 7 do cell.bytes[ffi.abi 'le' and 7 - i or i] = state.bytes[at + i] end
  return cell.value == cell.value and cell.value or 0 / 0      -- any bits of NaN would be a pointer for LuaJIT
end

local function find(state, module, name)
  if type(module) ~= 'string' or type(name) ~= 'string' then state:fail('two strings, the name of a class', shown(module)) end
  return state.find(state, module, name)
end

-- Calls a class or function, as REDUCE does.
local function call(state, callee, args)
  local known = type(callee) == 'table' and noteOf(callee)
  if not known or not known.call then state:fail('a class or function to call', shown(callee)) end
  if type(args) ~= 'table' or not noteOf(args) or noteOf(args).class ~= 'tuple' then state:fail('a tuple of arguments', shown(args)) end
  return known.call(state, args, known.name)
end

local function isSequence(x)
  local note = type(x) == 'table' and noteOf(x)
  return note and note.class ~= 'tuple'
end

local function append(state, target, values, n)
  if not isSequence(target) then state:fail('a list', shown(target)) end
  local length = state.lengths[target] or #target
  for i = 1, n do rawset(target, length + i, values[i]) end
  state.lengths[target] = length + n
end

local function setItems(state, target, values, n)
  local note = type(target) == 'table' and noteOf(target)
  if not note or not note.keys then state:fail('a dictionary', shown(target)) end
  if n % 2 ~= 0 then state:fail('a value for each key', 'a key alone') end
  for i = 1, n, 2 do
    if not set(target, values[i], values[i + 1]) then state:fail('a key', 'NaN') end
  end
  return target
end

-- Gives an object its state: the fields of a dictionary, or a pair of such. Old parameters are tensors whose state is about gradients.
local function build(state, target, value)
  if type(target) == 'userdata' then return end
  local note = type(target) == 'table' and noteOf(target)
  if note and note.build then return note.build(state, target, value) end
  if not note or note.class == 'list' or note.class == 'tuple' then state:fail('an object for a state', shown(target)) end
  if not note.isObject then return end      -- attributes of a dictionary
  local isPair = type(value) == 'table' and noteOf(value).class == 'tuple' and #value == 2
  local states = isPair and value or { value }
  for i = 1, #states do
    local from = states[i]
    local fields = type(from) == 'table' and noteOf(from)
    if fields and fields.keys and not fields.isObject then
      state:work(fields.count)
      for k = 1, fields.count do
        local key = fields.keys[k]
        local item = from[key]
        if item == nil then item = none end
        set(target, key, item)
      end
    elseif from ~= none then
      set(target, 'state', value)
      return
    end
  end
end

local function dictionary(state, values, n) return setItems(state, objects.dictionary 'dict', values, n) end

local function memoGet(state, index)
  local value = state.memo[index]
  if value == nil then state:fail('a number of a value in the memo', tostring(index)) end
  push(state, value)
end

local function memoPut(state, index)
  local value = peek(state)
  state.memo[index] = value
  local note = type(value) == 'table' and noteOf(value)
  if note and note.build then note.index = index end
end

local function tuple1to3(n) return function(state) push(state, popTuple(state, n)) end end

local function bytesWith(width) return function(state) push(state, bytesOf(state, unsigned(state, width))) end end

local function refuse(what) return function(state) state:fail('a pickle without ' .. what, what, true) end end

local function persistent(state, id)
  if not state.persistent then state:fail('a value in the pickle', 'a reference to another') end
  push(state, state.persistent(state, id))
end

local opcodes = {
  ['('] = function(state)
    state.markCount = state.markCount + 1
    state.marks[state.markCount] = state.top
  end,
  ['0'] = function(state)
    if state.top == bottom(state) and state.markCount > 0 then state.markCount = state.markCount - 1 else pop(state) end
  end,
  ['1'] = function(state) popMark(state) end,
  ['2'] = function(state) push(state, peek(state)) end,
  ['F'] = function(state)
    local digits = line(state)
    push(state, tonumber(digits) or text.numbers[digits:lower()] or state:fail('a number', ('%q'):format(digits)))
  end,
  ['I'] = function(state)
    local digits = line(state)
    if digits == '00' or digits == '01' then push(state, digits == '01') else push(state, decimal(state, digits)) end
  end,
  ['J'] = function(state) push(state, signed(state, 4)) end,
  ['K'] = function(state) push(state, unsigned(state, 1)) end,
  ['M'] = function(state) push(state, unsigned(state, 2)) end,
  ['L'] = function(state) push(state, decimal(state, (line(state):gsub('L$', '')))) end,
  ['N'] = function(state) push(state, none) end,
  ['P'] = function(state) persistent(state, line(state)) end,
  ['Q'] = function(state) persistent(state, pop(state)) end,
  ['R'] = function(state)
    local args = pop(state)
    push(state, call(state, pop(state), args))
  end,
  ['\129'] = function(state)      -- NEWOBJ
    local args = pop(state)
    push(state, call(state, pop(state), args))
  end,
  ['\146'] = function(state)      -- NEWOBJ_EX
    local named, args = pop(state), pop(state)
    local object = call(state, pop(state), args)
    push(state, object)
    if type(object) == 'table' and noteOf(object) and noteOf(object).isObject then build(state, object, named) end
  end,
  ['i'] = function(state)
    local module, name = line(state), line(state)
    local callee = find(state, module, name)
    push(state, call(state, callee, objects.tuple((popMark(state)))))
  end,
  ['o'] = function(state)
    local values, n = popMark(state)
    local args = {}
    for k = 2, n do args[k - 1] = values[k] end
    push(state, call(state, values[1], objects.tuple(args)))
  end,
  ['S'] = function(state) push(state, text.literal(line(state)) or state:fail('a string in quotes', 'another')) end,
  ['T'] = bytesWith(4), ['U'] = bytesWith(1), ['X'] = bytesWith(4), ['B'] = bytesWith(4), ['C'] = bytesWith(1), ['\140'] = bytesWith(1),
  ['\141'] = bytesWith(8), ['\142'] = bytesWith(8), ['\150'] = bytesWith(8),
  ['V'] = function(state) push(state, text.rawUnicode(line(state))) end,
  ['a'] = function(state)
    local value = pop(state)
    append(state, peek(state), { value }, 1)
  end,
  ['e'] = function(state)
    local values, n = popMark(state)
    append(state, peek(state), values, n)
  end,
  ['b'] = function(state)
    local value = pop(state)
    build(state, peek(state), value)
  end,
  ['c'] = function(state)
    local module, name = line(state), line(state)
    push(state, find(state, module, name))
  end,
  ['\147'] = function(state)      -- STACK_GLOBAL
    local name = pop(state)
    push(state, find(state, pop(state), name))
  end,
  ['d'] = function(state) push(state, dictionary(state, popMark(state))) end,
  ['}'] = function(state) push(state, objects.dictionary 'dict') end,
  ['s'] = function(state)
    local value = pop(state)
    local key = pop(state)
    setItems(state, peek(state), { key, value }, 2)
  end,
  ['u'] = function(state)
    local values, n = popMark(state)
    setItems(state, peek(state), values, n)
  end,
  ['l'] = function(state) push(state, objects.list((popMark(state)))) end,
  [']'] = function(state) push(state, objects.list {}) end,
  ['t'] = function(state) push(state, objects.tuple((popMark(state)))) end,
  [')'] = function(state) push(state, objects.tuple {}) end,
  ['\133'] = tuple1to3(1), ['\134'] = tuple1to3(2), ['\135'] = tuple1to3(3),
  ['g'] = function(state) memoGet(state, decimal(state, line(state))) end,
  ['h'] = function(state) memoGet(state, unsigned(state, 1)) end,
  ['j'] = function(state) memoGet(state, unsigned(state, 4)) end,
  ['p'] = function(state) memoPut(state, decimal(state, line(state))) end,
  ['q'] = function(state) memoPut(state, unsigned(state, 1)) end,
  ['r'] = function(state) memoPut(state, unsigned(state, 4)) end,
  ['\148'] = function(state)      -- MEMOIZE
    memoPut(state, state.memoized)
    state.memoized = state.memoized + 1
  end,
  ['G'] = function(state) push(state, bigEndianDouble(state)) end,
  ['\128'] = function(state)
    local protocol = unsigned(state, 1)
    if protocol > 5 then state:fail('a pickle of protocol 0 to 5', 'protocol ' .. protocol) end
  end,
  ['\149'] = function(state) take(state, 8) end,      -- FRAME
  ['\136'] = function(state) push(state, true) end,
  ['\137'] = function(state) push(state, false) end,
  ['\138'] = function(state) push(state, signed(state, unsigned(state, 1))) end,
  ['\139'] = function(state) push(state, signed(state, unsigned(state, 4))) end,
  ['\143'] = function(state) push(state, objects.sequence({}, 'set')) end,
  ['\144'] = function(state)      -- ADDITEMS
    local values, n = popMark(state)
    append(state, peek(state), values, n)
  end,
  ['\145'] = function(state) push(state, objects.sequence((popMark(state)), 'frozenset')) end,
  ['\130'] = refuse 'extension codes', ['\131'] = refuse 'extension codes', ['\132'] = refuse 'extension codes',
  ['\151'] = refuse 'buffers outside it', ['\152'] = function() end,      -- NEXT_BUFFER, READONLY_BUFFER
}
local byCode = {}
for char, f in pairs(opcodes) do byCode[char:byte()] = f end
local stop = ('.'):byte()

local pickle = {}

--- Reads a pickle.
-- @tparam cdata bytes `uint8_t *`, valid during the call
-- @int size number of bytes; the pickle may be shorter
-- @int first position in the file of the first byte, counted from 0, for messages
-- @tparam table hooks `find(state, module, name)` returns a table for a class or function, whose note has `name` and `call(state, args,
--   name)`; or a plain value. `persistent(state, id)` returns the value of a reference to outside of the pickle. They raise damage by
--   `state:fail(expected, read)` and count copied items by `state:work(n)`
-- @return the value: None is `objects.none`, also as the value of a list's item
-- @treturn int bytes of the pickle
function pickle.read(bytes, size, first, hooks)
  local state = setmetatable({
    bytes = bytes, size = size, first = first, at = 0, opcodeAt = 0,
    stack = {}, top = 0, marks = {}, markCount = 0, lengths = {},      -- lengths: of lists that grow
    memo = {}, memoized = 0, done = 0, most = math.max(leastWork, workPerByte * size), find = hooks.find, persistent = hooks.persistent,
  }, State)
  while true do
    state.opcodeAt = state.at
    local code = bytes[take(state, 1)]
    if code == stop then return pop(state), state.at end
    local run = byCode[code]
    if not run then state:fail('an opcode of a pickle', ('byte %d'):format(code)) end
    run(state)
  end
end

return pickle
