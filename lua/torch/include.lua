--- torch.include: running a file of a package.
-- @module torch.include
local include = {}

--- Runs a file of a package's folder, found through package.path.
-- @string packageName
-- @string file
function include.include(packageName, file)
  local paths, name = require 'paths', packageName:gsub('%.', '/')
  for pattern in package.path:gmatch('[^;]+') do
    local folder = pattern:find('%?/init%.lua$') and paths.dirname((pattern:gsub('%?', name))) or pattern:gsub('%?%.lua$', name)
    local path = folder .. '/' .. file
    if paths.filep(path) then return dofile(path) end
  end
  error(('torch.include: %s: no such file in package %s'):format(file, packageName), 2)
end

return include
