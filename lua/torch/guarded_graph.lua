--- torch.GuardedGraph: a function that runs as graphs, and is captured again when a condition has changed. `torch.graph.capture` with the
-- option `guards` creates it. See docs/graph.md.
-- @classmod torch.GuardedGraph
local C, torch = require 'libmoontorch', require 'torch'
local messages = require 'torch.check.message'
local captures, object = require 'torch.graph_capture', require 'torch.graph_object'
local native, restored = object.native, object.restored

local GuardedGraph = torch.class 'torch.GuardedGraph'

--- @tparam function f its arguments are the inputs, or the table of inputs by name
-- @int[opt=16] limit the most graphs that are kept; when there are as many, and none is valid for a run, the function runs without a graph
-- @tparam[opt] boolean patient whether the first run with inputs of some types and sizes runs the function without a graph: a capture takes
-- time, and keeps all results of ops to its end. Graphs of inputs that have not come for long then make room for others.
function GuardedGraph:__init(f, limit, patient)
  if type(f) ~= 'function' and not (getmetatable(f) or {}).__call then
    error(('capture: f: %s, expected a function'):format(messages.value(f)), 2)
  end
  if limit ~= nil and (type(limit) ~= 'number' or limit < 1) then
    error(('capture: limit: %s, expected a positive number'):format(messages.value(limit)), 2)
  end
  self.f, self.limit, self.patient = f, limit or 16, patient
  self.bySignature, self.count, self.counts = {}, 0, { graph = 0, capture = 0, plain = 0 }      -- count: of graphs
  self.signatures, self.runs = 0, 0
end

-- Of a patient graph: the signatures that it remembers, and the runs after which graphs that none of these used make room, in multiples of
-- the limit.
local MEMORY = 4

-- Forgets the signature whose last run is the longest ago, of all or of those with graphs, and its graphs.
local function forgetOldest(self, withGraphs, before)
  local oldest, last = nil, before or math.huge
  for signature, variants in pairs(self.bySignature) do
    if variants.run < last and (not withGraphs or #variants > 0) then oldest, last = signature, variants.run end
  end
  if not oldest then return end
  self.count, self.signatures = self.count - #self.bySignature[oldest], self.signatures - 1
  self.bySignature[oldest] = nil
end

-- Remembers the first run with a signature.
local function note(self, signature, variants)
  if self.patient and self.signatures >= MEMORY * self.limit then forgetOldest(self) end
  self.bySignature[signature], self.signatures = variants, self.signatures + 1
end

-- Runs a graph if its guards hold. Returns whether they do, and the results.
local function attempt(variant, tensors)
  local count = #tensors
  local checked = { native.check(variant.guards, variant.checks, unpack(tensors, 1, count)) }
  if not checked[1] then return false end
  local inputs = {}
  for i = 1, count do inputs[i] = tensors[i] end
  for i = 2, #checked do inputs[count + i - 1] = checked[i] end
  return true, restored(variant.shape, { native.run(variant.rest, unpack(inputs, 1, #inputs)) })
end

--- Runs the graph that is valid for the inputs, or captures the function again.
-- The values of the guards are computed first; if one differs from that of the capture, nothing has been changed. A capture runs the
-- function, so its results and its effects are those of this run. Inputs that the tape tracks run the function
-- without a graph, and so does a capture around the run.
-- @param ... the inputs, or one table of them, in order or by name
-- @return what the function returns
-- @raise the errors of the function, and those of `torch.graph.capture`
function GuardedGraph:run(...)
  local f, given = self.f, { ... }
  if select('#', ...) == 1 and type(...) == 'table' and not C.isTensor(...) then given = ... end
  local names, values, byName = captures.named(given)
  local signature, tensors, tensorNames, isTracked = captures.signature(names, values, #names, function(i)
    error(('capture: %s: %s, expected a tensor, a number, a boolean or a string'):format(names[i], messages.value(values[i])), 4)
  end)
  local function call()
    if byName then return f(given) end
    return f(unpack(values, 1, #values))
  end
  local known, counts = self.bySignature[signature], self.counts
  local variants, isPlain = known or {}, isTracked or C.capturing() or C.lazyMode()
  self.runs = self.runs + 1
  variants.run = self.runs
  if not isPlain then
    for i, variant in ipairs(variants) do
      local holds, results = attempt(variant, tensors)
      if holds then
        if i > 1 then table.insert(variants, 1, table.remove(variants, i)) end      -- the last one that was valid is tried first
        counts.graph = counts.graph + 1
        return unpack(results, 1, variant.results)
      end
    end
  end
  if not isPlain and not known and self.patient then note(self, signature, variants) end
  if self.patient and known and self.count >= self.limit then forgetOldest(self, true, self.runs - MEMORY * self.limit) end
  if isPlain or self.count >= self.limit or self.patient and not known then
    counts.plain = counts.plain + 1
    return call()
  end
  local results
  local variant, _, shape = captures.list(function()
    results = { n = 0 }
    local function keep(...)
      results = { n = select('#', ...), ... }
      return ...
    end
    return keep(call())
  end, tensorNames, tensors, true)
  variant.shape, variant.results = shape, results.n
  if self.bySignature[signature] ~= variants then note(self, signature, variants) end
  self.count = self.count + 1
  table.insert(variants, 1, variant)
  counts.capture = counts.capture + 1
  return unpack(results, 1, results.n)
end

GuardedGraph.__call = GuardedGraph.run

--- Returns the graphs and how the runs went.
-- @treturn table the numbers of runs that used a `graph`, were a `capture`, or ran the function without a graph (`plain`); and `graphs`, a
-- list with a table for each: its graphs `checks`, which computes the values of the guards, and `rest`, and the list `guards` of tables:
-- `value`, `origin`, the line that read it, and `sizes`, whether only its sizes count
function GuardedGraph:info()
  local info = { graphs = {} }
  for kind, count in pairs(self.counts) do info[kind] = count end
  for _, variants in pairs(self.bySignature) do
    for _, variant in ipairs(variants) do
      table.insert(info.graphs, { checks = variant.checks, rest = variant.rest, guards = native.guards(variant.guards) })
    end
  end
  return info
end

function GuardedGraph:__tostring()
  local parts = { ('torch.GuardedGraph (%d graphs)'):format(self.count) }
  for _, each in ipairs(self:info().graphs) do
    for _, guard in ipairs(each.guards) do
      local value = guard.value
      local what = value:nElement() == 1 and tostring(value:view(1):totable()[1]) or messages.value(value)
      if guard.sizes then what = 'sizes ' .. messages.sizes(value) end
      parts[#parts + 1] = ('guard %s  -- %s'):format(what, guard.origin)
    end
    parts[#parts + 1] = tostring(each.checks)
    parts[#parts + 1] = tostring(each.rest)
  end
  return table.concat(parts, '\n')
end

function GuardedGraph:write() error('torch.GuardedGraph: it runs a function of Lua and can not be saved, expected a torch.Graph', 2) end

return GuardedGraph
