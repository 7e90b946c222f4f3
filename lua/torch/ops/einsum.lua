--- torch.einsum: sums of products in index notation. Each pair of operands becomes one matrix product.
-- @module torch.ops.einsum
local torch = require 'torch'
local op = require 'torch.op'
local C = require 'libmoontorch'
local expect, refuse = require 'torch.check.expect', require 'torch.check.refuse'
local reshape = require 'torch.names.reshape'
local sizesOf = require('torch.check.message').sizes

local function fail(...) refuse.invalid(('einsum: ' .. ...):format(select(2, ...))) end
local function failShape(...) refuse.shape(('einsum: ' .. ...):format(select(2, ...))) end

local function set(list)
  local has = {}
  for _, label in ipairs(list) do has[label] = true end
  return has
end

-- Returns the letters of a term as a list; its ellipsis represents the last `hidden` of the dimensions .1, .2, ... that all ellipses share.
local function labelsOf(term, hidden, most)
  local labels = {}
  local before, after = term:match '^(%a*)%.%.%.(%a*)$'
  if not before and not term:match '^%a*$' then fail("equation: '%s', expected letters and at most one '...'", term) end
  for letter in (before or term):gmatch '.' do labels[#labels + 1] = letter end
  if before then
    for i = most - hidden + 1, most do labels[#labels + 1] = '.' .. i end
    for letter in after:gmatch '.' do labels[#labels + 1] = letter end
  end
  return labels
end

-- Returns the terms of an equation, and its result or nil.
local function parse(equation)
  local text = equation:gsub('%s', '')
  local left, right = text, nil
  local arrow = text:find('->', 1, true)
  if arrow then left, right = text:sub(1, arrow - 1), text:sub(arrow + 2) end
  local terms = {}
  for term in (left .. ','):gmatch '([^,]*),' do terms[#terms + 1] = term end
  return terms, right
end

local function reordered(x, labels, order)
  local place, dims, same = {}, {}, true
  for d, label in ipairs(labels) do place[label] = d end
  for d, label in ipairs(order) do
    dims[d] = place[label]
    same = same and dims[d] == d
  end
  return same and x or torch.permute(x, dims)
end

-- Returns the diagonal along two dimensions, as the last dimension: every (n + 1)th of n^2 elements.
local function diagonal(x, labels, first, second)
  local n, order, rest = x:size(first), {}, {}
  for d = 1, #labels do
    if d ~= first and d ~= second then order[#order + 1], rest[#rest + 1] = d, labels[d] end
  end
  order[#order + 1], order[#order + 2] = first, second
  local sizes = torch.permute(x, order):size():totable()
  sizes[#sizes], sizes[#sizes - 1] = nil, n * n
  local flat = reshape(torch.permute(x, order), sizes)
  rest[#rest + 1] = labels[first]
  return torch.index(flat, #rest, torch.range(1, n * n, n + 1):_as 'Long'), rest
end

-- Returns an operand whose labels are all different, without dimensions of size 1 that are broadcast.
local function prepared(x, labels, size)
  local d = 1
  while d <= #labels do
    local first
    for earlier = 1, d - 1 do
      if labels[earlier] == labels[d] then first = earlier end
    end
    if first then
      x, labels = diagonal(x, labels, first, d)
      d = 1
    else
      d = d + 1
    end
  end
  local kept, sizes = {}, {}
  for i, label in ipairs(labels) do
    if x:size(i) == size[label] then kept[#kept + 1], sizes[#sizes + 1] = label, size[label] end
  end
  if #kept < #labels then x = reshape(x, #sizes > 0 and sizes or { 1 }) end
  return { x = x, labels = kept }
end

-- Sums over the labels that are not in `keep`.
local function summed(operand, keep)
  local x, labels, sizes = operand.x, {}, {}
  for d, label in ipairs(operand.labels) do
    if keep[label] then labels[#labels + 1], sizes[#sizes + 1] = label, operand.x:size(d) else x = torch.sum(x, d) end
  end
  if #labels == #operand.labels then return operand end
  return { x = reshape(x, #sizes > 0 and sizes or { 1 }), labels = labels }
end

-- Contracts two operands to one; `keep` has the labels that are needed afterwards.
local function contracted(a, b, keep, size)
  local inA, inB = set(a.labels), set(b.labels)
  local function needed(other) return setmetatable({}, { __index = function(_, label) return keep[label] or other[label] end }) end
  a, b = summed(a, needed(inB)), summed(b, needed(inA))
  local batch, shared, onlyA, onlyB = {}, {}, {}, {}
  for _, label in ipairs(a.labels) do
    local list = not inB[label] and onlyA or keep[label] and batch or shared
    list[#list + 1] = label
  end
  for _, label in ipairs(b.labels) do
    if not inA[label] then onlyB[#onlyB + 1] = label end
  end
  local function count(labels)
    local n = 1
    for _, label in ipairs(labels) do n = n * size[label] end
    return n
  end
  local function joined(...)
    local all = {}
    for _, list in ipairs { ... } do
      for _, label in ipairs(list) do all[#all + 1] = label end
    end
    return all
  end
  local n, m, k, l = count(batch), count(onlyA), count(shared), count(onlyB)
  local left, right = reordered(a.x, a.labels, joined(batch, onlyA, shared)), reordered(b.x, b.labels, joined(batch, shared, onlyB))
  local product
  if #shared == 0 then
    product = torch.cmul(torch.expand(reshape(left, { n, m, 1 }), { n, m, l }), torch.expand(reshape(right, { n, 1, l }), { n, m, l }))
  elseif n == 1 then
    product = torch.mm(reshape(left, { m, k }), reshape(right, { k, l }))
  else
    product = torch.bmm(reshape(left, { n, m, k }), reshape(right, { n, k, l }))
  end
  local labels, sizes = joined(batch, onlyA, onlyB), {}
  for d, label in ipairs(labels) do sizes[d] = size[label] end
  return { x = reshape(product, #sizes > 0 and sizes or { 1 }), labels = labels }
end

-- Returns the pair with the smallest product, of more than two operands.
local function nextPair(operands, size)
  local best, first, second
  for i = 1, #operands do
    for j = i + 1, #operands do
      local all, elements = set(operands[i].labels), 1
      for _, label in ipairs(operands[j].labels) do all[label] = true end
      for label in pairs(all) do elements = elements * size[label] end
      if not best or elements < best then best, first, second = elements, i, j end
    end
  end
  return first, second
end

-- Returns the labels of all operands and of the result, from the equation and the operands' dimensions.
local function understood(equation, operands)
  local terms, right = parse(equation)
  if #terms ~= #operands then fail("equation: '%s' for %d operands, expected %d operands", equation, #operands, #terms) end
  local hidden, most, plan = {}, 0, { dims = {}, labels = {} }
  for i, term in ipairs(terms) do
    local letters = select(2, term:gsub('%a', ''))
    hidden[i] = term:find('...', 1, true) and operands[i]:dim() - letters or 0
    if hidden[i] < 0 or not term:find('...', 1, true) and letters ~= operands[i]:dim() then
      failShape("equation: '%s' for operand %d of size %s, expected a letter for each dimension", term, i, sizesOf(operands[i]))
    end
    most = math.max(most, hidden[i])
  end
  local times = {}
  for i, term in ipairs(terms) do
    plan.dims[i], plan.labels[i] = operands[i]:dim(), labelsOf(term, hidden[i], most)
    for _, label in ipairs(plan.labels[i]) do times[label] = (times[label] or 0) + 1 end
  end
  local result = {}
  if right then
    result = labelsOf(right, most, most)
    local seen = {}
    for _, label in ipairs(result) do
      if seen[label] or not times[label] then
        fail("equation: expected '%s' once in the result '%s' and in an operand", label, right)
      end
      seen[label] = true
    end
  else
    for label, n in pairs(times) do
      if n == 1 or label:sub(1, 1) == '.' then result[#result + 1] = label end
    end
    table.sort(result, function(p, q)      -- '.10' comes after '.9', both before letters
      local i, j = tonumber(p:sub(2)), tonumber(q:sub(2))
      if i and j then return i < j end
      return p < q
    end)
  end
  plan.result = result
  return plan
end

-- Parsed equations are cached, because programs use few equations often.
local plans, planCount, mostPlans = {}, 0, 100
local function planFor(equation, operands)
  local plan = plans[equation]
  local fits = plan and #plan.dims == #operands
  for i = 1, fits and #operands or 0 do fits = fits and plan.dims[i] == operands[i]:dim() end
  if fits then return plan end
  plan = understood(equation, operands)
  if not plans[equation] then planCount = planCount + 1 end
  if planCount > mostPlans then plans, planCount = {}, 1 end
  plans[equation] = plan
  return plan
end

-- Returns the size of each label.
local function sizesOfLabels(labels, operands)
  local size = {}
  for i, x in ipairs(operands) do
    for d, label in ipairs(labels[i]) do
      local n, known = x:size(d), size[label]
      if known and known ~= n and known ~= 1 and n ~= 1 then
        failShape("operands: size %d for '%s' in operand %d, expected %d as before", n, label, i, known)
      end
      if not known or known == 1 then size[label] = n end
      for e = 1, d - 1 do
        if labels[i][e] == label and x:size(e) ~= n then
          failShape("operands: '%s' twice in operand %d of size %s, expected equal sizes", label, i, sizesOf(x))
        end
      end
    end
  end
  return size
end

local function einsum(equation, operands)
  local plan = planFor(equation, operands)
  local labels, result = plan.labels, plan.result
  local size, rest = sizesOfLabels(labels, operands), {}
  for i, x in ipairs(operands) do rest[i] = prepared(x, labels[i], size) end
  while #rest > 1 do
    local i, j = 1, 2
    if #rest > 2 then i, j = nextPair(rest, size) end
    local b, a = table.remove(rest, j), table.remove(rest, i)
    local keep = set(result)
    for _, other in ipairs(rest) do
      for _, label in ipairs(other.labels) do keep[label] = true end
    end
    table.insert(rest, 1, contracted(a, b, keep, size))
  end
  local last, sizes, ones = summed(rest[1], set(result)), {}, {}
  -- Labels that only broadcast dimensions of size 1 have are added again.
  local order, has = {}, set(last.labels)
  for d, label in ipairs(result) do
    sizes[d] = size[label]
    ones[d] = has[label] and size[label] or 1
    if has[label] then order[#order + 1] = label end
  end
  if #result == 0 then return last.x:view(1)[1] end
  local y = reordered(last.x, last.labels, order)
  if #order < #result then y = torch.expand(reshape(y, ones), sizes) end
  -- The result must not share memory with an operand.
  return (#order < #result or C.sharesStorage(y, operands[1])) and torch.mul(y, 1) or y
end

op.declare {
  name = 'einsum',
  signature = '[res] equation:string operands:tensors|tensor b:tensor? c:tensor? d:tensor? e:tensor? f:tensor?',
  result = 'same', method = 'none', ulp = 32,
  precision = 'low',
  doc = [[
Einstein's sum: the product of all operands, summed over the letters that the result does not have. einsum('ij,jk->ik', a, b) is the matrix
product, 'ii->i' a diagonal, 'bij,bjk->bik' a batch of products, 'ij->' the sum of all elements, a number. Without '->' the result has the
letters that occur once, in alphabetical order. '...' represents any number of dimensions, which broadcast. Up to six operands, or a table
of them. Errors: an equation that does not match the operands, different sizes for a letter.]],
  samples = "{'ij,jk->ik', randn(3, 4), randn(4, 2)}, {'ii->i', randn(3, 3)}, {'ij->ji', randn(2, 3)}, {'bij,bjk->bik', randn(2, 3, 4), "
    .. "randn(2, 4, 2)}, {'i,i->', randn(4), randn(4)}, {'i,j->ij', randn(3), randn(3)}, {'ij,j', randn(2, 3), randn(3)}, "
    .. "{'...ij,jk->...ik', randn(2, 3, 2), randn(2, 3)}, {'ij,jk,kl->il', {randn(2, 3), randn(3, 4), randn(4, 2)}}, "
    .. "{'ij->', randn(2, 3)}, {'ijj,i->j', randn(3, 2, 2), randn(3)}",
  forward = function(equation, operands, ...)
    local list = torch.isTensor(operands) and { operands, ... } or operands
    if #list == 0 then fail 'operands: none' end
    for i, x in ipairs(list) do
      expect.numbers('einsum', 'operands', x)
      if x:dim() == 0 then failShape('operands: operand %d is empty, expected at least 1 dimension', i) end
    end
    return einsum(equation, list)
  end,
}
