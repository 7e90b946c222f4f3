--- Trades time for memory: drops the intermediate results of a function, and computes them again when backward needs them.
-- Source: Chen et al. (2016), "Training Deep Nets with Sublinear Memory Cost", arXiv:1604.06174.
-- @module autograd.checkpoint
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local node, Function = require 'autograd.node', require 'autograd.function'
local mode, backwardPass, view = require 'autograd.mode', require 'autograd.backward_pass', require 'autograd.view'

local function pack(...) return { n = select('#', ...), ... } end

-- Returns the nodes up to `start` that the results depend on: those of f's arguments, and of other tensors that f uses, such as parameters.
local function borderOf(results, start)
  local border, seen, stack, edges = {}, {}, {}, {}
  for i = 1, results.n do
    edges[1] = torch.isTensor(results[i]) and C.node(results[i]) or nil
    local count = edges[1] and 1 or 0
    repeat
      for k = 1, count do
        local n = edges[k]
        if not seen[n] then
          seen[n] = true
          local list = node.number(n) <= start and border or stack
          list[#list + 1] = n
        end
      end
      local n = table.remove(stack)
      count = n and node.edges(n, edges) or 0
    until not n
  end
  return border
end

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
local function recompute(f, arguments, random, precision, border, gradients)
  local before, start = torch.getRNGState(), node.lastNumber()
  torch.setRNGState(random)
  local results = pack(repeated(precision, f, unpack(arguments, 1, arguments.n)))
  torch.setRNGState(before)
  local roots, starts, wanted = {}, {}, {}
  for i = 1, results.n do
    if gradients[i] then roots[#roots + 1], starts[#starts + 1] = C.node(results[i]), gradients[i] end
  end
  for _, n in ipairs(border) do wanted[n] = false end
  -- A node of the border may depend on another one: the outer pass continues from there.
  backwardPass(roots, starts, { retain = true, create = C.gradMode(), wanted = wanted, since = start, partial = true })
  local found = {}
  for i, n in ipairs(border) do found[i] = wanted[n] or nil end
  return unpack(found, 1, #border)
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
  local border = borderOf(results, start)
  if #border == 0 then return unpack(results, 1, results.n) end

  local tensors = {}
  for i = 1, arguments.n do
    if torch.isTensor(arguments[i]) then tensors[#tensors + 1] = arguments[i] end
  end
  -- An empty tensor represents each node of the border.
  local standIns = {}
  for i, n in ipairs(border) do
    standIns[i] = torch.FloatTensor()
    C.setNode(standIns[i], n)
  end
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
      return recompute(f, arguments, random, precision, border, { ... })
    end,
  }
  return apply(unpack(standIns))
end
