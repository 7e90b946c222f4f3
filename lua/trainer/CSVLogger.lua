--- A table of numbers in a CSV file (RFC 4180): a row with the names of the columns, then one for each `add`. Numbers have as many digits
-- as needed to read the same ones; missing values are empty. The interface is optim.Logger's.
-- @classmod trainer.CSVLogger
-- @usage local log = trainer.CSVLogger 'run/loss.csv'
-- log:add { epoch = 1, loss = 0.5 }
local trainer, numberText = require 'trainer', require 'torch.file.number_text'

local function field(value)
  if type(value) == 'number' then return numberText.write('Double', value) end
  return value:find '[",\r\n]' and '"' .. value:gsub('"', '""') .. '"' or value
end

local function header(_, names)
  local texts = {}
  for i, name in ipairs(names) do texts[i] = field(tostring(name)) end
  return table.concat(texts, ',') .. '\n'
end

local function row(self, values)
  local texts = {}
  for i, column in ipairs(self.order) do texts[i] = values[column] ~= nil and field(values[column]) or '' end
  return table.concat(texts, ',') .. '\n'
end

--- @function __init
-- @string filename replaced by the first row, unless a run is resumed; its folder is created
return { CSVLogger = require 'trainer.file_logger'('trainer.CSVLogger', trainer, header, row) }
