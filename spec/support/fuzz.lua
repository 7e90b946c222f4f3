--- Random calls with invalid and some valid arguments, from a separate generator, so that they can be repeated.
-- MT_FUZZ_SEED selects other calls, and MT_FUZZ_CALLS their total number; MT_FUZZ_LOG names a file with the current call, in case it ends
-- the process.
local ffi = require 'ffi'
local bit = require 'bit'
local torch = require 'torch'

local fuzz = { seed = tonumber(os.getenv 'MT_FUZZ_SEED') or 1 }

--- The number of calls for a sweep that makes `usual` calls in continuous integration; there all sweeps make about 22,000.
function fuzz.calls(usual)
  local wanted = tonumber(os.getenv 'MT_FUZZ_CALLS')
  return wanted and math.ceil(usual * wanted / 22000) or usual
end

--- A generator: pick(n) returns an integer from 1 to n.
function fuzz.generator(seed)
  local state = (fuzz.seed * 1000 + seed) % 2147483646 + 1
  return function(n)
    state = (state * 16807) % 2147483647
    return state % n + 1
  end
end

fuzz.types = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Float', 'Double', 'Half', 'BFloat16', 'Bool', 'UInt16', 'UInt64', 'Float8E4m3' }
-- Numbers of elements among them are too large for the memory of any machine: the allocation must fail, and not take long.
fuzz.numbers = { 0, 1, 2, 3, -1, -2, 0.5, -0.5, 0 / 0, 1 / 0, -1 / 0, 2 ^ 44, -2 ^ 44, 2 ^ 40, 2 ^ 53, 2 ^ 62, 2 ^ 63, -2 ^ 63, 1e300,
                 1e-320 }
fuzz.sizes = { {}, { 0 }, { 1 }, { 2 }, { 3 }, { 7 },
               { 2, 2 }, { 2, 3 }, { 3, 1 }, { 0, 3 }, { 3, 0 }, { 1, 1, 1 }, { 2, 1, 3 }, { 2, 3, 4 },
               { 1, 2, 4, 4 }, { 2, 2, 3, 3, 2 }, { 1, 1, 1, 1, 1, 1, 1, 1, 1, 2 } }
local sizes, numbers, types = fuzz.sizes, fuzz.numbers, fuzz.types

