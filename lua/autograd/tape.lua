--- The recorder: called by the binding after an op on a tracked tensor, it hangs a node on the result.
-- This runs for every op of a training step: no closure, no list of arguments for the usual op (one result, at most three arguments).
-- Layout of a node: see node.lua.
-- @module autograd.tape
local C = require 'libmoontorch'
local torch = require 'torch'
local node = require 'autograd.node'
local variant = require 'autograd.variant'
local view = require 'autograd.view'

local getNode, setNode, version = C.node, C.setNode, C.version
local sameSizes, sharesStorage, detach, gradMode = C.sameSizes, C.sharesStorage, C.detach, C.gradMode
local clock, ops, makeVariant, refresh = node.clock, variant.ops, variant.makeVariant, view.refresh
local type, rawequal, select, lshift = type, rawequal, select, bit.lshift

local tape = {}

-- The view that an op is writing to, between `before` and `record`, and what it views.
local writtenView, writtenDescription

-- Node of an argument as it is now, or nil.
local function edgeTo(x)
  local edge = getNode(x)
  if edge and edge.view then return refresh(x, edge) end
  return edge
end

-- Sums a gradient over the dimensions along which the argument had been repeated.
local fold = { name = 'broadcast', arity = 1, keepSome = true, keep = { 'size' } }
fold[1] = function(g, _, size) return tape.sumTo(g, size) end

-- The edge to an argument that was broadcast to the result's size.
local function folded(edge, x)
  local number = clock.last + 1
  clock.last = number
  return { number, fold, false, false, false, false, false, edge, x:size() }
end

local function kept(kind, value)
  if kind == 'value' or kind == nil then return kind and value end
  if type(value) ~= 'userdata' then return value end
  if kind == 'size' then return value:size() end
  return value:type()
end

-- Hangs the node on the result, which may be a view that was written to.
local function attach(r, n)
  if writtenView and rawequal(r, writtenView) then
    local described = writtenDescription
    writtenView, writtenDescription = nil, nil
    view.rebase(r, described, n)
  else
    setNode(r, n)
  end
end

local isFloat = {
  ['torch.FloatTensor'] = true, ['torch.DoubleTensor'] = true, ['torch.HalfTensor'] = true, ['torch.BFloat16Tensor'] = true,
}

-- Stands for result i of a node that has several: hands its gradient to that node.
local several = { name = 'one of several results', stub = true }

-- Versions of a kept value: of each tensor of a list.
local function versions(value)
  if type(value) == 'userdata' then return version(value) end
  if type(value) ~= 'table' then return nil end
  local list = {}
  for i = 1, #value do list[i] = version(value[i]) end
  return list
end

-- Any op: lists of tensors as arguments, several results, many arguments.
local function recordAny(op, count, ...)
  local results, total = { ... }, select('#', ...) - count
  local edges, mask = {}, 0
  for i = 1, total do
    local x = results[count + i]
    local edge
    if type(x) == 'userdata' then
      edge = edgeTo(x)
    elseif type(x) == 'table' then
      for k = 1, #x do
        local element = edgeTo(x[k])
        if element then
          edge = edge or { list = true }
          edge[k] = element
        end
      end
    end
    if edge then
      mask = mask + lshift(1, i - 1)
      if op.broadcast and not edge.list and not sameSizes(results[1], x) then edge = folded(edge, x) end
      edges[i] = edge
    end
  end
  local chosen = op[mask] or makeVariant(op, mask)
  local number = clock.last + 1
  clock.last = number
  local n = { number, chosen, false, false, false, false, false }
  if chosen.keepResult then
    if count == 1 then
      n[6], n[7] = results[1], version(results[1])
    else
      n[6] = {}
      for i = 1, count do n[6][i] = results[i] end
      n[7] = versions(n[6])
    end
  end
  local keep = chosen.keep
  for i = 1, total do
    local value = results[count + i]
    n[5 + 3 * i] = edges[i]
    if keep[i] then
      value = kept(keep[i], value)
      n[6 + 3 * i] = value
      if keep[i] == 'value' then n[7 + 3 * i] = versions(value) end
    end
  end
  n.arguments = total
  if count == 1 then
    if isFloat[results[1]:type()] then attach(results[1], n) end
    return
  end
  n.results = count
  for i = 1, count do
    local r = results[i]
    if isFloat[r:type()] then
      number = clock.last + 1
      clock.last = number
      attach(r, { number, several, false, false, false, false, false, n, i })
    end
  end
end

-- An op whose result shares memory with its first argument.
local function recordView(op, r, source, ...)
  local edge = edgeTo(source)
  recordAny(op, 1, r, source, ...)
  if edge and sharesStorage(r, source) then getNode(r).view = view.describe(op.name, source, edge, ...) end
end

