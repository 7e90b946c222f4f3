-- data.arrow.import of columns made by hand: each type of Arrow's columnar format, with offsets, missing values and dictionaries.
-- Source: https://arrow.apache.org/docs/format/Columnar.html and CDataInterface.html.
local torch, data = require 'torch', require 'data'
local ffi = require 'ffi'

local arrow = data.arrow

local function valuesOf(frame, name)
  local column, list = require 'data.frame.column', {}
  for i = 1, frame:size() do
    local value = column.value(frame:_record(name), i)
    list[i] = value == nil and 'missing' or type(value) == 'cdata' and tonumber(value) or value
  end
  return list
end

local kept = {}      -- memory of the columns; imported numbers share it

local function keep(x)
  kept[#kept + 1] = x
  return x
end

local function bytes(...) return keep(ffi.new('uint8_t[?]', select('#', ...), ...)) end
local function int32(...) return keep(ffi.new('int32_t[?]', select('#', ...), ...)) end
local function int64(...) return keep(ffi.new('int64_t[?]', select('#', ...), ...)) end
local function text(words) return keep(ffi.new('char[?]', #words + 1, words)) end

-- Gives a column a format, buffers and further fields; release functions are those of an export.
local function fill(schema, array, form)
  schema.format = text(form.format)
  array.length, array.offset, array.null_count = form.count, form.offset or 0, form.nulls or 0
  local pointers = keep(ffi.new('const void *[?]', math.max(form.n or #form.buffers, 1)))
  for i, pointer in pairs(form.buffers) do pointers[i - 1] = pointer and ffi.cast('const void *', pointer) or nil end
  array.buffers, array.n_buffers = pointers, form.n or #form.buffers
end

local function structures(form)
  local texts = {}
  for i = 1, form.count do texts[i] = form.dictionary and 'x' or 1 end
  local frame = data.Frame({ c = form.dictionary and texts or torch.ones(form.count) }, { 'c' })
  if form.dictionary then frame = frame:cast { c = 'category' } end
  local batch = arrow.export(frame)
  local schema, array = batch:schema(), batch:array()
  fill(schema.children[0], array.children[0], form)
  if form.dictionary then fill(schema.children[0].dictionary, array.children[0].dictionary, form.dictionary) end
  return batch, schema, array
end

local function imported(form)
  local _, schema, array = structures(form)
  return arrow.import(array, schema)
end

local function messageOf(form)
  local _, schema, array = structures(form)
  local good, problem = pcall(arrow.import, array, schema)
  assert.is_false(good)
  return (tostring(problem):gsub('^[^ ]*:%d+: ', ''))
end

local function assertColumn(type, expected, form)
  local frame = imported(form)
  assert.equal(type, frame.types.c, form.format)
  assert.same(expected, valuesOf(frame, 'c'), form.format)
end

describe('data.arrow.import of a column', function()
  after_each(function()
    for _ = 1, 4 do collectgarbage() end
    kept = {}
  end)

  it('reads integers and floats, from an offset', function()
    local function vector(ctype, ...) return keep(ffi.new(ctype .. '[?]', select('#', ...), ...)) end
    for format, case in pairs {
      c = { 'Char', 'int8_t', -128, 127 }, C = { 'Byte', 'uint8_t', 0, 255 }, s = { 'Short', 'int16_t', -32768, 32767 },
      S = { 'Int', 'uint16_t', 0, 65535 }, i = { 'Int', 'int32_t', -2 ^ 31, 2 ^ 31 - 1 }, I = { 'Long', 'uint32_t', 0, 2 ^ 32 - 1 },
      l = { 'Long', 'int64_t', -2 ^ 53, 2 ^ 53 }, L = { 'Long', 'uint64_t', 0, 2 ^ 53 }, f = { 'Float', 'float', 0.5, -2 },
      g = { 'Double', 'double', 0.1, -1e300 },
    } do
      local kind, ctype, first, second = unpack(case)
      local type = ('torch.%sTensor'):format(kind)
      assertColumn(type, { first, second }, { format = format, count = 2, buffers = { false, vector(ctype, first, second) } })
      assertColumn(type, { second, 1 }, { format = format, count = 2, offset = 2, buffers = { false, vector(ctype, 9, first, second, 1) } })
      assertColumn(type, { 'missing', second, 3 },
        { format = format, count = 3, nulls = 1, buffers = { bytes(6), vector(ctype, first, second, 3) } })
    end
    assertColumn('torch.HalfTensor', { 1.5, -2 }, { format = 'e', count = 2, buffers = { false, vector('uint16_t', 0x3e00, 0xc000) } })
    assertColumn('torch.DoubleTensor', { 2 ^ 63, 5 }, { format = 'L', count = 2, buffers = { false, vector('uint64_t', 2 ^ 63, 5) } })
  end)

  it('shares memory, or copies elements that are not aligned', function()
    local memory = int32(1, 2, 3)
    local frame = imported { format = 'i', count = 2, offset = 1, buffers = { false, memory } }
    frame.c[1] = 20
    assert.equal(20, memory[1])
    local shifted = keep(ffi.new('uint8_t[16]'))
    ffi.copy(shifted + 1, memory, 12)
    frame = imported { format = 'i', count = 3, buffers = { false, shifted + 1 } }
    assert.same({ 1, 20, 3 }, frame.c:totable())
    frame.c[1] = 50
    assert.equal(1, shifted[1])
  end)

  it('reads missing values by bits, from an offset', function()
    -- Bits 3 to 11: 1 0 1 1 0 | 1 1 0 0.
    local bits, memory = bytes(0x68, 0x03), int32(0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
    local expected = { 1, 'missing', 3, 4, 'missing', 6, 7, 'missing', 'missing' }
    for _, nulls in ipairs { 4, -1 } do
      assertColumn('torch.IntTensor', expected, { format = 'i', count = 9, offset = 3, nulls = nulls, buffers = { bits, memory } })
    end
    for _, form in ipairs { { count = 2, offset = -1 }, { count = 2, offset = 2 ^ 53 }, { count = 2, nulls = 3 }, { count = 2,
      nulls = -2 } } do
      form.format, form.buffers = 'i', { bits, memory }
      assert.equal(('data.arrow.import: c: length 2, offset %.0f and %d missing values, expected numbers that fit'):format(form.offset or 0,
        form.nulls or 0), messageOf(form))
    end
    -- None are missing if the number says so, or there are no bits.
    assertColumn('torch.IntTensor', { 1, 2 }, { format = 'i', count = 2, offset = 3, nulls = 0, buffers = { bits, memory } })
    assertColumn('torch.IntTensor', { 1, 2 }, { format = 'i', count = 2, offset = 3, nulls = -1, buffers = { false, memory } })
    assert.equal('data.arrow.import: c: buffer 0: NULL, expected the bits of 1 missing values',
      messageOf { format = 'i', count = 2, nulls = 1, buffers = { false, memory } })
  end)

  it('reads booleans', function()
    assertColumn('torch.BoolTensor', { true, false, true, true, false, true, false, false, true },
      { format = 'b', count = 9, buffers = { false, bytes(0x2d, 0x01) } })
    assertColumn('torch.BoolTensor', { true, 'missing', false, true }, { format = 'b', count = 4, offset = 5, nulls = 1,
                                                                       buffers = { bytes(0xbf, 0x01), bytes(0x20, 0x01) } })
    assert.equal('data.arrow.import: c: 3 buffers, expected 2', messageOf { format = 'b', count = 1, buffers = { false, bytes(1),
      bytes(1) } })
  end)

  it('reads texts and bytes with offsets of 4 and 8 bytes', function()
    for format, offsets in pairs { u = int32, z = int32, U = int64, Z = int64 } do
      local words = text 'xxaébc'
      assertColumn('text', { 'a', '', '\195\169b' }, { format = format, count = 3, offset = 1, buffers = { false, offsets(0, 2, 3, 3, 6),
        words } })
      assertColumn('text', { 'missing', 'a' }, { format = format, count = 2, nulls = 1, buffers = { bytes(2), offsets(0, 2, 3), words } })
      assertColumn('text', { '', '' }, { format = format, count = 2, buffers = { false, offsets(0, 0, 0), false }, n = 3 })
      local start = 'data.arrow.import: c: '
      assert.equal(start .. 'offsets 3 and 2 of the text at 2, expected growing ones',
        messageOf { format = format, count = 2, buffers = { false, offsets(0, 3, 2), words } })
      assert.equal(start .. 'offsets -1 and 2 of the text at 1, expected growing ones',
        messageOf { format = format, count = 1, buffers = { false, offsets(-1, 2), words } })
      assert.equal(start .. 'buffer 2: NULL, expected an address', messageOf { format = format, count = 1, buffers = { false, offsets(0,
        1) }, n = 3 })
      assert.equal(start .. 'buffer 1: NULL, expected an address', messageOf { format = format, count = 1, buffers = { [3] = words },
        n = 3 })
    end
    -- A part of a buffer of more than 2^31 bytes: only its end is there.
    local first, words = 2 ^ 31 + 5, text 'ab'
    assertColumn('text', { 'a', 'b' }, { format = 'U', count = 2, buffers = { false, int64(first, first + 1, first + 2), words - first } })
    assert.equal('data.arrow.import: c: offsets 0 and 2147483648 of the text at 1, expected growing ones',
      messageOf { format = 'U', count = 1, buffers = { false, int64(0, 2 ^ 31), words } })
  end)

  it('reads views of texts', function()
    local function view(length, tail) return ffi.string(ffi.new('int32_t[1]', length), 4) .. tail .. ('\0'):rep(12 - #tail) end
    local function long(length, head, which, start)
      return ffi.string(ffi.new('int32_t[1]', length), 4) .. head .. ffi.string(ffi.new('int32_t[2]', which, start), 8)
    end
    local first, second = text 'a text of many bytes', text '..another one, too'
    for _, format in ipairs { 'vu', 'vz' } do
      local views = text(view(2, 'no') .. view(12, 'twelve bytes') .. long(20, 'a te', 0, 0) .. view(0, '') .. long(15, 'anot', 1, 2))
      local function form(more)
        local base = { format = format, count = 4, offset = 1, buffers = { false, views, first, second, int64(20, 18) } }
        for key, value in pairs(more or {}) do base[key] = value end
        return base
      end
      assertColumn('text', { 'twelve bytes', 'a text of many bytes', '', 'another one, to' }, form())
      assertColumn('text', { 'twelve bytes', 'missing', '', 'another one, to' }, form { nulls = 1, buffers = { bytes(0x1a), views, first,
        second, int64(20, 18) } })
      local function bad(length, which, start)
        return messageOf { format = format, count = 1, buffers = { false, text(long(length, 'abcd', which, start)), first, int64(20) } }
      end
      local start = 'data.arrow.import: c: the view of the text at 1: '
      assert.equal(start .. '-1 bytes at 0 of buffer 0 of 1', bad(-1, 0, 0))
      assert.equal(start .. '13 bytes at 0 of buffer 1 of 1', bad(13, 1, 0))
      assert.equal(start .. '13 bytes at 0 of buffer -1 of 1', bad(13, -1, 0))
      assert.equal(start .. '13 bytes at -1 of buffer 0 of 1', bad(13, 0, -1))
      assert.equal('data.arrow.import: c: 2 buffers, expected 3 or more', messageOf { format = format, count = 1, buffers = { false,
        views } })
    end
  end)

  it('reads dates, times and durations', function()
    local function column(format, ...) return { format = format, count = select('#', ...), buffers = { false, int64(...) } } end
    local function short(format, ...) return { format = format, count = select('#', ...), buffers = { false, int32(...) } } end
    assertColumn('date', { 86400, -86400 }, short('tdD', 1, -1))
    assertColumn('date', { 1.5, -0.001 }, column('tdm', 1500, -1))
    for letter, divisor in pairs { s = 1, m = 1e3, u = 1e6, n = 1e9 } do
      for _, zone in ipairs { '', 'UTC', 'Europe/Berlin' } do
        assertColumn('date', { 2, -1 }, column(('ts%s:%s'):format(letter, zone), 2 * divisor, -divisor))
        if divisor > 1 then assertColumn('date', { 2.5 }, column(('ts%s:%s'):format(letter, zone), 2.5 * divisor)) end
      end
      assertColumn('torch.DoubleTensor', { 3, -1 }, column('tD' .. letter, 3 * divisor, -divisor))
      local time = (letter == 's' or letter == 'm') and short or column
      assertColumn('torch.DoubleTensor', { 86399, 0 }, time('tt' .. letter, 86399 * divisor, 0))
    end
  end)

  it('reads nulls', function()
    assertColumn('torch.DoubleTensor', { 'missing', 'missing' }, { format = 'n', count = 2, nulls = 2, buffers = {} })
  end)

  it('reads dictionaries of texts and numbers', function()
    local words = { format = 'u', count = 3, buffers = { false, int32(0, 1, 2, 3), text 'aba' } }
    local function places(...) return { false, int32(...) } end
    local frame = imported { format = 'i', count = 4, buffers = places(2, 1, 0, 1), dictionary = words }
    assert.equal('category', frame.types.c)
    assert.same({ 'a', 'b', 'a', 'b' }, valuesOf(frame, 'c'))
    assert.same({ 'a', 'b' }, frame.categories.c)      -- each once
    frame = imported { format = 'c', count = 3, nulls = 1, buffers = { bytes(5), bytes(0, 255, 1) }, dictionary = words }
    assert.same({ 'a', 'missing', 'b' }, valuesOf(frame, 'c'))
    local gaps = { format = 'u', count = 2, nulls = 1, buffers = { bytes(2), int32(0, 1, 2), text 'xy' } }
    assert.same({ 'missing', 'y' }, valuesOf(imported { format = 'i', count = 2, buffers = places(0, 1), dictionary = gaps }, 'c'))
    local numbers = { format = 'g', count = 2, buffers = { false, keep(ffi.new('double[2]', 0.5, 2)) } }
    assertColumn('torch.DoubleTensor', { 2, 0.5, 'missing' },
      { format = 'l', count = 3, nulls = 1, buffers = { bytes(3), int64(1, 0, 77) }, dictionary = numbers })
    local start = 'data.arrow.import: c: places '
    assert.equal(start .. '0 to 3 in a dictionary, expected 0 to 2', messageOf { format = 'i', count = 2, buffers = places(0, 3),
      dictionary = words })
    assert.equal(start .. '-1 to 2 in a dictionary, expected 0 to 2', messageOf { format = 'i', count = 2, buffers = places(-1, 2),
      dictionary = words })
    assert.equal(start .. 'of the type f in a dictionary, expected integers', messageOf { format = 'f', count = 1, buffers = places(0),
      dictionary = words })
    local list = { format = '+l', count = 0, buffers = {} }
    assert.equal('data.arrow.import: c: dictionary: the type +l of Arrow, expected numbers, booleans, texts, dictionaries of these, ' ..
      'dates or times', messageOf { format = 'i', count = 1, buffers = places(0), dictionary = list })
    -- All are missing: any place is good.
    assertColumn('category', { 'missing', 'missing' }, { format = 'i', count = 2, nulls = 2, buffers = { bytes(0), int32(50, -9) },
      dictionary = words })
  end)

  it('reads rows of a struct that are missing, and from an offset', function()
    local _, schema, array = structures { format = 'i', count = 4, nulls = 1, buffers = { bytes(0x0d), int32(1, 2, 3, 4) } }
    array.length, array.offset, array.null_count = 3, 1, 1
    array.buffers[0] = ffi.cast('const void *', bytes(0x0b))
    assert.same({ 'missing', 'missing', 4 }, valuesOf(arrow.import(array, schema), 'c'))
    _, schema, array = structures { format = 'i', count = 4, buffers = { false, int32(1, 2, 3, 4) } }
    array.length, array.offset = 4, 1
    assert.equal('data.arrow.import: c: 4 elements, expected 5', (select(2, pcall(arrow.import, array, schema)):gsub('^[^ ]*:%d+: ', '')))
  end)
end)

describe('data.arrow.importStream of a stream without batches', function()
  -- A stream whose schema is that of a frame of numbers, texts and categories, changed by a function.
  local function streamed(change)
    local frame = data.Frame({ x = torch.ones(2), t = { 'a', 'b' }, k = { 'c', 'd' } }, { 'x', 't', 'k' }):cast { k = 'category' }
    local stream, batch, callbacks = ffi.new 'mt_ArrowArrayStream', arrow.export(frame), {}
    local functions = {
      get_schema = function(_, out)
        change(batch:schema())
        ffi.copy(out, batch:schema(), ffi.sizeof 'mt_ArrowSchema')
        batch:schema().release = nil
        return 0
      end,
      get_next = function(_, out)
        out.release = nil
        return 0
      end,
      release = function(self) self.release = nil end,
    }
    for key, f in pairs(functions) do
      jit.off(f)
      stream[key] = f
      callbacks[#callbacks + 1] = stream[key]
    end
    local good, result = pcall(arrow.importStream, stream)
    for _, callback in ipairs(callbacks) do callback:free() end
    return good and result or (tostring(result):gsub('^[^ ]*:%d+: ', ''))
  end

  it('has columns of the types of the schema', function()
    local frame = streamed(function() end)
    assert.same({ { 'x', 't', 'k' }, 0, 'torch.DoubleTensor', 'text', 'category' }, { frame.names, frame:size(), frame.types.x,
      frame.types.t, frame.types.k })
    frame = streamed(function(schema) schema.n_children = 0 end)
    assert.same({}, frame.names)
  end)

  it('refuses schemas without sense', function()
    local start = 'data.arrow.importStream: '
    local function n(count) return function(schema) schema.n_children = count end end
    assert.equal(start .. '-1 children in the schema and 0 in the array, expected as many', streamed(n(-1)))
    assert.equal(start .. '1000001 children in the schema and 0 in the array, expected as many', streamed(n(1000001)))
    assert.equal(start .. '3 children in the schema and 0 in the array, expected as many',
      streamed(function(schema) schema.children = nil end))
    assert.equal(start .. 'children[2]: NULL, expected an address', streamed(function(schema) schema.children[1] = nil end))
    assert.equal(start .. 't: format: NULL, expected text', streamed(function(schema) schema.children[1].format = nil end))
  end)
end)

describe('data.arrow.toPython', function()
  it('refuses names that are none, and other values than frames', function()
    local frame = data.Frame { x = torch.ones(2) }
    local function refused(expected, ...)
      local good, problem = pcall(arrow.toPython, ...)
      assert.is_false(good)
      assert.equal('data.arrow.toPython: ' .. expected, (tostring(problem):gsub('^[^ ]*:%d+: ', '')))
    end
    for _, name in ipairs { 'a b', '1a', '', 'a;b', 'a\n' } do refused(("name: '%s', expected letters, digits and _"):format(name), name,
      frame) end
    refused('name: a table, expected letters, digits and _', {}, frame)
    refused('name: 3, expected letters, digits and _', 3, frame)
    refused('frame: a table, expected a data.Frame', 'a', {})
  end)
end)
