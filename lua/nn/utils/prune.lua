--- Pruning: weights times masks of 0 and 1, which modules compute before each forward: `nn.utils.prune`.
-- The weight becomes a parameter `weight_orig`, with the mask as the buffer `weight_mask`. An amount below 1 is a fraction, rounded to the
-- nearest number of elements or channels; from 1 it is their number.
-- @module nn.utils.prune
local torch, check = require 'torch', require 'torch.check'
local derived, sizesOf = require 'nn.support.derived_tensors', require('torch.check.message').sizes

local prune = {}

local this = 'nn.utils.prune'

--- Returns the value of a pruned tensor on the caller's tape.
-- @tparam nn.Module module
-- @string name
-- @treturn torch.Tensor
function prune.tensor(module, name) return torch.cmul(module[name .. '_orig'], module[name .. '_mask']) end

-- Returns the number of elements for an amount: halves go to the even number.
local function countOf(where, amount, size)
  check.number(where, 'amount', amount, { min = 0 })
  if amount >= 1 then return check.int(where, 'amount', amount, { max = size }) end
  local exact = amount * size
  local below = math.floor(exact)
  local rest = exact - below
  return below + ((rest > 0.5 or rest == 0.5 and below % 2 == 1) and 1 or 0)
end

local function checkAmount(where, amount)
  check.number(where, 'amount', amount, { min = 0 })
  return amount >= 1 and check.int(where, 'amount', amount) or amount
end

-- Returns a mask of ones that is zero at positions of the flat tensor.
local function zeroAt(t, positions)
  local mask = t.new():resize(t:size()):fill(1)
  if positions:nElement() > 0 then mask:view(-1):indexFill(1, positions, 0) end
  return mask
end

-- Returns the positions of the n smallest elements of a vector.
local function smallest(v, n)
  if n == 0 then return torch.LongTensor() end
  local _, positions = torch.topk(v, n, 1, false)
  return positions
end

--- The parent of pruning methods. A class of a program defines `computeMask(t, defaultMask)`, which returns the mask, and `pruningType`:
-- 'unstructured', 'structured' (with a field `dim`) or 'global'.
local Base = torch.class('nn.pruning.BasePruningMethod', prune)

Base.pruningType = 'unstructured'

--- Returns the mask for a tensor: a class of a program defines it.
-- @tparam torch.Tensor t importance of the elements that are still there
-- @tparam torch.Tensor defaultMask of the same size
function Base:computeMask(t, defaultMask)      -- luacheck: no unused args
  check.raise(torch.type(self) .. ': computeMask: not defined, expected a method that returns a mask')
end

--- Returns a pruned copy of a tensor.
-- @tparam torch.Tensor t
-- @tparam[opt] torch.Tensor defaultMask by default ones
-- @tparam[opt] torch.Tensor importanceScores by default the elements
-- @treturn torch.Tensor
function Base:prune(t, defaultMask, importanceScores)
  local mask = self:computeMask(importanceScores or t, defaultMask or t.new():resize(t:size()):fill(1))
  return torch.cmul(t, mask)
end

--- Returns a module's pruned tensor, computed on the caller's tape.
-- @tparam nn.Module module
-- @string name
-- @treturn torch.Tensor
function Base:applyMask(module, name)      -- luacheck: no unused args
  return prune.tensor(module, name)
end

-- Returns the mask of a method for what an earlier mask has left.
local function combined(method, t, mask)
  local kind, result = method.pruningType, mask:clone()
  if kind == 'global' then
    result:copy(method:computeMask(t, mask))
  elseif kind == 'unstructured' then
    local positions = torch.nonzero(mask:view(-1)):view(-1)
    if positions:nElement() > 0 then
      local values = t:contiguous():view(-1):index(1, positions)
      local partial = method:computeMask(values, mask.new():resize(values:size()):fill(1))
      result:view(-1):indexCopy(1, positions, partial)
    end
  elseif kind == 'structured' then
    local dim = check.dim(torch.type(method), 'dim', t, method.dim or false)
    local rows = mask:transpose(1, dim):contiguous():view(mask:size(dim), -1)
    local kept = torch.nonzero(torch.sum(rows, 2):view(-1)):view(-1)
    if kept:nElement() > 0 then
      result:indexCopy(dim, kept, method:computeMask(t:index(dim, kept), mask:index(dim, kept)))
    end
  else
    check.raise(('%s: pruningType: %s, expected unstructured, structured or global'):format(torch.type(method), tostring(kind)))
  end
  return result
