--- What layers have in common whose parameters are spread over the ranks of a group (torch.distributed): each rank has a part of some
-- parameters, and the same bits of the others.
-- @module nn.support.sharded
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local dist, replica = require 'torch.distributed', require 'distributed.replica'
local groups, operation = require 'distributed.group', require 'distributed.operation'

local sharded = {}

-- By module, outside of its fields, so that files don't include it.
local given = setmetatable({}, { __mode = 'k' })

--- Stores the group of a module.
-- @tparam nn.Module self
-- @tparam ?Group group all ranks by default
-- @treturn Group
function sharded.join(self, group)
  local where = torch.type(self)
  if not dist.isInitialized() then
    check.raise(where .. ': torch.distributed is not started, expected a call of torch.distributed.init before')
  end
  local ranks = groups.of(where, { group = group })
  self.ranks = { unpack(ranks.ranks) }
  given[self] = ranks
  return ranks
end

--- Makes a new module one of a layer's class of shards: all ranks get the layer of the group's first rank.
-- @tparam nn.Module self without a constructor's fields
-- @tparam nn.Module layer the whole one
-- @tparam ?Group group all ranks by default
-- @treturn Group
-- @raise on every rank, if the layers differ in names, types or sizes of parameters
function sharded.begin(self, layer, group)
  local ranks = sharded.join(self, group)
  replica.compare(torch.type(self), layer, group)
  replica.copy(layer, group)
  self:type(layer:type())
  return ranks
end

--- Returns the group of a module: of a copy, or one from a file, that of its list of ranks.
-- @tparam nn.Module self
-- @treturn Group
function sharded.group(self)
  local group = given[self]
  if not group then
    group = dist.isInitialized() and groups.find(self.ranks)
    if not group then
      check.raise(('%s: no group of the ranks %s, expected torch.distributed.init and newGroup before'):format(torch.type(self),
        table.concat(self.ranks, ', ')))
    end
    given[self] = group
  end
  return group
end

