--- Where fetched files are.
-- @module hub.cache
local paths = require 'paths'

local places = {}

local longestPart = 200      -- of a name, in bytes: systems allow 255, and temporary names are longer

--- Returns the folder of the user for fetched files: moontorch/hub in XDG_CACHE_HOME, or in ~/.cache.
-- @function hub.cache
-- @treturn string
-- @raise if neither XDG_CACHE_HOME nor HOME is set
-- @usage print(hub.cache())
function places.cache()
  local base, home = os.getenv 'XDG_CACHE_HOME', os.getenv 'HOME'
  if not base or base:sub(1, 1) ~= '/' then      -- the XDG Base Directory Specification ignores relative ones
    if not home or home == '' then error('hub.cache: neither XDG_CACHE_HOME nor HOME is set', 2) end
    base = paths.concat(home, '.cache')
  end
  return paths.concat(base, 'moontorch', 'hub')
end

-- Returns a part of an address as the name of a file or folder; different parts have different names.
local function nameOf(part)
  local name = part:gsub('[^%w._-]', function(c) return ('%%%02X'):format(c:byte()) end)
  return (name:gsub('^%.', '%%2E'))
end

--- Returns the path for the file of an address: scheme, host and path as folders.
-- @string url
-- @treturn string
-- @raise if a part of the address is longer than names of files may be
function places.pathOf(url)
  local scheme, rest = url:match '^(%a+)://(.*)$'
  local parts = { places.cache(), scheme:lower() }
  for part in rest:gmatch '[^/]+' do
    local name = nameOf(part)
    if #name > longestPart then error(('address with a part of %d bytes, expected at most %d'):format(#name, longestPart), 0) end
    parts[#parts + 1] = name
  end
  return paths.concat(unpack(parts))
end

return places
