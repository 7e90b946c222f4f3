-- JSON as RFC 8259 defines it: what strings may contain, and that written texts read back.
local json = require 'torch.file.json'
local encoded = require 'torch.file.json_text'

describe('torch.file.json', function()
  it('takes every byte from 32 on unescaped in strings, also DEL, except quote and backslash', function()
    for byte = 32, 127 do
      local c = string.char(byte)
      if c ~= '"' and c ~= '\\' then assert.equal('a' .. c .. 'b', json.decode('"a' .. c .. 'b"')) end
    end
  end)

  it('refuses the 32 control characters in strings', function()
    for byte = 0, 31 do
      assert.error_matches(function() json.decode('"a' .. string.char(byte) .. '"') end, 'the rest of a string')
    end
  end)

  it('reads what json_text writes', function()
    local bytes = {}
    for byte = 0, 255 do bytes[#bytes + 1] = string.char(byte) end
    local value = { text = table.concat(bytes), list = { 1, -0.5, 1e300 }, flag = true, inner = { empty = '' } }
    assert.same(value, json.decode(encoded(value)))
  end)
end)
