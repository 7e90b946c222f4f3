--- What sets of recordings share: lists in files, and sounds of one rate.
-- @module data.readers.recordings
-- @local
local check = require 'torch.check'
local outside = require 'torch.file.outside'
local paths = require 'paths'

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

--- Sets the fields that each set of recordings has: `root`, `rate` and `_transform`.
-- @string where the start of messages
-- @tparam data.Dataset set
-- @string root the folder
-- @tparam table options `transform` and `rate`
-- @raise if there is no such folder, or an option is wrong
function recordings.prepare(where, set, root, options)
  check.that(paths.dirp(check.name(where, 'root', root)), ('%s: root: %s, expected a folder'):format(where, root))
  if options.transform ~= nil then check.callable(where, 'transform', options.transform) end
  set._transform, set.root, set.rate = options.transform, root, check.int(where, 'rate', options.rate or 16000, { min = 1 })
end

--- Reads a sound by the package audio, and transforms it.
-- @string where the start of messages
-- @tparam data.Dataset set
-- @string file
-- @return channels x samples, from -1 to 1, or what the transform makes of it
-- @raise if the file can't be read, or has another rate than the set
function recordings.read(where, set, file)
  local found, audio = pcall(require, 'audio')
  check.that(found, where .. ': the package audio, which reads sounds, is not installed (luarocks install audio)')
  local good, sound, rate = pcall(audio.load, file, { normalized = true })
  if not good then check.raise(('%s: %s'):format(where, (tostring(sound):gsub('^audio%.load: ', '')))) end
  check.that(rate == set.rate, ('%s: %s: %s samples per second, expected %d: the option rate'):format(where, file, rate, set.rate))
  sound = sound:t():contiguous()
  if set._transform then return set._transform(sound) end
  return sound
end

return recordings
