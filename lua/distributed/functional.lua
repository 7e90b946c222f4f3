--- Collectives on the tape. Each is linear in the elements of all ranks, or picks some of them, so its backward is another collective. As
-- in torch.distributed.nn.functional, gradients are those of the sum of the losses of all ranks, each of which calls backward on its
-- own. All ranks of the group run a call's backward, in the same order: an argument requires a gradient on all ranks or on none, which
-- the ranks compare before an element moves. Arguments stay as they are. The gradients have gradients.
-- @module distributed.functional
-- @usage local y = dist.functional.allReduce(x)
-- loss(y):backward()      -- x.grad is the sum of the gradients of all ranks' losses
local torch, C = require 'torch', require 'libmoontorch'
local check = require 'torch.check'
local Function = require 'autograd.function'
local group, operation, tensors = require 'distributed.group', require 'distributed.operation', require 'distributed.tensors'

local functional = {}

for name, f in pairs(require 'distributed.regions') do functional[name] = f end

local unpack = unpack

-- Returns the arguments of a call of `tensors` from options without `async`, which backward passes can't wait for.
local function asked(name, options)
  options = operation.options('functional.' .. name, options, { 'group', 'timeout' })
  group.of('functional.' .. name, options)
  return options
end

-- Calls a collective for a function of this file. Its key says whether the argument requires a gradient.
local function noted(name, isTracked, f, ...)
  return operation.noting(isTracked and ' with a gradient' or ' without a gradient', operation.naming, 'functional.' .. name, f, ...)
end

local function anyTracked(list)
  if not C.gradMode() then return false end
  for _, x in ipairs(list) do
    if torch.isTensor(x) and C.tracked(x) then return true end
  end
  return false
end

-- Returns a copy in memory of its own, off the tape.
local function copied(x) return x:detach():clone() end

-- Returns the gradients of n results, with zeros like an argument for those that nothing used.
local function filled(n, like, ...)
  local list = { ... }
  for i = 1, n do list[i] = list[i] or like:clone():zero() end
  return list
end

local sums = { sum = true, mean = true, avg = true }

-- The reduction is 'sum' or 'mean'.
local linear = Function {
  name = 'distributed.functional.allReduce',
  forward = function(ctx, x, reduction, options, isTracked)
    ctx.reduction, ctx.options = reduction, options
    return noted('allReduce', isTracked, tensors.allReduce, copied(x), reduction, options)
  end,
  backward = function(ctx, g) return functional.allReduce(g, ctx.reduction, ctx.options) end,
}

-- The smallest or largest elements: the gradient is shared equally by the ranks that have the element.
local extreme = Function {
  name = 'distributed.functional.allReduce',
  forward = function(ctx, x, reduction, options, isTracked)
    ctx.options = options
    local result = noted('allReduce', isTracked, tensors.allReduce, copied(x), reduction, options)
    local mine = torch.eq(x:detach(), result):typeAs(x)
    ctx:save(mine:cdiv(tensors.allReduce(mine:clone(), 'sum', options)))
    return result
  end,
  backward = function(ctx, g) return torch.cmul(functional.allReduce(g, 'sum', ctx.options), ctx:saved()) end,
}

--- Returns the reduction of the tensors of all ranks, in the order of the ranks: the same bits on each. The gradient of 'min' and 'max'
-- goes in equal parts to the ranks that have the element.
-- @tparam torch.Tensor x with the same type and sizes on all ranks
-- @string[opt='sum'] reduction 'sum', 'mean' ('avg'), 'min' or 'max'; of tensors without gradients also 'product'
-- @tparam[opt] table options `group`, `timeout` in seconds
-- @treturn torch.Tensor a new one
function functional.allReduce(x, reduction, options)
  options = asked('allReduce', options)
  operation.tensor('functional.allReduce', 'x', x)
  reduction = operation.reduction('functional.allReduce', x, reduction)
  local isTracked = anyTracked { x }
  if reduction == 'product' and isTracked then
    check.raise(operation.message('functional.allReduce',
      "reduction: 'product' of a tensor with a gradient, expected 'sum', 'mean', 'min' or 'max'"))
  end
  return (sums[reduction] and linear or extreme)(x, reduction, options, isTracked)
end

local broadcast = Function {
  name = 'distributed.functional.broadcast',
  forward = function(ctx, x, source, options, isTracked)
    ctx.source, ctx.options = source, options
    return noted('broadcast', isTracked, tensors.broadcast, copied(x), source, options)
  end,
  backward = function(ctx, g)
    local sum = functional.allReduce(g, 'sum', ctx.options)
    return group.world:rank() == ctx.source and sum or torch.mul(sum, 0)
  end,
}

