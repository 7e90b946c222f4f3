--- The command line of th.
-- @module trepl.command
local terminal = require 'trepl.terminal'
local traceback = require 'trepl.traceback'

local usage = [==[
Usage: th [options] [script.lua [arguments]]

Options:
  -l name            load a library
  -e statement       run a statement
  -h, --help         print this text
  -v, --version      print the version
  -                  as the script: run what the standard input holds
  -i, --interactive  start the interactive loop after the script or statement
  -g, --globals      warn of globals that are made, and of reads of undefined ones
  -gg, --gglobals    the same as errors
  -a, --async        the loop on the package async, where it is installed
  -x, --gfx          load the package gfx.js
  --functions        load functions that files hold: they are code of whoever wrote the file
  --export NETWORK FILE --input SIZES ...
                     write the forward pass of a network as a graph for C programs
]==]

local command = {}

local FAILED, INTERRUPTED = 1, 130      -- 130 is a shell's status for programs that Ctrl-C ended

--- Runs f; writes an error with its traceback.
-- @treturn int the exit status
local function attempt(f, ...)
  local ok, message, interrupted = terminal.call(traceback, f, ...)
  if not ok and message then
    io.stdout:flush()      -- so that earlier output appears before the error
    io.stderr:write('th: ', message, '\n')
  end
  return ok and 0 or interrupted and INTERRUPTED or FAILED
end

--- Runs the result of loadfile or loadstring. `text` is the program if it is not from a file.
-- @treturn int the exit status
local function execute(chunk, failure, text, ...)
  if not chunk then
    local hint = require 'trepl.hints'.ofSyntax(failure, text)
    io.stderr:write('th: ', failure, hint and '\n' .. hint or '', '\n')
  end
  return chunk and attempt(chunk, ...) or FAILED
end

local function loadLibrary(name)
  local ok, message = pcall(_G.require, name)
  if not ok then io.stdout:write('could not load ', name, ', skipping\n', tostring(message), '\n') end
end

--- Torch7's plots in the browser and its event loop are separate packages.
local function loadExtras(asked)
  if asked.graphics and not pcall(require, 'gfx.js') then
    io.stdout:write('could not load gfx.js: is the package installed?\n')
  end
  if asked.async and not pcall(require, 'async') then io.stdout:write('could not load async: the loop reads lines as usual\n') end
end

--- Parses the command line.
-- @tparam {string,...} words
-- @treturn ?table nil if they are invalid
-- @treturn ?string the error
local function parse(words)
  local asked = { libraries = {} }
  local i = 1
  while words[i] do
    local word = words[i]
    if word == '-h' or word == '--help' then
      asked.help = true
    elseif word == '-v' or word == '--version' then
      asked.version = true
    elseif word == '-i' or word == '--interactive' then
      asked.interactive = true
    elseif word == '-g' or word == '--globals' then
      asked.monitor = 'warn'
    elseif word == '-gg' or word == '--gglobals' then
      asked.monitor = 'error'
    elseif word == '--functions' then
      asked.functions = true
    elseif word == '-a' or word == '--async' then
      asked.async = true
    elseif word == '-x' or word == '--gfx' then
      asked.graphics = true
    elseif word == '--export' then
      asked.export = { unpack(words, i + 1) }
      break
    elseif word == '-e' then
      i = i + 1
      if not words[i] then return nil, 'option -e: expected a statement behind it' end
      asked.statement = words[i]
    elseif word:sub(1, 2) == '-l' then
      local name = word:sub(3)
      if name == '' then
        i = i + 1
        name = words[i]
      end
      if not name then return nil, 'option -l: expected a name behind it' end
      table.insert(asked.libraries, name)
    elseif word:find '^%-.' and not asked.statement then
      return nil, 'unrecognized flag ' .. word
    elseif not asked.statement then
      asked.script = i
      break
    end
    i = i + 1
  end
  return asked
end

--- Sets `arg` for scripts as lua does: the script at 0, its arguments from 1, the words before it below 0.
local function setArguments(words, script)
  arg = { [0] = words[script or 0] }
  for i = 0, #words do arg[i - (script or 0)] = words[i] end
end

--- Runs th.
-- @tparam {string,...} words the command line, th itself at 0
-- @treturn int the exit status
function command.run(words)
  local asked, problem = parse(words)
  if not asked then
    io.stdout:write('Error: ', problem, '\n', usage)
    return 1
  end
  if asked.help then
    io.stdout:write(usage)
    return 0
  end
  if asked.version then
    io.stdout:write('Moontorch ', require('libmoontorch').version, ', ', jit.version, '\n')
    return 0
  end
  setArguments(words, asked.script)
  local ok, failure = pcall(require, 'trepl')
  if not ok then
    io.stderr:write('th: ', tostring(failure), '\n')
    return 1
  end
  if not rawget(_G, 'torch') then
    io.stderr:write('th: libmoontorch.so was not found in ', package.cpath:match '^[^;]*', '; build or install it\n')
    return 1
  end
  local engine = require 'libmoontorch'
  terminal.stopOpsBy(engine.askInterrupt, engine.runsGeneratedCode)
  if asked.functions then require('torch.file.trust').functions = true end
  local startup = os.getenv 'TREPLSTARTUP'
  if startup and not asked.interactive and not asked.statement then
    local failed = execute(loadfile(startup))
    if failed ~= 0 then return failed end
  end
  for _, name in ipairs(asked.libraries) do loadLibrary(name) end
  loadExtras(asked)
  if asked.monitor then monitor_G(asked.monitor == 'error' or nil) end

  local status = 0
  if asked.export then
    local good, message = pcall(require('trepl.export').run, asked.export)
    if not good then io.stderr:write('th: ', tostring(message), '\n') end
    return good and 0 or FAILED
  elseif asked.statement then
    local chunk, why = loadstring(asked.statement, '=(command line)')
    status = execute(chunk, why, asked.statement)
  elseif asked.script then
    local file = words[asked.script]
    local chunk, why = loadfile(file ~= '-' and file or nil)
    status = execute(chunk, why, nil, unpack(words, asked.script + 1))
  end
  if asked.interactive or not asked.statement and not asked.script then
    local whole = not asked.interactive      -- a program on a pipe; with the option -i each line is answered
    status = require 'trepl.loop'(whole)
  end
  return status
end

return command
