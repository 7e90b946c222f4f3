--- torch.include: running a file of a package.
-- @module torch.start.include
local include = {}

--- Runs a file of a package: in the folder of the package's main file, `NAME/init.lua` or `NAME.lua`, or in a folder `NAME` on
-- package.path.
-- @string packageName
-- @string file
-- @return what the file returns
function include.include(packageName, file)
  local paths, name = require 'paths', packageName:gsub('%.', '/'):gsub('%%', '%%%%')
  local folders = { require('torch').packageLuaPath(packageName) }
  for pattern in package.path:gmatch('[^;]+') do
    folders[#folders + 1] = pattern:find('%?/init%.lua$') and paths.dirname((pattern:gsub('%?', name))) or pattern:gsub('%?%.lua$', name)
  end
  for _, folder in ipairs(folders) do
    local path = folder .. '/' .. file
    if paths.filep(path) then return require 'torch.start.lua52'.dofile(path) end
  end
  error(('torch.include: %s: no such file in package %s'):format(file, packageName), 2)
end

return include
