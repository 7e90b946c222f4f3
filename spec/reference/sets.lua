-- Sets of numbers, number by number.
local reference = {}

local function has(list, value)
  for _, v in ipairs(list) do
    if v == value then return true end
  end
  return false
end

function reference.isin(x, values)
  local data = {}
  for i, v in ipairs(x.data) do data[i] = has(values.data, v) and 1 or 0 end
  return { sizes = { unpack(x.sizes) }, data = data }
end

-- The different numbers of a list that are wanted, in order.
local function sorted(list, wanted)
  local data = {}
  for _, v in ipairs(list) do
    if wanted(v) and not has(data, v) then data[#data + 1] = v end
  end
  table.sort(data)
  return { sizes = { #data }, data = data }
end

function reference.setdiff(a, b) return sorted(a.data, function(v) return not has(b.data, v) end) end
function reference.intersect(a, b) return sorted(a.data, function(v) return has(b.data, v) end) end
function reference.union(a, b)
  local all = { unpack(a.data) }
  for _, v in ipairs(b.data) do all[#all + 1] = v end
  return sorted(all, function() return true end)
end

return reference
