--- Installs the kernel for Jupyter: a folder with kernel.json and logos.
-- Source: jupyter-client.readthedocs.io, "Making kernels for Jupyter"
-- @module notebook.install
local paths = require 'paths'
local logo = require 'notebook.logo'

-- The folder share/jupyter for the options.
local function dataFolder(options)
  local count = (options.user and 1 or 0) + (options.sysPrefix and 1 or 0) + (options.prefix and 1 or 0)
  if count > 1 then error('--user, --sys-prefix and --prefix: expected one of them', 0) end
  if options.prefix then return options.prefix .. '/share/jupyter' end
  if options.sysPrefix then
    local prefix = os.getenv 'VIRTUAL_ENV' or os.getenv 'CONDA_PREFIX'
    if not prefix then error('--sys-prefix: no Python environment is active', 0) end
    return prefix .. '/share/jupyter'
  end
  local home = os.getenv 'HOME'
  local folder = os.getenv 'JUPYTER_DATA_DIR' or os.getenv 'XDG_DATA_HOME' and os.getenv 'XDG_DATA_HOME' .. '/jupyter'
    or home and home .. (jit.os == 'OSX' and '/Library/Jupyter' or '/.local/share/jupyter')
  return folder or error('--user: HOME is not set; --prefix FOLDER says where to', 0)
end

local function write(name, text)
  local file, problem = io.open(name, 'wb')
  local written = file and file:write(text)
  if file and not file:close() then written = nil end
  if not written then error(('%s could not be written: %s'):format(name, problem or 'the disk is full'), 0) end
end

-- A string in JSON.
local function quoted(text)
  return '"' .. text:gsub('[%c"\\]', function(c) return ('\\u%04x'):format(c:byte()) end) .. '"'
end

local description = [[
{
  "argv": [%s, "-f", "{connection_file}"],
  "display_name": "Lua (Moontorch)",
  "language": "lua",
  "interrupt_mode": "message"
}
]]

--- Writes the folder.
-- @string program the path of moontorch-kernel
-- @tparam table options `prefix`, `user` or `sysPrefix`, and the kernel's `name` (moontorch)
-- @treturn string the folder
-- @raise if it can't be written
local function install(program, options)
  local name = options.name or 'moontorch'
  if not name:find '^[%w._-]+$' then error(('--name: %s, expected letters, digits, points, dashes and underscores'):format(name), 0) end
  local folder = ('%s/kernels/%s'):format(dataFolder(options), name:lower())
  local made, problem = paths.mkdir(folder)
  if not made and not paths.dirp(folder) then error(('%s could not be made: %s'):format(folder, tostring(problem)), 0) end
  write(folder .. '/kernel.json', description:format(quoted(program)))
  write(folder .. '/logo-svg.svg', logo.svg())
  for _, size in ipairs { 32, 64 } do
    local png = logo.png(size)
    if png then write(('%s/logo-%dx%d.png'):format(folder, size, size), png) end
  end
  return folder
end

return install
