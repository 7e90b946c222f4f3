--- Text that a file is to keep: a line of a log that does not arrive is an error, where its writer is.
-- @module torch.file.append_text

--- Writes texts to an open file, and sees to it that the system has taken them.
-- @string op who writes, for the message
-- @string name the file's
-- @tparam file file as io.open gives it
-- @string ... texts
-- @raise if they can't be written, as on a full disk; the error's place is that of the caller's caller
local function keep(op, name, file, ...)
  local good, message = file:write(...)
  if good then
    good, message = file:flush()
  end
  if not good then error(('%s: %s: %s'):format(op, name, message), 3) end
end

-- Compiled code that sees a flush fail leaves it to the interpreter to do it again, which then finds nothing left to write, and no error.
jit.off(keep)

return keep
