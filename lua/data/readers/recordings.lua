--- What sets of recordings share: lists in files, and sounds of one rate.
-- @module data.readers.recordings
-- @local
local check = require 'torch.check'
local outside = require 'torch.file.outside'

local recordings = {}

--- Returns the lines of a file that are not empty.
-- @string where the start of messages
-- @string file
-- @treturn {string,...}
function recordings.lines(where, file)
  local lines = {}
  local contents = outside.open(where, file, function(channel) return outside.text(channel, channel:size(), 'a text') end)
  for line in contents:gmatch '[^\r\n]+' do lines[#lines + 1] = line end
  return lines
end

--- Reads a sound by the package audio.
-- @string where the start of messages
-- @string file
-- @int rate expected samples per second
-- @treturn torch.Tensor channels x samples, from -1 to 1
-- @raise if the file can't be read, or has another rate
function recordings.read(where, file, rate)
  local found, audio = pcall(require, 'audio')
  check.that(found, where .. ': the package audio, which reads sounds, is not installed (luarocks install audio)')
  local good, sound, own = pcall(audio.load, file, { normalized = true })
  if not good then check.raise(('%s: %s'):format(where, (tostring(sound):gsub('^audio%.load: ', '')))) end
  check.that(own == rate, ('%s: %s: %s samples per second, expected %d: the option rate'):format(where, file, own, rate))
  return sound:t():contiguous()
end

return recordings
