--- A checkpoint's file: a table with a checksum.
-- @module trainer.checkpoint_file
local checked = require 'torch.file.checked'

local file = {}

--- Writes a checkpoint, completely or not at all.
-- @string where the start of messages
-- @string name
-- @tparam table state
-- @raise if it contains a function, or the file can't be written
function file.write(where, name, state) checked.write(where, 'checkpoint', name, state) end

--- Reads a checkpoint.
-- @string where the start of messages
-- @string name
-- @treturn table
-- @raise `where: checkpoint: name: ...` if it is none, or damaged
function file.read(where, name) return checked.read(where, 'checkpoint', name) end

return file
