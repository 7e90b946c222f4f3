--- Names of files: their parts, and joining them. Nothing here accesses the disk except for the current folder.
-- @module paths.names
local asText = require 'paths.text'

local names = {}

--- The last component, ignoring trailing slashes.
-- @string path
-- @string[opt] suffix removed from the end, with its dot, if the name is longer; may be given with or without the dot
-- @treturn string '' for '' and '/'
function names.basename(path, suffix)
  path = asText('basename', 'path', path)
  local name = path:gsub('/+$', ''):match('[^/]*$')
  if suffix == nil then return name end
  suffix = asText('basename', 'suffix', suffix)
  if suffix:sub(1, 1) ~= '.' then suffix = '.' .. suffix end
  if #name > #suffix and name:sub(-#suffix) == suffix then return name:sub(1, -#suffix - 1) end
  return name
end

--- The part before the last slash that is not trailing; '.' without one.
-- @string path
-- @treturn string
function names.dirname(path)
  path = asText('dirname', 'path', path)
  if path:find('^/+$') then return path end
  local folder = path:gsub('/+$', ''):match('^(.*)/[^/]*$')
  if not folder then return '.' end
  return folder == '' and '/' or folder
end

--- The text after the last dot of the path; nothing without a dot.
-- @string path
-- @treturn ?string
function names.extname(path)
  path = asText('extname', 'path', path)
  local extension = path:match('%.([^.]*)$')
  if extension then return extension end
end

--- An absolute path: each argument is resolved against the ones before it, the first against the current folder.
-- '.', '..' and double slashes are removed textually; an argument that begins with a slash replaces the path.
-- @tparam string ... parts
-- @treturn string without a trailing slash, unless it is '/'
function names.concat(...)
  local parts = {}
  local function add(path)
    if path:sub(1, 1) == '/' then parts = {} end
    for part in path:gmatch('[^/]+') do
      if part == '..' then
        table.remove(parts)
      elseif part ~= '.' then
        table.insert(parts, part)
      end
    end
  end
  add(require('paths.system').cwd())
  for i = 1, select('#', ...) do
    local path = select(i, ...)
    add(asText('concat', 'argument ' .. i, path))
  end
  return '/' .. table.concat(parts, '/')
end

return names
