--- Translates the steps of a graph: each by the rule of its op (onnx.write.rules), a function of an emitter and the step.
--
-- A step has its arguments by name: values, numbers, texts, booleans, lists of sizes (numbers, and values where a size may differ) or
-- of values; and `results`, a list of { dtype =, sizes = (false where a size may differ), sample = sizes of one run }, and `dtype`, that
-- of the first. Dimensions and positions count from 0; negative ones count from the end.
-- @module onnx.write.steps
local torch, lists = require 'torch', require 'torch.lists'
local emitter, rules = require 'onnx.write.emitter', require 'onnx.write.rules'

local steps = {}

local Step = {}
Step.__index = Step

--- Raises an error for the step.
function Step:refuse(reason, ...)
  local where = self.origin ~= '' and (' (%s)'):format(self.origin) or ''
  error(('onnx.save: %s%s: %s'):format(self.op, where, reason:format(...)), 0)
end

--- Whether a later step or an output uses a result.
function Step:wants(i) return self.used[i] end

--- A dimension (from 0) of a value: negative ones count from the end.
function Step:axisOf(x, dim) return dim < 0 and dim + #x.sizes or dim end

--- The sizes of a value, all of which must be fixed.
function Step:fixed(x)
  for _, size in ipairs(x.sizes) do
    if not size then self:refuse('sizes that differ from run to run, expected fixed ones') end
  end
  return x.sizes
end

--- A size of a value (from 1), which must be fixed.
function Step:fixedSize(x, d) return self:fixed({ sizes = { x.sizes[d] } })[1] end

--- Refuses older operator sets.
function Step:needs(o, opset)
  if o.opset < opset then self:refuse('operator set %d, expected %d or later', o.opset, opset) end
end

--- An operand of an op that works element by element, in a dtype: tensors with as many elements as the result, and other sizes, are paired
-- in row-major order.
function Step:paired(o, x, dtype)
  if not emitter.isValue(x) then return x end
  local made, result = o.cast(x, dtype or self.dtype), self.results[1]
  if not x.sample then return made end      -- a number that is computed from sizes
  if lists.areEqual(x.sample, result.sample) or emitter.count(x.sample) ~= emitter.count(result.sample) then return made end
  return o.reshapeTo(made, result)
end

--- The dtype to which operands are promoted.
function Step:promoted(...)
  local made
  for i = 1, select('#', ...) do
    local x = select(i, ...)
    if emitter.isValue(x) then
      local sample = torch.zeros(1):to(x.dtype)
      made = made and torch.add(made, sample) or sample
    end
  end
  return emitter.dtypeOf(made)
end

-- ---- types

-- The type of a value from those of two runs with different sizes.
local function merged(a, b)
  if not a or not b or #a.sizes ~= #b.sizes then return nil end
  local sizes = {}
  for d, size in ipairs(a.sizes) do sizes[d] = size == b.sizes[d] and size end
  return { dtype = a.dtype, sizes = sizes, sample = a.sizes, other = b.sizes }
end

-- ---- arguments

local operators = {
  ['+'] = { 'Add', function(a, b) return a + b end }, ['-'] = { 'Sub', function(a, b) return a - b end },
  ['*'] = { 'Mul', function(a, b) return a * b end }, ['//'] = { 'Div', function(a, b) return math.floor(a / b) end },
}

