--- The parametrizations of a tensor, in the order in which they apply, and its originals: `module.parametrizations.weight`.
-- The original is the parameter `original`; a first parametrization whose `rightInverse` returns several tensors has `original0`,
-- `original1`, ... The parametrizations are at positions from 1. A call returns the value.
-- @classmod nn.ParametrizationList
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
require 'nn'
local members = require 'nn.support.members'

local ParametrizationList, parent = torch.class('nn.ParametrizationList', 'nn.Module')

local function pack(...) return { n = select('#', ...), ... } end

-- Applies a parametrization on the caller's tape.
local function apply(parametrization, ...)
  if parametrization.__findsMembers then return parametrization(...) end
  return parametrization:onTape((...))
end

-- Applies the right inverses, from the last parametrization to the first.
local function inverse(self, value)
  local values = { value }
  for i = #self, 1, -1 do
    if self[i].rightInverse then
      values = pack(self[i]:rightInverse(unpack(values, 1, values.n or #values)))
      if i > 1 and values.n ~= 1 then
        check.raise(('nn.ParametrizationList: parametrization %d: %d originals, expected one: only the first may have several'):format(i,
          values.n))
      end
    end
  end
  for i = 1, values.n or #values do check.tensor('nn.ParametrizationList', 'rightInverse: result ' .. i, values[i]) end
  return values
end

--- @tparam {nn.Module,...} modules with `forward`, and possibly a method `rightInverse(value)` that returns the originals
-- @tparam torch.Tensor original the tensor, which stays the original if there is just one
-- @bool[opt=false] unsafe whether the value may have another size or type
function ParametrizationList:__init(modules, original, unsafe)
  check.table('nn.ParametrizationList', 'modules', modules)
  if #modules == 0 then check.raise('nn.ParametrizationList: modules: an empty list, expected modules') end
  for i, module in ipairs(modules) do check.instance('nn.ParametrizationList', 'modules: number ' .. i, module, 'a module') end
  check.tensor('nn.ParametrizationList', 'original', original)
  parent.__init(self)
  self._childNames, self.unsafe = {}, unsafe or false
  for i, module in ipairs(modules) do members.setChild(self, i, module) end
  local values = torch.noGrad(inverse, self, original)
  self.count = #values
  if #values > 1 then
    for i, value in ipairs(values) do
      members.setParameter(self, 'original' .. i - 1, members.Parameter(value:detach():clone(), C.tracked(original)))
    end
    return
  end
  if values[1] ~= original then
    values[1] = values[1]:detach():clone()
    torch.noGrad(original.set, original, values[1])
  end
  members.setParameter(self, 'original', original)
end

--- Returns the value of the tensor on the caller's tape.
function ParametrizationList:forward()
  local value
  if self.count == 1 then
    value = apply(self[1], self.original)
  else
    local originals = {}
    for i = 1, self.count do originals[i] = self['original' .. i - 1] end
    value = apply(self[1], unpack(originals))
  end
  for i = 2, #self do value = apply(self[i], value) end
  return value
end

--- Sets the originals so that the value becomes `value`, by the right inverses.
-- @tparam torch.Tensor value
-- @raise if a right inverse returns another number of tensors, or other sizes
function ParametrizationList:rightInverse(value)
  check.tensor('nn.ParametrizationList: rightInverse', 'value', value)
  local values = torch.noGrad(inverse, self, value)
  if #values ~= self.count then
    check.raise(('nn.ParametrizationList: rightInverse: %d originals, expected %d'):format(#values, self.count))
  end
  torch.noGrad(function()
    for i, original in ipairs(values) do
      local parameter = self[self.count == 1 and 'original' or 'original' .. i - 1]
      parameter:set(original:clone())
    end
  end)
end

ParametrizationList.__givesWay = true      -- Torch7 lacks it

return ParametrizationList
