--- Frames of videos, which the program ffmpeg decodes.
-- The package ffmpeg has to be installed: `apt-get install ffmpeg`. Frames come one by one through a pipe.
-- @classmod vision.Video
-- @usage local video = vision.Video 'street.mp4'
-- for number, frame in video:frames { from = 2, count = 10 } do print(number, frame:size(2), frame:size(3)) end
local ffi = require 'ffi'
local torch, check, vision = require 'torch', require 'torch.check', require 'vision'
local arguments, temporaryName = require 'vision.arguments', require 'libmoontorch'.temporaryName
local quoted = require 'torch.shell_word'

local Video = torch.class('vision.Video', vision)

local where = 'vision.Video'

local function output(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read '*a'
  pipe:close()
  return text
end

-- `file:` keeps ffmpeg from reading a name as an option or as the address of something else.
local function input(name) return quoted('file:' .. name) end

local function requireProgram()
  if output 'command -v ffmpeg >/dev/null 2>&1 && command -v ffprobe >/dev/null 2>&1 && echo found' == '' then
    check.raise(where .. ': the programs ffmpeg and ffprobe were not found (Debian and Ubuntu: apt-get install ffmpeg)')
  end
end

local function number(text)
  local above, below = (text or ''):match '^([%d.]+)/([%d.]+)$'
  if above then return tonumber(below) ~= 0 and tonumber(above) / tonumber(below) or nil end
  return tonumber(text)
end

--- Opens a video; its fields are `height`, `width`, `rate`, in frames per second, and `duration`, in seconds, nil if the file doesn't say.
-- @string name a file
-- @raise if ffmpeg is not installed, or the file has no video
function Video:__init(name)
  self.name = check.name(where, 'name', name)
  requireProgram()
  local file, problem = io.open(name, 'rb')
  if not file then check.raise(('%s: %s'):format(where, problem)) end
  file:close()
  local entries = 'stream=width,height,r_frame_rate,avg_frame_rate,duration:format=duration:stream_side_data=rotation'
  local text = output(('ffprobe -v error -select_streams v:0 -show_entries %s -of default=noprint_wrappers=1 %s 2>&1 </dev/null')
    :format(entries, input(name)))
  local found = {}
  for key, value in text:gmatch '([%w_]+)=([^\n]*)' do found[key] = found[key] ~= 'N/A' and found[key] or value end
  self.width, self.height = tonumber(found.width), tonumber(found.height)
  self.rate = number(found.avg_frame_rate) or number(found.r_frame_rate)
  if not self.width or not self.height or not self.rate then
    local said = text:match '^%s*([^\n]*)' or ''
    check.raise(('%s: %s: no video, expected a file with one%s'):format(where, name, said ~= '' and ' (' .. said .. ')' or ''))
  end
  if number(found.rotation) and number(found.rotation) % 180 ~= 0 then self.width, self.height = self.height, self.width end
  self.duration = number(found.duration)
end

-- Reads a picture in PPM's format, which says its size; nil at the end.
local function readFrame(pipe)
  local kind = pipe:read '*l'
  if not kind then return nil end
  local size, most = pipe:read '*l' or '', pipe:read '*l'
  local width, height = size:match '^(%d+) (%d+)$'
  width, height = tonumber(width), tonumber(height)
  if kind ~= 'P6' or most ~= '255' or not width then return nil, 'no picture from ffmpeg' end
  local bytes = pipe:read(width * height * 3)
  if not bytes or #bytes < width * height * 3 then return nil, 'a frame is cut off' end
  local frame = torch.ByteTensor(height, width, 3)
  ffi.copy(frame:data(), bytes, #bytes)
  return frame:permute(3, 1, 2):contiguous()
end

--- Iterates over frames: `for number, frame, time in video:frames() do ... end`, numbers from 1, frames as ByteTensors (3, height, width),
-- times in seconds from the start of the video.
-- @tparam[opt] table options
--
-- - `from`: seconds to skip (0)
-- - `count`: the most frames (all)
-- - `rate`: frames per second (the video's): frames are left out or repeated
-- - `size`: { height, width } to scale to (the video's)
-- @treturn function iterator
-- @raise with the file and ffmpeg's words if a frame can't be decoded
function Video:frames(options)
  local place = 'vision.Video.frames'
  options = check.options(place, options, { 'from', 'count', 'rate', 'size' })
  local from = check.number(place, 'from', options.from or 0, { min = 0, max = 1e9 })
  local rate = check.number(place, 'rate', options.rate or self.rate, { min = 1e-3, max = 1e6 })
  local words = { 'ffmpeg -v error -nostdin', ('-ss %.6f -i %s -map 0:v:0 -an -sn'):format(from, input(self.name)) }
  if options.count ~= nil then
    words[#words + 1] = ('-frames:v %d'):format(check.int(place, 'count', options.count, { min = 1, max = 2 ^ 31 - 1 }))
  end
  local filters = {}
  if options.rate then filters[1] = ('fps=%.6f'):format(rate) end
  if options.size ~= nil then
    local height, width = arguments.size(place, 'size', options.size)
    filters[#filters + 1] = ('scale=%d:%d'):format(width, height)
  end
  if #filters > 0 then words[#words + 1] = '-vf ' .. table.concat(filters, ',') end
  local errors = temporaryName()
  words[#words + 1] = ('-f image2pipe -c:v ppm - 2>%s'):format(quoted(errors))
  local pipe, count = assert(io.popen(table.concat(words, ' '), 'r')), 0
  local function finish(problem)
    pipe:close()
    pipe = nil
    local file = io.open(errors)
    local said = file and file:read '*l'
    if file then file:close() end
    os.remove(errors)
    problem = said or problem
    if problem then check.raise(('%s: %s: %s'):format(place, self.name, problem)) end
  end
  return function()
    if not pipe then return nil end
    local frame, problem = readFrame(pipe)
    if not frame then return finish(problem) end
    count = count + 1
    return count, frame, from + (count - 1) / rate
  end
end

return { Video = Video }
