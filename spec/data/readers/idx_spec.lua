-- IDX files by their known bytes, packed and not, damaged, and MNIST's own.
local torch = require 'torch'
local paths = require 'paths'
local files = require 'spec.support.files'
local idx = require('data.readers').idx

local name
before_each(function() name = paths.tmpname() end)
after_each(function() os.remove(name) end)

local shorts = '\0\0\11\2' .. '\0\0\0\2' .. '\0\0\0\3' .. '\0\1\0\2\255\255' .. '\1\0\127\255\128\0'

describe('data.idx.load', function()
  it('reads big-endian numbers of every type', function()
    local cases = {
      { '\0\0\8\1\0\0\0\2\7\255', 'Byte', { 7, 255 } },
      { '\0\0\9\1\0\0\0\2\7\255', 'Char', { 7, -1 } },
      { shorts, 'Short', { { 1, 2, -1 }, { 256, 32767, -32768 } } },
      { '\0\0\12\1\0\0\0\1\1\2\3\4', 'Int', { 0x01020304 } },
      { '\0\0\13\1\0\0\0\1\64\73\15\219', 'Float', { 3.1415927410125732 } },
      { '\0\0\14\1\0\0\0\1\64\9\33\251\84\68\45\24', 'Double', { math.pi } },
      { '\0\0\8\2\0\0\0\0\0\0\0\3', 'Byte', {} },
    }
    for _, case in ipairs(cases) do
      files.write(name, case[1])
      local x = idx.load(name)
      assert.equal('torch.' .. case[2] .. 'Tensor', x:type())
      assert.same(case[3], x:totable())
    end
  end)

  it('decompresses gzip files, of several streams, too', function()
    if os.execute 'command -v gzip >/dev/null' ~= 0 then return pending 'gzip is not installed' end
    for _, parts in ipairs { { shorts }, { shorts:sub(1, 9), shorts:sub(10) } } do
      files.write(name, '')
      for _, part in ipairs(parts) do
        files.write(name .. '.part', part)
        assert.equal(0, os.execute(('gzip -c %s.part >>%s'):format(name, name)))
      end
      os.remove(name .. '.part')
      assert.same({ { 1, 2, -1 }, { 256, 32767, -32768 } }, idx.load(name):totable())
    end
  end)

  it('reports invalid input', function()
    local cases = {
      ['at byte 1: expected a header of 4 bytes, read 0 bytes to the end of the file'] = '',
      ['at byte 1: expected two zero bytes, read "PK"'] = 'PK\3\4',
      ['at byte 3: expected a type of numbers %(8, 9, 11, 12, 13 or 14%), read 10'] = '\0\0\10\1',
      ['at byte 4: expected 1 to 32 dimensions, read 0'] = '\0\0\8\0',
      ['at byte 5: expected sizes of 8 bytes, read 4 bytes to the end of the file'] = '\0\0\8\2\0\0\0\1',
      ['at byte 13: expected 4294967295 x 4294967295 elements of 1 bytes, .* in all, read 1 bytes to'] =
        '\0\0\8\2' .. ('\255'):rep(8) .. 'x',
      ['at byte 13: expected 2 x 3 elements of 2 bytes, 6 in all, read 11 bytes to the end'] = shorts:sub(1, -2),
      ['at byte 25: expected the end of the file after the last element, read more bytes'] = shorts .. 'x',
      ['at byte 5: expected the rest of a gzip stream, read the end of the file'] = '\31\139\8\0',
      ['at byte 1: expected a gzip stream, read something else'] = '\31\139\8\255' .. ('\255'):rep(20),
    }
    for sentence, bytes in pairs(cases) do
      files.write(name, bytes)
      assert.error_matches(function() idx.load(name) end, 'data.idx.load: ' .. name:gsub('%p', '%%%0') .. ': ' .. sentence)
    end
    assert.error_matches(function() idx.load '/no/such' end, 'data.idx.load: cannot open /no/such: No such file or directory')
  end)
end)

describe('data.idx.save', function()
  it('writes what load reads, and the very bytes of the format', function()
    local x = torch.ShortTensor { { 1, 2, -1 }, { 256, 32767, -32768 } }
    idx.save(name, x)
    assert.equal(shorts, files.read(name))
    idx.save(name, x:t())
    assert.same(x:t():totable(), idx.load(name):totable())
    idx.save(name .. '.gz', x)
    assert.equal('\31\139', files.read(name .. '.gz'):sub(1, 2))
    assert.same(x:totable(), idx.load(name .. '.gz'):totable())
    os.remove(name .. '.gz')
    assert.error_matches(function() idx.save(name, torch.LongTensor(2)) end, 'data.idx.save: x: torch.LongTensor of 1 dimensions, expected')
  end)
end)
