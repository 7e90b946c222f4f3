--- Finds NaNs and infinities where they arise: `autograd.anomaly(true)`.
-- The mode checks every recorded op in the forward run and in backward. Every node then knows the program line that created it, and all
-- errors of backward name this line. The checks take time: use the mode for debugging, not for training.
-- @module autograd.anomaly
local torch, C, regions = require 'torch', require 'libmoontorch', require 'torch.start.regions'
local mode, node = require 'autograd.mode', require 'autograd.node'

local isTensor = torch.isTensor

local anomaly = {}

local root = debug.getinfo(1, 'S').source:match '^(.*)autograd/[^/]*$'

local function isOurs(source)
  return source:sub(1, #root) == root and source:find('^%l+/', #root + 1) ~= nil
end

local function lineOf(info) return ('%s:%d'):format(info.short_src, info.currentline) end

-- Returns the program's current line, and the library's line below it if the program called the library. The search starts at stack level
-- `first`.
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

-- Returns the fault of a tensor ('nan' or 'inf'), or nil.
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

-- The current watch: {handler, infinities}.
local watch

local function report(fields)
  local what = fields.fault == 'nan' and 'NaN' or 'an infinity'
  local where = fields.backward and 'the gradient that its backward gives has ' or 'its result has '
  local source = fields.inherited and (' (argument ' .. fields.inherited .. ' has, too)') or ''
  fields.message = ('%s: %s%s%s; recorded at %s'):format(fields.op, where, what, source, fields.where)
  watch.handler(fields)
end

-- Checks the results of a node's rule, and adds the line of the node to its errors.
local function checked(n, name, line, done, ...)
  if not done then
    local message = tostring((...))
    if not message:find(line, 1, true) then message = ('%s: backward: %s; recorded at %s'):format(name, message, line) end
    error(message, 0)
  end
  if watch then
    local fault = mode.noGrad(faultIn, { ... }, 1, select('#', ...), watch.infinities)
    if fault then report { op = name, fault = fault, where = line, backward = true, node = n, traceback = '' } end
  end
  return ...
end

C.setWatcher(function(n, name, line, rule, ...) return checked(n, name, line, pcall(rule, ...)) end)

-- Checks the results of an op, `count` values from index `first` on. If one has a fault, searches the arguments that follow for the same
-- fault.
local function inspect(name, n, where, values, first, count, total)
  local fault = mode.noGrad(faultIn, values, first, first + count - 1, watch.infinities)
  if not fault then return end
  local _, inherited = mode.noGrad(faultIn, values, first + count, total, watch.infinities)
  report {
    op = name, fault = fault, where = where, inherited = inherited and inherited - first - count + 1, traceback = debug.traceback('', 3),
    node = n,
  }
end

-- Called when an op was recorded, with its `count` results and then its arguments.
local function look(name, count, ...)
  local where, values, total = whereabouts(), { ... }, select('#', ...)
  local n = C.node(values[1])
  if watch.heard then watch.heard(name, n, values, 1, count, total) end
  for i = 1, count do
    local made = C.node(values[i])
    made = made and node.owner(made) or made
    if made and not node.isLeaf(made) and not node.line(made) then node.setLine(made, where) end
  end
  inspect(name, n, where, values, 1, count, total)
end

-- Does the same for a function with a user-defined derivative.
local function made(name, n, results, arguments)
  local where, values = whereabouts(4), { unpack(results, 1, results.n) }
  node.setLine(n, where)
  for i = 1, arguments.n do values[results.n + i] = arguments[i] end
  inspect(name, n, where, values, 1, results.n, results.n + arguments.n)
end

-- A function that is called for every op; excludes a watch.
local listener

local function hear(name, count, ...)
  listener(name, whereabouts(), name, C.node((...)), { ... }, 1, count, select('#', ...))
end

local function set(newWatch, newListener)
  watch, listener = newWatch, newListener
  mode.made = watch and made or nil
  C.setListener(watch and look or listener and hear or nil)
end

-- Sets a watch or a listener and returns the previous ones.
local function change(values)
  local before = { watch = watch, listener = listener }
  set(values.watch, values.listener)
  return before
end

local function during(newWatch, newListener, f, ...)
  return regions.call(change, { watch = newWatch, listener = newListener }, f, ...)
end

--- Runs f and checks every op. Calls `handler` with each fault: {op, fault ('nan' or 'inf'), where,
-- message, node, backward, inherited}.
-- @tparam function handler
-- @tparam boolean|function infinities whether infinities are faults. A function means true, and is called for every op: (name, node,
--   values, index of the first result in values, number of results, index of the last argument)
-- @tparam function f
-- @param ... its arguments
-- @return what f returns
function anomaly.watch(handler, infinities, f, ...)
  local heard = type(infinities) == 'function' and infinities or nil
  return during({ handler = handler, infinities = infinities and true, heard = heard }, nil, f, ...)
end

--- Runs f; calls `heard(op, where, ...)` for each recorded op, with the arguments that `watch` passes to its function after these two.
-- If calls are nested, the outer function is called, too.
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
-- In this mode an op whose result has NaN, forward or in backward, raises an error that names the op and the program line that called it.
-- Errors of backward name the line of their op.
-- @tparam boolean|function what on or off; a function is called with the other arguments
-- @return whether the mode was on; for a function, its results
-- @usage autograd.anomaly(function() criterion(net(x), y):backward() end)
function anomaly.anomaly(what, ...)
  if type(what) == 'function' then return anomaly.watch(raise, false, what, ...) end
  if type(what) ~= 'boolean' then error(('anomaly: what: a %s, expected true, false or a function'):format(torch.type(what)), 2) end
  local before = watch ~= nil
  set(what and { handler = raise, infinities = false } or nil, nil)
  return before
end

return anomaly
