--- Inspects a differentiated function: times, recorded ops, a drawing of its graph, and the origin of NaNs and infinities.
-- The options `profile`, `showCode`, `dotFile` and `debugHook` of autograd(f, options).
-- @module autograd.classic.inspection
local torch, C = require 'torch', require 'libmoontorch'
local node = require 'autograd.node'
local anomaly, Source = require 'autograd.anomaly', require 'autograd.classic.source'
local atomic = require 'torch.file.atomic'

local inspection = {}

--- Values of the option `profile`.
inspection.profile = { OFF = 'off', SUMMARY = 'summary', DETAILED = 'detailed' }

local function edges(n)
  local list = {}
  node.edges(n, list)
  return list
end

-- Returns the nodes below a node, oldest first, including leaves.
local function nodesBelow(top)
  local list, seen, stack = {}, { [top] = true }, { top }
  while #stack > 0 do
    local n = table.remove(stack)
    list[#list + 1] = n
    for _, edge in ipairs(edges(n)) do
      if not seen[edge] then
        seen[edge] = true
        stack[#stack + 1] = edge
      end
    end
  end
  table.sort(list, function(a, b) return node.number(a) < node.number(b) end)
  return list
end

-- Returns nodes with names to print: leaves x1, x2, ..., results y1, y2, ...
local function named(top)
  local nodes, names, leaves, results = nodesBelow(top), {}, 0, 0
  for _, n in ipairs(nodes) do
    if node.isLeaf(n) then
      leaves = leaves + 1
      names[n] = 'x' .. leaves
    else
      results = results + 1
      names[n] = 'y' .. results
    end
  end
  return nodes, names
end

-- Returns the graph below a node in GraphViz' language.
local function dot(top)
  local nodes, names = named(top)
  local lines = { 'digraph autograd {' }
  for _, n in ipairs(nodes) do
    local leaf = node.isLeaf(n)
    local shape, label = leaf and 'box' or 'ellipse', leaf and names[n] or node.name(n):gsub('"', "'")
    lines[#lines + 1] = ('  %s [label="%s", shape=%s];'):format(names[n], label, shape)
    for _, edge in ipairs(edges(n)) do lines[#lines + 1] = ('  %s -> %s;'):format(names[edge], names[n]) end
  end
  lines[#lines + 1] = '}'
  return table.concat(lines, '\n') .. '\n'
end

-- Returns the same graph as JSON: nodes and edges.
local function json(top)
  local nodes, names = named(top)
  local nodeTexts, edgeTexts = {}, {}
  for i, n in ipairs(nodes) do
    nodeTexts[i] = ('{"name": "%s", "op": "%s"}'):format(names[n], node.name(n):gsub('[\\"]', '\\%0'))
    for _, edge in ipairs(edges(n)) do edgeTexts[#edgeTexts + 1] = ('{"from": "%s", "to": "%s"}'):format(names[edge], names[n]) end
  end
  return ('{"nodes": [%s], "edges": [%s]}\n'):format(table.concat(nodeTexts, ', '), table.concat(edgeTexts, ', '))
end

--- Returns the object with which a debugHook draws the graph up to a node.
local function debuggerOf(top)
  local debugger = {}
  function debugger.generateDot(name)
    local text = dot(top)
    if name then atomic.text('autograd: generateDot', name, text) end
    return text
  end
  function debugger.generateJson(name)
    local text = json(top)
    if name then atomic.text('autograd: generateJson', name, text) end
    return text
  end
  function debugger.showDot()
    local name = C.temporaryName('.dot', true)
    debugger.generateDot(name)
    os.execute(('dot -Tpng %s -o %s.png && (xdg-open %s.png || open %s.png)'):format(name, name, name, name))
  end
  return debugger
end

-- Collects mean times over several calls, and prints them periodically.
local function newClock(detailed, frequency)
  local now = torch.Timer()
  local function time() return now:time().real end
  local calls, forward, backward, ops = 0, 0, 0, {}
  local started, turned, last

  local function report()
    local all = forward + backward
    print(('[autograd] %d calls: forward %.3f ms, backward %.3f ms, overall %.3f ms'):format(calls, 1e3 * forward / calls,
      1e3 * backward / calls, 1e3 * all / calls))
    local list = {}
    for where, spent in pairs(ops) do list[#list + 1] = { where, spent } end
    table.sort(list, function(a, b) return a[2] > b[2] end)
    for i = 1, math.min(10, #list) do
      print(('[autograd] %9.3f ms %5.1f %%  %s'):format(1e3 * list[i][2] / calls, 100 * list[i][2] / all, list[i][1]))
    end
    calls, forward, backward, ops = 0, 0, 0, {}
  end

  local clock = {}
  function clock.stage(name)
    if name == 'forward' then
      started = time()
      last = started
    elseif name == 'backward' then
      turned = time()
    else
      local ended = time()
      calls, forward, backward = calls + 1, forward + turned - started, backward + ended - turned
      if calls == frequency then report() end
    end
  end
  -- Records the time since the previous op as the time of this op.
  function clock.op(name, where)
    local ended = time()
    if detailed then ops[name .. ' at ' .. where] = (ops[name .. ' at ' .. where] or 0) + ended - last end
    last = time()
  end
  return clock
end

--- Returns functions for the work around a differentiated function that the options request.
-- @tparam function f
-- @tparam table options
-- @treturn function replaces f
-- @treturn function must be called with 'forward', 'backward' and 'done'
-- @treturn function must be called with the loss before the backward pass
function inspection.wrap(f, options)
  local stages = function() end
  local profile = options.profile
  if profile and profile ~= 'off' then
    if profile ~= 'summary' and profile ~= 'detailed' then
      error(("autograd: profile: '%s', expected 'off', 'summary' or 'detailed'"):format(tostring(profile)), 3)
    end
    local clock = newClock(profile == 'detailed', options.profileReportFrequency or 10)
    stages = clock.stage
    if profile == 'detailed' then
      local inner = f
      f = function(...) return anomaly.listen(clock.op, inner, ...) end
    end
  end
  if options.showCode then
    local inner, shown = f, false
    f = function(...)
      if shown then return inner(...) end
      shown = true
      local code = Source.new()
      local function finish(...)
        print((code:text()))
        return ...
      end
      return finish(anomaly.listen(function(_, _, ...) code:hear(...) end, inner, ...))
    end
  end
  local function inspect(loss)
    if not torch.isTensor(loss) or not C.node(loss) then return end
    if options.dotFile then atomic.text('autograd: dotFile', options.dotFile, dot(C.node(loss))) end
  end
  return f, stages, inspect
end

--- Runs df with a debugHook that checks every op.
-- @tparam function hook (debugger, message, {source, line}): debugger.generateDot(file), generateJson(file), showDot(); source is the text
--   of the recorded program so far; its line number `line` computed the value
-- @tparam function df
-- @param ... its arguments
function inspection.debug(hook, df, ...)
  local run = Source.new()
  local function handler(found)
    local source, line = run:text(found.node)
    local message = ('autograd debugger detected a nan or inf value for %s at %s%s'):format(found.op, found.where, found.traceback or '')
    hook(debuggerOf(found.node), message, { source = source, line = line })
  end
  return anomaly.watch(handler, function(...) run:hear(...) end, df, ...)
end

return inspection
