--- Prepared runs: `graph:prepare(...)` and `net:prepare(...)` make all plans and lay out all memory once. See docs/graph.md.
-- @classmod torch.Prepared
local C, torch = require 'libmoontorch', require 'torch'
local check, object, messages = require 'torch.check', require 'torch.graph_object', require 'torch.check.message'
local native = object.native

local Prepared = torch.class 'torch.Prepared'

-- Appends the tensors of an input to a list from position `at` on, in the order of `shape`; returns the next position.
local function collect(shape, input, list, at, path)
  if shape == true then
    if not C.isTensor(input) then
      check.raise(('prepare: %s: %s, expected a tensor'):format(path, messages.value(input)))
    end
    list[at] = input
    return at + 1
  end
  if type(input) ~= 'table' then
    check.raise(('prepare: %s: %s, expected a table of %d inputs'):format(path, messages.value(input), #shape))
  end
  for i = 1, #shape do at = collect(shape[i], input[i], list, at, path) end
  return at
end

-- Creates an object for a graph and the samples of its inputs.
-- `shape`: true for a tensor, else a list of shapes: how the input of a module is put together; false for the inputs of a graph
function Prepared:__init(graph, samples, shape)
  self.native = native.prepare(graph, unpack(samples, 1, #samples))
  local info = native.preparedInfo(self.native)
  self.inputs, self.outputs, self.list, self.shape = {}, {}, {}, shape
  for i = 1, info.inputs do self.inputs[i] = native.place(self.native, i) end
  for i = 1, info.outputs do self.outputs[i] = native.place(self.native, -i) end
  local returned = object.shapes[graph]                                -- none for a parsed graph
  self.results = returned and object.restored(returned, self.outputs) or self.outputs
end

--- Runs with other elements. Nothing is allocated; no tape records the run.
-- @param ... the inputs: tensors of the dtypes and sizes for which the run was prepared; for a module its input, a tensor or a table. None:
-- the elements that the tensors in `inputs` have.
-- @return what the graph or the module returns. The tensors are the same in each run, and the next one overwrites them.
-- @raise for inputs of other dtypes or sizes
function Prepared:run(...)
  local shape = self.shape
  if select('#', ...) == 0 then
    check.call(native.runPrepared, self.native, unpack(self.inputs))
  elseif not shape or shape == true then
    check.call(native.runPrepared, self.native, ...)
  else
    local list = self.list
    collect(shape, ..., list, 1, 'input')
    check.call(native.runPrepared, self.native, unpack(list))
  end
  return unpack(self.results)
end

Prepared.__call = Prepared.run

--- Returns the memory and the steps of a prepared run.
-- @treturn table `bytes` of the block in which all values lie that a run computes, `neededBytes`, the most that are needed at one step, and
-- `launches`, the number of kernels that a run starts
function Prepared:info()
  local info = native.preparedInfo(self.native)
  return { bytes = info.bytes, neededBytes = info.neededBytes, launches = info.launches }
end

--- Returns the graph that runs, after the passes for prepared runs.
-- @treturn torch.Graph
function Prepared:graph() return native.preparedGraph(self.native) end

--- Measures the kernels of one run with the elements that the inputs have.
-- @treturn {table,...} for each kernel, in order, its `op`, '' for a copy or fill, and its `seconds`
function Prepared:profile()
  local ops, seconds = native.profile(self.native)
  local list = {}
  for i, op in ipairs(ops) do list[i] = { op = op, seconds = seconds[i] } end
  return list
end

function Prepared:__tostring()
  return ('torch.Prepared (%d inputs, %d outputs, %d bytes)'):format(#self.inputs, #self.outputs, self:info().bytes)
end

function Prepared:write() error('torch.Prepared: a prepared run can not be saved, expected its graph or module', 2) end

return Prepared
