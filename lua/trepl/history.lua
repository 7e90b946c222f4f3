--- The history file of the REPL: one entry per line; a line break inside an entry has a backslash before it.
-- The file has no other contents, so that lua can share it.
-- @module trepl.history
local terminal = require 'trepl.terminal'

local history = {}

local KEPT = 2000    -- maximum number of entries when the file is loaded or rewritten

local function path()
  local home = os.getenv 'HOME' or os.getenv 'USERPROFILE'
  return os.getenv 'TREPL_HISTORY' or home and home .. '/.luahistory'
end

local function encode(entry) return (entry:gsub('\n', '\\\n')) end

--- The entries of a history file's text.
-- @tparam string text
-- @treturn {string,...} oldest first
function history.parse(text)
  local entries, open = {}, nil
  for line in (text:gsub('\n$', '') .. '\n'):gmatch '(.-)\n' do
    local entry = open and open .. '\n' .. line or line
    if entry:sub(-1) == '\\' then
      open = entry:sub(1, -2)
    else
      open = nil
      if entry ~= '' then entries[#entries + 1] = entry end
    end
  end
  return entries
end

--- Loads the file into the line editor, and shortens it if it is too long.
function history.load()
  local name = path()
  local file = name and io.open(name)
  if not file then return end
  local entries = history.parse(file:read '*a')
  file:close()
  local first = math.max(1, #entries - KEPT + 1)
  for i = first, #entries do terminal.addHistory(entries[i]) end
  if #entries <= 2 * KEPT then return end
  local kept = {}
  for i = first, #entries do kept[#kept + 1] = encode(entries[i]) .. '\n' end
  pcall(require('torch.file.atomic').text, 'history', name, table.concat(kept))      -- a file that can't be written stays unchanged
end

--- Adds an entry to the line editor and to the file.
-- @tparam string entry may have several lines
function history.add(entry)
  terminal.addHistory(entry)
  local name = path()
  local file = name and not entry:find '\\$' and io.open(name, 'a')
  if not file then return end
  file:write(encode(entry), '\n')
  file:close()
end

return history
