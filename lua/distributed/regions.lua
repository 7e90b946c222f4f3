--- Entries and exits of the regions of a program in which ranks share the work of one network (tensor parallelism): outside, all ranks have
-- the same tensors and the same loss, which counts once; inside, each has a part. These are f and g of Megatron-LM, with its names.
-- Source: Shoeybi et al. (2019), "Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism", section 3.
-- @module distributed.functional
local torch = require 'torch'
local check = require 'torch.check'
local Function = require 'autograd.function'
local group, operation, tensors = require 'distributed.group', require 'distributed.operation', require 'distributed.tensors'

local regions = {}

local function message(name, what) return operation.message('functional.' .. name, what) end

local function asked(name, x, options)
  operation.tensor('functional.' .. name, 'x', x)
  options = operation.options('functional.' .. name, options, { 'group', 'timeout' })
  group.of('functional.' .. name, options)
  return options
end

-- Returns a dimension of x, by default the last.
local function dimensionOf(name, x, dim)
  if dim == nil then dim = x:dim() end
  return check.int('torch.distributed.functional.' .. name, 'dim', dim, { min = 1, max = x:dim() })
end

local copy = Function {
  name = 'distributed.functional.copyToRegion',
  forward = function(ctx, x, options)
    ctx.options = options
    return x:detach()
  end,
  backward = function(ctx, g) return regions.reduceFromRegion(g, ctx.options) end,
}

--- Returns x, which is the same on all ranks, for parts of the work: Megatron's f. Its gradient is the sum of those of the parts.
-- @tparam torch.Tensor x with the same elements on all ranks
-- @tparam[opt] table options `group`, `timeout` in seconds
-- @treturn torch.Tensor over the same memory
function regions.copyToRegion(x, options) return copy(x, asked('copyToRegion', x, options)) end

local reduce = Function {
  name = 'distributed.functional.reduceFromRegion',
  forward = function(ctx, x, options)
    ctx.options = options
    return operation.naming('functional.reduceFromRegion', tensors.allReduce, x:detach():clone(), 'sum', options)
  end,
  backward = function(ctx, g) return regions.copyToRegion(g, ctx.options) end,
}

--- Returns the sum of the parts of all ranks, on each: Megatron's g. The gradient of each part is that of the sum.
-- @tparam torch.Tensor x with the same type and sizes on all ranks
-- @tparam[opt] table options `group`, `timeout` in seconds
-- @treturn torch.Tensor a new one
function regions.reduceFromRegion(x, options) return reduce(x, asked('reduceFromRegion', x, options)) end

-- Returns this rank's part of x along a dimension.
local function partOf(x, dim, ranks)
  local size = x:size(dim) / ranks:size()
  return torch.narrow(x, dim, ranks:rank() * size + 1, size)
end

local scatter = Function {
  name = 'distributed.functional.scatterToRegion',
  forward = function(ctx, x, dim, options)
    ctx.dim, ctx.options = dim, options
    return partOf(x:detach(), dim, group.of('functional.scatterToRegion', options)):clone()
  end,
  backward = function(ctx, g) return regions.gatherFromRegion(g, ctx.dim, ctx.options) end,
}

--- Returns this rank's part of x, which is the same on all ranks: along a dimension, in the order of the ranks.
-- @tparam torch.Tensor x with the same elements on all ranks
-- @int[opt] dim a dimension whose size is a multiple of the number of ranks; the last by default
-- @tparam[opt] table options `group`, `timeout` in seconds
-- @treturn torch.Tensor a new one
function regions.scatterToRegion(x, dim, options)
  options = asked('scatterToRegion', x, options)
  dim = dimensionOf('scatterToRegion', x, dim)
  local n = group.of('functional.scatterToRegion', options):size()
  if x:size(dim) % n ~= 0 then
    check.raise(message('scatterToRegion', ('x: size %d of dimension %d, expected a multiple of the %d ranks'):format(x:size(dim), dim, n)))
  end
  return scatter(x, dim, options)
end

local gather = Function {
  name = 'distributed.functional.gatherFromRegion',
  forward = function(ctx, x, dim, options)
    ctx.dim, ctx.options = dim, options
    return torch.cat(operation.naming('functional.gatherFromRegion', tensors.allGather, x:detach(), options), dim)
  end,
  backward = function(ctx, g) return regions.scatterToRegion(g, ctx.dim, ctx.options) end,
}

--- Returns the parts of all ranks side by side, in the order of the ranks. The gradient of each part is its part of the whole's gradient.
-- @tparam torch.Tensor x with the same type and sizes on all ranks
-- @int[opt] dim a dimension; the last by default
-- @tparam[opt] table options `group`, `timeout` in seconds
-- @treturn torch.Tensor a new one
function regions.gatherFromRegion(x, dim, options)
  options = asked('gatherFromRegion', x, options)
  return gather(x, dimensionOf('gatherFromRegion', x, dim), options)
end

return regions
