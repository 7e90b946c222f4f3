--- Completion inside quotes: names of files, and of packages after `require`.
-- @module trepl.quoted
local quoted = {}

-- The entries of a folder; folders among them end with a slash.
local function entries(folder)
  local names, list = {}, io.popen('ls -1ap -- ' .. require 'torch.shell_word'(folder) .. ' 2>/dev/null')
  for name in list:lines() do
    if name ~= './' and name ~= '../' then names[#names + 1] = name end
  end
  list:close()
  return names
end

--- Files that continue a path; folders end with a slash. Only the shell expands `~` to the home folder.
-- @string path
-- @treturn {[string]=string} names, each with its suffix
-- @treturn string the part of the path that they continue
function quoted.files(path)
  local folder, start = path:match '^(.*/)([^/]*)$'
  if not folder then folder, start = './', path end
  local found = {}
  for _, name in ipairs(entries(folder)) do
    if name:sub(1, #start) == start and (start ~= '' or name:sub(1, 1) ~= '.') then found[name] = '' end
  end
  return found, start
end

-- The names of modules in a folder: files for `?.lua`, folders for `?/init.lua`.
local function modulesIn(folder, ending, add)
  for _, name in ipairs(entries(folder)) do
    if ending:sub(1, 1) == '/' then
      local inside = name:match '^([%w_-]+)/$'
      local file = inside and io.open(folder .. inside .. ending)
      if file then
        file:close()
        add(inside)
      end
    elseif name:sub(-#ending) == ending then
      add(name:sub(1, -#ending - 1))
    end
  end
end

--- Modules that continue a name: those of package.path and package.preload. After a dot, the submodules of one.
-- @string name
-- @treturn {[string]=string} names, each with its suffix
-- @treturn string the part of the name that they continue
function quoted.modules(name)
  local parent, start = name:match '^(.*%.)([^.]*)$'
  if not parent then parent, start = '', name end
  local found = {}
  local function add(module)
    if module:find '^[%w_-]+$' and module ~= 'init' and module:sub(1, #start) == start then found[module] = '' end
  end
  for template in (package.path .. ';'):gmatch '(.-);' do
    local folder, ending = template:match '^([^?]*)%?(.+)$'
    if folder then modulesIn((folder == '' and './' or folder) .. parent:gsub('%.', '/'), ending, add) end
  end
  for module in pairs(package.preload) do
    if module:sub(1, #parent) == parent then add(module:sub(#parent + 1)) end
  end
  return found, start
end

return quoted
