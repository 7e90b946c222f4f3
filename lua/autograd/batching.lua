--- Runs a graph for a batch: each step computes for all examples at once by a batching rule, or, if the op has none, for one after another.
-- A batched value has the examples along its first dimension.
-- @module autograd.batching
local torch, C = require 'torch', require 'libmoontorch'
local rules = require 'autograd.batching_rules'
local control = require 'torch.graph_control'

local batching = {}

-- A value that differs from example to example.
local Batched = {}
Batched.__index = Batched

local function isBatched(value) return getmetatable(value) == Batched end

local function batched(all) return setmetatable({ all = all }, Batched) end

--- Returns the sizes of one example.
function Batched:sizes()
  local sizes = self.all:size():totable()
  table.remove(sizes, 1)
  return sizes
end

--- As a tensor has it, for the sizes among a step's arguments.
function Batched:size(dim)
  local sizes = self:sizes()
  if not dim then return torch.LongStorage(sizes) end
  return sizes[dim < 0 and #sizes + 1 + dim or dim]
end

-- An out argument that tells an op its sizes.
local Into = {}

local function example(value, i)
  if isBatched(value) then
    if #value:sizes() == 0 then return torch.narrow(value.all, 1, i, 1) end
    return torch.select(value.all, 1, i)
  end
  if type(value) == 'table' and getmetatable(value) == Into then return torch[value.class](unpack(value.sizes)) end
  if type(value) ~= 'table' then return value end
  local list = {}
  for k, each in pairs(value) do list[k] = example(each, i) end
  return list
end

-- Returns a result as a tensor: outside of a capture some ops return numbers.
local function asTensor(y, type)
  if torch.isTensor(y) then return y end
  if y == true then y = 1 elseif y == false then y = 0 end
  return torch.full({ 1 }, y, type or torch.getdefaulttensortype())
end

-- Returns the type of the first tensor among arguments.
local function typeOf(arguments)
  for i = 1, arguments.n do
    local x = arguments[i]
    if isBatched(x) then x = x.all end
    if torch.isTensor(x) then return x:type() end
  end
end

--- Stacks results of all examples along a new first dimension.
-- @tparam {torch.Tensor|number,...} list
-- @string[opt] type of the tensors that numbers become
-- @treturn torch.Tensor
function batching.stack(list, type)
  local rows = {}
  for i, x in ipairs(list) do
    x = asTensor(x, type)
    if x:dim() == 0 then return x end
    rows[i] = torch.unsqueeze(x, 1)
  end
  return torch.cat(rows, 1)
end

-- Runs an op for one example after another. `overwrites`: it writes to its first argument.
local function oneByOne(op, size, arguments, overwrites)
  local columns = {}
  for i = 1, size do
    local one = {}
    for k = 1, arguments.n do one[k] = example(arguments[k], i) end
    if overwrites and torch.isTensor(one[1]) then one[1] = one[1]:clone() end
    for r, y in ipairs { op(unpack(one, 1, arguments.n)) } do
      columns[r] = columns[r] or {}
      columns[r][i] = y
    end
  end
  for r, column in ipairs(columns) do columns[r] = batched(batching.stack(column, typeOf(arguments))) end
  return unpack(columns)
end

local function anyBatched(value)
  if isBatched(value) then return true end
  if type(value) ~= 'table' or C.isTensor(value) then return false end
  for _, each in pairs(value) do
    if anyBatched(each) then return true end
  end
  return false
end

local drawing = {}      -- name -> whether the op draws random numbers
local function draws(name)
  if drawing[name] == nil then
    drawing[name] = false
    for _, param in ipairs(torch.ops[name].params) do drawing[name] = drawing[name] or param.name == 'generator' end
  end
  return drawing[name]
end

-- Returns the function that stands for torch.NAME in the steps. `mode.alone`: it runs for one example.
local function opFor(name, size, mode)
  if name:match '^%u%a*Tensor$' then
    return function(...) return setmetatable({ class = name, sizes = { ... } }, Into) end
  end
  local op, rule = torch[name], rules.of(name)
  local random, overwrites = draws(name), torch.ops[name].method == 'alwaysInPlace'
  return function(...)
    local arguments = { n = select('#', ...), ... }
    if mode.alone or not random and not anyBatched(arguments) then
      if overwrites then arguments[1] = arguments[1]:clone() end
      local results = { op(unpack(example(arguments), 1, arguments.n)) }
      for r, y in ipairs(results) do results[r] = asTensor(y, typeOf(arguments)) end
      return unpack(results)
    end
    if rule and not random then
      local context = { op = op, size = size, isBatched = isBatched, batched = batched }
      local results = { rule(context, unpack(arguments, 1, arguments.n)) }
      if results[1] ~= nil then
        for r, y in ipairs(results) do
          if not isBatched(y) then results[r] = batched(y) end
        end
        return unpack(results)
      end
    end
    return oneByOne(op, size, arguments, overwrites)
  end
end

--- Returns a function of the inputs, those with examples along the first dimension, that runs the steps for all examples.
-- @tparam string source of the steps (`source` of the binding)
-- @tparam table constants by position
-- @int size the number of examples
-- @tparam {boolean,...} inDims which inputs have examples
-- @treturn function which returns tensors with the examples along the first dimension
function batching.functionOf(source, constants, size, inDims)
  local mode = { alone = false }
  local ops = setmetatable({}, { __index = function(known, name)
    known[name] = opFor(name, size, mode)
    return known[name]
  end })
  -- Control flow runs for one example after another.
  local function replay(...)
    if mode.alone then return control.replay(...) end
    mode.alone = true
    local results = { pcall(oneByOne, control.replay, size, { n = select('#', ...), ... }) }
    mode.alone = false
    if not results[1] then error(results[2], 0) end
    return unpack(results, 2)
  end
  local run = assert(loadstring(source, '=graph'))(ops, constants, replay)
  return function(...)
    local inputs = { ... }
    for i, x in ipairs(inputs) do
      if inDims[i] then inputs[i] = batched(x) end
    end
    local outputs = { run(unpack(inputs, 1, select('#', ...))) }
    for i, y in ipairs(outputs) do
      outputs[i] = isBatched(y) and y.all or torch.contiguous(torch.expand(torch.unsqueeze(y, 1), size, unpack(y:size():totable())))
    end
    return unpack(outputs)
  end
end

return batching