end

local function checkMask(where, mask, like)
  check.tensor(where, 'mask', mask)
  if not mask:isSameSizeAs(like) then
    check.raise(('%s: mask: a tensor of size %s, expected %s'):format(where, sizesOf(mask), sizesOf(like)), 'shape')
  end
  return mask
end

-- Prunes a tensor of a module by a method.
local function apply(where, method, module, name, scores)
  check.instance(where, 'module', module, 'a module')
  local value = type(name) == 'string' and rawget(module, name)
  local by = derived.by(module, name)
  if not torch.isTensor(value) or by and by ~= this then
    check.raise(('%s: name: %s, expected the name of a parameter of a %s'):format(where, tostring(name), torch.type(module)))
  end
  local original = by and module[name .. '_orig'] or value
  if scores ~= nil then checkMask(where .. ': importanceScores', scores, value) end
  local mask = by and module[name .. '_mask'] or original:detach():clone():fill(1)
  mask = torch.noGrad(combined, method, (scores or original):detach(), mask)
  checkMask(where, mask, value)
  if by then
    module[name .. '_mask'] = mask
    derived.refresh(module, name)
  else
    derived.addParameter(module, name .. '_orig', original)
    module:registerBuffer(name .. '_mask', mask)
    derived.add(module, name, this)
  end
  return module
end

--- Prunes a tensor of a module by this method, or, called for a class, by a new one.
-- @tparam nn.Module module
-- @string name
-- @param ... arguments of the constructor, for a class
-- @treturn nn.Module module
-- @raise if there is no such parameter
function Base:apply(module, name, ...)
  local method = torch.typename(self) and self or self(...)
  return apply(torch.type(method) .. ': apply', method, module, name)
end

--- Removes the pruning of a module's tensor, as `nn.utils.prune.remove` does.
-- @tparam nn.Module module
-- @string name
function Base:remove(module, name)      -- luacheck: no unused args
  return prune.remove(module, name)
end

local function method(name, pruningType, arguments)
  local class = torch.class('nn.pruning.' .. name, 'nn.pruning.BasePruningMethod', prune)
  class.pruningType, class.__init = pruningType, arguments
  return class
end

--- Prunes nothing, but makes a tensor a pruned one.
local Identity = method('Identity', 'unstructured')
function Identity.computeMask(_, _, defaultMask) return defaultMask end

--- Prunes elements at random.
-- @tparam number amount
local RandomUnstructured = method('RandomUnstructured', 'unstructured', function(self, amount)
  self.amount = checkAmount(torch.type(self), amount)
end)
function RandomUnstructured:computeMask(t, defaultMask)
  local count = countOf(torch.type(self), self.amount, t:nElement())
  local positions = count > 0 and torch.randperm(t:nElement()):long():narrow(1, 1, count) or torch.LongTensor()
  return torch.cmul(zeroAt(t, positions), defaultMask)
end

--- Prunes the elements with the least magnitude.
-- @tparam number amount
local L1Unstructured = method('L1Unstructured', 'unstructured', RandomUnstructured.__init)
function L1Unstructured:computeMask(t, defaultMask)
  local count = countOf(torch.type(self), self.amount, t:nElement())
  return torch.cmul(zeroAt(t, smallest(torch.abs(t):contiguous():view(-1), count)), defaultMask)
end

-- Returns a mask without some slices along a dimension.
local function withoutSlices(t, dim, positions, defaultMask)
  local mask = t.new():resize(t:size()):fill(1)
  if positions:nElement() > 0 then mask:indexFill(dim, positions, 0) end
  return torch.cmul(mask, defaultMask)
end

local function slices(self, t)
  if t:dim() < 2 then
    check.raise(('%s: t: a tensor of size %s, expected 2 dimensions or more'):format(torch.type(self), sizesOf(t)), 'shape')
  end
  local dim = check.dim(torch.type(self), 'dim', t, self.dim)
  return dim, countOf(torch.type(self), self.amount, t:size(dim))
