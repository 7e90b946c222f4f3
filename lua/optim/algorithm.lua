--- The common part of the elementwise algorithms: Torch7's protocol around the step of one tensor, and the rule of the class for the tape.
-- @module optim.algorithm
local torch = require 'torch'
local lists, begin, masters, rules = require 'optim.lists', require 'optim.begin', require 'optim.masters', require 'optim.rules'
local noGrad = require('autograd.mode').noGrad

-- Returns a start value of a field of the state for x: a tensor, or false if x has none.
local function initial(definition, name, x, options)
  local create = definition.create and definition.create[name]
  if create then return create(x, options) end
  local buffer = x.new():resizeAs(x):zero()
  local fill = definition.fill and definition.fill[name]
  if fill then buffer:fill(fill(options)) end
  return buffer
end

-- Creates the fields that the state lacks. Those of lists are lists.
local function prepare(definition, x, options, state)
  for name, value in pairs(definition.scalars or {}) do state[name] = state[name] or value end
  for _, name in ipairs(definition.buffers) do
    if not state[name] then
      if type(x) == 'table' then
        local list = {}
        for i = 1, #x do list[i] = initial(definition, name, x[i], options) end
        state[name] = list
      else
        state[name] = initial(definition, name, x, options)
      end
    end
  end
end

local function isDecoupled(definition, options) return definition.decay == 'decoupled' or options.decoupledWeightDecay end

-- Changes the gradient or x by the weight decay; returns the gradient, a new one unless `inPlace`.
local function decayed(definition, x, gradient, options, inPlace)
  local decay = options.weightDecay or 0
  if decay == 0 or definition.decay == 'own' then return gradient end
  if isDecoupled(definition, options) then
    x:mul(1 - options.learningRate * decay)
    return gradient
  end
  return (inPlace and gradient or gradient:clone()):add(decay, x)
end

local function run(definition, x, gradient, options, state)
  local xs, gradients = lists.of(x), lists.of(gradient)
  prepare(definition, x, options, state)
  local names, step = definition.buffers, definition.step
  local rate = definition.rate and definition.rate(options, state)
  local buffers, own = {}, {}
  for k = 1, #names do buffers[k] = lists.of(state[names[k]]) end
  for i = 1, #xs do
    local g = decayed(definition, xs[i], gradients[i], options, true)
    for k = 1, #names do own[k] = buffers[k][i] end
    step(xs[i], g, rate, options, own[1], own[2], own[3], own[4], own[5])
  end
end

-- Returns the step of one parameter of a class. Buffers that hold nothing between steps are temporary.
local function each(definition)
  local names, scratch, step = definition.buffers, {}, definition.step
  for _, name in ipairs(definition.scratch or {}) do scratch[name] = true end
  return function(x, gradient, options, state)
    for name, value in pairs(definition.scalars or {}) do state[name] = state[name] or value end
    local own = {}
    for k = 1, #names do
      local name = names[k]
      local buffer = state[name]
      if buffer == nil then
        buffer = scratch[name] and x.new():resizeAs(x) or initial(definition, name, x, options)
        if not scratch[name] then state[name] = buffer end
      end
      own[k] = buffer
    end
    local rate = definition.rate and definition.rate(options, state)
    step(x, decayed(definition, x, gradient, options), rate, options, own[1], own[2], own[3], own[4], own[5])
  end
end

