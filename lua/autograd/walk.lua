--- The backward pass along the tape: hands each node its complete gradient, newest node first, and its inputs theirs.
-- No recursion: a chain of a million nodes is walked in a loop.
-- The memory of a gradient that a rule made, and nobody else can know, is let go as soon as its node is done, not when the collector
-- comes by: the next gradients go where the processor's cache still is.
-- @module autograd.walk
local C = require 'libmoontorch'
local torch, rethrow = require 'torch', require 'torch.rethrow'
local sizesOf = require('torch.check.message').sizes
local heap, node = require 'autograd.heap', require 'autograd.node'

local version, unchanged, sameSizes, alike, gradMode = C.versionOf, C.unchanged, C.sameSizes, C.alike, C.gradMode
local push, pop = heap.push, heap.pop
local isExclusive, letGo, graphFreed = C.isExclusive, C.release, C.graphFreed
local noGrad, detach, remember, xpcall = require('autograd.mode').noGrad, C.detach, rethrow.remember, xpcall
local walkPlain, walkDepth, endWalks, deliverPlain, setPassAside = C.walk, C.walkDepth, C.endWalks, C.deliver, C.setPassAside
local type, unpack, rawequal = type, unpack, rawequal
local add, clone, to = torch.add, torch.clone, torch.to

-- Stands for the list of gradients of a node with several results.
local nothing = torch.FloatTensor()

-- A finished pass, whose tables the next one uses.
local spare

-- The pass under way: a backward started by a hook or a custom function finds it here.
local current

-- Adds g to what has arrived at a node, which is put in line when it is the first. `owned`: the pass is g's only owner.
local function deliver(pass, n, g, owned)
  if pass.plain then return deliverPlain(n, g, owned) end
  local held = n[3]
  if not held then
    n[3], n[4] = g, owned
    if n[1] == 0 then
      local count = pass.leafCount + 1
      pass.leafCount = count
      pass.leaves[count] = n
    else
      push(pass.heap, n)
    end
    return
  end
  if n[4] and isExclusive(held) then
    add(held, held, g)
  else
    n[3] = add(held, g)
    if n[4] then letGo(held) end
    n[4] = not pass.create
  end
  if owned then letGo(g) end
end

local function deliverList(pass, edges, gradients)
  for i, g in pairs(gradients) do
    if edges[i] then deliver(pass, edges[i], g, false) end
  end
end

-- The line whose op this was is known where autograd.anomaly is on.
local function stale(n, what)
  local hint = n[2].marked and '' or '; autograd.anomaly(true) tells the line that recorded it'
  error(('%s: backward: %s, kept for the gradient, was changed in place or set to other memory since%s'):format(n[2].name, what, hint), 0)
end

-- A tensor, or a list of them, that is not what it was when it was kept.
local function checkKept(n, what, value, was)
  if type(was) == 'number' then
    if version(value) ~= was then stale(n, what) end
  elseif was then
    for i = 1, #value do checkKept(n, what .. ' (element ' .. i .. ')', value[i], was[i]) end
  end
end

local function argumentName(n, i)
  local names = n[2].arguments
  return 'argument ' .. i .. (names and names[i] and " '" .. names[i] .. "'" or '')
end

local function checkAll(n, chosen)
  if n[7] then checkKept(n, 'its result', n[6], n[7]) end
  for i = 1, chosen.arity do
    if n[7 + 3 * i] then checkKept(n, argumentName(n, i), n[6 + 3 * i], n[7 + 3 * i]) end
  end
end

-- Nothing of the node is needed any more.
local function release(n, chosen)
  local gone = chosen.gone
  if not gone then
    gone = { name = chosen.name, released = true }
    chosen.gone = gone
  end
  if chosen.view then      -- it still says what it is a view of
    n[2] = gone
    return
  end
  n[2] = gone
  for i = 6, 7 + 3 * chosen.arity do
    if n[i] then n[i] = nil end      -- where there is no such slot, nil would make one
  end
end

-- Whether a gradient is a tensor that the rule has just made: none of those given to it, and handed to no other argument.
local function isFresh(gradients, i, count, values, g, y)
  local gradient = gradients[i]
  if rawequal(gradient, g) or rawequal(gradient, y) then return false end
  for k = 1, count do
    if rawequal(gradient, values[k]) or (k ~= i and rawequal(gradient, gradients[k])) then return false end
  end
  return true
end

-- A result that only the graph knows has been read for the last time when the node that made it is done.
local function letTransientGo(n)
  letGo(n[0])
  n[0] = nil
end

