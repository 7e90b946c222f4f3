--- Arrays of characters as strings: the last dimension is the length.
-- @module netcdf.texts
local texts = {}

local function nested(text, sizes, level, first, width)
  if level == #sizes then return (text:sub(first, first + width - 1):gsub('%z+$', '')) end
  local list, step = {}, width
  for i = level + 1, #sizes - 1 do step = step * sizes[i] end
  for i = 1, sizes[level] do list[i] = nested(text, sizes, level + 1, first + (i - 1) * step, width) end
  return list
end

--- Returns a string for one dimension or none, and nested lists of strings for more; zeros at their ends are omitted.
-- @string text all characters
-- @tparam {int,...} sizes
function texts.nested(text, sizes)
  if #sizes <= 1 then return (text:gsub('%z+$', '')) end
  if text == '' then return {} end      -- no rows
  return nested(text, sizes, 1, 1, sizes[#sizes])
end

--- Returns the characters of a list of strings, padded by zeros to the longest, and its length, 1 or more: files have no dimension of 0.
-- @tparam {string,...} list
function texts.padded(list)
  local longest, parts = 1, {}
  for _, text in ipairs(list) do longest = math.max(longest, #text) end
  for i, text in ipairs(list) do parts[i] = text .. ('\0'):rep(longest - #text) end
  return table.concat(parts), longest
end

return texts