-- A number, or a value for an expression of sizes, which has its `number` in the run of the samples.
local function expression(o, values, tokens)
  if type(tokens) == 'number' then return tokens end
  local stack = {}
  local function numberOf(size) return type(size) == 'number' and size or size.number end
  for _, token in ipairs(tokens) do
    if type(token) == 'number' then
      stack[#stack + 1] = token
    elseif type(token) == 'table' then
      local x = values[token.value]
      local d = (token.dim < 0 and token.dim + #x.sizes or token.dim) + 1
      stack[#stack + 1] = o.size(x, d)
      if not x.sizes[d] then stack[#stack].number = x.sample[d] end
    else
      local b, a = table.remove(stack), table.remove(stack)
      local node, compute = unpack(operators[token])
      local number = compute(numberOf(a), numberOf(b))
      if type(a) == 'number' and type(b) == 'number' then
        stack[#stack + 1] = number
      else
        stack[#stack + 1] = o[node](type(a) == 'number' and o.integers { a } or a, type(b) == 'number' and o.integers { b } or b)
        stack[#stack].number = number
      end
    end
  end
  return stack[1]
end

local function argument(step, o, values, given)
  if type(given) ~= 'table' then return given end
  if given.value then
    if given.negative then step:refuse('the negative of an input that is a number, expected tensors as inputs') end
    return values[given.value]
  end
  if given.sizesOf then return o.sizesOf(values[given.sizesOf]) end
  local list = {}
  for i, each in ipairs(given.values or given.sizes or {}) do
    list[i] = given.values and values[each] or expression(o, values, each)
  end
  if given.values or given.sizes then return list end
  local made = expression(o, values, given)
  if not given.isPosition or type(made) == 'number' or made.number >= 0 then return made end
  local position = o.plus(made, 1)      -- of negative positions the last one is -2 for ops, and -1 for rules
  position.number = made.number + 1
  return position
end

-- ---- graphs

-- Sets used[number of a value] for all values that are read.
local function findUses(graph)
  local used = {}
  local function read(given)
    if type(given) ~= 'table' then return end
    if given.value then used[given.value] = true end
    if given.sizesOf then used[given.sizesOf] = true end
    for _, each in ipairs(given.values or {}) do used[each] = true end
    for _, each in ipairs(given.sizes or given) do read(each) end
  end
  for _, step in ipairs(graph.steps) do
    for _, given in pairs(step.arguments) do read(given) end
  end
  for _, output in ipairs(graph.outputs) do used[output] = true end
  return used
end

-- The step as rules see it.
local function prepared(o, raw, other, values)
  local step = setmetatable({ op = raw.op, origin = raw.origin, results = {}, used = {} }, Step)
  if raw.writes > 0 then step:refuse('an op that overwrites its arguments, expected one that returns new tensors') end
  for i, type in ipairs(raw.results) do step.results[i] = merged(type, other.results[i]) or {} end
  for name, given in pairs(raw.arguments) do step[name] = argument(step, o, values, given) end
  step.dtype = step.results[1] and step.results[1].dtype
  step.bodies, step.otherBodies = raw.bodies, other.bodies
  return step
end

--- Translates a graph.
-- @tparam table o the emitter
-- @tparam table graph from the binding's `steps`
-- @tparam table other the same graph with other sizes
-- @tparam table inputs their values
-- @treturn table the values of the outputs
function steps.translate(o, graph, other, inputs)
  local values, used = { unpack(inputs, 1, #inputs) }, findUses(graph)
  for i, constant in ipairs(graph.constants) do
    if used[#inputs + i] then values[#inputs + i] = o.constant(constant, false, 'weight') end
  end
  local first = #inputs + #graph.constants
  for i, raw in ipairs(graph.steps) do
    o.from(raw.origin)
    local step = prepared(o, raw, other.steps[i], values)
    o.refuse = function(...) step:refuse(...) end
    local rule = rules.of(raw.op)
    if type(rule) ~= 'function' then step:refuse('%s', rule or rules.unknown) end
    for r, type in ipairs(step.results) do
      step.used[r] = used[first + r]
      if step.used[r] and not type.dtype then
        step:refuse('sizes that depend on elements, expected sizes that depend on those of the inputs')
      end
    end
    local made = { rule(o, step, steps.translate) }
    for r, type in ipairs(step.results) do
      local value = made[r]
      if value and type.dtype then
        value = o.cast(value, type.dtype)
        values[first + r] = emitter.value(value.name, type.dtype, type.sizes, type.sample)
        values[first + r].condition, values[first + r].other = value.condition, type.other
      elseif used[first + r] then
        step:refuse('its result %d, expected a graph that uses others alone', r)
      end
    end
    first = first + #raw.results
  end
  local outputs = {}
  for i, number in ipairs(graph.outputs) do outputs[i] = values[number] end
  return outputs
end

return steps
