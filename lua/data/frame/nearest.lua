--- The name that a mistyped one is nearest to.
-- @module data.frame.nearest

-- The least number of insertions, deletions, substitutions and exchanges of neighbours that make one text the other, in small letters.
-- Source: Damerau's distance with the restriction to one change of each part (optimal string alignment).
local function distance(from, to)
  local rows = { [0] = {} }
  for j = 0, #to do rows[0][j] = j end
  for i = 1, #from do
    rows[i] = { [0] = i }
    for j = 1, #to do
      local a, b = from:byte(i), to:byte(j)
      local least = math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a == b and 0 or 1))
      if i > 1 and j > 1 and a == to:byte(j - 1) and b == from:byte(i - 1) then least = math.min(least, rows[i - 2][j - 2] + 1) end
      rows[i][j] = least
    end
  end
  return rows[#from][#to]
end

local longest, most = 64, 1000

-- @string text
-- @tparam {string,...} names
-- @treturn ?string nil if none is near: at most a third of its characters differ
return function(text, names)
  local best, least
  text = text:lower()
  if #text > longest then return nil end
  for i = 1, math.min(#names, most) do
    local name = names[i]:lower()
    if #name <= longest then
      local d = distance(text, name)
      if d <= math.max(1, math.floor(math.max(#text, #name) / 3)) and d < math.max(#text, #name) and (not least or d < least) then
        best, least = names[i], d
      end
    end
  end
  return best
end
