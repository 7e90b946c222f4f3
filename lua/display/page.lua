--- The files of the page with the windows, the only files that the server delivers.
-- @module display.page
local folder = debug.getinfo(1, 'S').source:match '^@(.*)%.lua$'

local files = {
  ['/'] = { 'index.html', 'text/html; charset=utf-8' },
  ['/display.css'] = { 'display.css', 'text/css; charset=utf-8' },
  ['/windows.js'] = { 'windows.js', 'text/javascript; charset=utf-8' },
  ['/plot.js'] = { 'plot.js', 'text/javascript; charset=utf-8' },
}
files['/index.html'] = files['/']

--- A file of the page.
-- @string path in the request
-- @treturn ?string its bytes; nil if there is no such file
-- @treturn ?string its media type
return function(path)
  local entry = files[path:match '^[^?#]*']
  if not entry then return nil end
  local file = assert(io.open(folder .. '/' .. entry[1], 'rb'))
  local text = file:read '*a'
  file:close()
  return text, entry[2]
end
