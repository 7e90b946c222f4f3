--- A viewer that writes the messages of `log:status`.
-- @module torchnet.log.view.status
local argcheck = require 'argcheck'
local sink = require 'torchnet.log.view.sink'

--- Creates the viewer, for `onSet`.
-- @function status
-- @string[opt] filename default: standard output
-- @bool[opt=true] append whether to append to an existing file
return argcheck {
  help = 'Writes the messages of log:status.',
  { name = 'filename', type = 'string', opt = true, help = 'standard output without one' },
  { name = 'append', type = 'boolean', default = true },
  call = function(filename, append)
    local write = sink('torchnet.log.view.status', filename, append)
    return function(_, key, value)
      if key == '__status__' then write(tostring(value)) end
    end
  end,
}
