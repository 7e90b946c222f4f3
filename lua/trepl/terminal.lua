--- What the program th offers natively (line editing, Ctrl-C, the clock), in plain Lua for other hosts.
-- th puts its own module of this name into package.preload.
-- @module trepl.terminal
local ffi = require 'ffi'

local terminal = {}

ffi.cdef 'int mt_isatty(int descriptor) asm("isatty");'

--- Whether a file descriptor is a terminal.
-- @tparam int descriptor 0 input, 1 output, 2 errors
-- @treturn boolean
function terminal.isTerminal(descriptor) return ffi.C.mt_isatty(descriptor) ~= 0 end

--- Reads a line without its end.
-- @tparam string prompt
-- @treturn ?string nil at the end of the input
-- @treturn ?string why there is none: 'end', or 'interrupt' after Ctrl-C
function terminal.readLine(prompt)
  io.stdout:write(prompt)
  io.stdout:flush()
  local line = io.read '*l'
  return line, not line and 'end' or nil
end

--- Whether more input waits at a terminal: lines that were pasted, or typed ahead.
-- @treturn boolean never here
-- @treturn boolean whether the terminal has marked it as pasted
function terminal.hasInput() return false, false end

--- Calls f; an error goes through `handler`. In th, Ctrl-C makes f fail with `interrupted!`.
-- @tparam function handler as for xpcall
-- @tparam function f
-- @treturn boolean success
-- @return the results; or what the handler returned, and whether Ctrl-C was pressed
function terminal.call(handler, f, ...) return xpcall(f, handler, ...) end

--- Lets Ctrl-C stop long ops; the functions are the engine's `askInterrupt` and `runsGeneratedCode`. Here the interpreter decides.
function terminal.stopOpsBy() end

--- Makes an entry reachable by the arrow keys; there are none here.
function terminal.addHistory() end

--- Says how to complete a word; nothing completes here.
function terminal.setCompleter() end

--- From here on Ctrl-C stops the running input only; here the interpreter decides.
function terminal.beginSession() end

--- Goes on with the session, if there is one, after a program has used LuaJIT's profiler.
function terminal.resumeSession() end

--- How many columns the terminal has.
-- @treturn ?int nil where the output is no terminal, or one that does not say
function terminal.width() end

--- Seconds, from an arbitrary start.
terminal.now = os.clock

return terminal
