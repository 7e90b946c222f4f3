--- Graphs: programs of ops as values. A graph has inputs, constants and steps; it runs without Lua, can be printed, parsed and transformed.
-- @module torch.graph
local C, torch = require 'libmoontorch', require 'torch'
local extensions = require 'torch.extensions'
local messages, object = require 'torch.check.message', require 'torch.graph_object'
local captures, control = require 'torch.graph_capture', require 'torch.graph_control'

local native, shapes = object.native, object.shapes

local graph = {}

--- Runs a function once and returns the ops that it ran as a graph.
--
-- The rule that tells inputs from constants: the tensors in `inputs` are inputs; every other tensor that the function reads and that
-- existed before is a constant, which the graph shares with the program: a run reads the elements that it has then. If the function writes
-- to an input or to a constant (parameters, running statistics), each run writes to it, too. Numbers and all other values of Lua are as
-- they were during the capture, and so are the branches that the function took. Ops that return a number, such as `x:sum()`, return a
-- tensor with one element. Random numbers are drawn anew in each run.
--
-- With the option `guards` the function gets numbers as it does without a capture, and each of them, and each size that depends on
-- elements, is a guard. The result is a `torch.GuardedGraph`, which captures again for a run in which a guard has another value, and for
-- inputs of other dtypes and sizes.
--
-- With the option `dynamic` the graph runs for any size of some dimensions, such as the number of examples. The function is then captured
-- with several sizes; tensors that it writes to, and the generator, are as after the first of these runs.
-- @tparam function f its arguments are the inputs, or the table of inputs by name; it returns tensors or tables of tensors
-- @tparam table inputs a list of tensors, or tensors by name; with guards also numbers, booleans and strings
-- @tparam[opt] table options `guards`: true; `limit`: the most graphs that a guarded graph keeps (default 16); `dynamic`: a table with the
-- name or position of an input -> its dimension of any size, or a table of dimensions with names of sizes, { [1] = 'batch', [2] = 'time' }
-- @treturn torch.Graph|torch.GuardedGraph
-- @return the results of this first run
-- @raise if the function writes to elements by pointers, and without guards if it reads elements as numbers, or runs ops whose sizes depend
-- on elements
function graph.capture(f, inputs, options)
  if options ~= nil then
    if type(options) ~= 'table' then error(('capture: options: %s, expected a table'):format(messages.value(options)), 2) end
    for key in pairs(options) do
      if key ~= 'guards' and key ~= 'limit' and key ~= 'dynamic' then
        error(('capture: options: the key %s, expected guards, limit or dynamic'):format(messages.value(key)), 2)
      end
    end
  end
  if options and options.guards then
    if options.dynamic then error('capture: dynamic: with guards, expected one of these options', 2) end
    if type(inputs) ~= 'table' or C.isTensor(inputs) then
      error(('capture: inputs: %s, expected a table of inputs'):format(messages.value(inputs)), 2)
    end
    local guarded = torch.GuardedGraph(f, options.limit)
    return guarded, guarded:run(inputs)
  end
  if type(inputs) ~= 'table' or C.isTensor(inputs) then
    error(('capture: inputs: %s, expected a table of tensors'):format(messages.value(inputs)), 2)
  end
  local names, tensors, byName = captures.named(inputs)
  for i, tensor in ipairs(tensors) do
    if not C.isTensor(tensor) then error(('capture: %s: %s, expected a tensor'):format(names[i], messages.value(tensor)), 2) end
  end
  local function call(list)
    if not byName then return f(unpack(list, 1, #list)) end
    local named = {}
    for i, name in ipairs(names) do named[name] = list[i] end
    return f(named)
  end
  if options and options.dynamic ~= nil then
    local captured, returned = require 'torch.dynamic_capture'(call, names, tensors, options.dynamic)
    return captured, unpack(returned, 1, #returned)
  end
  local captured, returned, shape = captures.list(function()
    if byName then return f(inputs) end
    return call(tensors)
  end, names, tensors)
  shapes[captured] = shape
  return captured, unpack(returned, 1, #returned)
end

--- Runs one of two functions.
--
-- Inside `torch.graph.capture` this is one step, and each run of the graph takes the branch that its elements demand. Both functions then
-- run once during the capture. They may use and change other tensors of the program; see docs/graph.md. A predicate that is no tensor is as
-- it was during the capture. The gradient is a step of this kind, too.
-- @tparam torch.Tensor|boolean|number predicate one element, true if it is not 0
-- @tparam function ifTrue (operands...) -> one tensor or more
-- @tparam function ifFalse likewise; its results have the same dtypes and sizes
-- @tparam[opt] {torch.Tensor,...} operands to which the functions must not write
-- @return the results of the function, in memory of their own
-- @raise if a predicate has several elements, or the functions differ in their results
-- @usage y = torch.graph.cond(torch.gt(torch.norm(x), 1), function(a) return torch.div(a, torch.norm(a)) end, torch.clone, { x })
function graph.cond(predicate, ifTrue, ifFalse, operands) return control.cond(predicate, ifTrue, ifFalse, operands) end

--- Repeats a function while a condition holds.
--
-- Inside `torch.graph.capture` this is one step, and each run of the graph makes as many iterations as its elements demand. Both functions
-- then run once during the capture. They may use other tensors of the program, and `body` may change them; see docs/graph.md. Inside a
-- capture, the state must not be tracked: the loop has no derivative.
-- @tparam function condition (state...) -> one element, true if it is not 0
-- @tparam function body (state...) -> the next state, with the same dtypes and sizes
-- @tparam {torch.Tensor,...} state one or more, to which the functions must not write
-- @int[opt] limit the most iterations
-- @return the last state, in memory of its own
-- @raise if the state changes its dtypes or sizes
-- @usage y = torch.graph.whileLoop(function(a) return torch.lt(a, 100) end, function(a) return torch.mul(a, 2) end, { torch.ones(1) })
function graph.whileLoop(condition, body, state, limit) return control.whileLoop(condition, body, state, limit) end

--- Runs a function for each slice of sequences, with a state that it passes on.
--
-- Inside `torch.graph.capture` this is one step, whose body is captured once, however long the sequences are. It may use and change other
-- tensors of the program; see docs/graph.md. The gradient is a step of this kind, too; but a loop whose body draws random numbers or writes
-- to tensors of the program is unrolled where a gradient is needed.
-- @tparam function body (state..., slices...) -> the next state with the same dtypes and sizes, and any number of outputs
-- @tparam {torch.Tensor,...} state of the start, perhaps none, to which the function must not write
-- @tparam {torch.Tensor,...} sequences one or more, with the same size of dimension 1, along which slices are taken; the slice of a vector
-- has one element
-- @bool[opt=false] reverse whether the last slice is the first one
-- @return the last state; and for each output a tensor of all outputs, stacked along a new dimension 1 in the order of the slices
-- @raise if the lengths of sequences differ, or the state or an output changes its dtype or sizes
-- @usage last, sums = torch.graph.scan(function(s, x) s = torch.add(s, x) return s, s end, { torch.zeros(3) }, { torch.ones(5, 3) })
function graph.scan(body, state, sequences, reverse) return control.scan(body, state, sequences, reverse) end

-- Returns a transform of a graph by the tape.
local function transformed(name, g, wrt, size)
  if torch.typename(g) ~= 'torch.Graph' then error(('graph.%s: g: %s, expected a graph'):format(name, messages.value(g)), 3) end
  if type(wrt) == 'string' then wrt = { wrt } end
  if type(wrt) ~= 'table' or #wrt == 0 then
    error(('graph.%s: wrt: %s, expected names of inputs'):format(name, messages.value(wrt)), 3)
  end
  local transforms = extensions.get 'graphTransforms'
  if not transforms then error(('graph.%s: g: the package autograd is not installed, expected it'):format(name), 3) end
  local f, names, samples = transforms[name](g, wrt, size)
  return (captures.list(function() return f(unpack(samples, 1, #names)) end, names, samples))
end

--- Returns the gradient of a graph as a graph.
-- It has the inputs of the graph, and for each output with several elements one more, `g1` for the first: the gradient of this output. An
-- output with one element, such as a loss, counts with the gradient 1. The gradients of several outputs add up. All inputs of the graph
-- must have types with fixed sizes, as in a captured graph; updates are left out. The gradient of a gradient works likewise.
-- @tparam torch.Graph g
-- @tparam string|{string,...} wrt names of inputs or constants
-- @treturn torch.Graph which returns the gradients in the order of `wrt`; that of an input without influence is 0
-- @raise if an op has no derivative
function graph.gradient(g, wrt) return transformed('gradient', g, wrt) end

--- Returns the forward derivative of a graph as a graph.
-- It has the inputs of the graph, and for each name in `wrt` one more, `t_` and the name: the direction, in the sizes of the input. It
-- returns the outputs and, behind them, their derivatives along the directions (products of the Jacobian and the directions).
-- All inputs of the graph must have types with fixed sizes; updates are left out. The gradient of the result is a product with the
-- Hessian, and so is the forward derivative of a gradient.
-- @tparam torch.Graph g
-- @tparam string|{string,...} wrt names of inputs or constants
-- @treturn torch.Graph
-- @raise if an op has no derivative
function graph.jvp(g, wrt) return transformed('jvp', g, wrt) end

--- Returns the graph of a batch: it computes the outputs for all examples at once.
-- The inputs in `names` and all outputs get a first dimension that counts the examples; the other inputs are the same for all. Ops compute
-- by their batching rules; an op without a rule runs for one example after another, and so does one that draws random numbers.
-- @tparam torch.Graph g whose inputs have types with fixed sizes; updates are left out
-- @int size the number of examples
-- @tparam[opt] string|{string,...} names of inputs; default: all inputs
-- @treturn torch.Graph
function graph.vmap(g, size, names)
  if torch.typename(g) ~= 'torch.Graph' then error(('graph.vmap: g: %s, expected a graph'):format(messages.value(g)), 2) end
  if type(size) ~= 'number' or size < 1 or size % 1 ~= 0 then
    error(('graph.vmap: size: %s, expected the number of examples'):format(messages.value(size)), 2)
  end
  return transformed('vmap', g, names == nil and g:info().inputs or names, size)
end

--- Loads a file of `torch.Graph:save`. The constants are mapped, not copied: the file must not change while the graph or a constant exists
-- (replacing it by another file is safe). A write to a constant changes the memory of this graph alone. Loading runs nothing of the file.
-- @string file
-- @treturn torch.Graph
-- @raise if the file can't be read, is damaged, has a newer version of the format, or an op that this build lacks
function graph.load(file)
  if type(file) ~= 'string' then error(('torch.graph.load: file: %s, expected a string'):format(messages.value(file)), 2) end
  return native.load(file)
end

--- Parses the text of a graph, as `tostring` returns it.
-- @string text
-- @tparam[opt] table constants name -> tensor, for each constant of the text
-- @treturn torch.Graph
function graph.parse(text, constants)
  if type(text) ~= 'string' then error(('graph.parse: text: %s, expected a string'):format(messages.value(text)), 2) end
  return native.parse(text, constants)
end

return graph
