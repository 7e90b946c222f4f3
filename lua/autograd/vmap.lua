--- vmap: functions of one example as functions of a batch.
-- @module autograd.vmap
local torch, C = require 'torch', require 'libmoontorch'
local check = require 'torch.check'
local batching = require 'autograd.batching'
local captures, native = require 'torch.graph_capture', require('torch.graph_object').native

-- Returns the number of examples, and the arguments with the examples along the first dimension.
local function readBatch(inDims, arguments)
  local size, inputs, isIn = nil, {}, {}
  for i = 1, arguments.n do
    local x, dim = arguments[i], nil
    if torch.isTensor(x) then
      if inDims == nil then dim = 1 else dim = inDims[i] end
    end
    inputs[i], isIn[i] = x, dim and true or false
    if dim then
      if type(dim) ~= 'number' or dim < 1 or dim > x:dim() then
        check.raise(('vmap: inDims: %s for argument %d, expected a dimension from 1 to %d, or false'):format(tostring(dim), i, x:dim()))
      end
      if size and x:size(dim) ~= size then
        check.raise(('vmap: argument %d: %d examples, expected %d as in the first one'):format(i, x:size(dim), size))
      end
      size = x:size(dim)
      if x:dim() == 1 then
        inputs[i] = torch.view(torch.contiguous(x), size, 1)
      elseif dim > 1 then
        local order = { dim }
        for d = 1, x:dim() do
          if d ~= dim then order[#order + 1] = d end
        end
        inputs[i] = torch.permute(x, unpack(order))
      end
    end
  end
  if not size then check.raise 'vmap: no tensor with examples among the arguments, expected one' end
  return size, inputs, isIn
end

-- A number, or one element, for each example: a vector of them.
local function asVector(y) return y:dim() == 2 and y:size(2) == 1 and torch.reshape(y, y:size(1)) or y end

-- Returns the arguments for one example.
local function exampleOf(inputs, isIn, i)
  local one = {}
  for k = 1, inputs.n do
    local x = inputs[k]
    if isIn[k] then x = x:dim() > 1 and torch.select(x, 1, i) or torch.narrow(x, 1, i, 1) end
    one[k] = x
  end
  return one
end

local function checkResults(...)
  for i = 1, select('#', ...) do
    local y = select(i, ...)
    if not torch.isTensor(y) and type(y) ~= 'number' then
      check.raise(('vmap: f: result %d is a %s, expected a tensor or a number'):format(i, torch.type(y)))
    end
  end
  return ...
end

-- Calls f for one example after another.
local function loop(f, size, inputs, isIn)
  local columns = {}
  for i = 1, size do
    for r, y in ipairs { checkResults(f(unpack(exampleOf(inputs, isIn, i), 1, inputs.n))) } do
      columns[r] = columns[r] or {}
      columns[r][i] = y
    end
  end
  for r, column in ipairs(columns) do columns[r] = asVector(batching.stack(column)) end
  return unpack(columns)
end

-- Returns f as a graph of one example, with the positions of its inputs among the arguments; nil if f can't be captured, or reads tracked
-- tensors that are no arguments.
local function captured(f, inputs, isIn)
  local one, names, tensors, positions = exampleOf(inputs, isIn, 1), {}, {}, {}
  for k = 1, inputs.n do
    if torch.isTensor(one[k]) then
      one[k] = C.detach(one[k]):clone()
      names[#names + 1], tensors[#tensors + 1], positions[#positions + 1] = 'x' .. k, one[k], k
    end
  end
  local state = torch.getRNGState()
  local done, graph, results = pcall(captures.list, function() return f(unpack(one, 1, inputs.n)) end, names, tensors)
  local isWhole = done
  for _, y in ipairs(done and results or {}) do isWhole = isWhole and torch.isTensor(y) and not C.tracked(y) end
  torch.setRNGState(state)
  return isWhole and graph or nil, positions
end

--- Returns a function that computes f for all examples of a batch at once.
-- f is captured as a graph (`torch.graph.capture`) with the first example, and each step runs for all examples by a batching rule, or for
-- one after another if its op has none. A function that can't be captured, or that reads tracked tensors other than its arguments, runs for
-- one example after another. f should write to no other tensors. The tape records the result as it records ops.
-- @tparam function f gets tensors of one example, and returns tensors or numbers; an example of a vector is a tensor with one element
-- @tparam[opt] {int|false,...} inDims for each argument the dimension that counts the examples, or false for an argument that is the same
-- for all; default: the first dimension of each tensor
-- @treturn function its results have the examples along the first dimension; numbers, and tensors with one element, become a vector
-- @raise if tensors differ in the number of examples
-- @usage autograd.vmap(torch.dot)(torch.ones(3, 2), torch.ones(3, 2))   --> 2 2 2
return function(f, inDims)
  check.callable('vmap', 'f', f)
  return function(...)
    local size, inputs, isIn = readBatch(inDims, { n = select('#', ...), ... })
    inputs.n = select('#', ...)
    if size == 0 then check.raise 'vmap: a batch without examples, expected one or more' end
    local graph, positions
    if not C.capturing() then graph, positions = captured(f, inputs, isIn) end
    if not graph then return loop(f, size, inputs, isIn) end
    local constants, tensors, areIn = {}, {}, {}
    for i, name in ipairs(native.info(graph).constants) do constants[i] = native.constant(graph, name) end
    for i, k in ipairs(positions) do tensors[i], areIn[i] = inputs[k], isIn[k] end
    local results = { batching.functionOf(native.source(graph), constants, size, areIn)(unpack(tensors)) }
    for r, y in ipairs(results) do results[r] = asVector(y) end
    return unpack(results)
  end
end
