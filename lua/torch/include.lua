--- include: running a file that lies beside the file that asks for it.
-- @module torch.include

--- Puts the global `include(file [, depth])` and `torch.include(package, file)` in place.
return function(torch)
  --- Runs a file of the caller's folder; the global `include`.
  -- @string file
  -- @int[opt=2] depth level of debug.getinfo: 2 is the caller
  rawset(_G, 'include', function(file, depth)
    local path = require('paths').thisfile(file, (depth or 2) + 1)
    return dofile(path)
  end)

  --- Runs a file of a package's folder, found through package.path.
  -- @string package
  -- @string file
  function torch.include(packageName, file)
    local paths, name = require 'paths', packageName:gsub('%.', '/')
    for pattern in package.path:gmatch('[^;]+') do
      local folder = pattern:find('%?/init%.lua$') and paths.dirname((pattern:gsub('%?', name))) or pattern:gsub('%?%.lua$', name)
      local path = folder .. '/' .. file
      if paths.filep(path) then return dofile(path) end
    end
    error(('torch.include: %s: no such file in package %s'):format(file, packageName), 2)
  end
end
