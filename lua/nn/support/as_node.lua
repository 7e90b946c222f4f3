--- Modules and criteria that define Torch7's methods: each becomes one node of the caller's tape.
-- @module nn.support.as_node
local torch, C = require 'torch', require 'libmoontorch'
local autograd = require 'autograd.core'
local nested = require 'nn.nested'

local detach, map, noGrad = C.detach, nested.map, autograd.noGrad
local none = {}

-- Calls a method of a module without its hooks, which run on the caller's tape, and without parametrizations, which do, too.
local function without(module, method, ...)
  if module._derived then
    return require('nn.support.derived_tensors').without(module, function(inner, ...)
      if inner._hooks then return require('nn.support.hooks').without(inner, method, ...) end
      return inner[method](inner, ...)
    end, ...)
  end
  if module._hooks then return require('nn.support.hooks').without(module, method, ...) end
  return module[method](module, ...)
end

local asNode = {}

-- The last call on the tape of each module that defines the three methods: its fields belong to that call.
local lastCall = setmetatable({}, { __mode = 'k' })

local function cloned(tensor)
  return detach(tensor):clone()
end

local function memoryOf(tensor)
  local storage = tensor:storage()
  return storage and ('%d %d %d'):format(torch.pointer(storage), tensor:storageOffset(), tensor:nElement())
end

-- Zeroes the gradients of some parameters in place, because copies of a module may share them. Returns a function that returns the new
-- gradients and restores the old ones. Of several tensors that share memory, the first has the whole gradient, the others have none.
local function isolate(gradients)
  local kept, met, first = {}, {}, {}
  for i = 1, #gradients do
    local memory = memoryOf(gradients[i])
    first[i] = memory and not met[memory]
    met[memory or i] = true
    kept[i] = cloned(gradients[i])
  end
  for i = 1, #gradients do gradients[i]:zero() end
  return function()
    local collected = {}
    for i = 1, #gradients do collected[i] = first[i] and cloned(gradients[i]) or nil end
    for i = 1, #gradients do gradients[i]:copy(kept[i]) end
    return collected
  end
end

--- Returns the result of a module that defines Torch7's methods, as one node of the caller's tape.
-- Its backward is not recorded: gradients of gradients treat its gradient as constant.
function asNode.module(module, input)
  local plain = map(input, detach)
  local arguments = nested.flatten(input, {})
  local inputCount = #arguments
  local parameters, gradients = module:parameters()
  for i = 1, parameters and #parameters or 0 do arguments[inputCount + i] = parameters[i] end
  local call, output = {}, nil

  local function forward(ctx)
    lastCall[module], call.random = call, torch.getRNGState()
    output = map(without(module, 'forward', plain), cloned)
    ctx:save(unpack(arguments, 1, inputCount))                     -- detects later writes to them
    return unpack(nested.flatten(output, {}))
  end

  -- Repeats the forward with the same random numbers.
  local function repeated()
    local random = torch.getRNGState()
    torch.setRNGState(call.random)
    lastCall[module] = call
    local done, message = pcall(without, module, 'forward', plain)
    torch.setRNGState(random)
    if not done then error(message, 0) end
  end

  local function backward(ctx, ...)
    ctx:saved()
    local given, results = { ... }, nested.flatten(output, {})
    for i = 1, #results do                                       -- the module may overwrite them, and others may refer to them
      given[i] = given[i] and cloned(given[i]) or results[i].new():resizeAs(results[i]):zero()
    end
    if lastCall[module] ~= call then repeated() end
    local collect = isolate(gradients or none)
    local done, gradInput = pcall(without, module, 'backward', plain, nested.rebuild(output, given))
    local collected = collect()
    if not done then error(gradInput, 0) end
    local byArgument = {}
    nested.alongside(plain, map(gradInput, cloned), byArgument, 0)
    local count = gradients and #gradients or 0
    for i = 1, count do byArgument[inputCount + i] = collected[i] end
    return unpack(byArgument, 1, inputCount + count)
  end

  local apply = autograd.Function {
    name = torch.type(module), forward = forward,
    backward = function(ctx, ...) return noGrad(backward, ctx, ...) end,
  }
  local results = { apply(unpack(arguments)) }
  return nested.rebuild(output, results)
end

--- Returns the loss of a criterion that defines Torch7's methods, as one node.
function asNode.criterion(criterion, input, target)
  local plain, plainTarget = map(input, detach), map(target, detach)
  local arguments = nested.flatten(input, {})

  local function backward(ctx, g)
    ctx:saved()
    criterion:forward(plain, plainTarget)
    local function scaled(gradient) return torch.mul(gradient, g:item()) end
    local byArgument = {}
    nested.alongside(plain, map(criterion:backward(plain, plainTarget), scaled), byArgument, 0)
    return unpack(byArgument, 1, #arguments)
  end

  local loss = autograd.Function {
    name = torch.type(criterion),
    forward = function(ctx)
      local value = criterion:forward(plain, plainTarget)
      ctx:save(unpack(arguments))
      return arguments[1].new { value }
    end,
    backward = function(ctx, g) return noGrad(backward, ctx, g) end,
  }
  return loss(unpack(arguments))
end

return asNode
