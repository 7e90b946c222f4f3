-- torch.pt.load: files that PyTorch wrote (figures.py) in every form, with the values that it had; views, order, classes, refusals.
local torch = require 'torch'
local ffi = require 'ffi'
local files = require 'spec.support.files'
local paths = require 'paths'

local folder = 'spec/torch/pt/'
local pt = torch.pt

local Expected = {}
local function T(kind, sizes, strides, values)
  return setmetatable({ kind = kind, sizes = sizes, strides = strides, values = values }, Expected)
end
local expected = dofile(folder .. 'expected.lua')(T, pt.none)

local function flat(x)
  local list = {}
  for _, v in ipairs(x:nElement() > 0 and x:contiguous():view(-1):totable() or {}) do
    list[#list + 1] = v == true and 1 or v == false and 0 or v
  end
  return list
end

-- Compares a value with the expected one; `where` is its place, for messages.
local function compare(want, got, where)
  if getmetatable(want) == Expected then
    assert(torch.isTensor(got), where .. ': ' .. torch.type(got))
    assert.equal('torch.' .. want.kind .. 'Tensor', torch.type(got), where)
    assert.same(want.sizes, got:size():totable(), where)
    if got:nElement() > 0 then assert.same(want.strides, got:stride():totable(), where) end
    assert.same(want.values, flat(got), where)
  elseif type(want) == 'table' and want ~= pt.none then
    assert.equal('table', type(got), where)
    for key, value in pairs(want) do compare(value, got[key], where .. '.' .. tostring(key)) end
    for key in pairs(got) do assert(want[key] ~= nil, where .. ' has ' .. tostring(key)) end
  elseif type(want) == 'cdata' then
    assert(ffi.istype('int64_t', got) and got == want, where .. ': ' .. tostring(got))
  elseif want ~= want then
    assert(got ~= got, where)
  else
    assert.equal(want, got, where)
  end
end

describe('torch.pt.load reads', function()
  for _, case in ipairs {
    { 'zip.pt', 'archives, with every dtype' }, { 'protocol3.pt', 'pickles of protocol 3' }, { 'protocol4.pt', 'those of protocol 4' },
    { 'protocol5.pt', 'those of protocol 5' }, { 'legacy.pt', 'the form before 1.6' }, { 'legacy4.pt', 'the form before 1.6, protocol 4' },
    { 'tar.pt', 'the form of 0.1, with a pickle of protocol 0' }, { 'big_endian.pt', 'the other byte order' },
    { 'deflated.pt', 'archives that were packed again' }, { 'no_crc.pt', 'archives without sums' },
  } do
    it(case[2], function()
      local value, unknown = pt.load(folder .. case[1])
      compare(expected[case[1]], value, case[1])
      assert.same({}, unknown)
      compare(expected[case[1]], torch.load(folder .. case[1]), case[1])
      pt.load(folder .. case[1], { strict = true })
    end)
  end

  it("Python's and NumPy's classes", function()
    local value, unknown = pt.load(folder .. 'others.pt')
    assert.same({}, unknown)
    local fortran = value.fortran
    value.fortran = nil
    compare(expected['others.pt'], value, 'others')
    assert.same({ { 0, 1, 2 }, { 3, 4, 5 } }, fortran:totable())
    assert.same({ 1, 2 }, fortran:stride():totable())
    for key, name in pairs {
      ordered = 'collections.OrderedDict', default = 'collections.defaultdict', counter = 'collections.Counter',
      args = 'argparse.Namespace',
      set = 'set', frozen = 'frozenset', complex = 'complex', deque = 'collections.deque',
    } do assert.equal(name, pt.className(value[key])) end
  end)

  it('modules, whose classes it does not know, as tables', function()
    for _, name in ipairs { 'module.pt', 'module_legacy.pt' } do
      local net, unknown = pt.load(folder .. name)
      assert.same({ '__main__.Net', 'torch.nn.modules.linear.Linear' }, unknown)
      assert.equal('__main__.Net', pt.className(net))
      local first = net._modules.first
      local state = { steps = net._buffers.steps, ['first.weight'] = first._parameters.weight, ['first.bias'] = first._parameters.bias }
      compare(expected['state of module.pt'], state, name)
      assert.same({ 'a', 'b' }, net.names)
    end
  end)

  it('objects by their arguments and fields, and functions by their names', function()
    local value, unknown = pt.load(folder .. 'unknown.pt')
    assert.same({ '__main__.Own', '__main__.Colour', 'torch.nn.functional.relu' }, unknown)
    assert.same({ 4, 5 }, value.own.weight:totable())
    assert.same({ 6 }, value.own.inner.bias:totable())
    assert.equal('__main__.Colour', pt.className(value.colour))
    assert.equal(1, value.colour[1])
    assert.equal('torch.nn.functional.relu', value['function'].name)
    assert.error_matches(function() pt.load(folder .. 'unknown.pt', { strict = true }) end,
      'torch.pt.load: .*unknown.pt: at byte %d+: expected classes of .*, read __main__.Own$')
  end)

  it('the modules of TorchScript, and its constants', function()
    local net, unknown = pt.load(folder .. 'script.pt')
    assert.same({}, unknown)
    assert.equal('__torch__.Net', pt.className(net))
    local state = { steps = net.steps, ['first.weight'] = net.first.weight, ['first.bias'] = net.first.bias }
    compare(expected['state of module.pt'], state, 'script')
    local constants = pt.load(folder .. 'script.pt', { constants = true })
    assert.equal('tuple', pt.className(constants))
    assert.equal(0, #constants)
  end)
end)

describe('torch.pt.load keeps', function()
  it('the memory that views share, also with their storage', function()
    for _, name in ipairs { 'zip.pt', 'legacy.pt' } do
      local t = pt.load(folder .. name).tensors
      t.whole[2][3] = 77
      assert.equal(77, t.transposed[3][2])
      assert.equal(77, t.part[1][1])
      assert.equal(77, t.step[2][2])
      assert.is_true(pt.load(folder .. name).tensors.whole[2][3] ~= 77)
    end
    local t = pt.load(folder .. 'tar.pt')
    t.weight[2][2] = 9      -- element 5 of the storage, of which more[1] has the elements 4 and 5
    assert.same({ 3, 9 }, t.more[1]:totable())
  end)

  it('the order of keys', function()
    local state = pt.load(folder .. 'zip.pt')
    local names = 'f32 f64 f16 bf16 u8 i8 i16 i32 i64 bool scalar none whole transposed part step expanded parameter c64 c128'
    assert.equal(names, table.concat(pt.keys(state.tensors), ' '))
    assert.same({ 0, 1, -1 }, pt.keys(state.counts))
    assert.same({ 'b', 'a', 'c' }, pt.keys(pt.load(folder .. 'others.pt').ordered))      -- c is None
    state.counts[0], state.counts.z, state.counts[5] = nil, 1, 1
    assert.same({ 1, -1, 5, 'z' }, pt.keys(state.counts))
    assert.same({ 1, 2, 'a' }, pt.keys { 3, 4, a = 1 })
    assert.equal('list', pt.className(state.list))
    assert.equal('torch.Size', pt.className(state.size))
    assert.is_nil(pt.className {})
    assert.equal('None', tostring(state.list[2]))
  end)
end)

describe('torch.pt.load refuses', function()
  for file, words in pairs {
    quantized = 'expected a dense tensor "q", read a quantized tensor %(save x.dequantize%(%) or x.int_repr%(%)%)$',
    sparse = 'expected a dense tensor "s", read a sparse tensor %(save x.to_dense%(%)%)$',
    conjugate = 'expected a tensor "j" with its values as they are, read a conjugate view %(save its clone%)$',
  } do
    it(file .. ' tensors by their names', function()
      local name = folder .. file .. '.pt'
      assert.error_matches(function() pt.load(name) end, 'torch.pt.load: ' .. name .. ': at byte %d+: ' .. words)
      assert.error_matches(function() torch.load(name) end, 'torch.load: ' .. name .. ': at byte %d+: ' .. words)
    end)
  end

  -- A file of the form before 1.6 with this pickle and these storages.
  local function legacy(pickle, rest)
    return '\128\2\138\10l\252\156F\249 j\168P\25.\128\2M\233\3.\128\2}.' .. pickle .. (rest or '\128\2].')
  end
  local storage = "(U\7storagectorch\nFloatStorage\nU\0011U\3cpuK\2tQ"
  local rebuild = 'ctorch._utils\n_rebuild_tensor\n(' .. storage
  local rest = '\128\2](U\0011e.\2\0\0\0\0\0\0\0' .. '\0\0\128\63\0\0\0\64'

  it('nothing that is well formed: the plain case of the cases below', function()
    local name = paths.tmpname()
    files.write(name, legacy(rebuild .. 'K\0K\2\133K\1\133tR.', rest))
    assert.same({ 1, 2 }, pt.load(name):totable())
  end)

  for _, case in ipairs {
    { 'K', 'expected a byte, read 0 bytes to the end of the pickle', '' }, { '', 'expected a byte, read 0', '' },
    { '.', 'expected a value on the stack, read an empty stack' },
    { 'e.', 'expected a mark on the stack, read none' },
    { 'K\1K\2a.', 'expected a list, read 1' },
    { '}K\1s.', 'expected a value on the stack' },
    { '}(K\1u.', 'expected a value for each key, read a key alone' },
    { '}G\127\248\0\0\0\0\0\0K\1s.', 'expected a key, read NaN' },
    { 'h\7.', 'expected a number of a value in the memo, read 7' },
    { '\255.', 'expected an opcode of a pickle, read byte 255' },
    { '\128\9.', 'expected a pickle of protocol 0 to 5, read protocol 9' },
    { 'X\255\255\255\127.', 'expected 2147483647 bytes, read %d+ bytes to the end of the pickle' },
    { 'Ix\n.', 'expected an integer, read "x"' }, { 'Fx\n.', 'expected a number, read "x"' }, { 'Sx\n.', 'expected a string in quotes' },
    { 'K\1)R.', 'expected a class or function to call, read 1' },
    { 'cx\ny\nK\1R.', 'expected a tuple of arguments, read 1' },
    { '\130\1.', 'expected a pickle without extension codes' }, { '\151.', 'expected a pickle without buffers' },
    { "(U\7storagectorch\nFloatStorage\nU\0011U\3cpuJ\255\255\255\255tQ.", 'expected a number of elements, read %-1' },
    { "(U\7storagecos\nsystem\nU\0011U\3cpuK\2tQ.", 'expected the class, key, device and size of a storage' },
    { storage .. "0(U\7storagectorch\nFloatStorage\nU\0011U\3cpuK\3tQ.", 'expected storage "1" with 2 elements of float32, as before' },
    { rebuild .. 'K\1K\2\133K\1\133tR.', 'expected sizes, strides and offset within the 2 elements of storage "1", read a last' },
    { rebuild .. 'K\0K\2\133K\2\133tR.', 'expected sizes, strides and offset .* read a last element at 3' },
    { rebuild .. 'K\0K\2\133)tR.', 'expected 1 strides, read 0' },
    { rebuild .. 'J\255\255\255\255K\1\133K\1\133tR.', 'expected a storage offset, read %-1' },
    { rebuild .. 'K\0J\255\255\255\255\133K\1\133tR.', 'expected sizes from 0 to 2%^53, read %-1' },
    { rebuild .. 'K\0(' .. ('K\1'):rep(65) .. 'tK\1\133tR.', 'expected sizes, at most 64 integers' },
    { 'ctorch._utils\n_rebuild_tensor\n(K\1K\0))tR.', 'expected a storage, read 1' },
    { 'cnumpy\ndtype\n' .. 'U\21' .. ('f'):rep(21) .. '\133R.', 'expected the code of a dtype' },
    { ']q\0(' .. ('ccollections\nOrderedDict\nh\0\133R'):rep(3) .. 'l.', 'expected a list', '\128\2K\1.' },
  } do
    it(('damage: %q'):format(case[1]:sub(1, 40)), function()
      local name = paths.tmpname()
      files.write(name, legacy(case[1], case[3] or rest))
      local good, message = pcall(pt.load, name)
      assert.is_false(good)
      assert.matches('torch.pt.load: [^:]*: at byte %d+: ' .. case[2], message)
    end)
  end

  it('storages that are missing, short, or listed twice', function()
    local name, value = paths.tmpname(), rebuild .. 'K\0K\2\133K\1\133tR.'
    for more, words in pairs {
      ['\128\2].'] = 'expected storage "1", read none', ['\128\2](U\0012e.'] = 'expected the key of a storage, once, read 2',
      ['\128\2](U\0011U\0011e.' .. rest:sub(-16):rep(2)] = 'expected the key of a storage, once, read 1',
      [rest:sub(1, -2)] = 'expected a storage of 8 bytes, read 7 bytes to the end',
      [(rest:gsub('%.\2', '.\3'))] = 'expected storage "1" of 2 elements, read 3',
    } do
      files.write(name, legacy(value, more))
      assert.error_matches(function() pt.load(name) end, words)
    end
  end)

  it('pickles that would copy much more than their size', function()
    local name, pair = paths.tmpname(), '(K\1K\2t'
    local list = '](' .. pair .. ('2'):rep(20000) .. 'eq\0'
    files.write(name, legacy('(' .. list .. ('ccollections\nOrderedDict\nh\0\133R'):rep(1000) .. 'l.', rest))
    assert.error_matches(function() pt.load(name) end, 'expected a pickle that copies at most %d+ items and bytes, read more')
  end)

  it('runs nothing', function()
    local name = paths.tmpname()
    files.write(name, legacy("cos\nsystem\nU\17touch /tmp/pt-ran\133R.", '\128\2].'))
    os.remove '/tmp/pt-ran'
    local value, unknown = pt.load(name)
    assert.equal('touch /tmp/pt-ran', value[1])
    assert.equal('os.system', pt.className(value))
    assert.same({ 'os.system' }, unknown)
    assert.is_nil(io.open '/tmp/pt-ran')
  end)

  it('other arguments and files', function()
    assert.error_matches(function() pt.load(7) end, 'torch.pt.load: name: number, expected a string')
    assert.error_matches(function() pt.load('x', { strct = true }) end, 'torch.pt.load: options: strct, expected')
    assert.error_matches(function() pt.load('x', { strict = 1 }) end, 'torch.pt.load: strict: 1, expected')
    assert.error_matches(function() pt.load '/no/such' end, 'torch.pt.load: /no/such: No such file')
    assert.error_matches(function() pt.keys(1) end, 'torch.pt.keys: t: 1, expected a table')
    assert.error_matches(function() pt.load 'spec/torch/exchange/plain.npz' end, 'this is an archive of NumPy .* torch.npz.load reads')
    assert.error_matches(function() torch.npz.load(folder .. 'zip.pt') end, 'which torch.pt.load reads')
    assert.error_matches(function() pt.load(folder .. 'zip.pt', { constants = true }) end, 'expected an archive with constants.pkl')
  end)
end)
