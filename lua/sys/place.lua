--- The system, the installation, and the calling file of a program.
-- @module sys.place
local paths = require 'paths'

local place = {}

--- The system: 'linux', 'macos', 'windows' or '?'.
function place.uname()
  local names = { Linux = 'linux', Darwin = 'macos', Windows = 'windows' }
  return names[(paths.uname())] or '?'
end

--- The system when this was loaded.
place.OS = place.uname()

-- The parent of the interpreter's bin folder, if the command line has its path.
local function guessPrefix()
  local arguments = rawget(_G, 'arg') or {}
  for i = 0, -20, -1 do
    local program = arguments[i]
    local name = program and paths.basename(program)
    if name == 'lua' or name == 'luajit' or name == 'th' then
      return paths.dirname(paths.dirname(program:find('/', 1, true) and program or paths.findprogram(program) or program))
    end
  end
  return ''
end

--- A guess of the installation's folder; '' if unknown.
place.prefix = guessPrefix()

--- Folder and name of the file that calls this.
function place.fpath()
  local source = debug.getinfo(2, 'S').source
  local file = paths.concat(source:sub(1, 1) == '@' and source:sub(2) or source)
  return paths.dirname(file), paths.basename(file)
end

return place
