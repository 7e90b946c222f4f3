--- ONNX nodes for control flow: bodies are graphs, which read the values around them by name.
-- @module onnx.write.rules.control
local emitter = require 'onnx.write.emitter'

local rules = {}

-- The sizes of a body's type, which must be fixed.
local function declared(step, type, other)
  local sizes = {}
  for d, size in ipairs(type.sizes) do
    sizes[d] = size == other.sizes[d] and size
    if not sizes[d] then step:refuse('a body whose sizes differ from run to run, expected fixed ones') end
  end
  return sizes
end

-- The values of a body's inputs: declared ones, which are new, and those around it, under their types in the body.
local function inputsOf(step, body, name, fresh, outside)
  local graph, other = step.bodies[name], step.otherBodies[name]
  local values, declarations = {}, {}
  for i, type in ipairs(graph.inputs) do
    local sizes = declared(step, type, other.inputs[i])
    if i <= fresh then
      declarations[i] = body.input(type.dtype, sizes)
      values[i] = emitter.value(declarations[i].name, type.dtype, sizes)
    else
      values[i] = outside[i - fresh]
    end
  end
  return values, declarations
end

-- The predicate as a condition without dimensions.
local function condition(o, x) return o.Reshape(o.cast(x, 'bool'), o.integers {}) end

local function translated(step, translate, body, name, values)
  return translate(body, step.bodies[name], step.otherBodies[name], values)
end

local function copies(body, values)
  local list = {}
  for i, value in ipairs(values) do list[i] = body.Identity(value) end
  return body.outputs(list)
end

function rules.cond(o, step, translate)
  local branches = {}
  for name, attribute in pairs { ['then'] = 'then_branch', ['else'] = 'else_branch' } do
    local body = emitter.new(o.opset, o)
    local values = inputsOf(step, body, name, 0, step.operands)
    branches[attribute] = { graph = body.graph({}, copies(body, translated(step, translate, body, name, values))) }
  end
  local made = { o.node('If', #step.results, condition(o, step.predicate), branches) }
  for i, result in ipairs(step.results) do made[i].dtype = result.dtype end
  return unpack(made)
end

rules['while'] = function(o, step, translate)
  local state, invariants = step.state, step.invariants or {}
  local outside = {}
  for _, value in ipairs(state) do outside[#outside + 1] = value end
  for _, value in ipairs(invariants) do outside[#outside + 1] = value end
  local first = condition(o, translated(step, translate, o, 'condition', outside)[1])
  local body = emitter.new(o.opset, o)
  local iteration, again = body.input('int64', {}), body.input('bool', {})
  local values, declarations = inputsOf(step, body, 'body', #state, invariants)
  local results = translated(step, translate, body, 'body', values)
  local next = { unpack(results) }
  for i, value in ipairs(invariants) do next[#results + i] = value end
  local goesOn = condition(body, translated(step, translate, body, 'condition', next)[1])
  local outputs = { body.Identity(goesOn) }
  for i, value in ipairs(results) do outputs[i + 1] = body.Identity(value) end
  local inputs = { iteration, again, unpack(declarations) }
  local limit = step.limit and o.number(step.limit, 'int64') or false
  local arguments = { limit, first, unpack(state) }
  arguments[#state + 3] = { body = { graph = body.graph(inputs, body.outputs(outputs)) } }
  local made = { o.node('Loop', #state, unpack(arguments, 1, #state + 3)) }
  for i, value in ipairs(state) do made[i].dtype = value.dtype end
  return unpack(made)
end

-- Slices of vectors have one element in our bodies, and no dimensions in those of ONNX.
function rules.scan(o, step, translate)
  local state, sequences, invariants = step.state or {}, step.sequences, step.invariants or {}
  local body = emitter.new(o.opset, o)
  local values, declarations = inputsOf(step, body, 'body', #state + #sequences, invariants)
  for i, sequence in ipairs(sequences) do
    if #sequence.sizes == 1 then
      declarations[#state + i].sizes = {}
      local slice = emitter.value(values[#state + i].name, sequence.dtype, {})
      values[#state + i] = emitter.value(body.Reshape(slice, body.integers { 1 }).name, sequence.dtype, { 1 })
    end
  end
  local results = translated(step, translate, body, 'body', values)
  local outputs = {}
  for i, value in ipairs(results) do outputs[i] = body.Identity(value) end
  local arguments, ins, outs = {}, {}, {}
  for i, value in ipairs(state) do arguments[i] = value end
  for i, value in ipairs(sequences) do arguments[#state + i], ins[i] = value, step.reverse and 1 or 0 end
  for i = 1, #results - #state do outs[i] = step.reverse and 1 or 0 end
  arguments[#arguments + 1] = {
    num_scan_inputs = #sequences, scan_input_directions = ins, scan_output_directions = outs,
    body = { graph = body.graph(declarations, body.outputs(outputs)) },
  }
  local made = { o.node('Scan', #results, unpack(arguments)) }
  for i, result in ipairs(step.results) do
    made[i].dtype = result.dtype
    if i > #state and #result.sizes ~= #results[i].sizes + 1 then made[i] = o.reshapeTo(made[i], result) end
  end
  return unpack(made)
end

return rules
