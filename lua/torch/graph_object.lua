--- torch.Graph: a program of ops as a value (see torch.graph).
-- @classmod torch.Graph
local C, torch = require 'libmoontorch', require 'torch'
local check, class, messages = require 'torch.check', require 'torch.class', require 'torch.check.message'

local native = C.graphs()

local Graph = {}

local shapes = setmetatable({}, { __mode = 'k' })      -- graph -> how the program returned the outputs

local Constant = {}      -- the metatable of {value =}: a result that is no tensor

local function restored(shape, list)
  if type(shape) == 'number' then return list[shape] end
  if getmetatable(shape) == Constant then return shape.value end
  local value = {}
  for key, each in pairs(shape) do value[key] = restored(each, list) end
  return value
end

local inputNames = setmetatable({}, { __mode = 'k', __index = function(known, graph)
  known[graph] = native.inputs(graph)
  return known[graph]
end })

-- Returns the inputs in a table, by name or in order.
local function ordered(graph, inputs)
  local names, values = inputNames[graph], {}
  for i, name in ipairs(names) do
    values[i] = inputs[name]
    if values[i] == nil then values[i] = inputs[i] end
  end
  return unpack(values, 1, #names)
end

--- Runs a graph.
-- @param ... the inputs, or one table of them, in order or by name
-- @return the outputs as the captured function returned them; those of a parsed graph in order
function Graph:run(...)
  local results
  if select('#', ...) == 1 and type(...) == 'table' then
    results = { check.call(native.run, self, ordered(self, ...)) }
  else
    results = { check.call(native.run, self, ...) }
  end
  local shape = shapes[self]
  if shape then results = restored(shape, results) end
  return unpack(results)
end

--- Makes all plans of a graph and lays out all memory once, for inputs of fixed sizes. The runs of the result allocate nothing.
-- Runs share the constants with the program and write to those that the graph updates; preparing does not write. One thread at a time may
-- run a prepared run: each thread prepares one for itself.
-- @param[opt] ... the inputs, or one table of them, in order or by name: their dtypes and sizes count. None: zeros of the types that the
-- graph declares, as a captured graph does.
-- @treturn torch.Prepared
-- @raise if a step draws random numbers, or has sizes that depend on elements; and if the graph writes to an input
function Graph:prepare(...)
  local samples = { ... }
  if #samples == 1 and type(samples[1]) == 'table' then samples = { ordered(self, samples[1]) } end
  if #samples == 0 then
    local names, types = native.inputs(self)
    for i, declared in ipairs(types) do
      if not declared then error(('prepare: %s: an input without a type, expected a tensor for it'):format(names[i]), 2) end
      for _, size in ipairs(declared.sizes) do
        if size < 0 then error(('prepare: %s: an input of any size, expected a tensor for it'):format(names[i]), 2) end
      end
      samples[i] = torch.zeros(torch.LongStorage(declared.sizes)):to(declared.dtype)
    end
  end
  return torch.Prepared(self, samples, false)
end

--- Writes a file of the graph with its constants, or replaces it when the new one is complete.
-- It has the steps in the form that runs on any machine; `docs/graph.md` describes the format. A graph that was loaded returns its outputs
-- in order, also if the captured function returned tables.
-- @string file
-- @raise if the file can't be written, or a constant has no elements (on the device meta)
function Graph:save(file)
  if type(file) ~= 'string' then error(('graph.save: file: %s, expected a string'):format(messages.value(file)), 2) end
  return native.save(self, file)      -- a tail call: the error names no line of this file
end

--- Returns a picture of the graph as text for the program dot of Graphviz: `dot -Tsvg`.
-- @treturn string
function Graph:dot() return native.dot(self) end

--- Returns what a graph consists of.
-- @treturn table the lists `inputs` and `constants` of names, `ops` and `origins` of the steps, the numbers `outputs` and `updates`,
-- writes to inputs and constants; `draws`, whether steps draw random numbers; and `bodies`: for the position of each step of control flow
-- a table name of the body -> such a table
function Graph:info() return native.info(self) end

--- Returns the most bytes of results that a run needs at one step: without inputs, constants, and what kernels need for themselves. Values
-- inside of fused loops take no memory.
-- @treturn number
-- @raise if the sizes of inputs or results are unknown
function Graph:peakMemory()
  if not native.peakMemory then error('graph.peakMemory: not in this build (MT_MINIMAL), expected the full library', 2) end
  return native.peakMemory(self)
end

--- Returns a graph that needs less memory: it computes steps again right before a late use, instead of keeping their results until then.
-- Its results have the same bits. Elementwise steps, views, softmax and normalisations are repeated first, products and others where these
-- do not suffice; never steps that draw random numbers, write, or have branches or loops. Steps after a write repeat none before it.
-- @tparam number bytes the most that `peakMemory` of the result may be
-- @treturn torch.Graph
-- @raise if it can't be reached: the error names the fewest bytes that were reached; and if the sizes of inputs or results are unknown
function Graph:recompute(bytes)
  if type(bytes) ~= 'number' or bytes ~= bytes or bytes < 0 then
    error(('graph.recompute: bytes: %s, expected a number of bytes'):format(messages.value(bytes)), 2)
  end
  if not native.recompute then error('graph.recompute: not in this build (MT_MINIMAL), expected the full library', 2) end
  local result = native.recompute(self, math.min(bytes, 2 ^ 53))
  shapes[result] = shapes[self]
  return result
end

--- Returns a constant, which shares the memory with the graph.
-- @string name
-- @treturn ?torch.Tensor
function Graph:constant(name) return native.constant(self, name) end

local metatable = native.metatable
for name, method in pairs(Graph) do metatable[name] = method end
metatable.__index = metatable
metatable.__tostring = native.text
local holder = {}
class.register('torch.Graph', metatable, nil, nil, holder)

return { Graph = holder.Graph, shapes = shapes, restored = restored, Constant = Constant, native = native }