--- Records an op that has run. Called by the binding when grad mode is on and an argument is tracked.
-- @tparam string name of the op
-- @tparam int count number of results
-- @param r first result, then the other results, then all arguments in the signature's order
local function record(name, count, r, a, b, c, ...)
  local op = ops[name]
  if op.constant then
    -- Overwritten with a constant, a tracked result loses its past.
    local old = count == 1 and getNode(r)
    if not old then return end
    op = ops.zero
    a, b, c = nil, nil, nil
  elseif op.view and count == 1 then
    return recordView(op, r, a, b, c, ...)
  elseif count ~= 1 or op.general then
    return recordAny(op, count, r, a, b, c, ...)
  end
  local ea, eb, ec, mask = getNode(a), nil, nil, 0
  if ea then
    if ea.view then ea = refresh(a, ea) end
    mask = 1
  end
  if op.arity > 1 then
    if type(b) == 'userdata' then
      eb = edgeTo(b)
      if eb then mask = mask + 2 end
    end
    if type(c) == 'userdata' then
      ec = edgeTo(c)
      if ec then mask = mask + 4 end
    end
    if op.broadcast and not sameSizes(r, a, b, c) then
      if ea and not sameSizes(r, a) then ea = folded(ea, a) end
      if eb and not sameSizes(r, b) then eb = folded(eb, b) end
      if ec and not sameSizes(r, c) then ec = folded(ec, c) end
    end
  end
  local chosen = op[mask] or makeVariant(op, mask)
  local number = clock.last + 1
  clock.last = number
  local y, vy, va, vb, vc = false, false, nil, nil, nil
  if chosen.keepSome then
    if chosen.keepResult then y, vy = r, version(r) end
    if chosen.special then
      a, b, c = kept(chosen.keep1, a), kept(chosen.keep2, b), kept(chosen.keep3, c)
    else
      if not chosen.keep1 then a = nil end
      if not chosen.keep2 then b = nil end
      if not chosen.keep3 then c = nil end
    end
    if type(a) == 'userdata' and chosen.keep1 == 'value' then va = version(a) end
    if type(b) == 'userdata' and chosen.keep2 == 'value' then vb = version(b) end
    if type(c) == 'userdata' and chosen.keep3 == 'value' then vc = version(c) end
  else
    a, b, c = nil, nil, nil
  end
  local n
  if op.arity == 1 then
    n = { number, chosen, false, false, false, y, vy, ea, a, va }
  elseif op.arity == 2 then
    n = { number, chosen, false, false, false, y, vy, ea, a, va, eb, b, vb }
  else
    n = { number, chosen, false, false, false, y, vy, ea, a, va, eb, b, vb, ec, c }
    if vc then n[16] = vc end
  end
  if writtenView then attach(r, n) else setNode(r, n) end
end

--- Called by the binding before an op overwrites a tracked tensor or one of its own arguments, in grad mode.
-- @return a tensor that stands for the result's old value among the arguments given to `record`
local function before(name, r)
  writtenView, writtenDescription = nil, nil
  local old = getNode(r)
  if old then
    local described = old.view
    if described then
      old = refresh(r, old)
      described = old.view
      writtenView, writtenDescription = r, described
    end
    if old[2].leaf or (described and described.root[2].leaf) then
      local what = described and 'a view of a leaf that requires a gradient' or 'a leaf that requires a gradient'
      error(name .. ': result: ' .. what .. ' cannot be changed in place; write to a clone, or inside torch.noGrad', 0)
    end
  end
  local past
  if ops[name].keepsArguments then
    local mode = gradMode(false)
    past = r:clone()
    gradMode(mode)
  else
    past = detach(r)
  end
  if old then setNode(past, old) end
  return past
end

--- Sums g to a size that was broadcast to g's.
-- @tparam Tensor g gradient
-- @tparam torch.LongStorage size of the argument
-- @treturn Tensor of that size
function tape.sumTo(g, size)
  local dims, wantedDims, wantedCount = g:dim(), #size, 1
  for d = 1, wantedDims do wantedCount = wantedCount * size[d] end
  local sum = g
  if wantedCount ~= g:nElement() then
    local extra = dims - wantedDims
    for d = 1, dims do
      local wanted = d > extra and size[d - extra] or 1
      if g:size(d) ~= wanted then sum = torch.sum(sum, d) end
    end
  end
  return torch.reshape(sum, size)
end

local function anyTracked(...)
  for i = 1, select('#', ...) do
    local x = select(i, ...)
    if type(x) == 'userdata' and getNode(x) then return true end
  end
  return false
end

--- Makes an op of Lua code that the tape sees as one node.
-- @tparam string name for messages
-- @tparam function forward gives a fresh tensor; what it does is not recorded
-- @param rule as in autograd.rules
-- @treturn function
function tape.declare(name, forward, rule)
  ops[name] = variant.makeOp(name, rule)
  return function(...)
    local mode = gradMode(false)
    local ok, y = pcall(forward, ...)
    gradMode(mode)
    if not ok then error(y, 0) end
    if mode and anyTracked(...) then record(name, 1, y, ...) end
    return y
  end
end

tape.record, tape.before = record, before
return tape
