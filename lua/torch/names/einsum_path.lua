--- The order of products in an Einstein sum.
-- @module torch.names.einsum_path
local check = require 'torch.check'

local names = {}

local function setOf(labels)
  local set = {}
  for label in labels:gmatch '.' do set[label] = true end
  return set
end

-- The labels of a product, those that others or the result have, and its cost: the product of all sizes.
local function contracted(a, b, others, sizes)
  local kept, cost, wanted = {}, 1, {}
  for _, labels in ipairs(others) do
    for label in pairs(labels) do wanted[label] = true end
  end
  for _, labels in ipairs { a, b } do
    for label in pairs(labels) do
      if not kept[label] then cost = cost * sizes[label] end
      kept[label] = true
    end
  end
  local size = 1
  for label in pairs(kept) do
    if wanted[label] then size = size * sizes[label] else kept[label] = nil end
  end
  return kept, cost, size
end

--- Returns an order of products for an Einstein sum, in which each step multiplies two tensors of the list, removes them and appends the
-- product: the cheapest step first.
-- @string equation such as 'ij,jk,kl->il'
-- @tparam torch.Tensor ... one for each list of labels
-- @treturn {{int,int},...} positions, from 1, of each step
-- @treturn number multiplications of all steps
function names.einsumPath(equation, ...)
  local where = 'einsumPath'
  local given = { ... }
  equation = check.text(where, 'equation', equation):gsub('%s', '')
  local left, right = equation:match '^([%a,]*)%->(%a*)$'
  left = left or equation:match '^[%a,]+$'
  if not left then check.raise(("%s: equation: '%s', expected labels such as 'ij,jk->ik'"):format(where, equation)) end
  local list, sizes, uses = {}, {}, {}
  for labels in (left .. ','):gmatch '(%a*),' do
    local x = check.tensor(where, 'tensors', given[#list + 1])
    if x:dim() ~= #labels then
      check.raise(("%s: tensors: %d dimensions of number %d, expected %d for '%s'"):format(where, x:dim(), #list + 1, #labels, labels),
        'shape')
    end
    for d = 1, #labels do
      local label = labels:sub(d, d)
      local size = x:size(d)
      if sizes[label] and sizes[label] ~= size and size ~= 1 and sizes[label] ~= 1 then
        check.raise(('%s: tensors: size %d of label %s, expected %d'):format(where, size, label, sizes[label]), 'shape')
      end
      sizes[label], uses[label] = math.max(sizes[label] or 1, size), (uses[label] or 0) + 1
    end
    list[#list + 1] = setOf(labels)
  end
  if #list ~= #given then check.raise(('%s: tensors: %d, expected %d'):format(where, #given, #list)) end
  local result = {}
  if right then
    result = setOf(right)
  else
    for label, count in pairs(uses) do result[label] = count == 1 or nil end
  end
  local path, total = {}, 0
  while #list > 1 do
    local best
    for i = 1, #list - 1 do
      for j = i + 1, #list do
        local others = { result }
        for k, labels in ipairs(list) do
          if k ~= i and k ~= j then others[#others + 1] = labels end
        end
        local kept, cost, size = contracted(list[i], list[j], others, sizes)
        if not best or cost < best.cost or cost == best.cost and size < best.size then
          best = { i = i, j = j, kept = kept, cost = cost, size = size }
        end
      end
    end
    table.remove(list, best.j)
    table.remove(list, best.i)
    list[#list + 1] = best.kept
    path[#path + 1], total = { best.i, best.j }, total + best.cost
  end
  return path, total
end

return names
