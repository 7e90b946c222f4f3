-- Functions of tensors and storages other than ops, with random arguments: a result, or a sentence that begins with a name.
local C = require 'libmoontorch'
local torch = require 'torch'
local fuzz = require 'spec.support.fuzz'

local pickEntry = function(pick) return pick(3) == 1 and fuzz.numbers[pick(#fuzz.numbers)] or pick(4) - (pick(3) == 1 and 5 or 0) end

-- A key: a number, ranges, a mask, or anything.
local function key(pick)
  local kind = pick(6)
  if kind == 1 then return pickEntry(pick) end
  if kind == 2 then return fuzz.tensor(pick, 'Byte') end
  if kind == 3 then return fuzz.makers[pick(#fuzz.makers)](pick) end
  local ranges = {}
  for i = 1, pick(4) - 1 do
    local entry = pick(4)
    ranges[i] = entry == 1 and {} or entry == 2 and { pickEntry(pick) } or entry == 3 and { pickEntry(pick), pickEntry(pick) }
                or pickEntry(pick)
  end
  return ranges
end

local function storage(pick)
  return torch[fuzz.types[pick(#fuzz.types)] .. 'Storage'](pick(6) - 1):fill(pick(4))
end

-- Functions that return addresses or references are as safe as their users; the others belong to the tape or to files.
local left = {}
for name in ('data cdata retain free read write backward requiresGrad registerHook retainGrad zeroGrad new torch'):gmatch '%S+' do
  left[name] = true
end

-- Methods of a class that are no ops: its own, and those that all tensors share, which are read when they are asked for.
local function methodsOf(class)
  local metatable, shared = torch.getmetatable(class), require('torch.tensor').methods
  local known, names = {}, {}
  for _, name in ipairs(getmetatable(shared).__names()) do known[name] = true end
  for _, layer in ipairs { metatable, shared } do
    for name in pairs(layer) do known[name] = true end
  end
  for name in pairs(known) do
    local fit = type(metatable[name]) == 'function' and not name:find '^__' and not C.opInfo(name) and not left[name]
    if fit then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

local function eachMethod(class, make, calls)
  for position, name in ipairs(methodsOf(class)) do
    it(class .. '.' .. name, function()
      local pick = fuzz.generator(position + 5000)
      local method = torch.getmetatable(class)[name]
      torch.memoryLimit(2 ^ 30)      -- more is an error like others
      for _ = 1, fuzz.calls(calls) do
        local list = fuzz.anything(pick, 4)
        if pick(8) > 1 then
          list[1] = make(pick)
          list.n = math.max(list.n, 1)
        end
        fuzz.try(name, method, list)
      end
      torch.memoryLimit(0)
    end)
  end
end

describe('a method called with anything gives a result or a sentence:', function()
  eachMethod('torch.DoubleTensor', function(pick) return fuzz.tensor(pick, 'Double') end, 60)
  eachMethod('torch.LongStorage', storage, 60)
end)

describe('a constructor called with anything gives an object or a sentence:', function()
  for position, name in ipairs(fuzz.types) do
    for k, kind in ipairs { 'Tensor', 'Storage' } do
      it(name .. kind, function()
        local pick = fuzz.generator(6000 + 10 * position + k)
        for _ = 1, fuzz.calls(60) do
          local list = fuzz.anything(pick, 4)
          if pick(3) == 1 then list[1] = torch[name .. 'Storage'](pick(6)) end
          if type(list[1]) ~= 'string' then fuzz.try(name .. kind, torch[name .. kind], list) end      -- a string is a file's name
        end
      end)
    end
  end
end)

describe('an element or part asked for by anything is a result or a sentence:', function()
  local function read(x, k) return x[k] end
  local function write(x, k, v) x[k] = v end
  for position, name in ipairs(fuzz.types) do
    it(name, function()
      local pick = fuzz.generator(7000 + position)
      for _ = 1, fuzz.calls(150) do
        local x, k = fuzz.tensor(pick, name), key(pick)
        -- The tape indexes by separate ops.
        if x:isFloatingPoint() and name ~= 'Float8E4m3' and pick(3) == 1 then x = torch.mul(x:requiresGrad(), 1) end
        if type(k) ~= 'string' and k ~= nil then
          fuzz.try('x[key]', read, { x, k, n = 2 })
          fuzz.try('x[key] = value', write, { x, k, fuzz.makers[pick(#fuzz.makers)](pick), n = 3 })
          fuzz.try('s[key]', read, { storage(pick), k, n = 2 })
          fuzz.try('s[key] = value', write, { storage(pick), k, pickEntry(pick), n = 3 })
        end
      end
    end)
  end
end)
