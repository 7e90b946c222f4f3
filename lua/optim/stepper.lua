--- The algorithms as objects for programs on the tape, where the field `grad` of each parameter has its gradient.
-- @usage local steps = optim.SGD(net:requiresGrad():parameters(), { learningRate = 0.1, momentum = 0.9 })
-- steps:zeroGrad()
-- criterion(net(input), target):backward()
-- steps:step()
-- @module optim.stepper
local torch, C = require 'torch', require 'libmoontorch'
local begin, replaced = require 'optim.begin', require 'torch.tensor.replaced'
local kindOf = require('torch.check.message').kind

-- The gradients of the current step; the single opfunc below passes them to the algorithm.
local current
local function gradients() return nil, current end

local function isList(value) return type(value) == 'table' and not torch.typename(value) and torch.isTensor(value[1]) end
-- Returns the list without duplicates: the parameters of a module that occurs twice in a network occur twice.
local function distinct(parameters)
  local met, list = {}, {}
  for _, parameter in ipairs(parameters) do
    if not met[parameter] then list[#list + 1] = parameter end
    met[parameter] = true
  end
  return #list < #parameters and list or parameters
end

local function isEmpty(value) return type(value) == 'table' and next(value) == nil end

-- Returns a state with its tensors in another type.
local function inType(value, typename)
  if torch.isTensor(value) then
    return value:isFloatingPoint() and C.kindOf(value) ~= typename and torch.to(value, typename) or value
  end
  if type(value) ~= 'table' then return value end
  for key, part in pairs(value) do value[key] = inType(part, typename) end
  return value
end

-- Continues with the tensors that replaced its parameters, for example in net:float().
local function follow(stepper)
  local list, like = {}, nil
  for i, parameter in ipairs(stepper.parameters) do
    list[i] = replaced.latest(parameter)
    if list[i] ~= parameter and C.kindOf(list[i]) ~= C.kindOf(parameter) then like = list[i] end
  end
  stepper.parameters, stepper.seen = list, replaced.count
  if not like then return end
  local isShort = like:isFloatingPoint() and like:elementSize() == 2
  if isShort and stepper.config.masterWeights then like = like.new():_as 'Float' end
  inType(stepper.state, C.kindOf(like))
end

local function define(name, algorithm)
  local Stepper = torch.class(name)

  --- @tparam {torch.Tensor,...} parameters tensors that require a gradient; duplicates are ignored
  -- @tparam[opt] table config the algorithm's; it may change between steps. A list of gradients, which `net:parameters()` returns after
  --   the parameters, is not a config and is ignored
  function Stepper:__init(parameters, config)
    if not isList(parameters) and not isEmpty(parameters) then
      local where = torch.typename(parameters) and not torch.isTensor(parameters) and ': net:parameters() gives one' or ''
      error(('%s: parameters: %s, expected a list of tensors%s'):format(name, kindOf(parameters), where), 3)
    end
    if isList(config) then config = nil end
    if config ~= nil then begin.check(name, config) end
    self.parameters, self.config, self.state, self.seen = distinct(parameters), config or {}, {}, replaced.count
  end

  --- Updates the parameters by their gradients. A missing gradient counts as zeros.
  -- @raise if no parameter has a gradient, and none can get one, because none requires it
  function Stepper:step()
    if replaced.count ~= self.seen then follow(self) end
    local parameters, found, alive = self.parameters, {}, #self.parameters == 0
    for i = 1, #parameters do
      local parameter = parameters[i]
      local gradient = parameter.grad
      alive = alive or gradient ~= nil or parameter:isTracked()
      found[i] = gradient or parameter.new():resizeAs(parameter):zero()
    end
    if not alive then error(name .. ': parameters: none requires a gradient; net:requiresGrad():parameters() do', 2) end
    current = found
    algorithm(gradients, parameters, self.config, self.state)
    current = nil
  end

  --- Removes the gradients of all parameters.
  function Stepper:zeroGrad()
    if replaced.count ~= self.seen then follow(self) end
    local parameters = self.parameters
    for i = 1, #parameters do parameters[i].grad = nil end
  end
end

--- Adds classes to optim.
-- @tparam table optim
-- @string names of the classes: those of the algorithms, except for capitals
return function(optim, names)
  for name in names:gmatch '%S+' do define('optim.' .. name, optim[name:lower()]) end
end
