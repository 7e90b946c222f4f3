--- The same elements in different memory layouts: a tensor in every layout that an op may get.
local torch = require 'torch'
local elements = require 'torch.sweep.elements'

local layouts = {}

local function empty(x, ...)
  local y = x.new()
  return y:resize(...)
end

-- Each creates a tensor of x's sizes and elements; nil if x can't have this layout.
local makers = {
  { 'transposed', function(x)
    if x:dim() < 2 then return nil end
    local last = x:dim()
    return x:transpose(1, last):clone():transpose(1, last)
  end },
  { 'at an offset', function(x)
    if x:dim() < 1 then return nil end
    local sizes = x:size():totable()
    local n = sizes[#sizes]
    sizes[#sizes] = n + 3
    local wide = empty(x, unpack(sizes)):fill(1)
    local y = wide:narrow(#sizes, 3, n)
    return y:copy(x)
  end },
  { 'every second element', function(x)
    if x:dim() < 1 then return nil end
    local sizes = x:size():totable()
    sizes[#sizes + 1] = 2
    return empty(x, unpack(sizes)):fill(1):select(#sizes, 2):copy(x)
  end },
}

local function count(x) return x:nElement() end

--- Returns copies of x with other strides and offsets, none if it has no elements.
-- @treturn {{string,tensor},...}
function layouts.of(x)
  local list = {}
  if count(x) == 0 then return list end
  for _, maker in ipairs(makers) do
    local sizes = x:size():totable()
    -- Selecting from a vector would return a number.
    local y = maker[2](x)
    if torch.isTensor(y) and #sizes == y:dim() then list[#list + 1] = { maker[1], y } end
  end
  return list
end

--- Returns x's first slice repeated, once by copying and once with stride 0.
-- @treturn ?tensor repeated by copying
-- @treturn ?tensor repeated by a stride of 0
function layouts.repeated(x)
  if x:dim() < 2 or count(x) == 0 then return nil end
  local expanded = x:narrow(1, 1, 1):expandAs(x)
  return expanded:clone(), expanded
end

--- Creates a tensor of x's sizes as an out argument, between elements that a call must not change.
-- @treturn tensor it
-- @treturn function returns whether the surrounding elements have changed
function layouts.guarded(x)
  local n = count(x)
  local storage = x.new():resize(n + 16)
  for i = 1, n + 16 do storage[i] = i % 100 end
  local inside = storage:narrow(1, 9, math.max(n, 1))
  local y = n > 0 and inside:view(x:size()) or x.new()
  local before = elements.read(storage).data
  return y, function()
    local after = elements.read(storage).data
    for i = 1, n + 16 do
      local around = i <= 8 or i > n + 8
      if around and after[i] ~= before[i] then return true end
    end
    return false
  end
end

return layouts
