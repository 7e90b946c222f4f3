--- Calls whose accidents inside of ours are told as the caller sees them: `nn.Add: arguments: (boolean) came; (inputSize, scalar) was
-- expected`, at the program's line. For functions that call none of a program's, whose errors keep their trace.
-- @module torch.check.guard
local pcall = pcall

local guard = {}

local ours = debug.getinfo(1, 'S').source:match '^(.*)torch/check/guard%.lua$' or ''

guard.folder = ours                                                  -- of this library, as debug.getinfo names it
guard.written = setmetatable({}, { __mode = 'k' })                    -- functions that prepare the arguments of another one -> that one
guard.isInstalled = #ours > 1                                         -- else all of it is one chunk, or in the current folder

--- Whether a chunk, as debug.getinfo names its source, is of this library.
function guard.isOurSource(source) return source:sub(1, #ours) == ours end

--- Calls a method of ours.
-- @string where what messages call it
-- @tparam function method
-- @param self
-- @param ... its arguments
function guard.call(where, method, self, ...)
  local done, message = pcall(method, self, ...)
  if not done then require('torch.check.accident').tell(where, method, message, ...) end
end

return guard
