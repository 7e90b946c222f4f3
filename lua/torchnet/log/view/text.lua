--- A viewer that writes a log's values as a line of text.
-- @module torchnet.log.view.text
-- @usage local text = require 'torchnet.log.view.text'
-- local log = tnt.Log { keys = { 'loss' }, onFlush = { text { keys = { 'loss' }, format = { 'loss %.3f' } } } }
local argcheck, check = require 'argcheck', require 'torch.check'
local sink = require 'torchnet.log.view.sink'

local where = 'torchnet.log.view.text'

local function shown(format, value)
  if type(format) == 'function' then return tostring(format(value)) end
  if format then return format:format(value == nil and 'nil' or value) end
  return tostring(value)
end

--- Creates the viewer, for `onFlush`.
-- @function text
-- @string[opt] filename default: standard output
-- @tparam {string,...} keys
-- @tparam[opt] {string|function,...} format of each, for string.format, or a function of the value
-- @string[opt] separator ' '
-- @bool[opt=false] append whether to append to an existing file
return argcheck {
  help = "Writes a log's figures as a line of text.", noordered = true,
  { name = 'filename', type = 'string', opt = true, help = 'standard output without one' }, { name = 'keys', type = 'table' },
  { name = 'format', type = 'table', defaultf = function() return {} end, help = 'of each figure' },
  { name = 'separator', type = 'string', default = ' ' }, { name = 'append', type = 'boolean', default = false },
  call = function(filename, keys, format, separator, append)
    for i, f in pairs(format) do
      check.that(type(f) == 'string' or type(f) == 'function', ('%s: format[%s]: expected a string or a function'):format(where, i))
    end
    local write = sink(where, filename, append)
    return function(log)
      local parts = {}
      for i, key in ipairs(keys) do parts[i] = shown(format[i], log:get(key)) end
      write(table.concat(parts, separator))
    end
  end,
}
