-- torch.safetensors: files written from the format's description (figures.py), mapped memory, errors.
local torch = require 'torch'
local files = require 'spec.support.files'
local ffi = require 'ffi'
local paths = require 'paths'

local folder = 'spec/torch/exchange/'

local writeAll = files.write

-- A file with this header, and n bytes of elements, or these.
local function file(name, header, n)
  local elements = type(n) == 'string' and n or ('\0'):rep(n)
  writeAll(name, ffi.string(ffi.new('uint64_t[1]', #header), 8) .. header .. elements)
end

describe('torch.safetensors.load', function()
  it('reads every type, and the words about them', function()
    local t, words = torch.safetensors.load(folder .. 'all.safetensors')
    local expected = {
      f64 = { 'Double', { 0.1, -1e300 } }, f32 = { 'Float', { { 1, 2.5 }, { 3, -4 } } }, i32 = { 'Int', { -7 } },
      f16 = { 'Half', { 0.5, 65504 } }, bf16 = { 'BFloat16', { 1.5, -2, math.huge } }, i16 = { 'Short', { -300 } },
      u8 = { 'Byte', { 0, 200, 255 } }, i8 = { 'Char', { -1 } }, scalar = { 'Byte', { 9 } },
    }
    for name, case in pairs(expected) do
      assert.equal('torch.' .. case[1] .. 'Tensor', torch.type(t[name]))
      assert.same(case[2], t[name]:totable())
    end
    local p = t.i64:data()
    assert.is_true(p[0] == 9223372036854775807LL and p[1] == -9007199254740993LL)
    assert.same({ 1, 0 }, t.bool:byte():totable())
    assert.same({ 0, 4 }, t.none:size():totable())
    assert.same({ format = 'pt', ['café 🌙'] = '"quoted"\n' }, words)
  end)

  it('reads unsigned integers and 8-bit floats', function()      -- 8-bit floats: OCP 8-bit Floating Point Specification (2023), table 2
    local cases = {
      U16 = { 'UInt16', '\255\255\7\0', { 65535, 7 } }, U32 = { 'UInt32', '\255\255\255\255\7\0\0\0', { 4294967295, 7 } },
      U64 = { 'UInt64', '\7\0\0\0\0\0\0\0', { 7 } },
      F8_E4M3 = { 'Float8E4m3', '\0\1\8\56\126\184', { 0, 2 ^ -9, 2 ^ -6, 1, 448, -1 } },
      F8_E5M2 = { 'Float8E5m2', '\0\1\4\60\123\124\188', { 0, 2 ^ -16, 2 ^ -14, 1, 57344, math.huge, -1 } },
    }
    local name = paths.tmpname()
    for dtype, case in pairs(cases) do
      file(name, ('{"x":{"dtype":"%s","shape":[%d],"data_offsets":[0,%d]}}'):format(dtype, #case[3], #case[2]), case[2])
      local x = torch.safetensors.load(name).x
      assert.equal('torch.' .. case[1] .. 'Tensor', torch.type(x))
      assert.same(case[3], x:totable())
    end
    file(name, '{"x":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}}', '\127\255')
    assert.equal(0, torch.safetensors.load(name).x:eq(torch.safetensors.load(name).x):sum())      -- NaN
    file(name, '{"x":{"dtype":"U64","shape":[1],"data_offsets":[0,8]}}', ('\0'):rep(7) .. '\128')
    assert.is_true(torch.safetensors.load(name).x[1] == 0x8000000000000000ULL)
  end)

  it('reads elements that lie askew', function()
    assert.same({ 1.5, -2 }, torch.safetensors.load(folder .. 'askew.safetensors').x:totable())
  end)

  it('takes no memory for the elements, which stay while one tensor does; writes stay out of the file', function()
    local name = paths.tmpname()
    torch.safetensors.save(name, { x = torch.FloatTensor(1000000):fill(3), y = torch.IntTensor { 5 } })
    collectgarbage()
    local before = torch.memory().live
    local t = torch.safetensors.load(name)
    assert.is_true(torch.memory().live - before < 100000)
    local x = t.x:narrow(1, 999999, 2)
    t = nil
    os.remove(name)
    collectgarbage()
    collectgarbage()
    assert.same({ 3, 3 }, x:totable())
    assert.is_nil(t)
    torch.safetensors.save(name, { x = torch.ones(3) })
    torch.safetensors.load(name).x:fill(7)
    assert.same({ 1, 1, 1 }, torch.safetensors.load(name).x:totable())
    assert.error_matches(function() torch.safetensors.load(name).x:resize(100) end, "can't grow")
  end)

  it('reports which part is damaged', function()
    local name = paths.tmpname()
    local function entry(fields, n) return function() file(name, '{"x":{' .. fields .. '}}', n or 8) end end
    local good = '"dtype":"F32","shape":[2],"data_offsets":'
    local cases = {
      { function() writeAll(name, '\1\2') end, 'at byte 1: expected a length of 8 bytes, read 2 bytes' },
      { function() writeAll(name, ('\255'):rep(20)) end, 'at byte 1: expected a header of at most 12 bytes, read 18446744073709551616' },
      { function() file(name, '{"x"', 0) end, 'at byte 13: expected a colon, read the end of the text' },
      { function() file(name, '{"x":1,"x":2}', 0) end, 'at byte 16: expected a key that is not there yet, read "\\"x\\":2}"' },
      { function() file(name, ('['):rep(100), 0) end, 'at byte 41: expected at most 32 levels' },
      { function() file(name, '{"x":"a\\q"}', 0) end, 'expected an escape' },
      { function() file(name, '{"x":01}', 0) end, 'expected a value' },
      { function() file(name, '[]', 3) end, 'expected tensors of 3 bytes in all, read 0' },
      { function() file(name, '7', 0) end, 'expected an object, read number' },
      { function() file(name, '{"__metadata__":{"a":1}}', 0) end, 'expected strings in __metadata__, read 1' },
      { function() file(name, '{"__metadata__":{"a":{"b":1}}}', 0) end, 'expected strings in __metadata__, read an object' },
      { entry '"dtype":{},"shape":[1],"data_offsets":[0,8]', 'as dtype of "x", read an empty object or array' },
      { entry '"dtype":"F32","shape":[[1]],"data_offsets":[0,8]', 'expected sizes from 0 to 2%^53 of "x", read an array' },
      { entry(good .. '[{},8]'), 'expected two data_offsets of "x", read an array' },
      { function() file(name, '{"x":3}', 0) end, 'expected dtype, shape and data_offsets of "x", read 3' },
      { entry '"dtype":"C128","shape":[1],"data_offsets":[0,8]', 'expected BOOL, .* as dtype of "x", read C128' },
      { entry(good .. '[0,7]', 7), 'expected 8 bytes of "x", read 7' },
      { entry(good .. '[0,9]'), 'expected data_offsets from 0 to 8 of "x", read 0 to 9' },
      { entry(good .. '[8,0]'), 'read 8 to 0' },
      { entry(good .. '[0.5,8.5]'), 'expected two data_offsets' },
      { entry(good .. '[4,12]', 12), 'expected "x" from offset 0, where the tensor before it ends, read 4' },
      { entry '"dtype":"F32","shape":[-1],"data_offsets":[0,8]', 'expected sizes from 0 to 2%^53 of "x", read %-1' },
      { entry '"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]', 'expected 73786976294838206464 bytes of "x", read 8' },
      { function() file(name, '{"x":{' .. good .. '[0,8]},"y":{' .. good .. '[0,8]}}', 8) end, 'expected "[xy]" from offset 8' },
    }
    for _, case in ipairs(cases) do
      case[1]()
      local _, message = pcall(torch.safetensors.load, name)
      assert.matches('torch.safetensors.load: [^:]*: at byte %d+: expected .*, read ', message)
      assert.matches(case[2], message)
    end
    assert.error_matches(function() torch.safetensors.load '/no/such' end, 'torch.safetensors.load: .*/no/such: No such file')
  end)
end)

describe('an index of safetensors files', function()
  local folder_, name
  before_each(function()
    folder_ = paths.tmpname()
    os.remove(folder_)
    paths.mkdir(folder_)
    name = paths.concat(folder_, 'model.safetensors.index.json')
    torch.safetensors.save(paths.concat(folder_, 'a.safetensors'), { x = torch.ones(2), y = torch.zeros(3), z = torch.ones(1) })
    torch.safetensors.save(paths.concat(folder_, 'b.safetensors'), { w = torch.FloatTensor { 7 } })
  end)

  it('gives the tensors that it names, and its metadata', function()
    writeAll(name, '{"metadata": {"total_size": 12345678901, "format": "pt"}, "weight_map": {"x": "a.safetensors", ' ..
      '"w": "b.safetensors", "y": "a.safetensors"}}\n')
    local t, metadata = torch.safetensors.load(name)
    assert.same({ 1, 1 }, t.x:totable())
    assert.same({ 0, 0, 0 }, t.y:totable())
    assert.same({ 7 }, t.w:totable())
    assert.is_nil(t.z)
    assert.same({ total_size = '12345678901', format = 'pt' }, metadata)
  end)

  it('reports what is wrong', function()
    for text, words in pairs {
      ['{"weight_map": {"x": "b.safetensors"}}'] = 'index.json: at byte 1: expected a tensor "x" in b.safetensors, read none',
      ['{"weight_map": {"x": "c.safetensors"}}'] = 'c.safetensors: No such file',
      ['{"weight_map": {"x": "../a.safetensors"}}'] = 'expected names of files in the same folder, read "../a.safetensors"',
      ['{"weight_map": {"x": 7}}'] = 'expected names of files in weight_map, read 7',
      ['{"weight_map": ["a.safetensors"]}'] = 'expected names of files in weight_map',
      ['{"weight_map": null}'] = 'expected an object weight_map, read null',
      ['{"metadata": {}}'] = 'expected an object weight_map, read nil',
      ['{"weight_map": {"x": '] = 'expected a value, read the end of the text',
    } do
      writeAll(name, text)
      local _, message = pcall(torch.safetensors.load, name)
      assert.matches('torch.safetensors.load: .*' .. words, message)
      assert.is_nil(message:find 'which data.jsonl.load reads' and text:find '"weight_map":')
    end
    writeAll(paths.concat(folder_, 'a.safetensors'), 'damaged')
    writeAll(name, '{"weight_map": {"x": "a.safetensors"}}')
    assert.error_matches(function() torch.safetensors.load(name) end, 'a.safetensors: at byte 1: expected a length')
  end)
end)

describe('torch.safetensors.save', function()
  it('keeps every type, sizes and words, and makes equal files of equal tensors', function()
    local first, second = paths.tmpname(), paths.tmpname()
    local t, words = torch.safetensors.load(folder .. 'all.safetensors')
    t.view = torch.FloatTensor { { 1, 2 }, { 3, 4 } }:t()
    torch.safetensors.save(first, t, words)
    local back, backWords = torch.safetensors.load(first)
    assert.same(words, backWords)
    for name, x in pairs(t) do assert.equal(torch.serialize(x:clone()), torch.serialize(back[name]:clone())) end
    torch.safetensors.save(second, back, words)
    local bytes = {}
    for i, name in ipairs { first, second } do
      local opened = io.open(name, 'rb')
      bytes[i] = opened:read '*a'
      opened:close()
    end
    assert.equal(bytes[1], bytes[2])
    assert.equal(0, #bytes[1]:match '^........({.*} *)' % 8)
  end)

  it('refuses values that the format can\'t represent', function()
    local name = paths.tmpname()
    for message, call in pairs {
      ['tensors: number, expected a table'] = function() torch.safetensors.save(name, 1) end,
      ['name: 1, expected a string'] = function() torch.safetensors.save(name, { torch.ones(1) }) end,
      ['x: table, expected a tensor'] = function() torch.safetensors.save(name, { x = {} }) end,
      ['metadata: a = 1, expected strings'] = function() torch.safetensors.save(name, {}, { a = 1 }) end,
      ['name: table, expected a string'] = function() torch.safetensors.save(name, { [{}] = torch.ones(1) }) end,
      ['metadata: table = string, expected strings'] = function() torch.safetensors.save(name, {}, { [{}] = 'b' }) end,
      ['metadata: b = table, expected strings'] = function() torch.safetensors.save(name, {}, { b = {} }) end,
      ['metadata: string, expected a table'] = function() torch.safetensors.save(name, {}, 'x') end,
    } do
      assert.error_matches(call, 'torch.safetensors.save: ' .. message)
    end
  end)
end)
