--- nn modules and criteria as functions of their parameters: `autograd.functionalize`.
-- @module autograd.classic.nnwrapper
local torch, C = require 'torch', require 'libmoontorch'
local nn = require 'nn'
local mode, tape, node = require 'autograd.mode', require 'autograd.tape', require 'autograd.node'
local saving = require('autograd.rules').saving
local nested = require 'nn.nested'
local sizesOf = require('torch.check.message').sizes

local nnwrapper = {}

local usual = { 'weight', 'bias' }

-- Finds the fields that hold the module's parameters: {module, name, position in the list}.
local function fieldsOf(module, parameters)
  local position, fields = {}, {}
  for i = #parameters, 1, -1 do position[parameters[i]] = i end
  for _, part in ipairs(module:listModules()) do
    for _, name in ipairs(part.parameterNames or usual) do
      local value = rawget(part, name)
      if value ~= nil and position[value] then fields[#fields + 1] = { part, name, position[value] } end
    end
  end
  return fields
end

-- Makes the module's parameters share the memory of the passed values.
local function showValues(own, given)
  for i = 1, #own do
    if not C.sharesStorage(own[i], given[i]) or own[i]:storageOffset() ~= given[i]:storageOffset() then own[i]:set(C.detach(given[i])) end
  end
end

local function checkParameters(module, own, given)
  if type(given) ~= 'table' or #given ~= #own then
    error(('autograd.nn: parameters: %s, expected a list of %d tensors for %s'):format(
      type(given) == 'table' and 'a list of ' .. #given or 'a ' .. torch.type(given), #own, torch.type(module)), 4)
  end
  for i = 1, #own do
    if not C.sameSizes(own[i], given[i]) then
      error(('autograd.nn: parameters: tensor %d is %s, expected %s for %s'):format(i, sizesOf(given[i]), sizesOf(own[i]),
        torch.type(module)), 4)
    end
  end
end

-- Converts the module to its input's type, and sets its parameters to the passed ones.
local function prepare(module, given, input)
  local first = nested.flatten(input, {})[1]
  if first and first:isFloatingPoint() and module:type() ~= first:type() then module:type(first:type()) end
  local own = module:parameters() or {}
  if not given then return own end
  checkParameters(module, own, given)
  mode.noGrad(showValues, own, given)
  return own
end

-- Backward also stores the gradients by the passed parameters in the module's gradients. A node has one hook for this.
local function mirror(given, gradients)
  for i = 1, #gradients do
    local n = C.node(given[i])
    if n and not n.mirrors then
      local mirrors = {}
      n.mirrors = mirrors
      node.addHook(n, function(g)
        g = C.detach(g)
        for into in pairs(mirrors) do mode.noGrad(into.copy, into, g) end
      end)
    end
    if n then n.mirrors[gradients[i]] = true end
  end
end

-- Returns the module's output on the tape with the passed tensors as parameters.
local function onTape(module, own, given, input)
  mirror(given, select(2, module:parameters()) or {})
  local fields = fieldsOf(module, own)
  for _, field in ipairs(fields) do field[1][field[2]] = given[field[3]] end
  -- Parameters that are not fields represent the passed ones by their nodes on the tape.
  local kept = {}
  for i, parameter in ipairs(module:parameters() or {}) do
    if not rawequal(parameter, given[i]) then
      kept[#kept + 1] = { parameter, C.node(parameter) }
      C.setNode(parameter, C.node(given[i]))
    end
  end
  local done, output = pcall(module.onTape, module, input)
  for i = #kept, 1, -1 do C.setNode(kept[i][1], kept[i][2]) end
  for _, field in ipairs(fields) do field[1][field[2]] = own[field[3]] end
  if not done then error(output, 0) end
  return output
end

local function forward(module, given, input)
  local own = prepare(module, given, input)
  if C.gradMode() and (nested.isTracked(input) or (given and nested.isTracked(given))) then
    return onTape(module, own, given or own, input)
  end
  return module:forward(input)
end

local function backward(module, given, input, gradOutput)
  prepare(module, given, input)
  module:zeroGradParameters()
  local gradInput = module:backward(input, gradOutput)
  local _, gradients = module:parameters()
  return gradients or {}, gradInput
end

local function callable(fields)
  return setmetatable(fields, { __call = function(self, ...) return self.forward(...) end })
end

local function fromModule(module)
  local parameters = module:parameters()
  if not parameters or #parameters == 0 then
    return callable {
      module = module,
      forward = function(input) return forward(module, nil, input) end,
      backward = function(input, gradOutput) return select(2, backward(module, nil, input, gradOutput)) end,
    }
  end
  return callable {
    module = module,
    forward = function(given, input) return forward(module, given, input) end,
    backward = function(given, input, gradOutput) return backward(module, given, input, gradOutput) end,
  }, parameters
end

-- Makes a loss depend on its target on the tape, too: the gradient by the target is zeros.
local besideTarget = tape.declare('criterion', function(loss) return loss:clone() end, {
  arguments = { 'loss', 'target' },
  'g', saving('like(target)', function(_, target) return target.new():resize(target:size()):zero() end),
})

local function fromCriterion(criterion)
  return callable {
    module = criterion,
    forward = function(input, target)
      local given = target
      target = nested.map(target, C.detach)
      if C.gradMode() and nested.isTracked(input) then
        local loss = criterion:onTape(input, target)
        return C.tracked(given) and besideTarget(loss, given) or loss
      end
      return criterion:forward(input, target)
    end,
    backward = function(input, target) return criterion:backward(input, target) end,
  }
end

local function fromPackage(name)
  local found, package_ = pcall(require, name)
  if not found then error(("Could not load package '%s'"):format(name), 3) end
  return setmetatable({}, {
    __index = function(constructors, key)
      local class = type(package_) == 'table' and package_[key]
      local metatable = class and getmetatable(class)
      if not metatable or not metatable.__typename then return nil end
      constructors[key] = function(...) return nnwrapper.functionalize(class(...)) end
      return rawget(constructors, key)
    end,
  })
end

--- Converts an nn object to a function.
-- @param object a module, a criterion, or the name of a package whose constructors are wanted, such as 'nn'
-- @return for a module with parameters a callable (parameters, input) -> output; without parameters (input) -> output; for a criterion
--   (input, target) -> loss; for a package a table of constructors that return such callables. The field `module` is the nn object. The
--   module adopts the input's type, and its parameters become views of the passed ones
-- @treturn ?{torch.Tensor,...} the module's parameters
-- @raise for any other object
function nnwrapper.functionalize(object)
  if type(object) == 'string' then return fromPackage(object) end
  if torch.isTypeOf(object, 'nn.Criterion') then return fromCriterion(object) end
  if torch.isTypeOf(object, 'nn.Module') then return fromModule(object) end
  error('Input is not a package name or nn object', 2)
end

--- Constructors of nn that return functions: `nnwrapper.nn.Linear(10, 5)`.
nnwrapper.nn = setmetatable({}, { __index = fromPackage(nn and 'nn') })

return nnwrapper
