--- CUDA graphs: work that is captured once, and replayed by one call.
-- @module torch.cuda.graph
local check, class = require 'torch.check', require 'torch.class'
local rethrow = require 'torch.start.rethrow'
local api, streams = require 'torch.cuda.api', require 'torch.cuda.stream'

local graphs = {}

--- Captured work, with the memory that it uses.
-- @type torch.cuda.Graph
local Graph = class.define('torch.cuda.Graph', nil, graphs, true)

--- @tparam[opt] int|string device default: the current one
function Graph:__init(device)
  self.device = api.device('torch.cuda.Graph', device) + 1
  self.stream = streams.Stream(self.device)
end

local function ended(graph, where, good, ...)
  local closed, why = pcall(api.call, where, 'graph_end', graph.id)
  if not good then rethrow.raise((...)) end
  if not closed then rethrow.raise(why) end
  graph.results = { n = select('#', ...), ... }
  return graph
end

--- Captures the work that a function launches, without executing it. Operations that wait for the device meanwhile, such as reading an
-- element, raise an error. Results of the function contain the values of the last replay; each replay reads its inputs again.
-- @tparam function f
-- @param ... its arguments
-- @treturn torch.cuda.Graph self; `results` has f's results
function Graph:capture(f, ...)
  local where = 'torch.cuda.Graph.capture'
  check.callable(where, 'f', f)
  if self.id then check.raise(where .. ': self: it has been captured already, expected a new graph') end
  local arguments, count = { ... }, select('#', ...)
  self.stream:waitStream(streams.currentStream(self.device))
  return streams.withStream(self.stream, function()
    self.id = api.number(where, 'graph_begin', self.device - 1)
    local guard = newproxy(true)
    local id, destroy = self.id, api.library().mt_cuda_graph_destroy
    getmetatable(guard).__gc = function() destroy(id) end
    self._guard = guard
    return ended(self, where, rethrow.call(f, unpack(arguments, 1, count)))
  end)
end

--- Executes the work again, on the current stream.
-- @return the results of the captured function: tensors with the new values
function Graph:replay()
  local where = 'torch.cuda.Graph.replay'
  if not self.results then check.raise(where .. ': self: nothing has been captured, expected capture(f) before') end
  api.call(where, 'graph_replay', self.id)
  return unpack(self.results, 1, self.results.n)
end

function Graph:__tostring__() return ('torch.cuda.Graph on cuda:%d'):format(self.device) end

--- Returns a function that does what f does with one call of the driver: the first calls run f, the next one captures it, and later calls
-- replay it. Arguments and results are tensors wherever they were in the first call. Arguments are copied into those of the first call;
-- results are valid until the next call. Effects of f other than work on the device happen only until it is captured.
-- @tparam function f
-- @int[opt=2] warm number of calls of f before the capture: they fill caches and make choices
-- @treturn function
-- @usage local step = torch.cuda.graph(function(x, y) ... return loss end)
function graphs.graph(f, warm)
  local where = 'torch.cuda.graph'
  check.callable(where, 'f', f)
  if warm ~= nil and not (type(warm) == 'number' and warm >= 0 and warm % 1 == 0) then
    check.raise(('%s: warm: %s, expected a whole number, 0 or more'):format(where, tostring(warm)))
  end
  local torch, left, graph, kept = require 'torch', warm or 2, nil, nil
  local function begin(...)
    kept = { n = select('#', ...), ... }
    for i = 1, kept.n do
      if torch.isTensor(kept[i]) then kept[i] = kept[i]:clone() end
    end
    graph = graph or graphs.Graph()
  end
  local function take(...)
    if select('#', ...) ~= kept.n then
      check.raise(('%s: %d arguments, expected %d, as in the first call'):format(where, select('#', ...), kept.n))
    end
    for i = 1, kept.n do
      local value = select(i, ...)
      if torch.isTensor(kept[i]) then
        if not torch.isTensor(value) or not value:isSameSizeAs(kept[i]) then
          check.raise(('%s: argument %d: expected a tensor of the sizes that it had in the first call'):format(where, i))
        end
        kept[i]:copy(value)
      end
    end
  end
  return function(...)
    if left > 0 then
      left = left - 1
      return f(...)
    end
    if not graph then
      begin(...)
      graph:capture(f, unpack(kept, 1, kept.n))
    else
      take(...)
    end
    return graph:replay()
  end
end

return graphs
