--- Trades time for memory: drops the intermediate results of a function, and computes them again when backward needs them.
-- Source: Chen et al. (2016), "Training Deep Nets with Sublinear Memory Cost", arXiv:1604.06174.
-- @module autograd.checkpoint
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local node, Function = require 'autograd.node', require 'autograd.function'
local mode, border, view = require 'autograd.mode', require 'autograd.border', require 'autograd.view'

local function pack(...) return { n = select('#', ...), ... } end

-- Returns f's results, and the number of the last node before them. If f uses views of memory that was written to since, the first call
-- creates new nodes for them, with numbers after its start; then f is called again, and finds these nodes.
local function called(f, random, ...)
  local outside, start = view.oldest, node.lastNumber()
  view.oldest = math.huge
  local results = pack(f(...))
  if view.oldest <= start then
    torch.setRNGState(random)
    start = node.lastNumber()
    results = pack(f(...))
  end
  view.oldest = math.min(view.oldest, outside)
  return results, start
end

-- Calls f again with the precision of the first call.
local function repeated(precision, f, ...)
  if not precision then return mode.enableGrad(f, ...) end
  return torch.autocast.within(precision, mode.enableGrad, f, ...)
end

-- Returns gradients by the nodes of the border: calls f again and runs a backward pass over the new results.
local function recompute(f, arguments, random, precision, nodes, gradients)
  local before, start = torch.getRNGState(), node.lastNumber()
  torch.setRNGState(random)
  local results = pack(repeated(precision, f, unpack(arguments, 1, arguments.n)))
  torch.setRNGState(before)
  return border.gradients(results, gradients, nodes, start)
end

--- Calls f and returns its results. The tape saves only f's arguments, none of its intermediate results: backward calls f again, with the
-- same random numbers. f must do the same both times, and have no other effect.
-- @tparam function|nn.Module f
-- @param ... its arguments
-- @return its results
-- @usage h = autograd.checkpoint(block, h)
return function(f, ...)
  check.callable('checkpoint', 'f', f)
  if not C.gradMode() then return f(...) end
  local arguments, random, precision = pack(...), torch.getRNGState(), C.autocast()
  local results, start = called(f, random, ...)
  local nodes = border.of(results, start)
  if #nodes == 0 then return unpack(results, 1, results.n) end

  local tensors = {}
  for i = 1, arguments.n do
    if torch.isTensor(arguments[i]) then tensors[#tensors + 1] = arguments[i] end
  end
  -- An empty tensor represents each node of the border.
  local standIns = {}
  for i, n in ipairs(nodes) do standIns[i] = border.standIn(n) end
  for i = 1, results.n do
    if torch.isTensor(results[i]) then results[i] = C.detach(results[i]) end
  end
  local apply = Function {
    name = 'checkpoint',
    forward = function(ctx)
      ctx:save(unpack(tensors))
      return unpack(results, 1, results.n)
    end,
    backward = function(ctx, ...)
      ctx:saved()
      return recompute(f, arguments, random, precision, nodes, { ... })
    end,
  }
  return apply(unpack(standIns))
end
