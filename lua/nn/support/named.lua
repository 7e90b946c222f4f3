--- The parameters of a network with their names: their paths from the outermost module.
-- @module nn.support.named
local torch, C = require 'torch', require 'libmoontorch'

local usual = { 'weight', 'bias' }
local skipped = { output = true, gradInput = true, _record = true }

-- Returns the keys of a table: positions first, then names, each in order.
local function keysOf(t)
  local positions, names = {}, {}
  for key in next, t do
    if type(key) == 'number' then positions[#positions + 1] = key elseif type(key) == 'string' then names[#names + 1] = key end
  end
  table.sort(positions)
  table.sort(names)
  for _, name in ipairs(names) do positions[#positions + 1] = name end
  return positions
end

-- Stores the paths of all tensors in `paths`: for each tensor, the first one.
local function collect(value, path, paths, seen)
  if C.isTensor(value) then
    paths[value] = paths[value] or path
    return
  end
  if type(value) ~= 'table' or seen[value] then return end
  seen[value] = true
  local prefix = path == '' and '' or path .. '.'
  if torch.typename(value) then
    for _, name in ipairs(value.parameterNames or usual) do collect(value[name], prefix .. name, paths, seen) end
    for i, child in ipairs(value.modules or {}) do collect(child, prefix .. i, paths, seen) end
  end
  for _, key in ipairs(keysOf(value)) do
    local isGradient = type(key) == 'string' and key:find '^grad%u'
    if not skipped[key] and not isGradient and key ~= 'modules' then collect(value[key], prefix .. key, paths, seen) end
  end
end

--- Iterates over a module's parameters.
-- @tparam nn.Module module
-- @treturn function iterator that returns a name, a parameter and its gradient
return function(module)
  local parameters, gradients = module:parameters()
  local paths, i = {}, 0
  collect(module, '', paths, {})
  return function()
    i = i + 1
    local parameter = parameters and parameters[i]
    if parameter then return paths[parameter] or ('parameter' .. i), parameter, gradients[i] end
  end
end
