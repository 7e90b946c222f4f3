--- sys.split, which xlua also adds to strings.
-- @module sys.split

--- Splits a string at a Lua pattern. Drops empty parts at the beginning and end, but not inside.
local function split(text, pattern)
  local check = require 'torch.check'      -- required here, since this file is loaded at the start
  text, pattern = check.text('split', 'text', text), check.text('split', 'pattern', pattern)
  local pieces, start = {}, 1
  while true do
    local first, last = text:find(pattern, start)
    if not first or last < first then break end
    if first > 1 then pieces[#pieces + 1] = text:sub(start, first - 1) end
    start = last + 1
  end
  if start <= #text then pieces[#pieces + 1] = text:sub(start) end
  return pieces
end

return split
