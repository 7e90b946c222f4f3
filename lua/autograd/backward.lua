--- Requests for gradients: `y:backward()` and `autograd.grad`.
-- @module autograd.backward
local C = require 'libmoontorch'
local torch, check = require 'torch', require 'torch.check'
local sizesOf = require('torch.check.message').sizes
local view = require 'autograd.view'
local backwardPass = require 'autograd.backward_pass'
local mode, node = require 'autograd.mode', require 'autograd.node'

local alike, sameSizes, nodeAndKind = C.alike, C.sameSizes, C.nodeAndKind
local root, start = {}, {}

-- Returns the current node of a tensor.
local function nodeOf(x)
  local n, isView = nodeAndKind(x)
  if isView then return mode.enableGrad(view.refresh, x) end
  return n
end

-- Initial gradients of results with one element, which only backward passes see. Created at the first use, because tensors need their
-- classes.
local ones = {}

local function startGradient(op, y, g, create)
  if g == nil and not create and C.tracked(y) then
    local dtype = C.dtypeOf(y)
    if dtype == 'Float' or dtype == 'Double' then
      ones[dtype] = ones[dtype] or torch[dtype .. 'Tensor'] { 1 }
      if alike(y, ones[dtype]) then return ones[dtype] end
    end
  end
  if not torch.isTensor(y) or not C.node(y) then
    check.raise(op .. ': y: ' .. torch.type(y) .. ' that depends on no tensor that requires a gradient')
  end
  if g == nil then
    if y:nElement() ~= 1 then
      check.raise(op .. ': gradient: none was given, and y has ' .. y:nElement() .. ' elements; only one element has a gradient of 1')
    end
    if y:isComplex() then
      check.raise(('%s: y: %s, expected a real result: torch.abs(y) and torch.real(y) are, or the gradient as an argument')
        :format(op, y:type()))
    end
    return y:detach():clone():fill(1)
  end
  if not torch.isTensor(g) then check.raise(('%s: gradient: %s, expected a tensor'):format(op, torch.type(g))) end
  if not sameSizes(g, y) then
    check.raise(('%s: gradient: size %s, expected the size of y: %s'):format(op, sizesOf(g), sizesOf(y)))
  end
  return g
end

--- Adds the gradients of y to the field `grad` of the leaves that y depends on.
-- @tparam Tensor y tracked
-- @tparam[opt] Tensor gradient of some later result with respect to y; 1 if y has one element
-- @tparam[opt] table options retainGraph: another backward may follow; createGraph: the gradients are tracked, too
local function backward(y, gradient, options)
  local n, isView
  if options == nil and sameSizes(gradient, y) then n, isView = nodeAndKind(y) end
  if isView or not n then
    if type(gradient) == 'table' then gradient, options = nil, gradient end
    if options ~= nil then check.table('backward', 'options', options) end
    gradient = startGradient('backward', y, gradient, options and options.createGraph)
    n = nodeOf(y)
  end
  if not options then
    root[1], start[1] = n, gradient      -- the pass reads them before any other code can run
    backwardPass(root, start)
    root[1], start[1] = nil, nil
    return
  end
  local create = options.createGraph or false
  local retain = options.retainGraph
  if retain == nil then retain = create end
  backwardPass({ n }, { gradient }, { retain = retain, create = create })
end

local function asList(x) return type(x) == 'table' and x or { x } end

--- Returns the gradients of y with respect to some tensors, without changing any `grad` field.
-- @param y a tracked tensor or a list of them
-- @param xs a tensor or a list of them: leaves, or intermediate results of y
-- @tparam[opt] table options createGraph, retainGraph (default: as createGraph); allowUnused: nil instead of an error for a tensor that y
--   doesn't depend on; gradOutputs: gradient of each y, required if y has more than one element; since: number of a node (autograd.node):
--   nodes up to this number are constants
-- @return a gradient for each tensor of xs: a list if xs is a list, else a tensor
-- @usage local g = autograd.grad(y, x, { createGraph = true })
local function grad(y, xs, options)
  options = options or {}
  local ys, list = asList(y), asList(xs)
  local given = options.gradOutputs and asList(options.gradOutputs) or {}
  local roots, gradients, wanted, nodes = {}, {}, {}, {}
  local create = options.createGraph or false
  for i = 1, #ys do
    gradients[i] = startGradient('grad', ys[i], given[i], create)
    roots[i] = nodeOf(ys[i])
  end
  for i = 1, #list do
    nodes[i] = nodeOf(list[i])
    if not nodes[i] then check.raise('grad: xs: tensor ' .. i .. ' does not require a gradient') end
    wanted[nodes[i]] = false
  end
  local retain = options.retainGraph
  if retain == nil then retain = create end
  local needed, released
  if not options.since then needed, released = node.onPaths(roots, wanted) end
  backwardPass(roots, gradients, { retain = retain, create = create, wanted = wanted, needed = needed, since = options.since })
  local results = {}
  for i = 1, #list do
    local g = wanted[nodes[i]]
    if not g and not options.allowUnused then
      if released then node.refuseReleased(released) end
      error('grad: xs: y does not depend on tensor ' .. i .. '; allowUnused=true gives nil for it', 0)
    end
    if g and not create and not C.isExclusive(g) then g = g:clone() end      -- the caller may change it in place
    results[i] = g or nil
  end
  if type(xs) == 'table' then return results end
  return results[1]
end

return { backward = backward, grad = grad }
