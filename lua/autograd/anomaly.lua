--- Finds where numbers go wrong: `autograd.anomaly(true)`.
-- Every recorded op is then looked at, in the forward run and in backward, and every node knows the line of the program that made it, which
-- all errors of backward name. That takes time: it is for looking, not for training.
-- @module autograd.anomaly
local torch, C, rethrow = require 'torch', require 'libmoontorch', require 'torch.rethrow'
local tape = require 'autograd.tape'
local mode = require 'autograd.mode'

local isTensor = torch.isTensor

local anomaly = {}

-- Position of the first result among what the recorder is given.
local firstResult = 11

local root = debug.getinfo(1, 'S').source:match '^(.*)autograd/[^/]*$'

local function isOurs(source)
  return source:sub(1, #root) == root and source:find('^%l+/', #root + 1) ~= nil
end

local function lineOf(info) return ('%s:%d'):format(info.short_src, info.currentline) end

-- The program's line under way, and the library's line below it where the program called that, from a level of the stack on.
local function whereabouts(first)
  local inside
  for level = first or 3, 200 do
    local info = debug.getinfo(level, 'Sl')
    if not info then break end
    if info.what ~= 'C' and info.currentline > 0 then
      if not isOurs(info.source) then return lineOf(info) .. (inside and (' (in ' .. inside .. ')') or '') end
      inside = inside or lineOf(info)
    end
  end
  return inside or 'unknown line'
end

-- What is wrong with a tensor, or nil.
local function faultOf(x, infinities)
  if not isTensor(x) or not x:isFloatingPoint() or x:nElement() == 0 then return nil end
  local plain = C.detach(x)
  if torch.any(torch.isnan(plain)) then return 'nan' end
  if infinities and not torch.all(torch.isfinite(plain)) then return 'inf' end
end

local function faultIn(values, first, last, infinities)
  for i = first, last do
    local value = values[i]
    if type(value) == 'table' then
      local fault = faultIn(value, 1, #value, infinities)
      if fault then return fault, i end
    else
      local fault = faultOf(value, infinities)
      if fault then return fault, i end
    end
  end
end

local function raise(found) error(found.message, 0) end

-- What watches now: {handler, infinities}.
local watch

local function report(fields)
  local what = fields.fault == 'nan' and 'NaN' or 'an infinity'
  local where = fields.backward and 'the gradient that its backward gives has ' or 'its result has '
  local source = fields.inherited and (' (argument ' .. fields.inherited .. ' has, too)') or ''
  fields.message = ('%s: %s%s%s; recorded at %s'):format(fields.op, where, what, source, fields.where)
  watch.handler(fields)
end

-- A rule's function that looks at what it gives, and whose errors name the line.
local function watched(n, name, where, f)
  local function finish(done, ...)
    if not done then
      local message = tostring((...))
      if not message:find(where, 1, true) then message = ('%s: backward: %s; recorded at %s'):format(name, message, where) end
      error(message, 0)
    end
    if watch then
      local fault = mode.noGrad(faultIn, { ... }, 1, select('#', ...), watch.infinities)
      if fault then report { op = name, fault = fault, where = where, backward = true, node = n, traceback = '' } end
    end
    return ...
  end
  return function(...) return finish(pcall(f, ...)) end
end

-- The node's variant, its own copy: with the line in its name, which errors of the walk show, and rules that are watched.
local function mark(n, where)
  local variant, copy = n[2], {}
  for key, value in pairs(variant) do
    local isRule = type(value) == 'function' and (key == 'all' or type(key) == 'number')
    copy[key] = isRule and watched(n, variant.name, where, value) or value
  end
  copy[0] = nil      -- it is Lua that watches
  copy.name, copy.gone, copy.marked = ('%s (recorded at %s)'):format(variant.name, where), nil, true
  n[2] = copy
end

-- Looks at the results of an op, `count` from place `first` on, and for what is wrong at the arguments that follow.
local function inspect(name, n, where, values, first, count, total)
  local fault = mode.noGrad(faultIn, values, first, first + count - 1, watch.infinities)
  if not fault then return end
  local _, inherited = mode.noGrad(faultIn, values, first + count, total, watch.infinities)
  report {
    op = name, fault = fault, where = where, inherited = inherited and inherited - first - count + 1, traceback = debug.traceback('', 3),
    node = n,
  }
end

local function record(name, count, ...)
  local n = tape.record(name, count, ...)
  local where, values = whereabouts(), { ... }
  local first, total = firstResult - 2, select('#', ...)
  if watch.heard then watch.heard(name, n or C.node(values[first]), values, first, count, total) end
  for i = first, first + count - 1 do
    local made = i == first and n or C.node(values[i])
    if made and not made[2].leaf and not made[2].stub and not made[2].marked then mark(made, where) end
    local owner = made and made[2].stub and made[8]
    if owner and not owner[2].marked then mark(owner, where) end
  end
  inspect(name, n or C.node(values[first]), where, values, first, count, total)
  return n
end

-- The same of a function with a derivative of the user's own.
local function made(name, n, results, arguments)
  local where, values = whereabouts(4), { unpack(results, 1, results.n) }
  mark(n, where)
  for i = 1, arguments.n do values[results.n + i] = arguments[i] end
  inspect(name, n, where, values, 1, results.n, results.n + arguments.n)
end

-- Who is told of every op, instead of a watch.
local listener

local function recordAloud(name, count, ...)
  local n = tape.record(name, count, ...)
  local values, first = { ... }, firstResult - 2
  listener(name, whereabouts(), name, n or C.node(values[first]), values, first, count, select('#', ...))
  return n
end

local function set(newWatch, newListener)
  watch, listener = newWatch, newListener
  mode.made = watch and made or nil
  C.setRecorder(watch and record or listener and recordAloud or tape.record, tape.before, not (watch or listener))
end

-- Runs f with a watch or a listener, and puts back what was there.
local function during(newWatch, newListener, f, ...)
  local watchBefore, listenerBefore = watch, listener
  set(newWatch, newListener)
  local function finish(done, ...)
    set(watchBefore, listenerBefore)
    if not done then rethrow.raise((...)) end
    return ...
  end
  return finish(rethrow.call(f, ...))
end

--- Runs f while every op is watched; `handler` is called with what is found: {op, fault ('nan' or 'inf'), where,
-- message, node, backward, inherited}.
-- @tparam function handler
-- @tparam boolean|function infinities whether they count; a function is told of every op, and they do: (name, node, values, place of
-- the first result among them, number of results, place of the last argument)
-- @tparam function f
-- @param ... its arguments
-- @return what f returns
function anomaly.watch(handler, infinities, f, ...)
  local heard = type(infinities) == 'function' and infinities or nil
  return during({ handler = handler, infinities = infinities and true, heard = heard }, nil, f, ...)
end

--- Runs f; `heard(op, where, ...)` is called when an op has been recorded, with what `watch` tells of one behind.
-- One inside another hears what the outer one does.
-- @return what f returns
function anomaly.listen(heard, f, ...)
  local outer, both = listener, heard
  if outer then
    both = function(...)
      outer(...)
      heard(...)
    end
  end
  return during(nil, both, f, ...)
end

--- Turns the mode on or off; or runs a function with it on.
-- In this mode an op whose result has NaN, forward or in backward, raises an error that names it and the line of the program that called
-- it, and errors of backward name the line whose op they are about.
-- @tparam boolean|function what on or off; a function is called with the other arguments
-- @return whether it was on; for a function what it returns
-- @usage autograd.anomaly(function() criterion(net(x), y):backward() end)
function anomaly.anomaly(what, ...)
  if type(what) == 'function' then return anomaly.watch(raise, false, what, ...) end
  if type(what) ~= 'boolean' then error(('anomaly: what: a %s, expected true, false or a function'):format(torch.type(what)), 2) end
  local before = watch ~= nil
  set(what and { handler = raise, infinities = false } or nil, nil)
  return before
end

return anomaly
