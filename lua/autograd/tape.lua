--- The recorder: called by the binding after an op on a tracked tensor, it makes the node that hangs on the result.
-- This runs for every op of a training step: no closure and no list of arguments for the usual op (one result, at most three arguments
-- that matter), and no question asked of the binding, which hands over what is needed. Layout of a node: see node.lua.
-- @module autograd.tape
local C = require 'libmoontorch'
local torch, check, rethrow = require 'torch', require 'torch.check', require 'torch.rethrow'
local node = require 'autograd.node'
local variant = require 'autograd.variant'
local view = require 'autograd.view'
local noGrad = require('autograd.mode').noGrad

local getNode, setNode, alike, detach, gradMode = C.node, C.setNode, C.alike, C.detach, C.gradMode
local nextNumber, ops, makeVariant, refresh = node.nextNumber, variant.ops, variant.makeVariant, view.refresh
local isTensor = torch.isTensor
local type, rawequal, select, lshift = type, rawequal, select, bit.lshift

local tape = {}

-- The view that an op is writing to, between `before` and `record`, and what it views.
local writtenView, writtenDescription

-- Node of an argument as it is now, or nil.
local function edgeTo(x)
  local edge = getNode(x)
  if edge and edge[2].view then return refresh(x, edge) end
  return edge
end

-- Gives a gradient the type and the device of an argument that was converted.
local conversion = { name = 'conversion', arity = 2, keepSome = true, keep = {} }
conversion[1] = function(g, _, _, kind) return C.kindOf(g) == kind and g or torch.to(g, kind) end

local broadcast = variant.broadcast

-- Node of an argument that was broadcast to r's size, or converted to its type or its device.
local function folded(r, edge, x)
  if not C.sameKind(r, x) then
    edge = { nextNumber(), conversion, false, false, false, false, false, edge, nil, nil, nil, C.kindOf(x) }
  end
  if C.sameSizes(r, x) then return edge end
  return { nextNumber(), broadcast, false, false, false, false, false, edge, x:size() }
end

-- What a rule wants of an argument.
local function kept(kind, value)
  if kind == nil then return nil end
  if type(value) == 'table' then
    local list = {}
    for i = 1, #value do list[i] = kept(kind, value[i]) end
    return list
  end
  if kind == 'value' or kind == 'like' or not isTensor(value) then return value end
  if kind == 'size' then return value:size() end
  return value:type()
end

-- Version of a kept value; of a list its tensors', by their places. Nil where there is none.
local function versions(value)
  if type(value) ~= 'table' then return (C.versionOf(value)) end
  local list
  for i = 1, #value do
    local version = versions(value[i])
    if version then
      list = list or {}
      list[i] = version
    end
  end
  return list
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

-- Stands for result i of a node that has several: hands its gradient to that node. Values know the positions that came with them, which
-- the binding leaves out where both end up as arguments: torch.sum(torch.max(x, 1)).
local several = { name = 'one of several results', stub = true }

-- Node of any argument, of each tensor of a list, or nil.
local function edgesTo(op, r, x)
  if type(x) == 'table' then
    local list
    for i = 1, #x do
      local edge = edgeTo(x[i])
      if edge then
        list = list or { list = true }
        list[i] = edge
      end
    end
    return list
  end
  local edge = edgeTo(x)
  if edge and op.broadcast and not alike(r, x) then return folded(r, edge, x) end
  return edge
end

