--- Modules and criteria that write Torch7's methods themselves, as one node of the caller's tape each.
-- @module nn.support.as_node
local torch, C = require 'torch', require 'libmoontorch'
local autograd = require 'autograd.core'
local nested = require 'nn.nested'

local detach, map, noGrad = C.detach, nested.map, autograd.noGrad
local none = {}

local asNode = {}

-- The last call on the tape of each module that writes the three methods itself: its fields are that call's.
local lastCall = setmetatable({}, { __mode = 'k' })

local function cloned(tensor)
  return detach(tensor):clone()
end

local function memoryOf(tensor)
  local storage = tensor:storage()
  return storage and ('%d %d %d'):format(torch.pointer(storage), tensor:storageOffset(), tensor:nElement())
end

-- Lets the gradients of some parameters start from zeros, where they lie, since copies of a module may share them; returns what gives the
-- new ones and puts the old ones back. What shares memory with one before it has no gradient: the first has all of it.
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

--- A module with methods of its own as one node of the caller's tape.
-- What it does in backward is not recorded: gradients of gradients take its gradient as constant.
function asNode.module(module, input)
  local plain = map(input, detach)
  local arguments = nested.flatten(input, {})
  local inputCount = #arguments
  local parameters, gradients = module:parameters()
  for i = 1, parameters and #parameters or 0 do arguments[inputCount + i] = parameters[i] end
  local call, output = {}, nil

  local function forward(ctx)
    lastCall[module], call.random = call, torch.getRNGState()
    output = map(module:forward(plain), cloned)
    ctx:save(unpack(arguments, 1, inputCount))                     -- which says where one was written to since
    return unpack(nested.flatten(output, {}))
  end

  -- The same forward once more, with the same random numbers.
  local function repeated()
    local random = torch.getRNGState()
    torch.setRNGState(call.random)
    lastCall[module] = call
    local done, message = pcall(module.forward, module, plain)
    torch.setRNGState(random)
    if not done then error(message, 0) end
  end

  local function backward(ctx, ...)
    ctx:saved()
    local given, results = { ... }, nested.flatten(output, {})
    for i = 1, #results do                                       -- the module may write over them, others may have them too
      given[i] = given[i] and cloned(given[i]) or results[i].new():resizeAs(results[i]):zero()
    end
    if lastCall[module] ~= call then repeated() end
    local collect = isolate(gradients or none)
    local done, gradInput = pcall(module.backward, module, plain, nested.rebuild(output, given))
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

--- A criterion with methods of its own as one node.
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