--- Raises the first error of the ranks on all of them, or returns a value of the last rank.
-- @string where prefix of the message
-- @tparam ?string problem of this rank
-- @tparam Group group
-- @param[opt] value what torch.save accepts
-- @return the last rank's value
function sharded.agree(where, problem, group, value)
  local all = dist.allGatherObject({ problem = problem, value = value }, { group = group })
  for i, each in ipairs(all) do
    if each.problem then check.raise(('%s: rank %d: %s'):format(where, group.ranks[i], operation.problem(each.problem))) end
  end
  return all[#all].value
end

--- Checks that a size of a layer can be spread over the ranks.
function sharded.divides(where, name, size, group)
  if size % group:size() ~= 0 then
    check.raise(('%s: %s: %d, expected a multiple of the %d ranks'):format(where, name, size, group:size()))
  end
end

--- Declares a parameter of a module: a copy of a tensor, which requires a gradient if that does.
-- @tparam nn.Module self
-- @string name
-- @tparam ?torch.Tensor x
function sharded.declare(self, name, x)
  if x == nil then return end
  self:declare(name, x:detach():clone())
  if C.tracked(x) then self[name]:requiresGrad() end
end

-- Returns x by blocks along a dimension, and this rank's part of each.
local function blocksOf(x, dim, count, group)
  local size = x:size(dim) / count
  local list = {}
  for i = 1, count do
    list[i] = x:narrow(dim, (i - 1) * size + group:rank() * size / group:size() + 1, size / group:size())
  end
  return list
end

--- Returns this rank's part of a tensor.
-- @tparam torch.Tensor x the whole
-- @int dim the dimension along which the ranks divide it
-- @tparam Group group
-- @int[opt=1] count of blocks of the dimension, each of which the ranks divide
-- @treturn torch.Tensor
function sharded.part(x, dim, group, count) return torch.cat(blocksOf(x, dim, count or 1, group), dim) end

--- Returns whether a module has parts of parameters.
function sharded.isPart(module) return module.partNames ~= nil end

--- Declares this rank's part of a parameter, and says in `partNames` how the ranks divide it: `dim` and `count`.
-- @tparam nn.Module self
-- @string name
-- @tparam ?torch.Tensor x the whole
-- @int dim the dimension along which the ranks divide it
-- @tparam Group group
-- @int[opt=1] count of blocks of the dimension, each of which the ranks divide
function sharded.declarePart(self, name, x, dim, group, count)
  if x == nil then return end
  self:declare(name, sharded.part(x:detach(), dim, group, count))
  self.partNames = self.partNames or {}
  self.partNames[name] = { dim = dim, count = count or 1 }
  if C.tracked(x) then self[name]:requiresGrad() end
end

--- Copies a parameter, or the parts of all ranks, into a tensor.
-- @tparam torch.Tensor whole
-- @tparam torch.Tensor x
-- @tparam Group group
-- @int[opt] dim the dimension along which x is a part
-- @int[opt=1] count of blocks
function sharded.collect(whole, x, group, dim, count)
  torch.noGrad(function()
    whole = whole:detach()
    if not dim then return whole:copy(x:detach()) end
    local size = whole:size(dim) / (count or 1)
    for place, part in ipairs(dist.allGather(x:detach(), { group = group })) do
      local each = size / group:size()
      for i = 1, count or 1 do
        whole:narrow(dim, (i - 1) * size + (place - 1) * each + 1, each):copy(part:narrow(dim, (i - 1) * each + 1, each))
      end
    end
  end)
end

--- Returns a class's function `from`, which makes a module from a layer without its constructor.
-- @string where name of the class
-- @string of the layer's class
-- @tparam function take (self, layer, options...)
-- @tparam {string,...} names of the options, in take's order
-- @treturn function
function sharded.from(where, of, take, names)
  return function(layer, options)
    if not (type(layer) == 'table' and torch.isTypeOf(layer, of)) then
      check.raise(('%s.from: layer: %s, expected an %s'):format(where, torch.type(layer), of))
    end
    options = check.options(where .. '.from', options, names)
    local values = {}
    for i, name in ipairs(names) do values[i] = options[name] end
    return take(torch.factory(where)(), layer, unpack(values, 1, #names))
  end
end

--- Scales the gradients on the tape so that the norm of those of all ranks is at most maxNorm.
-- @tparam nn.Module net
-- @number maxNorm
-- @tparam function isOwn (module, name) -> whether other ranks have other elements of the parameter; else all ranks have the same
-- @treturn number the norm before
function sharded.clipGradNorm(net, maxNorm, isOwn)
  check.number(torch.type(net) .. ': clipGradNorm', 'maxNorm', maxNorm, { min = 0 })
  local own, common, gradients, met = 0, 0, {}, {}
  for _, module in net:namedModules() do
    for _, name in ipairs(module.parameterNames or { 'weight', 'bias' }) do
      local x = module[name]
      local g = torch.isTensor(x) and C.tracked(x) and not met[x] and x.grad
      if g then
        met[x], gradients[#gradients + 1] = true, g
        local square = g:double():norm() ^ 2
        if isOwn(module, name) then own = own + square else common = common + square end
      end
    end
  end
  local norm = math.sqrt(dist.allReduce(torch.DoubleTensor { own }, 'sum', { group = sharded.group(net) })[1] + common)
  if norm > maxNorm then
    for _, g in ipairs(gradients) do g:mul(maxNorm / norm) end
  end
  return norm
end

--- Returns positions in this rank's part of `group:size() * count` rows, 1 where another rank has the row, and which are in it.
-- @tparam torch.LongTensor numbers from 1
-- @int count rows of a part
-- @tparam Group group
-- @treturn torch.LongTensor
-- @treturn torch.Tensor 1 or 0
function sharded.places(numbers, count, group)
  local places = torch.add(numbers, -group:rank() * count)
  local isMine = torch.cmul(torch.ge(places, 1), torch.le(places, count))
  return places:clamp(1, count), isMine
end

return sharded