-- The names of the state's tensors that hold something between steps.
local function fieldsOf(definition)
  local scratch, fields = {}, {}
  for _, name in ipairs(definition.scratch or {}) do scratch[name] = true end
  for _, name in ipairs(definition.buffers) do
    if not scratch[name] then fields[#fields + 1] = name end
  end
  return fields
end

-- Returns the step of a list of parameters by the op that the definition calls.
local function launch(definition)
  return function(xs, gradients, states, options, state)
    local rate, decay = definition.rate and definition.rate(options, state), options.weightDecay or 0
    local decoupled = isDecoupled(definition, options)
    definition.list(xs, gradients, states, rate, options, decoupled and 0 or decay, decoupled and 1 - options.learningRate * decay or 1)
  end
end

-- Adds the rule of the class, whose defaults may differ.
local function declareClass(definition)
  local defaults = {}
  for name, value in pairs(definition.defaults) do defaults[name] = value end
  for name, value in pairs(definition.classDefaults or {}) do defaults[name] = value end
  local rule = {
    module = definition.name, counter = definition.counter, defaults = defaults, values = definition.values,
    otherSizes = definition.otherSizes, verify = definition.verify, verifyParameter = definition.verifyParameter,
  }
  local scalars, fields = definition.scalars or {}, fieldsOf(definition)
  if definition.list then
    rule.launch, rule.fields, rule.scalars = launch(definition), definition.fields or function() return fields end, scalars
    rule.takesRows = definition.takesRows
    rule.start = function(name, options)
      local fill = definition.fill and definition.fill[name]
      return fill and fill(options) or 0
    end
  else
    rule.each, rule.fields, rule.scalars = each(definition), fields, scalars
    rule.isElementwise = definition.decay ~= 'own' and not definition.verifyParameter and not definition.otherSizes
    rule.initial = function(name, x, options) return initial(definition, name, x, options) end
  end
  rules.declare(definition.class, rule)
end

--- Creates an algorithm that updates each parameter tensor separately.
-- @tparam table definition with fields
--
-- * name: for messages; counter: the state's field that counts evaluations, from 0
-- * defaults: its options, with the values that stand where a program sets none, `false` for no value
-- * buffers: names of the state's fields that have x's shape, five at most; scratch: those of them whose content is not needed after a
--   step; fill: for some of them a function of the options that returns their start value, zero otherwise; create: for some of them a
--   function of x and the options that returns the first tensor, or false for none; otherSizes: the set of those whose sizes are not x's
-- * scalars: fields of the state that are numbers, with their start values
-- * rate(options, state): a number or table, computed once per step, with the counter before the step
-- * step(x, gradient, rate, options, buffers...): changes x; the gradient includes the weight decay
-- * list(xs, gradients, states, rate, options, decay, scale): for the class, a step of all parameters by an op on lists, instead of
--   `step`. The gradients are without weight decay: x is multiplied by `scale`, or `decay` times x is added to the gradient. states are
--   lists of the tensors in the buffers, except for scratch, or in those that `fields(options)` names
-- * takesRows: see optim.rows
-- * decay: 'decoupled' if x is multiplied by 1 - learningRate weightDecay before the step instead; 'own' if `step` decays the weights
-- * class: the name of the class for programs on the tape, without `optim.`; classDefaults: its defaults that differ from the function's;
--   values: for options that are neither numbers nor booleans, functions (where, value) that raise an error for a wrong one; verify and
--   verifyParameter: see optim.rules
-- * greets: text to print if neither config nor state is given
-- @treturn function (opfunc, x, config, state) -> x, {loss}
return function(definition)
  local counter, greets = definition.counter, definition.greets
  local rule = definition.defaults and { known = definition.defaults }
  if definition.class then declareClass(definition) end
  return function(opfunc, x, config, state)
    if masters.wanted(x, config) then return masters.step(definition.name, opfunc, x, config, state) end
    if greets and config == nil and state == nil then print(greets) end
    config, state = begin.call(definition.name, config, state, counter)
    local options = rule and rules.options(rule, config, config) or config
    if definition.verify then definition.verify(definition.name, options) end
    for _, tensor in ipairs(definition.verifyParameter and lists.of(x) or {}) do
      if torch.isTensor(tensor) then definition.verifyParameter(definition.name, tensor) end
    end
    local loss, gradient = lists.evaluate(definition.name, opfunc, x)
    noGrad(run, definition, x, gradient, options, state)
    state[counter] = state[counter] + 1
    return x, { loss }
  end
end
