--- Entries of folders, in an order that does not depend on the file system.
-- @module data.readers.folders
-- @local
local paths = require 'paths'

local folders = {}

--- Returns the names in a folder in alphabetical order, except for hidden ones.
-- @string folder
-- @tparam[opt] function accept a function of a name
-- @treturn {string,...} none if there is no such folder
function folders.names(folder, accept)
  local names = {}
  for _, name in ipairs(paths.dir(folder) or {}) do
    if name:sub(1, 1) ~= '.' and (not accept or accept(name)) then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

--- Returns the names of the folders in a folder in alphabetical order.
-- @string folder
-- @treturn {string,...}
function folders.within(folder)
  return folders.names(folder, function(name) return paths.dirp(paths.concat(folder, name)) end)
end

return folders
