--- The command line of moontorch-kernel.
-- @module notebook.command
local usage = [==[
Usage: moontorch-kernel --install [--user | --sys-prefix | --prefix FOLDER] [--name NAME]
       moontorch-kernel -f CONNECTION_FILE

Options:
  --install          make the kernel known to Jupyter; for the user, unless a prefix is given
  --user             for the user alone, below $JUPYTER_DATA_DIR or ~/.local/share/jupyter
  --sys-prefix       for the Python environment that is active ($VIRTUAL_ENV or $CONDA_PREFIX)
  --prefix FOLDER    below FOLDER/share/jupyter
  --name NAME        what the kernel is called there (moontorch)
  -f FILE            serve the frontend that has written FILE; Jupyter starts the kernel so
  -h, --help         print this text
  -v, --version      print the version
]==]

local command = {}

local flags = {
  ['--install'] = 'install', ['--user'] = 'user', ['--sys-prefix'] = 'sysPrefix', ['-h'] = 'help', ['--help'] = 'help', ['-v'] = 'version',
  ['--version'] = 'version',
}
local valued = { ['--prefix'] = 'prefix', ['--name'] = 'name', ['-f'] = 'connection' }

--- Parses the command line.
-- @tparam {string,...} words
-- @treturn ?table nil if they are invalid
-- @treturn ?string the error
local function parse(words)
  local asked, i = {}, 1
  while words[i] do
    local word, value = words[i], nil
    if word:find '^%-%-%a+=' then word, value = word:match '^(%-%-%a+)=(.*)$' end
    if flags[word] and not value then
      asked[flags[word]] = true
    elseif valued[word] then
      if not value then
        i = i + 1
        value = words[i]
      end
      if not value or value == '' then return nil, ('option %s: expected a value behind it'):format(word) end
      asked[valued[word]] = value
    else
      return nil, 'unrecognized argument ' .. words[i]
    end
    i = i + 1
  end
  return asked
end

--- Runs the command line.
-- @tparam {string,...} words the program itself at 0
-- @string program its path
-- @treturn int|string the exit status, or the name of a connection file to serve
function command.run(words, program)
  local asked, problem = parse(words)
  if not asked then
    io.stderr:write('moontorch-kernel: ', problem, '\n', usage)
    return 1
  end
  if asked.version then
    io.stdout:write('Moontorch ', require 'libmoontorch'.version, ', ', jit.version, '\n')
    return 0
  end
  if asked.install then
    local good, folder = pcall(require 'notebook.install', program, asked)
    io[good and 'stdout' or 'stderr']:write(good and 'Installed the kernel in ' or 'moontorch-kernel: ', tostring(folder), '\n')
    return good and 0 or 1
  end
  if asked.connection and not asked.help then return asked.connection end
  io[asked.help and 'stdout' or 'stderr']:write(usage)
  return asked.help and 0 or 1
end

return command
