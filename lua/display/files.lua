--- Windows as files in a folder, for machines without a browser: a picture is ID.jpg, a plot ID.svg, a text ID.html, a sound ID.wav or with
-- its file's extension.
-- @module display.files
local paths = require 'paths'

local files = {}

-- Names of files, which are inside the folder for any window's id.
local function nameOf(folder, id, extension)
  local plain = tostring(id):gsub('[^%w_.-]', '_'):gsub('^%.+', '_')
  return paths.concat(folder, plain .. '.' .. extension)
end

local function write(name, text)
  local file = assert(io.open(name, 'wb'))
  file:write(text)
  assert(file:close())
end

local writers = {}

function writers.image(folder, message, bytes) write(nameOf(folder, message.id, 'jpg'), bytes) end

function writers.text(folder, message)
  local page = '<!DOCTYPE html>\n<meta charset="utf-8">\n<title>%s</title>\n%s\n'
  local title = tostring(message.title or message.id):gsub('[&<>]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;' })
  write(nameOf(folder, message.id, 'html'), page:format(title, message.content))
end

function writers.audio(folder, message, bytes, extension) write(nameOf(folder, message.id, extension), bytes) end

function writers.plot(folder, message) require 'display.drawing'(message.content, message.title, nameOf(folder, message.id, 'svg')) end

--- Writes a message's file; replaces one of the same window.
-- @string folder created if it doesn't exist
-- @tparam table message
-- @string[opt] bytes of a picture or sound
-- @string[opt] extension of a sound's file
-- @raise if the file can't be written
function files.write(folder, message, bytes, extension)
  if not paths.dirp(folder) then paths.mkdir(folder) end
  writers[message.type](folder, message, bytes, extension)
end

return files
