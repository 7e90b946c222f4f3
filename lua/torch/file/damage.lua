--- The error of reading what cannot be there: where, what was expected, what was read.
-- It travels as an object, so that the outermost reader can say which file it was.
-- @module torch.file.damage
local Damage = {}
Damage.__index = Damage

function Damage:__tostring() return ('at byte %d: expected %s, read %s'):format(self.at, self.expected, self.read) end

local damage = {}

local longest = 200

-- Names in a file may be of any length and hold line ends, which %q lets stand; a message is short and one line.
local function shown(text)
  text = text:gsub('\\\n', '\\n')
  return #text > longest and text:sub(1, longest) .. '...' or text
end

--- Raises the error.
-- @int at position, counted from 1, of the first byte of what was read
-- @string expected what should be there
-- @string read what is there
-- @bool[opt] isOther whether the file is sound, and holds what this library has no form for
function damage.raise(at, expected, read, isOther)
  error(setmetatable({ at = at, expected = shown(expected), read = shown(read), isOther = isOther }, Damage), 0)
end

--- Whether an error came from `raise`.
function damage.is(err) return getmetatable(err) == Damage end

return damage