--- Returns the tensor of one rank, on all. The gradient goes to the source: that of the other ranks' arguments is zero.
-- @tparam torch.Tensor x with the same type and sizes on all ranks; on others than the source only these count
-- @int[opt=0] source a rank
-- @tparam[opt] table options `group`, `timeout` in seconds
-- @treturn torch.Tensor a new one
function functional.broadcast(x, source, options)
  options = asked('broadcast', options)
  operation.tensor('functional.broadcast', 'x', x)
  if source == nil then source = 0 end
  group.place('functional.broadcast', 'source', group.of('functional.broadcast', options), source)
  return broadcast(x, source, options, anyTracked { x })
end

local allGather = Function {
  name = 'distributed.functional.allGather',
  forward = function(ctx, x, options, isTracked)
    ctx.options, ctx.like = options, x:detach()
    local list = noted('allGather', isTracked, tensors.allGather, x:detach(), options)
    ctx.count = #list
    return unpack(list)
  end,
  backward = function(ctx, ...)
    return functional.reduceScatter(filled(ctx.count, ctx.like, ...), 'sum', ctx.options)
  end,
}

--- Returns the tensors of all ranks. The gradient of a rank's tensor is the sum of those of all ranks' results.
-- @tparam torch.Tensor x with the same type and sizes on all ranks
-- @tparam[opt] table options `group`, `timeout` in seconds
-- @treturn {torch.Tensor,...} a tensor for each rank of the group, in order
function functional.allGather(x, options)
  options = asked('allGather', options)
  operation.tensor('functional.allGather', 'x', x)
  return { allGather(x, options, anyTracked { x }) }
end

local function detached(list)
  local result = {}
  for i, x in ipairs(list) do result[i] = torch.isTensor(x) and x:detach() or x end
  return result
end

local reduceScatter = Function {
  name = 'distributed.functional.reduceScatter',
  forward = function(ctx, reduction, options, isTracked, ...)
    ctx.reduction, ctx.options = reduction, options
    return noted('reduceScatter', isTracked, tensors.reduceScatter, detached { ... }, reduction, options)
  end,
  backward = function(ctx, g)
    local list = functional.allGather(g, ctx.options)
    if ctx.reduction ~= 'sum' then
      for i = 1, #list do list[i] = torch.div(list[i], #list) end
    end
    return nil, nil, nil, unpack(list)
  end,
}

--- Returns the reduction of the tensors at this rank's position of all ranks' lists.
-- @tparam {torch.Tensor,...} list a tensor for each rank of the group, with the same type and sizes on all ranks
-- @string[opt='sum'] reduction 'sum' or 'mean' ('avg'); of tensors without gradients all of `distributed.reduceScatter`
-- @tparam[opt] table options `group`, `timeout` in seconds
-- @treturn torch.Tensor
function functional.reduceScatter(list, reduction, options)
  options = asked('reduceScatter', options)
  check.table('torch.distributed.functional.reduceScatter', 'list', list)
  local isTracked = anyTracked(list)
  reduction = reduction or 'sum'
  if isTracked and not sums[reduction] then
    check.raise(operation.message('functional.reduceScatter',
      ("reduction: %s of tensors with gradients, expected 'sum' or 'mean'"):format(tostring(reduction))))
  end
  return reduceScatter(reduction, options, isTracked, unpack(list))
end

local allToAll = Function {
  name = 'distributed.functional.allToAll',
  forward = function(ctx, options, isTracked, ...)
    local list = detached { ... }
    ctx.options, ctx.like, ctx.count = options, list[1], #list
    return unpack(noted('allToAll', isTracked, tensors.allToAll, list, options))
  end,
  backward = function(ctx, ...) return nil, nil, unpack(functional.allToAll(filled(ctx.count, ctx.like, ...), ctx.options)) end,
}

--- Exchanges lists of tensors: rank i gets the tensors at its position of the lists of all ranks, and sends their gradients back.
-- @tparam {torch.Tensor,...} list a tensor for each rank of the group, with the same type and sizes on all ranks
-- @tparam[opt] table options `group`, `timeout` in seconds
-- @treturn {torch.Tensor,...} the tensor from each rank of the group, in order
function functional.allToAll(list, options)
  options = asked('allToAll', options)
  check.table('torch.distributed.functional.allToAll', 'list', list)
  return { allToAll(options, anyTracked(list), unpack(list)) }
end

return functional
