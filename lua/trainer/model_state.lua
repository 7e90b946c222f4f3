--- The tensors of a model by name, and the classes of its modules, which tell models apart.
-- @module trainer.model_state
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local nnState = require 'nn.support.state'
local sizesOf = require('torch.check.message').sizes

local modelState = {}

-- Returns the tensors of a module by name, and then the parameters that only the optimiser has.
local function tensorsOf(model, parameters)
  local tensors, known = {}, {}
  if torch.isTypeOf(model, 'nn.Module') then
    for _, entry in ipairs((nnState.entries(model))) do
      tensors[entry.name], known[entry.source] = entry.tensor, true
    end
  end
  for i, parameter in ipairs(parameters) do
    if not known[parameter] then tensors['parameter ' .. i] = parameter:detach() end
  end
  return tensors
end

--- Returns the names and classes of a model's modules.
-- @param model
-- @treturn {string,...}
function modelState.classes(model)
  if not torch.isTypeOf(model, 'nn.Module') then return {} end
  local classes = {}
  for i, pair in ipairs(nnState.modules(model)) do classes[i] = ('%s: %s'):format(pair[1], torch.type(pair[2])) end
  return classes
end

--- Returns the state of a model.
-- @param model a module or a function
-- @tparam {torch.Tensor,...} parameters of the optimiser
-- @treturn table which shares the model's memory
function modelState.get(model, parameters) return { tensors = tensorsOf(model, parameters), classes = modelState.classes(model) } end

local function describe(x) return ('%s of size %s'):format(C.dtypeOf(x), sizesOf(x)) end

--- Checks the classes of a state.
-- @tparam {string,...} classes of the model
-- @tparam table state
-- @raise `model: ...`
function modelState.checkClasses(classes, state)
  for i = 1, math.max(#classes, #state.classes) do
    if classes[i] ~= state.classes[i] then
      check.raise(('model: module %s, expected that of the model, %s'):format(tostring(state.classes[i]), tostring(classes[i])))
    end
  end
end

--- Checks that a state belongs to a model.
-- @param model
-- @tparam {torch.Tensor,...} parameters of the optimiser
-- @tparam table state
-- @raise `model: ...`
function modelState.check(model, parameters, state)
  modelState.checkClasses(modelState.classes(model), state)
  local own = tensorsOf(model, parameters)
  for name, x in pairs(own) do
    local saved = state.tensors[name]
    if not torch.isTensor(saved) then check.raise(('model: no %s, expected that of the model'):format(name)) end
    if C.dtypeOf(saved) ~= C.dtypeOf(x) or not saved:isSameSizeAs(x) then
      check.raise(('model: %s: %s, expected %s'):format(name, describe(saved), describe(x)))
    end
  end
  for name in pairs(state.tensors) do
    check.that(own[name], ('model: %s, expected one of the model'):format(tostring(name)))
  end
end

--- Copies a state into a model, which keeps its memory.
-- @param model
-- @tparam {torch.Tensor,...} parameters of the optimiser
-- @tparam table state
function modelState.set(model, parameters, state)
  torch.noGrad(function()
    for name, x in pairs(tensorsOf(model, parameters)) do x:copy(state.tensors[name]) end
  end)
end

return modelState