-- Nodes of recordAny and of functions: many arguments, lists, several results. True when g was handed on.
local function runAny(pass, n, chosen, g)
  local arity, needed = chosen.arity, pass.needed
  local values = {}
  for i = 1, arity do values[i] = n[6 + 3 * i] end
  local gradients
  if chosen.all then
    gradients = { chosen.all(g, n[6], unpack(values, 1, arity)) }
  else
    gradients = {}
    for i = 1, arity do
      local rule, edge = chosen[i], n[5 + 3 * i]
      if rule and edge and (edge.list or not needed or needed[edge]) then gradients[i] = rule(g, n[6], unpack(values, 1, arity)) end
    end
  end
  local owns, passed = chosen.ours and not pass.create, not chosen.ours
  for i = 1, arity do
    local edge, gradient = n[5 + 3 * i], gradients[i]
    if edge and gradient then
      if edge.list then
        passed = true
        deliverList(pass, edge, gradient)
      else
        passed = passed or rawequal(gradient, g)
        deliver(pass, edge, gradient, owns and isFresh(gradients, i, arity, values, g, n[6]))
      end
    end
  end
  return passed
end

local function described(x) return torch.isTensor(x) and 'size ' .. table.concat(x:size():totable(), ' x ') or type(x) end

local function runHooks(hooks, g)
  for i = 1, #hooks do
    local replaced = hooks[i](g)
    if replaced ~= nil then
      if not sameSizes(replaced, g) then
        error('registerHook: fn: it gave ' .. described(replaced) .. ' for a gradient of ' .. described(g), 0)
      end
      g = replaced
    end
  end
  return g
end

-- Result i of a node with several results has its gradient.
local function passToOwner(pass, n, g)
  local owner, i = n[8], n[9]
  local gradients = pass.lists[owner]
  if not gradients then
    gradients = {}
    pass.lists[owner] = gradients
    deliver(pass, owner, nothing, false)      -- it waits in line for its turn
  end
  gradients[i] = g
end

-- A node of an unusual kind, or a walk of an unusual kind.
local function runSpecial(pass, n, chosen, g)
  if chosen.released then node.refuseReleased(n) end
  if chosen.missing then error(chosen.name .. ': backward: ' .. chosen.missing, 0) end
  if chosen.stub then
    passToOwner(pass, n, g)
    return true
  end
  if chosen.keepSome and not pass.unchecked then checkAll(n, chosen) end
  local passed = runAny(pass, n, chosen, g)
  if chosen.keepSome and not pass.retain then release(n, chosen) end
  return passed
end

-- Hands on the gradients of a node whose rule is a function for each argument, three at most.
local function runUsual(pass, n, chosen, g, owned)
  local retain, fresh = pass.retain, not pass.create
  local y, a, b, c = n[6], n[9], n[12], n[15]
  local vy, va, vb, vc = n[7], n[10], n[13], n[16]
  if (vy or va or vb or vc) and not pass.unchecked and not unchanged(y, vy, a, va, b, vb, c, vc) then checkAll(n, chosen) end
  local receiver, receivers = nil, 0  -- of g itself
  for i = 1, chosen.last do
    local f = chosen[i]
    if f then
      local edge, gradient = n[5 + 3 * i], f(g, y, a, b, c)
      local own = fresh
      if rawequal(gradient, g) then
        own, receiver, receivers = false, edge, receivers + 1
      elseif rawequal(gradient, y) or rawequal(gradient, a) or rawequal(gradient, b) or rawequal(gradient, c) then
        own = false
      end
      deliver(pass, edge, gradient, own)
    end
  end
  if owned and (receivers == 0 or pass.plain) then
    letGo(g)
  elseif owned and receivers == 1 and rawequal(receiver[3], g) then
    receiver[4] = true
  end
  if not retain and chosen.keepSome then release(n, chosen) end
end

-- Runs a node whose gradient is complete.
local function runNode(pass, n, g, owned)
  local chosen, found, needed, since = n[2], pass.found, pass.needed, pass.since
  if since and n[1] <= since then
    if found[n] ~= nil then found[n] = g elseif owned then letGo(g) end
    return
  end
  if pass.lists[n] then
    g, owned = pass.lists[n], false
    pass.lists[n] = nil
  end
  if n[5] then g, owned = runHooks(n[5], g), false end
  if found and found[n] ~= nil then found[n], owned = g, false end
  if needed or not chosen.usual or n.arguments then
    local passed = false
    if not needed or needed[n] then passed = runSpecial(pass, n, chosen, g) end
    if owned and not passed then letGo(g) end
  else
    runUsual(pass, n, chosen, g, owned)
  end
  if n[0] and not pass.retain then letTransientGo(n) end
end

