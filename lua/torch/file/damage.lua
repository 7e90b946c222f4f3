--- The error for invalid data in a file: the position, what was expected, what was read.
-- It is raised as an object, so that the outermost reader can add the file's name.
-- @module torch.file.damage
local Damage = {}
Damage.__index = Damage

function Damage:__tostring() return ('at byte %d: expected %s, read %s'):format(self.at, self.expected, self.read) end

local damage = {}

local longest = 200

-- Names in a file may have any length and contain line ends, which %q keeps; a message is short and has one line.
local function shown(text)
  text = text:gsub('\\\n', '\\n')
  return #text > longest and text:sub(1, longest) .. '...' or text
end

--- Raises the error.
-- @int at position, counted from 1, of the first byte of the invalid data
-- @string expected what should be there
-- @string read what is there
-- @bool[opt] isOther whether the file is intact, but contains data that this library doesn't support
function damage.raise(at, expected, read, isOther)
  error(setmetatable({ at = at, expected = shown(expected), read = shown(read), isOther = isOther }, Damage), 0)
end

--- Returns whether an error came from `raise`.
function damage.is(err) return getmetatable(err) == Damage end

return damage
