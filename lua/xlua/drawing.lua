--- Parts of progress bars: the width of the terminal, times as short text, and the bar.
-- @module xlua.drawing
local ffi = require 'ffi'

ffi.cdef 'int mt_ioctl(int fd, unsigned long request, ...) asm("ioctl");'

local drawing = {}

local terminalSize, usual = 0x5413, 80      -- TIOCGWINSZ; columns, if unknown
local units = { { 'D', 86400000 }, { 'h', 3600000 }, { 'm', 60000 }, { 's', 1000 }, { 'ms', 1 } }

--- Number of columns of the terminal of a file descriptor.
-- @int descriptor
function drawing.columns(descriptor)
  local size = ffi.new 'unsigned short[4]'
  if ffi.C.mt_ioctl(descriptor, terminalSize, size) == 0 and size[1] > 0 then return size[1] end
  return tonumber(os.getenv 'COLUMNS') or usual
end

--- A time with at most two units: '1D2h', '3h5m', '2m1s', '4s250ms', '12ms'; fractions of a millisecond are cut.
-- @number seconds
-- @treturn string
function drawing.time(seconds)
  local rest = math.floor(seconds * 1000)
  local text, count = '', 0
  for _, unit in ipairs(units) do
    local n = math.floor(rest / unit[2])
    rest = rest - n * unit[2]
    if n > 0 and count < 2 then text, count = text .. n .. unit[1], count + 1 end
  end
  return text == '' and '0ms' or text
end

--- A bar of this width: [===>....] without its brackets.
-- @int width
-- @number done from 0 to 1
function drawing.bar(width, done)
  local filled = math.max(0, math.min(width, math.floor(done * width)))
  return ('='):rep(filled) .. (filled < width and '>' .. ('.'):rep(width - filled - 1) or '')
end

return drawing
