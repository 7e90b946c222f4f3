-- Every op called with arguments that make no sense and with some that do: a result, or a sentence that begins with a name.
-- The calls of one op come from a generator of their own, so that they can be repeated. MT_FUZZ_SEED and MT_FUZZ_CALLS ask for
-- others and more; MT_FUZZ_LOG names a file that holds the call in progress, for when the process dies of it.
local ffi = require 'ffi'
local bit = require 'bit'
local C = require 'libmoontorch'
local torch = require 'torch'

local CALLS = tonumber(os.getenv 'MT_FUZZ_CALLS') or 130     -- an op; half as functions, half as methods
local SEED = tonumber(os.getenv 'MT_FUZZ_SEED') or 1

local function generator(seed)
  local state = seed
  return function(n)
    state = (state * 16807) % 2147483647
    return state % n + 1
  end
end

local types = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Float', 'Double', 'Half', 'BFloat16', 'Bool' }
local numbers = { 0, 1, 2, 3, -1, -2, 0.5, -0.5, 0 / 0, 1 / 0, -1 / 0, 2 ^ 31, -2 ^ 31, 2 ^ 40, 2 ^ 53, 2 ^ 62, 2 ^ 63, -2 ^ 63, 1e300,
                  1e-320 }
local sizes = { {}, { 0 }, { 1 }, { 2 }, { 3 }, { 7 },
                { 2, 2 }, { 2, 3 }, { 3, 1 }, { 0, 3 }, { 3, 0 }, { 1, 1, 1 }, { 2, 1, 3 }, { 2, 3, 4 },
                { 1, 2, 4, 4 }, { 2, 2, 3, 3, 2 }, { 1, 1, 1, 1, 1, 1, 1, 1, 1, 2 } }

-- A tensor of a type, of small numbers that are mostly positions, too, in one of several layouts.
local function tensor(pick, name)
  local class = torch[(name or types[pick(#types)]) .. 'Tensor']
  local wanted = torch.LongStorage(sizes[pick(#sizes)])
  local x = class(wanted)
  for i = 1, x:nElement() do x:storage()[i] = pick(4) end
  local layout = pick(10)
  if layout == 1 and x:dim() >= 2 then return x:transpose(1, x:dim()) end
  if layout == 2 and x:dim() >= 1 and x:size(1) > 1 then return x:narrow(1, 2, x:size(1) - 1) end
  if layout == 3 then return class(5):zero():narrow(1, 3, 1):expand(2, 3) end
  if layout == 4 and x:nElement() > 0 then return class():set(x:storage(), 1, x:nElement(), 0) end
  if layout == 5 and x:nElement() > 3 then return class():set(x:storage(), 1, torch.LongStorage { 3, 2 }, torch.LongStorage { 1, 1 }) end
  if layout == 6 and x:nElement() > 0 then x:storage()[1] = pick(2) == 1 and -1 or 120 end
  return x
end

local makers = {
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
  function(pick) return sizes[pick(#sizes)] end,
  function(pick) return { tensor(pick, 'Double'), tensor(pick, 'Double') } end,
  function(pick) return pick(2) == 1 end,
  function(pick) return ({ 'torch.FloatTensor', 'torch.Foo', '', 'mean', '3', 'ones', 'V' })[pick(7)] end,
  function() return nil end,
  function(pick) return ({ ffi.new('int64_t', pick(5)), ffi.new('int[2]'), print, {}, { { 1 } }, io.stdout, torch.DoubleStorage(2),
                           torch.LongStorage { 2 ^ 62, 2 }, torch.LongStorage { -5 }, { 2 ^ 40, 2 ^ 40 } })[pick(10)] end,
}

-- What fits a parameter, by the bits that say what it takes: those of Kind in engine/core/signature.h.
local function fitting(pick, param)
  local function takes(kind) return bit.band(param.kinds, kind) ~= 0 end
  if takes(1) and (pick(4) > 1 or not takes(2)) then return tensor(pick, pick(3) > 1 and 'Double' or nil) end
  if takes(256) then return makers[12](pick) end
  if takes(128) then return sizes[pick(#sizes)] end
  if takes(32) then return pick(2) == 1 end
  if takes(64 + 512) then return makers[14](pick) end
  return pick(8) == 1 and numbers[pick(#numbers)] or pick(4)
end

local function inWords(arguments)
  local words = {}
  for i = 1, arguments.n do
    local v = arguments[i]
    if torch.isTensor(v) then words[i] = ('%s[%s]'):format(v:type(), table.concat(v:size():totable(), 'x'))
    else words[i] = torch.isStorage(v) and torch.type(v) or tostring(v) end
  end
  return table.concat(words, ', ')
end

-- The arguments of a call: three of four follow the declaration, with one argument changed in half of these.
local function arguments(pick, info)
  local list = { n = 0 }
  if pick(4) == 1 then
    list.n = pick(6) - 1
    for i = 1, list.n do list[i] = makers[pick(#makers)](pick) end
    return list
  end
  for _, param in ipairs(info.params) do
    if not param.optional or pick(2) == 1 then
      list.n = list.n + 1
      list[list.n] = fitting(pick, param)
    end
  end
  if list.n > 0 and pick(2) == 1 then list[pick(list.n)] = makers[pick(#makers)](pick) end
  if list.n > 1 and pick(8) == 1 then list[pick(list.n)] = list[1] end         -- the same tensor twice
  return list
end

local log = os.getenv 'MT_FUZZ_LOG'      -- a file that names the call in progress, for crashes

local function try(name, call, list)
  if log then
    local file = io.open(log, 'w')
    file:write(name, '(', inWords(list), ')\n')
    file:close()
  end
  local good, err = pcall(call, unpack(list, 1, list.n))
  if good then return end
  if type(err) ~= 'string' then error(('%s(%s) raised a %s'):format(name, inWords(list), type(err))) end
  local message = err:gsub('^[^\n]-:%d+: ', '')
  local sentence = message:find '^[%w_.]+: .' or message:find '^out of memory: '
  if not sentence or #message > 1000 or message:find 'C%+%+ exception' or message:find 'unknown error' then
    error(('%s(%s): %s'):format(name, inWords(list), err))
  end
end

describe('an op called with anything gives a result or a sentence:', function()
  local names = C.opInfo()
  table.sort(names)
  for position, name in ipairs(names) do
    it(name, function()
      local info = C.opInfo(name)
      local pick = generator(SEED * 1000 + position)
      local method = torch.getmetatable('torch.DoubleTensor')[name]
      for call = 1, CALLS do
        local list = arguments(pick, info)
        if method and call % 2 == 0 then try('x:' .. name, method, list) else try('torch.' .. name, torch[name], list) end
      end
      collectgarbage()
      assert.is_true(torch.memory().live < 2 ^ 30, 'more than 1 GB is in use')
    end)
  end
end)
