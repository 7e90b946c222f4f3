--- Text that must reach a file: a lost line of a log is an error at its writer.
-- @module torch.file.append_text

--- Writes texts to an open file, and flushes it.
-- @string op the writer, for the message
-- @string name the file's
-- @tparam file file from io.open
-- @string ... texts
-- @raise if they can't be written, for example to a full disk; the error has the position of the caller's caller
local function keep(op, name, file, ...)
  local good, message = file:write(...)
  if good then
    good, message = file:flush()
  end
  if not good then error(('%s: %s: %s'):format(op, name, message), 3) end
end

-- Not compiled: when a flush fails, compiled code leaves it to the interpreter to repeat the call, which then has nothing to write, and
-- succeeds.
jit.off(keep)

return keep
