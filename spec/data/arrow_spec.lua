-- data.arrow: frames as Arrow's structures and back, with pyarrow in the same process where it is installed, and with structures that make
-- no sense.
local torch, data = require 'torch', require 'data'
local ffi = require 'ffi'

local arrow, python = data.arrow, torch.python
local function collect() for _ = 1, 4 do collectgarbage() end end
local function addressOf(pointer) return tonumber(ffi.cast('intptr_t', pointer)) end
local function withoutPlace(text) return (tostring(text):gsub('^[^ ]*:%d+: ', '')) end
local function refused(f, ...)
  local good, message = pcall(f, ...)
  assert.is_false(good)
  return withoutPlace(message)
end

local good, message = pcall(python.run, 'import pyarrow, gc')
local noArrow = not good and withoutPlace(message)
local function using(f)
  return function()
    if noArrow then pending(noArrow) end
    f()
  end
end

-- The values of a column as Lua has them, with nil for missing ones; a date in seconds.
local function valuesOf(frame, name)
  local column, list = require 'data.frame.column', {}
  for i = 1, frame:size() do list[i] = column.value(frame:_record(name), i) end
  return list
end

local kinds = { 'Char', 'Byte', 'Short', 'Int', 'Long', 'Half', 'Float', 'Double' }

-- A frame of every type, with and without missing values.
local function everything()
  local columns, order = {}, {}
  local function add(name, values)
    columns[name], order[#order + 1] = values, name
  end
  for _, kind in ipairs(kinds) do add(kind, torch.range(1, 3):type('torch.' .. kind .. 'Tensor')) end
  add('flag', { true, false, true })
  add('text', { 'a', 'grün', '' })
  add('kind', { 'x', 'y', 'x' })
  add('day', { '2020-01-01', '1969-12-31', '2020-01-01T12:30:00.25' })
  return data.Frame(columns, order):cast { kind = 'category', day = 'date' }
end
local days = { 1577836800, -86400, 1577881800.25 }

describe('data.arrow.export', function()
  it('describes columns as the interface does', function()
    local frame = everything()
    local batch = arrow.export(frame)
    local schema, array = batch:schema(), batch:array()
    assert.equal('+s', ffi.string(schema.format))
    assert.equal(12, tonumber(schema.n_children))
    assert.same({ 3, 0, 1 }, { tonumber(array.length), tonumber(array.null_count), tonumber(array.n_buffers) })
    local formats = {}
    for i = 0, 11 do
      formats[i + 1] = ffi.string(schema.children[i].format)
      assert.equal(frame.names[i + 1], ffi.string(schema.children[i].name))
      assert.equal(2, tonumber(schema.children[i].flags))
    end
    assert.same({ 'c', 'C', 's', 'i', 'l', 'e', 'f', 'g', 'b', 'u', 'i', 'tsu:' }, formats)
    assert.equal('u', ffi.string(schema.children[10].dictionary.format))
    assert.equal(5, ffi.cast('uint8_t *', array.children[8].buffers[1])[0])      -- true, false, true
    local offsets = ffi.cast('int32_t *', array.children[9].buffers[1])
    assert.same({ 0, 1, 6, 6 }, { offsets[0], offsets[1], offsets[2], offsets[3] })
    assert.equal('agrün', ffi.string(array.children[9].buffers[2], 6))
    assert.equal(addressOf(frame.Double:data()), addressOf(array.children[7].buffers[1]))      -- no copy
    assert.equal('tsu:UTC', ffi.string(arrow.export(frame:select 'day', { timezone = 'UTC' }):schema().children[0].format))
  end)

  it('has bits for missing values', function()
    local frame = data.Frame({ x = torch.Tensor { 1, 0 / 0, 3 }, n = torch.IntTensor { 1, 2, 3 } }, { 'x', 'n' })
    frame = frame:setMissing('n', { true, false, true })
    local array = arrow.export(frame):array()
    for i, expected in ipairs { { 1, 5 }, { 2, 2 } } do
      local child = array.children[i - 1]
      assert.equal(expected[1], tonumber(child.null_count))
      assert.equal(expected[2], ffi.cast('uint8_t *', child.buffers[0])[0])
    end
  end)

  it('refuses what Arrow lacks', function()
    local kind, values = 'torch.Float8E5m2Tensor', torch.Float8E5m2Tensor(2):fill(1)
    assert.equal('data.arrow.export: z: a column of torch.Float8E5m2Tensor, expected a type that Arrow has',
      refused(arrow.export, data.Frame({ 'z' }, { kind }, { values }, { false }, 2)))
    assert.equal('data.arrow.export: frame: a table, expected a data.Frame', refused(arrow.export, {}))
    assert.equal('data.arrow.export: d[2]: 1e+13 seconds, expected at most 9.2e12',
      refused(arrow.export, data.Frame({ 'd' }, { 'date' }, { torch.Tensor { 1, 1e13 } }, { false }, 2)))
    local x = torch.ones(2)
    x:requiresGrad(true)
    assert.equal('data.arrow.export: x: it requires a gradient, expected a column that does not',
      refused(arrow.export, data.Frame { x = x }))
  end)
end)

describe('data.arrow.import', function()
  it('returns what was exported', function()
    local frame = everything()
    local back = arrow.import(arrow.export(frame))
    assert.same(frame.names, back.names)
    assert.equal(3, back:size())
    for _, name in ipairs(frame.names) do
      assert.equal(frame.types[name], back.types[name])
      assert.same(valuesOf(frame, name), valuesOf(back, name))
    end
    assert.same(days, valuesOf(back, 'day'))
    local rows = torch.IntTensor { 0, 1, 0, 2, 3 }
    local gaps = frame:_of(function(c) return require('data.frame.column').take(c, rows, true) end, frame.names, 5)
    back = arrow.import(arrow.export(gaps))
    for _, name in ipairs(frame.names) do
      assert.equal(frame.types[name], back.types[name])
      local values = valuesOf(back, name)
      assert.same({ true, false, true, false, false }, { values[1] == nil, values[2] == nil, values[3] == nil, values[4] == nil,
        values[5] == nil })
      assert.same(valuesOf(gaps, name), values)
    end
    assert.equal(0, arrow.import(arrow.export(frame:head(0))):size())
    assert.same({}, arrow.import(arrow.export(data.Frame {})).names)
  end)

  it('shares numbers without missing values', function()
    local frame = data.Frame { x = torch.range(1, 1000) }
    local back = arrow.import(arrow.export(frame))
    assert.equal(addressOf(frame.x:data()), addressOf(back.x:data()))
    back.x[1] = 50
    assert.equal(50, frame.x[1])
    frame = nil
    collect()
    assert.is_nil(frame)
    assert.equal(50 + 1000 * 1001 / 2 - 1, back.x:sum())
  end)

  it('moves the structures away', function()
    local batch = arrow.export(everything())
    local array, schema = batch:array(), batch:schema()
    assert.equal(3, arrow.import(array, schema):size())
    assert.is_true(array.release == nil and schema.release == nil)
    assert.equal('array: self: it was consumed, expected a new export of the frame', refused(batch.array, batch))
    assert.equal('data.arrow.import: schema: it was released, expected one that was not', refused(arrow.import, array, schema))
    local other = arrow.export(everything())
    assert.equal('data.arrow.import: array: it was released, expected one that was not', refused(arrow.import, array, other:schema()))
    assert.equal('data.arrow.import: array: nil, expected a pointer to a structure of Arrow, or its address', refused(arrow.import))
    assert.equal('data.arrow.import: schema: 12, expected a pointer to a structure of Arrow, or its address',
      refused(arrow.import, array, 12))
    assert.equal('array: self: a table, expected a result of data.arrow.export', refused(batch.array, {}))
  end)

  it('takes structures of a state that has ended', function()
    local pool, addresses = require('threads').Threads(1), nil
    pool:addjob(function()
      local inner, f = require 'data', require 'ffi'
      local exported = inner.arrow.export(inner.Frame { x = require('torch').range(1, 5), t = { 'a', 'b', 'c', 'd', 'e' } })
      f.cdef 'void *spec_malloc(size_t bytes) asm("malloc");'
      local array, schema = f.C.spec_malloc(80), f.C.spec_malloc(72)
      f.copy(array, exported:array(), 80)      -- moves them, as consumers do
      f.copy(schema, exported:schema(), 72)
      exported:array().release, exported:schema().release = nil, nil
      return { tonumber(f.cast('intptr_t', array)), tonumber(f.cast('intptr_t', schema)) }
    end, function(result) addresses = result end)
    pool:synchronize()
    pool:terminate()
    local frame = arrow.import(addresses[1], addresses[2])
    assert.same({ 1, 2, 3, 4, 5 }, frame.x:totable())
    assert.same({ 'a', 'b', 'c', 'd', 'e' }, frame.t)
    ffi.cdef 'void spec_free(void *p) asm("free");'
    for _, address in ipairs(addresses) do ffi.C.spec_free(ffi.cast('void *', address)) end
  end)

  it('refuses structures without sense by one error, and releases them', function()
    local function frame()
      local texts, words = {}, {}
      for i = 1, 64 do texts[i], words[i] = 'a', i % 2 == 0 and 'x' or 'y' end
      return data.Frame({ x = torch.range(1, 64), t = texts, c = words }, { 'x', 't', 'c' }):cast { c = 'category' }
    end
    local function text(words)
      return function(schema, array)
        local format = ffi.new('char[?]', #words + 1, words)
        schema.format = format
        return format, array
      end
    end
    -- The words of the message, which child is changed (-1: the struct), and what is changed.
    local cases = {
      { 'length -1, offset 0 and 0 missing', -1, function(_, a) a.length = -1 end },
      { 'length 64, offset -5 and 0 missing', -1, function(_, a) a.offset = -5 end },
      { 'length 64, offset 0 and 65 missing', -1, function(_, a) a.null_count = 65 end },
      { 'length 64, offset 0 and -2 missing', -1, function(_, a) a.null_count = -2 end },
      { '3 children in the schema and 2 in the array', -1, function(_, a) a.n_children = 2 end },
      { '-1 children in the schema', -1, function(s, a) s.n_children, a.n_children = -1, -1 end },
      { 'children: NULL', -1, function(_, a) a.children = nil end }, { 'children: NULL', -1, function(s) s.children = nil end },
      { 'children[2]: NULL', -1, function(_, a) a.children[1] = nil end },
      { 'children[2]: NULL', -1, function(s) s.children[1] = nil end },
      { 'buffers: NULL', -1, function(_, a) a.buffers = nil end },
      { 'buffer 0: NULL, expected the bits of 3 missing', -1, function(_, a) a.null_count = 3 end },
      { 'x: length -1', 0, function(_, a) a.length = -1 end }, { 'x: 63 elements, expected 64', 0, function(_, a) a.length = 63 end },
      { 'x: length 9223372036854775808', 0, function(_, a) a.length = 0x7fffffffffffffffLL end },
      { 'x: length 64, offset 9223372036854775808', 0, function(_, a) a.offset = 0x7fffffffffffffffLL end },
      { 'x: 3 buffers, expected 2', 0, function(_, a) a.n_buffers = 3 end },
      { 'x: -1 buffers, expected 2', 0, function(_, a) a.n_buffers = -1 end },
      { 'x: buffers: NULL', 0, function(_, a) a.buffers = nil end },
      { 'x: buffer 1: NULL, expected an address', 0, function(_, a) a.buffers[1] = nil end },
      { 'x: buffer 1: it does not point to elements', 0, function(_, a) a.buffers[1] = ffi.cast('void *', 8) end },
      { 'x: buffer 0: NULL, expected the bits of 1 missing', 0, function(_, a) a.null_count = 1 end },
      { 'x: format: NULL', 0, function(s) s.format = nil end }, { 'x: the type +l of Arrow', 0, text '+l' },
      { 'x: the type d:10,2 of Arrow', 0, text 'd:10,2' }, { 'x: the type  of Arrow', 0, text '' },
      { 'x: the type tsx: of Arrow', 0, text 'tsx:' }, { 'x: 2 buffers, expected 3', 0, text 'u' },
      { 't: offsets -1 and 2 of the text at 2', 1, function(_, a) ffi.cast('int32_t *', a.buffers[1])[1] = -1 end, 't: offsets' },
      { 't: offsets', 1, function(_, a) ffi.cast('int32_t *', a.buffers[1])[7] = 0 end },
      { 't: buffer 2: NULL', 1, function(_, a) a.buffers[2] = nil end }, { 't: buffer 1: NULL', 1, function(_, a) a.buffers[1] = nil end },
      { 't: offsets', 1, text 'U' }, { 't: the view of the text', 1, text 'vu' },
      { 'c: places of the type g in a dictionary', 2, text 'g' }, { 'c: dictionary: NULL', 2, function(_, a) a.dictionary = nil end },
      { 'c: places 0 to 2 in a dictionary, expected 0 to 1', 2, function(_, a) ffi.cast('int32_t *', a.buffers[1])[9] = 2 end },
      { 'c: places -1 to 1 in a dictionary, expected 0 to 1', 2, function(_, a) ffi.cast('int32_t *', a.buffers[1])[9] = -1 end },
      { 'c: dictionary: length -4', 2, function(_, a) a.dictionary.length = -4 end },
      { 'c: dictionary: the type +s of Arrow', 2, function(s) return text '+s'(s.dictionary) end },
      { 'which two columns would have', -1, function(s) s.children[1].name = s.children[0].name end },
    }
    for _, case in ipairs(cases) do
      local batch = arrow.export(frame())
      local schema, array = batch:schema(), batch:array()
      local child = case[2] >= 0
      local held = { case[3](child and schema.children[case[2]] or schema, child and array.children[case[2]] or array) }
      local said = refused(arrow.import, array, schema)
      assert.equal('data.arrow.import: ', said:sub(1, 19))
      assert.is_truthy(said:find(case[4] or case[1], 1, true), said .. ' / ' .. case[1])
      assert.is_nil(said:find '\n')
      assert.is_true(array.release == nil and schema.release == nil and #held >= 0)
    end
    collect()
  end)

  it('withstands structures of random fields', function()
    local formats = { 'c', 'C', 's', 'S', 'i', 'I', 'l', 'L', 'e', 'f', 'g', 'b', 'u', 'n', 'tdD', 'tdm', 'tss:', 'ttu', 'tDn', '+s',
      'w:3', '?' }
    for _ = 1, 1000 do
      local batch = arrow.export(data.Frame({ x = torch.LongTensor(64):fill(0), y = torch.range(1, 64) }, { 'x', 'y' }))
      local schema, array = batch:schema(), batch:array()
      array.length = torch.random(0, 8)      -- all formats fit into the buffers
      local held = {}
      for i = 0, 1 do
        local s, a = schema.children[i], array.children[i]
        if torch.random(2) == 1 then
          held[i] = ffi.new('char[8]', formats[torch.random(#formats)])
          s.format = held[i]
        end
        if torch.random(4) == 1 then a.offset = torch.random(-1, 8) end
        if torch.random(4) == 1 then a.null_count = torch.random(-2, 3) end
        if torch.random(4) == 1 then a.n_buffers = torch.random(0, 2) end
        if torch.random(8) == 1 then a.buffers[1] = nil end
        if torch.random(8) == 1 then a.length = torch.random(-1, 64) end
      end
      local fine, frame = pcall(arrow.import, array, schema)
      if fine then
        assert.equal(2, #frame.names)
        for _, name in ipairs(frame.names) do valuesOf(frame, name) end
      else
        assert.equal('data.arrow.import: ', withoutPlace(frame):sub(1, 19))
      end
    end
    collect()
  end)
end)

describe('data.arrow.importStream', function()
  -- A stream of frames, or one whose calls fail.
  local function streamOf(frames, failure)
    local own = { released = 0, at = 0, held = {} }
    local stream = ffi.new 'mt_ArrowArrayStream'
    local function move(to, from, bytes)
      ffi.copy(to, from, bytes)
      from.release = nil
      return 0
    end
    local callbacks = {
      get_schema = function(_, out) return move(out, arrow.export(frames[1]):schema(), 72) end,
      get_next = function(_, out)
        own.at = own.at + 1
        if failure and own.at == #frames then return 5 end
        if own.at > #frames then
          out.release = nil
          return 0
        end
        return move(out, arrow.export(frames[own.at]):array(), 80)
      end,
      release = function(self)
        own.released = own.released + 1
        self.release = nil
      end,
    }
    for name, f in pairs(callbacks) do
      jit.off(f)
      stream[name] = f
    end
    own.stream = stream
    return own
  end

  it('puts batches below each other and releases the stream', function()
    local one = data.Frame({ x = torch.Tensor { 1, 2 }, k = { 'a', 'b' } }, { 'x', 'k' }):cast { k = 'category' }
    local two = data.Frame({ x = torch.Tensor { 3 }, k = { 'c' } }, { 'x', 'k' }):cast { k = 'category' }
    local own = streamOf { one, two }
    local frame = arrow.importStream(own.stream)
    assert.same({ 1, 2, 3 }, frame.x:totable())
    assert.same({ 'a', 'b', 'c' }, valuesOf(frame, 'k'))
    assert.equal(1, own.released)
    assert.equal('data.arrow.importStream: stream: a stream that was released', refused(arrow.importStream, own.stream))
  end)

  it('reads what exportStream writes', function()
    local frame = everything()
    local stream = arrow.exportStream(frame)
    local structure, schema = stream:stream(), ffi.new 'mt_ArrowSchema'
    for _ = 1, 2 do      -- a schema for each call
      assert.equal(0, structure.get_schema(structure, schema))
      assert.equal(12, tonumber(schema.n_children))
      schema.release(schema)
    end
    local back = arrow.importStream(stream)
    for _, name in ipairs(frame.names) do assert.same(valuesOf(frame, name), valuesOf(back, name)) end
    assert.equal(addressOf(frame.Double:data()), addressOf(back.Double:data()))
    assert.equal('stream: self: it was consumed, expected a new export of the frame', refused(stream.stream, stream))
    assert.equal('stream: self: a table, expected a result of data.arrow.exportStream', refused(stream.stream, {}))
    assert.equal('data.arrow.exportStream: frame: 1, expected a data.Frame', refused(arrow.exportStream, 1))
  end)

  it('raises the errors of a stream', function()
    local frame = data.Frame { x = torch.ones(2) }
    local own = streamOf({ frame, frame }, true)
    assert.equal('data.arrow.importStream: stream: Input/output error', refused(arrow.importStream, own.stream))
    assert.equal(1, own.released)
  end)
end)

describe('pyarrow in the same process', function()
  -- The interpreter lives until the process ends: it must not keep frames until then.
  teardown(function()
    if noArrow then return end
    python.run 'for name in ("batch", "whole", "part", "column", "rows", "array"): globals().pop(name, None)'
    python.run 'gc.collect()'
  end)

  it('reads frames', using(function()
    local frame = everything()
    frame = frame:setMissing('Int', { false, true, false }):setMissing('text', { false, false, true })
    arrow.toPython('batch', frame, { timezone = 'UTC' })
    python.run 'batch.validate(full=True)'
    assert.equal('int8 uint8 int16 int32 int64 halffloat float double bool string dictionary<values=string, indices=int32, ordered=0> ' ..
      'timestamp[us, tz=UTC]', python.eval '" ".join(str(t) for t in batch.schema.types)')
    assert.equal("[1, None, 3] ['a', 'grün', None] ['x', 'y', 'x'] [True, False, True]",
      python.eval '" ".join(str(batch.column(c).to_pylist()) for c in ("Int", "text", "kind", "flag"))')
    assert.same(days, python.eval '[t.timestamp() for t in batch.column("day").to_pylist()]')
    local address = python.eval 'batch.column("Double").buffers()[1].address'
    assert.equal(addressOf(frame.Double:data()), address)
    frame.Double[2] = 20
    assert.equal(20, python.eval 'batch.column("Double")[1].as_py()')
    frame = nil
    collect()
    assert.is_nil(frame)
    assert.equal(24, python.eval 'sum(batch.column("Double").to_pylist())')
    python.run 'del batch; gc.collect()'
  end))

  it('reads streams', using(function()
    local stream = arrow.exportStream(everything())
    python.run(('whole = pyarrow.RecordBatchReader._import_from_c(%d).read_all()'):format(addressOf(stream:stream())))
    assert.equal(3, python.eval 'whole.num_rows')
    assert.same({ 1, 2, 3 }, python.eval 'whole.column("Double").to_pylist()')
    assert.is_false(pcall(stream.stream, stream))
  end))

  it('makes frames of every type, with slices and missing values', using(function()
    local cases = {
      { 'int8()', '[1, None, -3, 4]', 'torch.CharTensor' }, { 'uint8()', '[1, None, 3, 255]', 'torch.ByteTensor' },
      { 'int16()', '[1, None, -3, 4]', 'torch.ShortTensor' }, { 'uint16()', '[1, None, 65535, 4]', 'torch.IntTensor' },
      { 'int32()', '[1, None, -3, 4]', 'torch.IntTensor' }, { 'uint32()', '[1, None, 2**32 - 1, 4]', 'torch.LongTensor' },
      { 'int64()', '[1, None, -3, 4]', 'torch.LongTensor' }, { 'uint64()', '[1, None, 2**52, 4]', 'torch.LongTensor' },
      { 'uint64()', '[1, None, 2**63, 4]', 'torch.DoubleTensor' }, { 'float32()', '[1, None, 0.5, 4]', 'torch.FloatTensor' },
      { 'float64()', '[1, None, 0.1, 4]', 'torch.DoubleTensor' }, { 'bool_()', '[True, None, False, True]', 'torch.BoolTensor' },
      { 'string()', '["a", None, "", "b"]', 'text' }, { 'large_string()', '["a", None, "gr\u{fc}n", "b"]', 'text' },
      { 'string_view()', '["a", None, "longer than a view of twelve bytes", "b"]', 'text' }, { 'binary()', '["a", None, "", "b"]', 'text' },
      { 'dictionary(pyarrow.int8(), pyarrow.string())', '["a", None, "b", "a"]', 'category' },
      { 'dictionary(pyarrow.uint32(), pyarrow.float64())', '[0.5, None, 2, 0.5]', 'torch.DoubleTensor' },
      { 'null()', '[None, None, None, None]', 'torch.DoubleTensor' }, { 'duration("ms")', '[1500, None, 0, 1]', 'torch.DoubleTensor', 1e3 },
      { 'time32("s")', '[1, None, 86399, 0]', 'torch.DoubleTensor' }, { 'date32()', '[1, None, -1, 18262]', 'date', 1 / 86400 },
      { 'timestamp("s")', '[1, None, -1, 1577836800]', 'date' }, { 'timestamp("ns", "UTC")', '[1500000000, None, 0, 1]', 'date', 1e9 },
      { 'date64()', '[86400000, None, 0, -86400000]', 'date', 1e3 },
    }
    for _, case in ipairs(cases) do
      local text = case[2]:gsub('\\u{fc}', 'ü')
      local expected = {}
      python.set('factor', case[4] or 1)
      local divided = ('[v / factor if type(v) in (int, float) else v for v in %s]'):format(text)
      for i, value in pairs(python.eval(divided)) do expected[i] = value end
      python.run(('column = pyarrow.array(%s, pyarrow.%s)'):format(text, case[1]))
      python.run 'whole = pyarrow.table({"c": column, "d": column})'
      python.run 'part = pyarrow.record_batch({"c": pyarrow.concat_arrays([column] * 9)}).slice(35, 0 + 1)'
      local frame = arrow.fromPython 'whole'
      assert.equal(case[3], frame.types.c, case[1])
      local found = valuesOf(frame, 'd')
      for i = 1, 4 do
        local value = found[i]
        if type(value) == 'cdata' then value = tonumber(value) end
        assert.equal(expected[i], value, case[1])
      end
      found = valuesOf(arrow.fromPython 'part', 'c')[1]
      if type(found) == 'cdata' then found = tonumber(found) end
      assert.equal(expected[4], found, case[1])
    end
  end))

  it('shares numbers and releases each array once', using(function()
    collect()
    local before = python.eval '(gc.collect(), pyarrow.total_allocated_bytes())[1]'
    python.run 'numbers = pyarrow.array(range(100000), pyarrow.int64())'
    local address = python.eval 'numbers.buffers()[1].address'
    python.run 'table = pyarrow.table({"n": numbers, "m": numbers})'
    local frame = arrow.fromPython 'table'
    assert.equal(address, addressOf(frame.n:data()))
    python.run 'del numbers, table; gc.collect()'
    assert.is_true(python.eval 'pyarrow.total_allocated_bytes()' >= before + 800000)
    local n = frame.n
    frame = nil
    collect()
    assert.is_nil(frame)
    assert.equal(99999 * 50000, n:sum())
    n = nil
    collect()
    assert.is_nil(n)
    assert.equal(before, python.eval '(gc.collect(), pyarrow.total_allocated_bytes())[1]')
    -- What shares nothing is released at once.
    frame = arrow.fromPython 'pyarrow.table({"t": ["a", "b"] * 1000})'
    assert.equal(2000, frame:size())
    assert.equal(before, python.eval 'pyarrow.total_allocated_bytes()')
  end))

  it('reads structs with missing rows, batches, empty tables and single arrays', using(function()
    python.run [[
rows = pyarrow.array([{"a": 1, "t": "x"}, None, {"a": None, "t": "z"}, {"a": 4, "t": "w"}],
                     pyarrow.struct([("a", pyarrow.int32()), ("t", pyarrow.string())]))[1:]
schema = pyarrow.schema([("a", pyarrow.int32())])
array, structure = pyarrow.array([1, 2, 3]), None]]
    local schema, array = ffi.new 'mt_ArrowSchema', ffi.new 'mt_ArrowArray'
    local function addresses() return addressOf(ffi.cast('void *', array)), addressOf(ffi.cast('void *', schema)) end
    python.run(('rows._export_to_c(%d, %d)'):format(addresses()))
    local frame = arrow.import(array, schema)
    assert.same({ nil, nil, 4 }, { nil, valuesOf(frame, 'a')[2], valuesOf(frame, 'a')[3] })
    assert.same({ true, 'z', 'w' }, { valuesOf(frame, 't')[1] == nil, valuesOf(frame, 't')[2], valuesOf(frame, 't')[3] })
    python.run(('array._export_to_c(%d, %d)'):format(addresses()))
    assert.same({ 1, 2, 3 }, valuesOf(arrow.import(array, schema), 'values'))
    frame = arrow.fromPython 'pyarrow.Table.from_batches([pyarrow.record_batch([[i, None]], ["a"]) for i in range(3)])'
    assert.equal(6, frame:size())
    assert.equal(2, valuesOf(frame, 'a')[5])
    assert.is_nil(valuesOf(frame, 'a')[6])
    frame = arrow.fromPython 'pyarrow.Table.from_batches([], schema)'
    assert.same({ 'a' }, frame.names)
    assert.equal('torch.IntTensor', frame.types.a)
    assert.equal(0, frame:size())
    assert.is_truthy(refused(arrow.fromPython, 'pyarrow.table({"l": [[1], [2, 3]]})'):find(
      'data.arrow.importStream: l: the type +l of Arrow, expected numbers', 1, true))
    assert.is_truthy(refused(arrow.fromPython, '7'):find('torch.python.run: TypeError: ', 1, true))
  end))
end)