end

--- Prunes slices along a dimension, channels, at random.
-- @tparam number amount
-- @int[opt=-1] dim
local RandomStructured = method('RandomStructured', 'structured', function(self, amount, dim)
  self.amount, self.dim = checkAmount(torch.type(self), amount), check.int(torch.type(self), 'dim', dim or -1)
end)
function RandomStructured:computeMask(t, defaultMask)
  local dim, count = slices(self, t)
  local positions = count > 0 and torch.randperm(t:size(dim)):long():narrow(1, 1, count) or torch.LongTensor()
  return withoutSlices(t, dim, positions, defaultMask)
end

--- Prunes the slices along a dimension, channels, with the least n-norm.
-- @tparam number amount
-- @tparam[opt=2] number n
-- @int[opt=-1] dim
local LnStructured = method('LnStructured', 'structured', function(self, amount, n, dim)
  self.amount, self.dim = checkAmount(torch.type(self), amount), check.int(torch.type(self), 'dim', dim or -1)
  self.n = check.number(torch.type(self), 'n', n or 2)
end)
function LnStructured:computeMask(t, defaultMask)
  local dim, count = slices(self, t)
  local rows, norms = t:transpose(1, dim):contiguous():view(t:size(dim), -1), t.new(t:size(dim))
  for i = 1, t:size(dim) do norms[i] = rows[i]:norm(self.n) end
  return withoutSlices(t, dim, smallest(norms, count), defaultMask)
end

--- Prunes by a given mask.
-- @tparam torch.Tensor mask 0 where an element is pruned
local CustomFromMask = method('CustomFromMask', 'global', function(self, mask)
  self.mask = check.tensor(torch.type(self), 'mask', mask)
end)
function CustomFromMask:computeMask(t, defaultMask)
  return torch.cmul(checkMask(torch.type(self), self.mask, t):typeAs(defaultMask), defaultMask)
end

--- A sequence of methods: `computeMask` applies the last one to what the mask has left.
-- @param ... methods
local PruningContainer = method('PruningContainer', 'unstructured', function(self, ...)
  self.methods = {}
  for i = 1, select('#', ...) do self:addPruningMethod((select(i, ...))) end
end)

--- Appends a method.
-- @param added the method
function PruningContainer:addPruningMethod(added)
  if not torch.isTypeOf(added, 'nn.pruning.BasePruningMethod') then
    check.raise(('nn.pruning.PruningContainer: method: %s, expected a pruning method'):format(torch.type(added)))
  end
  table.insert(self.methods, added)
end

--- Returns the number of methods.
-- @treturn int
function PruningContainer:size() return #self.methods end

