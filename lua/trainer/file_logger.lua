--- The base of loggers whose files a resumed run continues: optim.Logger with other texts, and with a position.
-- @module trainer.file_logger
local torch, check = require 'torch', require 'torch.check'
local Logger, LogFile = require('optim').Logger, require 'trainer.log_file'

-- The fields in which optim.Logger has the columns and their values.
local fields = { 'empty', 'names', 'idx', 'order', 'nsymbols', 'symbols', 'styles' }

--- Defines a class.
-- @string name
-- @tparam table package_
-- @tparam function header (logger, names) -> the text before the rows
-- @tparam function row (logger, values by column) -> text
-- @treturn table
return function(name, package_, header, row)
  local class = torch.class(name, 'optim.Logger', package_)

  function class:__init(filename)
    check.name(name, 'filename', filename)
    Logger.__init(self, filename)
  end

  function class:_open() self._file = LogFile.new(self.name) end
  function class:_write(where, ...) self._file:write(where:gsub('^optim.Logger', name), ...) end
  class._header, class._row = header, row

  --- Returns the position, for checkpoints.
  -- @treturn table
  function class:state()
    local state = { bytes = self._file.bytes }
    for _, field in ipairs(fields) do state[field] = self[field] end
    return state
  end

  --- Continues from a position: later rows are removed from the file.
  -- @tparam table state
  function class:resume(state)
    check.int(name .. '.resume', 'state.bytes', check.table(name .. '.resume', 'state', state).bytes, { min = 0 })
    if not self._file:rewind(name .. '.resume', state.bytes) then return end
    for _, field in ipairs(fields) do self[field] = state[field] end
  end

  return class
end