--- A tensor of a type, with small numbers, most of which are valid positions, in one of several layouts.
function fuzz.tensor(pick, name)
  local class = torch[(name or types[pick(#types)]) .. 'Tensor']
  local wanted = torch.LongStorage(sizes[pick(#sizes)])
  local x = class(wanted)
  for i = 1, x:nElement() do x:storage()[i] = pick(4) end
  local layout = pick(12)
  if layout == 1 and x:dim() >= 2 then return x:transpose(1, x:dim()) end
  if layout == 2 and x:dim() >= 1 and x:size(1) > 1 then return x:narrow(1, 2, x:size(1) - 1) end
  if layout == 3 then return class(5):zero():narrow(1, 3, 1):expand(2, 3) end
  if layout == 4 and x:nElement() > 0 then return class():set(x:storage(), 1, x:nElement(), 0) end
  if layout == 5 and x:nElement() > 3 then return class():set(x:storage(), 1, torch.LongStorage { 3, 2 }, torch.LongStorage { 1, 1 }) end
  if layout == 6 and x:nElement() > 0 then x:storage()[1] = pick(2) == 1 and -1 or 120 end
  if layout == 7 and x:nElement() > 0 then x:storage()[1] = numbers[pick(#numbers)] end
  return x
end
local tensor = fuzz.tensor

local oddities = {
  function(pick) return ffi.new('int64_t', pick(5)) end, function() return ffi.new('int[2]') end, function() return print end,
  function() return {} end, function() return { { 1 } } end, function() return io.stdout end, function() return torch.DoubleStorage(2) end,
  function() return torch.LongStorage { 2 ^ 62, 2 } end, function() return torch.LongStorage { -5 } end,
  function() return { 2 ^ 40, 2 ^ 40 } end, function() return coroutine.create(print) end, function() return torch.Generator() end,
}

fuzz.makers = {
  function(pick) return tensor(pick, 'Double') end,
  function(pick) return tensor(pick, 'Double') end,
  function(pick) return tensor(pick, 'Float') end,
  function(pick) return tensor(pick, 'Long') end,
  function(pick) return tensor(pick, 'Byte') end,
  function(pick) return tensor(pick) end,
  function(pick) return pick(4) end,
  function(pick) return pick(4) end,
  function(pick) return numbers[pick(#numbers)] end,
  function(pick) return torch.LongStorage(sizes[pick(#sizes)]) end,
  function(pick) return { unpack(sizes[pick(#sizes)]) } end,      -- a copy: some functions write to their table argument
  function(pick) return { tensor(pick, 'Double'), tensor(pick, 'Double') } end,
  function(pick) return pick(2) == 1 end,
  function(pick) return ({ 'torch.FloatTensor', 'torch.Foo', '', 'mean', '3', 'ones', 'V' })[pick(7)] end,
  function() return nil end,
  function(pick) return oddities[pick(#oddities)](pick) end,
}
local makers = fuzz.makers

-- A value that fits a parameter, by the bits of its kinds: Kind in engine/core/signature.h.
local function fitting(pick, param)
  local function takes(kind) return bit.band(param.kinds, kind) ~= 0 end
  if takes(1) and (pick(4) > 1 or not takes(2)) then return tensor(pick, pick(3) > 1 and 'Double' or nil) end
  if takes(256) then return makers[12](pick) end
  if takes(128) then return { unpack(sizes[pick(#sizes)]) } end
  if takes(32) then return pick(2) == 1 end
  if takes(64 + 512) then return makers[14](pick) end
  return pick(8) == 1 and numbers[pick(#numbers)] or pick(4)
end

--- Up to `most` arguments of any kind.
function fuzz.anything(pick, most)
  local list = { n = pick(most + 1) - 1 }
  for i = 1, list.n do list[i] = makers[pick(#makers)](pick) end
  return list
end

--- The arguments of an op's call: three of four follow the declaration, with one argument changed in half of these.
function fuzz.arguments(pick, info)
  if pick(4) == 1 then return fuzz.anything(pick, 5) end
  local list = { n = 0 }
  if pick(6) == 1 then       -- an out argument, which may share memory with the other arguments
    list[1], list.n = tensor(pick, pick(2) == 1 and 'Double' or nil), 1
  end
  for _, param in ipairs(info.params) do
    if not param.optional or pick(2) == 1 then
      list.n = list.n + 1
      list[list.n] = fitting(pick, param)
    end
  end
  if list.n > 0 and pick(2) == 1 then list[pick(list.n)] = makers[pick(#makers)](pick) end
  if list.n > 1 and pick(8) == 1 then list[pick(list.n)] = list[1] end         -- the same tensor twice
  if list.n > 1 and pick(8) == 1 and torch.isTensor(list[1]) and list[1]:dim() > 0 then      -- another view of it
    list[pick(list.n)] = list[1]:transpose(1, list[1]:dim())
  end
  return list
end

local function inWords(arguments)
  local words = {}
  for i = 1, arguments.n do
    local v = arguments[i]
    if torch.isTensor(v) then
      local shape = v:size():totable()
      for d = 1, #shape do shape[d] = tostring(shape[d]) end      -- a size beyond 2^53 is cdata
      words[i] = ('%s[%s]'):format(v:type(), table.concat(shape, 'x'))
    else words[i] = (type(v) == 'table' or type(v) == 'userdata') and torch.type(v) or tostring(v) end
  end
  return table.concat(words, ', ')
end

local log = os.getenv 'MT_FUZZ_LOG'

--- Logs the next call, in case it ends the process.
function fuzz.note(name, list)
  if not log then return end
  local file = io.open(log, 'w')
  file:write(name, '(', inWords(list), ')\n')
  file:close()
end

--- Makes a call. If it raises an error, this must be a sentence that begins with a name: `op: argument: actual, expected`.
-- @string name for messages
-- @tparam function call
-- @tparam table list arguments, n of them
-- @tparam[opt] string begins the names, as a set, with which a sentence may begin; without one, any name
-- @return whether it succeeded, and its results
function fuzz.try(name, call, list, begins)
  fuzz.note(name, list)
  local good, result = pcall(call, unpack(list, 1, list.n))
  if good then return true, result end
  if type(result) ~= 'string' then error(('%s(%s) raised a %s'):format(name, inWords(list), type(result))) end
  local message = result:gsub('^[^\n]-:%d+: ', '')
  local first = message:match '^([%w_.]+): .'
  local named = message:find '^out of memory: ' or first and (not begins or begins[first])
  if not named or #message > 1000 or message:find 'C%+%+ exception' or message:find 'unknown error' then
    error(('%s(%s): %s'):format(name, inWords(list), result))
  end
  return false
end

return fuzz