function PruningContainer:computeMask(t, defaultMask)
  if #self.methods == 0 then return defaultMask end
  return combined(self.methods[#self.methods], t, defaultMask)
end

--- Makes a tensor a pruned one, with a mask of ones.
-- @tparam nn.Module module
-- @string name
-- @treturn nn.Module module
function prune.identity(module, name) return apply(this .. '.identity', Identity.new(), module, name) end

--- Prunes elements at random.
-- @tparam nn.Module module
-- @string name
-- @number amount a fraction below 1, or a number of elements
-- @treturn nn.Module module
-- @raise if there is no such parameter, or the amount is out of range
function prune.randomUnstructured(module, name, amount)
  return apply(this .. '.randomUnstructured', RandomUnstructured.new(amount), module, name)
end

--- Prunes the elements with the least magnitude.
-- @tparam nn.Module module
-- @string name
-- @number amount a fraction below 1, or a number of elements
-- @tparam[opt] torch.Tensor importanceScores used instead of the elements
-- @treturn nn.Module module
-- @raise if there is no such parameter, or the amount is out of range
function prune.l1Unstructured(module, name, amount, importanceScores)
  return apply(this .. '.l1Unstructured', L1Unstructured.new(amount), module, name, importanceScores)
end

--- Prunes slices along a dimension at random.
-- @tparam nn.Module module
-- @string name
-- @number amount a fraction below 1, or a number of slices
-- @int dim
-- @treturn nn.Module module
-- @raise if there is no such parameter or dimension, or the amount is out of range
function prune.randomStructured(module, name, amount, dim)
  return apply(this .. '.randomStructured', RandomStructured.new(amount, dim), module, name)
end

--- Prunes the slices along a dimension with the least n-norm.
-- @tparam nn.Module module
-- @string name
-- @number amount a fraction below 1, or a number of slices
-- @number n of the norm
-- @int dim
-- @tparam[opt] torch.Tensor importanceScores used instead of the elements
-- @treturn nn.Module module
-- @raise if there is no such parameter or dimension, or the amount is out of range
function prune.lnStructured(module, name, amount, n, dim, importanceScores)
  return apply(this .. '.lnStructured', LnStructured.new(amount, n, dim), module, name, importanceScores)
end

--- Prunes by a mask.
-- @tparam nn.Module module
-- @string name
-- @tparam torch.Tensor mask 0 where an element is pruned
-- @treturn nn.Module module
-- @raise if there is no such parameter, or the mask has another size
function prune.customFromMask(module, name, mask) return apply(this .. '.customFromMask', CustomFromMask.new(mask), module, name) end

--- Prunes several tensors together, as if they were one.
-- @tparam {table,...} parameters pairs of a module and a name
-- @param pruningMethod an unstructured class, such as `L1Unstructured`
-- @tparam[opt] table options amount, and importanceScores: a list of tensors or false, in the order of parameters
-- @raise if a pair is wrong, or the method is not unstructured; then nothing changes
function prune.globalUnstructured(parameters, pruningMethod, options)
  local where = this .. '.globalUnstructured'
  check.table(where, 'parameters', parameters)
  options = check.options(where, options, { 'amount', 'importanceScores' })
  local values, masks, scores = {}, {}, options.importanceScores or {}
  for i, pair in ipairs(parameters) do
    local module, name = unpack(check.table(where, 'parameters: number ' .. i, pair))
    local value = type(module) == 'table' and type(name) == 'string' and rawget(module, name)
    if not torch.isTensor(value) then check.raise(('%s: parameters: number %d: no pair of a module and a name'):format(where, i)) end
    local isPruned = derived.by(module, name) == this
    local score = scores[i] and checkMask(where .. ': importanceScores', scores[i], value) or isPruned and module[name .. '_orig'] or value
    values[i] = score:detach():contiguous():view(-1)
    masks[i] = (isPruned and module[name .. '_mask'] or value:detach():clone():fill(1)):contiguous():view(-1)
  end
  if #values == 0 then check.raise(where .. ': parameters: an empty list, expected pairs of a module and a name') end
  local chosen = pruningMethod(options.amount)
  if chosen.pruningType ~= 'unstructured' then
    check.raise(('%s: pruningMethod: %s, expected an unstructured one'):format(where, torch.type(chosen)))
  end
  local mask, first = torch.noGrad(combined, chosen, torch.cat(values, 1), torch.cat(masks, 1)), 1
  for i, pair in ipairs(parameters) do
    local count = values[i]:nElement()
    prune.customFromMask(pair[1], pair[2], mask:narrow(1, first, count):clone():viewAs(rawget(pair[1], pair[2])))
    first = first + count
  end
end

--- Returns whether a module, or one inside it, has a pruned tensor.
-- @tparam nn.Module module
-- @treturn boolean
function prune.isPruned(module)
  check.instance(this .. '.isPruned', 'module', module, 'a module')
  for _, each in module:namedModules() do
    local state = rawget(each, '_derived')
    for _, entry in ipairs(state and state.list or {}) do
      if entry.by == this then return true end
    end
  end
  return false
end

--- Makes pruning permanent: the tensor is a parameter again, with its pruned value.
-- @tparam nn.Module module
-- @string name
-- @treturn nn.Module module
-- @raise if the tensor isn't pruned
function prune.remove(module, name)
  if derived.by(module, name) ~= this then
    check.raise(('%s.remove: name: %s, expected a pruned tensor of the module'):format(this, tostring(name)))
  end
  local original = module[name .. '_orig']
  local value = derived.refresh(module, name):clone()
  torch.noGrad(original.set, original, value)
  derived.remove(module, name, original, { name .. '_orig', name .. '_mask' })
  return module
end

return prune
