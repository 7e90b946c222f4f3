--- The common part of the elementwise algorithms: Torch7's protocol around the step of one tensor.
-- @module optim.algorithm
local lists, begin, masters = require 'optim.lists', require 'optim.begin', require 'optim.masters'
local noGrad = require('autograd.mode').noGrad

-- Creates the buffers that the state lacks.
local function prepare(definition, gradient, config, state)
  for _, name in ipairs(definition.buffers) do
    if not state[name] then
      state[name] = lists.like(gradient)
      local fill = definition.fill and definition.fill[name]
      if fill then
        for _, buffer in ipairs(lists.of(state[name])) do buffer:fill(fill(config)) end
      end
    end
  end
end

local function run(definition, x, gradient, config, state)
  local xs, gradients = lists.of(x), lists.of(gradient)
  prepare(definition, gradient, config, state)
  local names, step, decay = definition.buffers, definition.step, config.weightDecay or 0
  local rate = definition.rate and definition.rate(config, state)
  local buffers, own = {}, {}
  for k = 1, #names do buffers[k] = lists.of(state[names[k]]) end
  for i = 1, #xs do
    if decay ~= 0 then gradients[i]:add(decay, xs[i]) end
    for k = 1, #names do own[k] = buffers[k][i] end
    step(xs[i], gradients[i], rate, config, own[1], own[2], own[3], own[4])
  end
end

--- Creates an algorithm that updates each parameter tensor separately.
-- @tparam table definition with fields
--
-- * name: for messages; counter: the state's field that counts evaluations, from 0
-- * buffers: names of the state's fields that have x's shape, four at most; fill: for some of them a function of config that returns their
--   start value; zero otherwise
-- * rate(config, state): a number, computed once per step, with the counter before the step
-- * step(x, gradient, rate, config, buffers...): changes x; the gradient includes the weight decay
-- * greets: text to print if neither config nor state is given
-- @treturn function (opfunc, x, config, state) -> x, {loss}
return function(definition)
  local counter, greets = definition.counter, definition.greets
  return function(opfunc, x, config, state)
    if masters.wanted(x, config) then return masters.step(definition.name, opfunc, x, config, state) end
    if greets and config == nil and state == nil then print(greets) end
    config, state = begin.call(definition.name, config, state, counter)
    local loss, gradient = lists.evaluate(definition.name, opfunc, x)
    noGrad(run, definition, x, gradient, config, state)
    state[counter] = state[counter] + 1
    return x, { loss }
  end
end
