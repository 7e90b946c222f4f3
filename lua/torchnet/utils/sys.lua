--- Lists of files.
-- @module torchnet.utils.sys
local argcheck, check = require 'argcheck', require 'torch.check'

local sys = {}

--- The lines of a text file as a list; with `revert`, also a table of the lines' numbers by line.
-- @function loadlist
-- @string filename
-- @bool[opt=false] revert
-- @treturn {string,...}
sys.loadlist = argcheck {
  { name = 'filename', type = 'string' }, { name = 'revert', type = 'boolean', default = false },
  call = function(filename, revert)
    local file, message = io.open(filename)
    if not file then check.raise('tnt.utils.sys.loadlist: ' .. message) end
    local list = {}
    for line in file:lines() do list[#list + 1] = line end
    file:close()
    if revert then
      for i, line in ipairs(list) do list[line] = i end
    end
    return list
  end,
}

local pictures = { jpg = true, jpeg = true, png = true, ppm = true, pgm = true }

local function collect(folder, prefix, found)
  local paths = require 'paths'
  for name in paths.iterfiles(folder) do
    local ending = name:match '%.(%w+)$'
    if ending and pictures[ending:lower()] then found[#found + 1] = prefix .. name end
  end
  for name in paths.iterdirs(folder) do collect(folder .. '/' .. name, prefix .. name .. '/', found) end
end

--- The images in a folder and its subfolders, by sorted names relative to it.
-- @function listimgfiles
-- @string path
-- @treturn {string,...}
sys.listimgfiles = argcheck {
  { name = 'path', type = 'string' },
  call = function(path)
    local found = {}
    collect(path, '', found)
    table.sort(found)
    return found
  end,
}

return sys
