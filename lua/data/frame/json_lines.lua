--- The rows of a data frame as lines of JSON: objects with the names of the columns in their order.
-- @module data.frame.json_lines
local check = require 'torch.check'
local column = require 'data.frame.column'
local dates = require 'data.frame.dates'

-- @tparam data.Frame frame
-- @tparam function encode of a value
-- @treturn string
return function(frame, encode)
  local records, keys, lines = frame:_records(frame.names), {}, {}
  local texts = {}
  for j, name in ipairs(frame.names) do
    keys[j] = encode(name) .. ':'
    if records[j].type == 'date' then texts[j] = dates.common(records[j].values) end
  end
  for i = 1, frame:size() do
    local fields = {}
    for j, c in ipairs(records) do
      local value = column.value(c, i)
      if value == nil then
        fields[j] = keys[j] .. 'null'
      else
        if c.type == 'date' then value = texts[j](value) end
        local good, text = pcall(encode, value)
        check.that(good, ('data.jsonl.save: %s[%d]: %s'):format(frame.names[j], i, tostring(text)))
        fields[j] = keys[j] .. text
      end
    end
    lines[i] = '{' .. table.concat(fields, ',') .. '}\n'
  end
  return table.concat(lines)
end
