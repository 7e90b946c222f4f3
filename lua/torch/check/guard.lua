--- Calls methods so that accidental errors inside the library are reported for the caller:
-- `nn.Add: arguments: (boolean), expected (inputSize, scalar)`, at the program's line. Only for methods that don't call functions
-- of a program, because errors of a program keep their traceback.
-- @module torch.check.guard
local pcall = pcall

local guard = {}

local ours = debug.getinfo(1, 'S').source:match '^(.*)torch/check/guard%.lua$' or ''

guard.folder = ours                                                  -- the library's folder, as in debug.getinfo
guard.written = setmetatable({}, { __mode = 'k' })                    -- functions that prepare the arguments of another one -> that one
guard.isInstalled = #ours > 1                                         -- else all files are in one chunk, or in the current folder

--- Returns whether a chunk, by its source from debug.getinfo, belongs to this library.
function guard.isOurSource(source) return source:sub(1, #ours) == ours end

--- Calls a library method.
-- @string where the method's name in messages
-- @tparam function method
-- @param self
-- @param ... its arguments
function guard.call(where, method, self, ...)
  local done, message = pcall(method, self, ...)
  if not done then require('torch.check.accident').tell(where, method, message, ...) end
end

return guard
