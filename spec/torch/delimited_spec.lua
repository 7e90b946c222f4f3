-- Records of separated fields are the same for blocks of any size, as from pipes.
local Delimited = require 'torch.file.delimited'
local ffi = require 'ffi'

-- A channel that returns a text in blocks of this size.
local function inPieces(text, size)
  local channel, at = {}, 0
  local bytes = ffi.cast('const uint8_t *', text)
  function channel.peek() return bytes + at, math.min(size, #text - at) end
  function channel.skip(_, n) at = at + n end
  return channel
end

local text = '\239\187\191# first "\r\na,b,c\r\n\r\n' .. '1,"x, ""y""\r\nz",2021-03-04\n#\n"",NA,\n'
  .. ('2,q,4 Mar 2021\n'):rep(40) .. '"3",,"last"'
local columns = { { place = 0, kind = 'real' }, { place = 1, kind = 'text' }, { place = 2, kind = 'guess' } }

local function records(size)
  local reader, list = Delimited.new(inPieces(text, size), { comment = '#' }), {}
  for fields in function() return (reader:record()) end do list[#list + 1] = reader.line .. ' ' .. table.concat(fields, '|') end
  return list
end

local function read(size)
  local reader = Delimited.new(inPieces(text, size), { comment = '#' })
  reader:hold()
  reader:record()
  reader:rewind()
  assert.same({ 'a', 'b', 'c' }, reader:record())
  reader:columns(columns, 3)
  local rows = reader:read(math.huge, tostring)
  local values = reader:take()
  local numbers = values[1]:totable()
  for i = 1, rows do numbers[i] = tostring(numbers[i]) end
  return { rows, numbers, values[2], values[3] }
end

describe('delimited text', function()
  it('has the same records in pieces of any size', function()
    local whole = records(#text)
    assert.equal('2 a|b|c', whole[1])
    assert.equal('4 1|x, "y"\r\nz|2021-03-04', whole[2])
    assert.equal('7 |NA|', whole[3])
    assert.equal('48 3||last', whole[44])
    for size = 1, 70 do assert.same(whole, records(size)) end
  end)

  it('has the same columns in pieces of any size', function()
    local whole = read(#text)
    assert.equal(43, whole[1])
    assert.same({ 'x, "y"\r\nz', 'NA', 'q' }, { whole[3][1], whole[3][2], whole[3][3] })
    assert.equal(Delimited.readable.text, whole[4])
    for size = 1, 70 do assert.same(whole, read(size)) end
  end)

  it('gives lines as they are, between records', function()
    for size = 1, 20 do
      local reader = Delimited.new(inPieces('one "\ntwo,2\r\n\nlast', size), {})
      assert.equal('one "', reader:textLine())
      assert.same({ 'two', '2' }, reader:record())
      assert.same({ '', 'last' }, { reader:textLine(), reader:textLine() })
      assert.is_nil(reader:textLine())
    end
  end)
end)
