--- Plain Lua versions of native features of the program th (line editing, Ctrl-C, the clock), for other hosts.
-- th has a native module with this name in package.preload.
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
-- @treturn ?string the reason for nil: 'end', or 'interrupt' after Ctrl-C
function terminal.readLine(prompt)
  io.stdout:write(prompt)
  io.stdout:flush()
  local line = io.read '*l'
  return line, not line and 'end' or nil
end

--- Whether a terminal has more pending input: lines that were pasted or typed ahead.
-- @treturn boolean always false here
-- @treturn boolean whether the terminal has marked it as pasted
function terminal.hasInput() return false, false end

--- Calls f; an error goes through `handler`. In th, Ctrl-C makes f fail with `interrupted!`.
-- @tparam function handler as for xpcall
-- @tparam function f
-- @treturn boolean success
-- @return the results; or the handler's result, and whether Ctrl-C was pressed
function terminal.call(handler, f, ...) return xpcall(f, handler, ...) end

--- Lets Ctrl-C stop long ops, through the engine's functions `askInterrupt` and `runsGeneratedCode`; does nothing here.
function terminal.stopOpsBy() end

--- Adds an entry to the history for the arrow keys; does nothing here.
function terminal.addHistory() end

--- Sets the function that completes words; does nothing here.
function terminal.setCompleter() end

--- From now on Ctrl-C stops only the running input; here the host handles Ctrl-C.
function terminal.beginSession() end

--- Resumes the session, if there is one, after a program has used LuaJIT's profiler.
function terminal.resumeSession() end

--- The number of columns of the terminal.
-- @treturn ?int nil if the output isn't a terminal, or the terminal doesn't report it
function terminal.width() end

--- Seconds, from an arbitrary start.
terminal.now = os.clock

return terminal
