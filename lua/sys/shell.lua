--- Shell commands.
-- @module sys.shell
local sys = require 'sys'
local check = require 'torch.check'

local shell = {}

local function trim(text) return (text:gsub('^%s+', ''):gsub('%s+$', '')) end

--- Runs a shell command and returns its trimmed output to stdout and stderr.
-- @string command
function shell.execute(command)
  local pipe = assert(io.popen('( ' .. check.name('sys.execute', 'command', command) .. ' ) 2>&1'))
  local output = pipe:read('*a')
  pipe:close()
  return trim(output)
end

--- Likewise, through a temporary file.
-- @string command
-- @string[opt='*a'] readwhat as for file:read
function shell.fexecute(command, readwhat)
  check.name('sys.fexecute', 'command', command)
  local name = require 'libmoontorch'.temporaryName()
  os.execute('( ' .. command .. ' ) > ' .. name .. ' 2>&1')
  local file = assert(io.open(name))
  local output = file:read(readwhat or '*a')
  file:close()
  os.remove(name)
  return type(output) == 'string' and trim(output) or output
end

for name, options in pairs { ls = '', ll = '-l', la = '-a', lla = '-la' } do
  --- The contents of a folder, from the shell's ls: `ls`, `ll` with details, `la` with hidden files, `lla` with both.
  -- @string[opt='.'] folder
  -- @treturn string
  shell[name] = function(folder)
    local quoted = folder and require 'torch.shell_word'(check.name('sys.' .. name, 'folder', folder)) or ''
    return sys.execute('ls ' .. options .. ' ' .. quoted)
  end
end

return shell
