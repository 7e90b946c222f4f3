--- The elements that a rank has of an nn.FullyShardedDataParallel, by the names of the network inside: what trainer.model_state is for a
-- whole network.
-- @module trainer.sharded_state
local torch, check = require 'torch', require 'torch.check'
local modelState = require 'trainer.model_state'

local states = {}

local function networkOf(model) return model:get(1) end

-- Calls f(name, the rank's elements, number of elements before them, the whole tensor).
local function each(model, f)
  model:_eachEntry(function(name, flat, i)
    if not flat then return f(name, i, 0, i) end
    local elements, first = flat:part(i)
    f(name, elements, first, flat.parameters[i])
  end)
end

--- Returns this rank's state.
-- @tparam nn.FullyShardedDataParallel model
-- @treturn table which shares the model's memory
function states.get(model)
  local tensors = {}
  each(model, function(name, elements) tensors[name] = elements end)
  return { tensors = tensors, classes = modelState.classes(networkOf(model)) }
end

--- Returns this rank's part of the state of a whole network.
-- @tparam nn.FullyShardedDataParallel model
-- @tparam table state of trainer.model_state, whose tensors may still be in a checkpoint
-- @treturn table of `get`
-- @raise `model: ...` if it belongs to another network
function states.part(model, state)
  local classes = modelState.classes(networkOf(model))
  modelState.checkClasses(classes, state)
  local known, tensors = {}, {}
  each(model, function(name, elements, first, whole)
    local value = state.tensors[name]
    known[name] = true
    if type(value) ~= 'table' and not torch.isTensor(value) then check.raise(('model: no %s, expected that of the model'):format(name)) end
    if value:nElement() ~= whole:nElement() then
      check.raise(('model: %s: %d elements, expected %d'):format(name, value:nElement(), whole:nElement()))
    end
    if not elements then return end
    local count = elements:nElement()
    tensors[name] = torch.isTensor(value) and value:contiguous():view(-1):narrow(1, first + 1, count) or value:read(first, count)
  end)
  for name in pairs(state.tensors) do check.that(known[name], ('model: %s, expected one of the model'):format(tostring(name))) end
  return { tensors = tensors, classes = classes }
end

--- Checks that a state belongs to this rank of a model.
-- @tparam nn.FullyShardedDataParallel model
-- @param _
-- @tparam table state of `get` or `part`
-- @raise `model: ...`
function states.check(model, _, state)
  modelState.checkClasses(modelState.classes(networkOf(model)), state)
  each(model, function(name, elements)
    local value = state.tensors[name]
    check.that(elements == nil or torch.isTensor(value) and value:nElement() == elements:nElement(),
      ('model: no %s of this rank, expected its elements'):format(name))
  end)
end

--- Copies a state into a model.
-- @tparam nn.FullyShardedDataParallel model
-- @param _
-- @tparam table state of `get` or `part`
function states.set(model, _, state)
  torch.noGrad(each, model, function(name, elements)
    if elements and elements:nElement() > 0 then elements:copy(state.tensors[name]:viewAs(elements)) end
  end)
end

return states
