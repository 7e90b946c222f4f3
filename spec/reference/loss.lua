-- Losses of class indices in plain Lua, in float64. A tensor is { sizes = {...}, data = {...} }.

local reference = {}

-- Calls f(element, class) for each place whose target counts.
local function eachTarget(sizes, target, ignore, f)
  local classDim = #sizes > 1 and 2 or 1
  local classes, inner = sizes[classDim], 1
  for d = classDim + 1, #sizes do inner = inner * sizes[d] end
  for i, class in ipairs(type(target) == 'number' and { target } or target.data) do
    if class ~= ignore then f((math.floor((i - 1) / inner) * classes + class - 1) * inner + (i - 1) % inner + 1, class) end
  end
end

local function arguments(weights, average, ignore)
  if type(weights) == 'boolean' then weights, average, ignore = nil, weights, average end
  return weights, average ~= false, ignore or -100
end

function reference.nll_loss(logp, target, ...)
  local weights, average, ignore = arguments(...)
  local loss, total = 0, 0
  eachTarget(logp.sizes, target, ignore, function(at, class)
    local weight = weights and weights.data[class] or 1
    loss, total = loss - weight * logp.data[at], total + weight
  end)
  if average and total ~= 0 then loss = loss / total end
  return { sizes = { 1 }, data = { loss } }, { sizes = { 1 }, data = { total } }
end

function reference.nll_loss_grad(g, sizes, target, total, ...)
  local weights, average, ignore = arguments(...)
  local result, count = { sizes = sizes, data = {} }, 1
  for _, size in ipairs(sizes) do count = count * size end
  for i = 1, count do result.data[i] = 0 end
  local scale = average and total.data[1] ~= 0 and 1 / total.data[1] or 1
  eachTarget(sizes, target, ignore, function(at, class) result.data[at] = -(weights and weights.data[class] or 1) * g.data[1] * scale end)
  return result
end

return reference
