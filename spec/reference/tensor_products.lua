-- Sums of products in plain Lua, index by index: einsum, tensordot, kron.
local tensor = require('spec.reference.view').tensor
local build, element = tensor.build, tensor.element

local reference = {}

local function labels(term, hidden)
  local list = {}
  for dots, letter in term:gmatch '(%.*)(%a?)' do
    if #dots > 0 then
      for i = 1, hidden do list[#list + 1] = tostring(i) end
    end
    if #letter > 0 then list[#list + 1] = letter end
  end
  return list
end

-- Every combination of the labels' values, one after another; samples have the same number of dimensions in each ellipsis, or none.
function reference.einsum(equation, ...)
  local operands = { ... }
  if not operands[1].sizes then operands = operands[1] end
  local left, right = equation:match '^(.-)%->(.*)$'
  local terms, hidden, size, times = {}, 0, {}, {}
  for term in (left or equation):gmatch '[^,]+' do
    terms[#terms + 1] = term
    if term:find '%.' then hidden = #operands[#terms].sizes - select(2, term:gsub('%a', '')) end
  end
  for i, term in ipairs(terms) do
    terms[i] = labels(term, hidden)
    for d, label in ipairs(terms[i]) do size[label], times[label] = operands[i].sizes[d], (times[label] or 0) + 1 end
  end
  local result = right and labels(right, hidden) or {}
  if not right then
    for label, n in pairs(times) do
      if n == 1 then result[#result + 1] = label end
    end
    table.sort(result)
  end
  local isResult, summed, sizes = {}, {}, {}
  for d, label in ipairs(result) do isResult[label], sizes[d] = true, size[label] end
  for label in pairs(size) do
    if not isResult[label] then summed[#summed + 1] = label end
  end
  local function total(at, depth)
    if depth <= #summed then
      local sum = 0
      for i = 1, size[summed[depth]] do
        at[summed[depth]] = i
        sum = sum + total(at, depth + 1)
      end
      return sum
    end
    local product = 1
    for i, term in ipairs(terms) do
      local index = {}
      for d, label in ipairs(term) do index[d] = at[label] end
      product = product * element(operands[i], index)
    end
    return product
  end
  if #result == 0 then return total({}, 1) end
  return build(sizes, function(index)
    local at = {}
    for d, label in ipairs(result) do at[label] = index[d] end
    return total(at, 1)
  end)
end

function reference.tensordot(a, b, dims, dimsB)
  local letters, ofA, ofB, result = 'abcdefghij', {}, {}, {}
  for d = 1, #a.sizes do ofA[d] = letters:sub(d, d) end
  for d = 1, #b.sizes do ofB[d] = letters:sub(#ofA + d, #ofA + d) end
  local dimsA = dims
  if type(dims) ~= 'table' then
    dims, dimsA, dimsB = dims or 2, {}, {}
    for i = 1, dims do dimsA[i], dimsB[i] = #ofA - dims + i, i end
  end
  local shared = {}
  for i, d in ipairs(dimsA) do
    local letter = ofA[tensor.resolved(d, #ofA)]
    ofB[tensor.resolved(dimsB[i], #ofB)], shared[letter] = letter, true
  end
  for _, list in ipairs { ofA, ofB } do
    for _, letter in ipairs(list) do
      if not shared[letter] then result[#result + 1] = letter end
    end
  end
  return reference.einsum(table.concat(ofA) .. ',' .. table.concat(ofB) .. '->' .. table.concat(result), a, b)
end

function reference.kron(a, b)
  local rank, sizes = math.max(#a.sizes, #b.sizes), {}
  local function size(x, d) return x.sizes[d - rank + #x.sizes] or 1 end
  for d = 1, rank do sizes[d] = size(a, d) * size(b, d) end
  return build(sizes, function(index)
    local inA, inB = {}, {}
    for d = 1, rank do
      local i, n = index[d] - 1, size(b, d)
      if d > rank - #a.sizes then inA[#inA + 1] = math.floor(i / n) + 1 end
      if d > rank - #b.sizes then inB[#inB + 1] = i % n + 1 end
    end
    return element(a, inA) * element(b, inB)
  end)
end

return reference
