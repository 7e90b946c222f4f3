--- torch.Graph: a program of ops as a value (see torch.graph).
-- @classmod torch.Graph
local C = require 'libmoontorch'
local class = require 'torch.class'

local Graph = {}

local shapes = setmetatable({}, { __mode = 'k' })      -- graph -> how the program returned the outputs

local function restored(shape, list)
  if type(shape) == 'number' then return list[shape] end
  local value = {}
  for key, each in pairs(shape) do value[key] = restored(each, list) end
  return value
end

--- Runs a graph.
-- @param first the first input, or a table of all inputs, in order or by name
-- @param ... the other inputs
-- @return the outputs as the captured function returned them; those of a parsed graph in order
function Graph:run(first, ...)
  local shape, results = shapes[self]
  if type(first) == 'table' and select('#', ...) == 0 then
    local names, values = C.graphInfo(self).inputs, {}
    for i, name in ipairs(names) do
      values[i] = first[name]
      if values[i] == nil then values[i] = first[i] end
    end
    results = { C.runGraph(self, unpack(values, 1, #names)) }
  elseif first == nil and select('#', ...) == 0 then
    results = { C.runGraph(self) }
  elseif not shape then
    return C.runGraph(self, first, ...)
  else
    results = { C.runGraph(self, first, ...) }
  end
  if not shape then return unpack(results) end
  local restoredResults = restored(shape, results)
  return unpack(restoredResults, 1, #restoredResults)
end

--- Returns what a graph consists of.
-- @treturn table the lists `inputs` and `constants` of names, `ops` and `origins` of the steps, and the numbers `outputs` and `updates`
function Graph:info() return C.graphInfo(self) end

--- Returns a constant, which shares the memory with the graph.
-- @string name
-- @treturn ?torch.Tensor
function Graph:constant(name) return C.graphConstant(self, name) end


local metatable = C.graphMetatable
for name, method in pairs(Graph) do metatable[name] = method end
metatable.__index = metatable
metatable.__tostring = C.graphText
local holder = {}
class.register('torch.Graph', metatable, nil, nil, holder)

return { Graph = holder.Graph, shapes = shapes }
