--- Rows of numbers as JSON objects, one on each line. NaN and infinities are null. The interface is optim.Logger's.
-- @classmod trainer.JSONLogger
-- @usage local log = trainer.JSONLogger 'run/loss.jsonl'
-- log:add { epoch = 1, loss = 0.5 }
local trainer, encoded = require 'trainer', require 'torch.file.json_text'

local function header() return '' end

local function row(self, values)
  local object = {}
  for column, value in pairs(values) do object[self.names[column]] = value end
  return encoded(object) .. '\n'
end

--- @function __init
-- @string filename replaced by the first row, unless a run is resumed; its folder is created
return { JSONLogger = require 'trainer.file_logger'('trainer.JSONLogger', trainer, header, row) }