-- Any op: lists of tensors as arguments, several results, many arguments. What follows count: the results, then the arguments.
local function recordAny(op, count, ...)
  local values, total = { ... }, select('#', ...) - count
  local edges, mask = {}, 0
  for i = 1, total do
    edges[i] = edgesTo(op, values[1], values[count + i])
    if edges[i] then mask = mask + lshift(1, i - 1) end
  end
  local chosen = op[mask] or makeVariant(op, mask)
  local n = { node.nextNumber(), chosen, false, false, false, false, false }
  if chosen.keepResult then
    local y = values[1]
    if count > 1 then
      y = {}
      for i = chosen.keepResult == 'rest' and 2 or 1, count do y[#y + 1] = values[i] end
    end
    n[6], n[7] = y, versions(y)
  end
  for i = 1, total do
    local kind = chosen.keep[i]
    n[5 + 3 * i], n[6 + 3 * i] = edges[i], kept(kind, values[count + i])
    if kind == 'value' then n[7 + 3 * i] = versions(n[6 + 3 * i]) end
  end
  n.arguments = total
  if count == 1 then
    if values[1]:isFloatingPoint() then attach(values[1], n) end
    return
  end
  for i = 1, count do
    local r = values[i]
    if r:isFloatingPoint() then
      attach(r, { node.nextNumber(), several, false, false, false, false, false, n, i, i == 1 and values[2] or nil })
    end
  end
end

-- An op whose result shares memory with its first argument.
local function recordView(op, r, source, ...)
  local edge = edgeTo(source)
  recordAny(op, 1, r, source, ...)
  if edge and C.sharesStorage(r, source) then getNode(r).view = view.describe(op.name, source, edge, ...) end
end

local function recordSpecial(op, count, r, ...)
  if op.constant then
    -- Overwritten with a constant, a tracked result loses its past.
    if count == 1 and getNode(r) then recordAny(ops.zero, 1, r) end
  elseif op.view and count == 1 then
    recordView(op, r, ...)
  else
    recordAny(op, count, r, ...)
  end
end

-- Records an op that has run. Called by the binding when grad mode is on and an argument or result is tracked.
-- @tparam string name of the op
-- @tparam int count number of results
-- @tparam boolean same whether all tensors among the arguments have the first result's size and type
-- @param ea,eb,ec nodes of the first three arguments, or nil
-- @param vr,va,vb,vc versions of the first result and of these arguments, or nil
-- @param r first result, then the other results, then all arguments in the signature's order
-- @treturn ?table the node to hang on the first result
local function record(name, count, same, ea, eb, ec, vr, va, vb, vc, r, a, b, c, ...)
  local op = ops[name]
  if op.special or writtenView then return recordSpecial(op, count, r, a, b, c, ...) end
  local mask = 0
  if ea then
    if ea[2].view then ea = refresh(a, ea) end
    mask = 1
  end
  if eb then
    if eb[2].view then eb = refresh(b, eb) end
    mask = mask + 2
  end
  if ec then
    if ec[2].view then ec = refresh(c, ec) end
    mask = mask + 4
  end
  if not same and op.broadcast then
    if ea and not alike(r, a) then ea = folded(r, ea, a) end
    if eb and not alike(r, b) then eb = folded(r, eb, b) end
    if ec and not alike(r, c) then ec = folded(r, ec, c) end
  end
  local chosen = op[mask] or makeVariant(op, mask)
  local number = nextNumber()
  if not chosen.keepResult then r, vr = false, false end
  local kind = chosen.keep1
  if kind ~= 'value' then a, va = kind and kept(kind, a), nil end
  local arity = chosen.arity
  if arity == 1 then return { number, chosen, false, false, false, r, vr, ea, a, va } end
  kind = chosen.keep2
  if kind ~= 'value' then b, vb = kind and kept(kind, b), nil end
  if arity == 2 then return { number, chosen, false, false, false, r, vr, ea, a, va, eb, b, vb } end
  kind = chosen.keep3
  if kind ~= 'value' then c, vc = kind and kept(kind, c), nil end
  if ec or vc then return { number, chosen, false, false, false, r, vr, ea, a, va, eb, b, vb, ec, c, vc } end
  return { number, chosen, false, false, false, r, vr, ea, a, va, eb, b, vb, nil, c }
end

local function start(x) recordAny(ops.zero, 1, x) end

-- An untracked tensor that shares its memory with others, such as the base of a view, is about to receive tracked values: all of them are
-- followed. One that is tracked has a history of its own, which can't become another's; a storage object has none.
local function followShared(name, r)
  if ops[name].view or not C.isShared(r) then return end
  local hasTracked, hasUnknown = C.sharers(r)
  if hasTracked or hasUnknown then
    -- Garbage does not count. Lua's collector is stopped in its finalisers, where LuaJIT's compiled loops may never end after a collection.
    if collectgarbage 'isrunning' then collectgarbage() end
    hasTracked, hasUnknown = C.sharers(r)
    if hasTracked or hasUnknown then
      local other = hasTracked and 'a tracked one, whose history the tape would lose'
        or 'a storage or another thread, which the tape cannot follow'
      error(('%s: result: an untracked tensor came that shares its memory with %s; write to a clone'):format(name, other), 0)
    end
  end
  require 'autograd.follow'(r, start)
end

-- Stands for a view as it was before a write: what the base becomes is nothing to it.
local overwritten = { name = 'before a write', arity = 1, keep = {}, usual = true, last = 1, function(g) return g end }

--- Called by the binding before an op overwrites a tracked tensor or one of its own arguments, in grad mode.
-- @tparam string name of the op
-- @tparam Tensor r the result
-- @tparam boolean shared r is not tracked, tracked values are written to it, and its memory is not its own: it may be tracked afterwards
-- @return a tensor that stands for the result's old value among the arguments given to `record`
local function before(name, r, shared)
  if shared then return followShared(name, r) end
  writtenView, writtenDescription = nil, nil
  local old, described = edgeTo(r), nil
  if old then
    described = view.of(r, old)
    if described then writtenView, writtenDescription = r, described end
    if old[2].leaf or (described and described.root[2].leaf) then
      writtenView, writtenDescription = nil, nil
      local what = described and 'a view of a leaf that requires a gradient' or 'a leaf that requires a gradient'
      check.raise(name .. ': result: ' .. what .. ' cannot be changed in place; write to a clone, or inside torch.noGrad')
    end
  end
  local past = ops[name].keepsArguments and noGrad(r.clone, r) or detach(r)
  if described then old = { nextNumber(), overwritten, false, false, false, false, false, old } end
  if old then setNode(past, old) end
  return past
end

local function anyTracked(...)
  for i = 1, select('#', ...) do
    if getNode((select(i, ...))) then return true end
  end
  return false
end

--- Makes an op of Lua code that the tape sees as one node.
-- @tparam string name for messages
-- @tparam function forward gives a fresh tensor; what it does is not recorded
-- @param rule as in autograd.rules
-- @treturn function
function tape.declare(name, forward, rule)
  local op = variant.makeOp(name, rule)
  return function(...)
    local mode = gradMode(false)
    local ok, y = rethrow.call(forward, ...)
    gradMode(mode)
    if not ok then rethrow.raise(y) end
    if mode and anyTracked(...) then recordAny(op, 1, y, ...) end
    return y
  end
end

--- Starts following an untracked tensor that is about to receive tracked values in part: what it holds now is a constant.
-- @tparam torch.Tensor t
-- @raise if t shares its memory with a tracked tensor
function tape.follow(t)
  if C.isShared(t) then return followShared('index', t) end
  start(t)
end

tape.record, tape.before = record, before
return tape