-- Runs all nodes in line.
local function drain(pass)
  local line = pass.heap
  while line[0] > 0 do
    local n = pop(line)
    local g, owned = n[3], n[4]
    n[3], n[4] = false, false
    runNode(pass, n, g, owned)
  end
end

-- A gradient becomes the leaf's own: users change it in place, so it must be dense and its memory nobody else's.
local function accumulate(n, g, owned, create)
  local x, old = n[6], n[7]
  if not sameSizes(g, x) then
    error(('backward: a gradient of size %s reached a leaf of size %s'):format(sizesOf(g), sizesOf(x)), 0)
  end
  local sink = n.sink
  if create then
    n[7] = old and add(old, g) or g
    if sink then noGrad(sink.copy, sink, detach(n[7])) end
  elseif sink then
    add(sink, sink, g)      -- it has what a recorded walk left beside it
    n[7] = sink
    if owned then letGo(g) end
  elseif old then
    add(old, old, g)
    if owned then letGo(g) end
  else
    n[7] = owned and isExclusive(g) and g or clone(g)
  end
end

-- Where types were mixed, the gradient that came may be of another type than the leaf: it takes the leaf's.
local function finishLeaf(pass, n, g, owned)
  if not alike(g, n[6]) then g = to(g, C.kindOf(n[6])) end
  if n[5] and not pass.partial then g = runHooks(n[5], g) end
  if pass.found then
    pass.found[n] = g
  else
    accumulate(n, g, owned and not n[5], pass.create)
  end
end

local function finishLeaves(pass)
  local leaves, found = pass.leaves, pass.found
  for i = 1, pass.leafCount do
    local n = leaves[i]
    local g, owned = n[3], n[4]
    n[3], n[4], leaves[i] = false, false, nil
    if not found or found[n] ~= nil then finishLeaf(pass, n, g, owned) end
  end
end

-- Takes the pending gradients of a pass off its nodes, so that another may use them; returns what puts them back.
local function setAside(pass)
  if pass.plain then
    setPassAside(true)
    return function() setPassAside(false) end
  end
  local nodes, pending = {}, {}
  for _, list in ipairs { pass.heap, pass.leaves } do
    for i = 1, #list do
      local n = list[i]
      nodes[#nodes + 1] = n
      pending[#nodes] = { n[3], n[4] }
      n[3], n[4] = false, false
    end
  end
  return function()
    for i = 1, #nodes do nodes[i][3], nodes[i][4] = pending[i][1], pending[i][2] end
  end
end

local function start(pass, roots, gradients)
  for i = 1, #roots do deliver(pass, roots[i], gradients[i], false) end
  drain(pass)
  finishLeaves(pass)
end

-- The binding walks, and calls here for the nodes that it can't run: see bindings/lua/walk.cpp.
local function visit(n, g) runNode(current, n, g, true) end
local function finish(n, g) finishLeaf(current, n, g, true) end
local function startPlain(pass, roots, gradients)
  walkPlain(roots, gradients, pass.retain, pass.unchecked, visit, finish, pass.found, pass.needed, pass.since)
end

--- Runs a backward pass from some nodes.
-- @tparam {table,...} roots nodes
-- @tparam {Tensor,...} gradients of the roots
-- @tparam table options
-- retain: keep what the rules need for another pass;
-- create: record the walk itself, for gradients of gradients;
-- current: take what was kept as it is now, changed in place or not;
-- wanted: the nodes whose gradients are wanted, as keys with values false, which become the gradients; no leaf accumulates then;
-- needed: the nodes worth running, as keys
-- since: in the place of `needed`, the number of a node; what was recorded up to it is not run, wanted or not
-- partial: the gradients of the wanted leaves are not their whole gradients, so that no hook sees them
local function walk(roots, gradients, options)
  local create = options.create or false
  local plain = not create
  local pass = spare or { heap = { [0] = 0 }, leaves = {}, lists = {} }
  spare = nil
  pass.leafCount, pass.retain, pass.create, pass.unchecked = 0, options.retain, create, options.current
  pass.found, pass.needed, pass.since, pass.partial, pass.plain = options.wanted, options.needed, options.since, options.partial, plain
  local outer = current
  local putBack = outer and setAside(outer)
  current = pass
  local depth = plain and walkDepth()
  local mode = gradMode(create)
  local ok, message = xpcall(plain and startPlain or start, remember, pass, roots, gradients)
  gradMode(mode)
  if not ok and plain then
    endWalks(depth)
  elseif not ok then
    setAside(pass)
  end
  current = outer
  if putBack then putBack() end
  if not ok then rethrow.raise(message) end
  pass.found, pass.needed = nil, nil
  spare = pass
  if not options.retain then graphFreed() end
end

return walk
