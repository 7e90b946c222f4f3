-- Models that are written field by field: what they compute, and one error message each for damaged, hostile and unsupported files and
-- for wrong inputs.
local ffi = require 'ffi'
local torch, onnx = require 'torch', require 'onnx'
local files, protobuf = require 'spec.support.files', require 'spec.onnx.protobuf'

local value, graph = protobuf.value, protobuf.graph
local folder

local function load(bytes)
  local name = folder .. '/model.onnx'
  files.write(name, bytes)
  return onnx.load(name)
end

local function model(parts, more)
  more = more or {}
  more[1] = graph(parts)
  return protobuf.model(more)
end

local function refuses(pattern, f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok)
  assert.is_truthy(tostring(message):find(pattern), message)
end

-- y = x + c.
local function sum(changes)
  local parts = {
    nodes = { { 'Add', { 'x', 'c' }, { 'y' } } }, tensors = { { name = 'c', sizes = { 2 }, raw = ('\0\0\128\63'):rep(2) } },
    inputs = { value('x', 1, { 'n', 2 }) }, outputs = { value('y', 1, { 'n', 2 }) },
  }
  for key, list in pairs(changes or {}) do parts[key] = list end
  return model(parts)
end

describe('onnx.load', function()
  setup(function()
    folder = files.folder()
  end)
  teardown(function() os.execute('rm -rf ' .. folder) end)

  it('reads what the messages say', function()
    local m = load(sum())
    assert.are.same({ { name = 'x', dtype = 'float32', sizes = { 'n', 2 } } }, m:inputs())
    assert.are.same({ { name = 'y', dtype = 'float32', sizes = { 'n', 2 } } }, m:outputs())
    local x = torch.FloatTensor { { 1, 2 }, { 3, 4 }, { 5, 6 } }
    assert.are.same({ { 2, 3 }, { 4, 5 }, { 6, 7 } }, m:run(x):totable())
    assert.are.same({ 1, 2 }, x[1]:totable())
  end)

  it('shows no control characters of the file, and no endless lists', function()
    local odd = load(sum { inputs = { value('x', 1, { '\n\27[2J', 2 }) } })
    refuses('x: sizes %[2, 3%], expected %?%?%[2J x 2$', odd.run, odd, torch.ones(2, 3):float())
    local sizes = {}
    for i = 1, 1000 do sizes[i] = 1 end
    local deep = load(sum { inputs = { value('x', 1, sizes) } })
    refuses('x: sizes %[2, 3%], expected 1000 dimensions$', deep.run, deep, torch.ones(2, 3):float())
    local einsum = load(model {
      nodes = { { 'Einsum', { 'x' }, { 'y' }, attributes = { protobuf.text('equation', 'i\27\0->i') } } },
      inputs = { value('x', 1) }, outputs = { value('y', 1) },
    })
    refuses('onnx: Einsum %(y%): a term i%?%? for 1 dimensions, expected as many$', einsum.run, einsum, torch.ones(2):float())
  end)

  it('takes any size where the file says -1', function()
    local m = load(sum { inputs = { value('x', 1, { -1, 2 }) } })
    assert.are.same({ '?', 2 }, m:inputs()[1].sizes)
    for count = 1, 3 do assert.are.equal(count, m:run(torch.ones(count, 2):float()):size(1)) end
    refuses('x: sizes %[2, 3%], expected %? x 2', m.run, m, torch.ones(2, 3):float())
  end)

  it('scans batches, as Scan of version 8 does', function()
    local body = graph {
      nodes = { { 'Add', { 's', 'x' }, { 'next' } }, { 'Mul', { 'next', 'z' }, { 'y' } } },
      inputs = { value('s', 1, { 2 }), value('x', 1, { 2 }), value('z', 1, { 2 }) },
      outputs = { value('next', 1, { 2 }), value('y', 1, { 2 }) },
    }
    local function scanning(directions)
      return load(model({
        nodes = {
          {
            'Scan', { 'lengths', 'start', 'a', 'b' }, { 'last', 'all' },
            attributes = {
              protobuf.graphAttribute('body', body), protobuf.integer('num_scan_inputs', 2), protobuf.integers('directions', directions),
            },
          },
        },
        inputs = {
          value('lengths', 7, { 'n' }), value('start', 1, { 'n', 2 }), value('a', 1, { 'n', 't', 2 }), value('b', 1, { 'n', 't', 2 }),
        },
        outputs = { value('last', 1), value('all', 1) },
      }, { version = 8 }))
    end
    local start, a, b = torch.randn(3, 2):float(), torch.randn(3, 4, 2):float(), torch.randn(3, 4, 2):float()
    local lengths = torch.LongTensor { 4, 1, 3 }
    for _, directions in ipairs { { 0, 0 }, { 1, 0 }, { 0, 1 } } do
      local last, all = scanning(directions):run(lengths, start, a, b)
      for e = 1, 3 do
        local state, n = start[e]:clone(), lengths[e]
        for i = 1, 4 do
          local expected = torch.zeros(2):float()
          if i <= n then
            state:add(a[e][directions[1] == 1 and n + 1 - i or i])
            expected:cmul(state, b[e][directions[2] == 1 and n + 1 - i or i])
          end
          assert.is_true((all[e][i] - expected):abs():max() < 1e-6)
        end
        assert.is_true((last[e] - state):abs():max() < 1e-6)
      end
    end
    local m = scanning { 0, 0 }
    refuses('Scan .*: a length of 5, expected 1 to 4', m.run, m, torch.LongTensor { 4, 5, 1 }, start, a, b)
    refuses('Scan .*: a length of 0, expected 1 to 4', m.run, m, torch.LongTensor { 0, 4, 1 }, start, a, b)
    refuses('Scan .*: a state of another batch, expected 3', m.run, m, lengths, start:narrow(1, 1, 2):clone(), a, b)
    refuses('Scan .*: lengths or directions of another number', m.run, m, torch.LongTensor { 4, 1 }, start, a, b)
    refuses('Scan .*: a sequence of 2, expected 4', m.run, m, lengths, start, a, b:narrow(2, 1, 2):clone())
  end)

  it('gives texts beside the network', function()
    local bytes = protobuf.bytes
    local m = load(sum() .. bytes(14, bytes(1, 'names') .. bytes(2, 'cat\ndog\0')) .. bytes(14, bytes(1, 'empty')))
    assert.are.same({ names = 'cat\ndog\0', empty = '' }, m:metadata())
    assert.are.same({}, load(sum()):metadata())
  end)

  it('captures the second run with inputs of some sizes', function()
    local m = load(sum())
    for count = 1, 2 do
      for _ = 1, 3 do
        assert.are.same(torch.ones(count, 2):add(1):totable(), m:run(torch.ones(count, 2):float()):totable())
      end
    end
    local counts = m.graphs:info()
    assert.are.same({ 2, 2, 2 }, { counts.plain, counts.capture, counts.graph })
  end)

  it('refuses what is no model', function()
    refuses('onnx.load: path: 3, expected a string', onnx.load, 3)
    refuses('none%.onnx', onnx.load, folder .. '/none.onnx')
    refuses('no graph, expected an ONNX model', load, '')
    refuses('damaged data', load, 'no model at all')
    refuses('damaged data', load, sum():sub(1, -6))
    refuses('no operator set', load, protobuf.number(1, 8) .. protobuf.bytes(7, graph {}))
  end)

  it('names all unknown ops', function()
    local nodes = { { 'Foo', { 'x' }, { 'y' } }, { 'Bar', { 'y' }, { 'z' }, domain = 'my' } }
    local bytes = model { nodes = nodes, inputs = { value('x', 1) }, outputs = { value('z', 1) } }
    refuses('nodes with unknown ops: Foo, my%.Bar; expected', load, bytes)
  end)

  it('refuses values that are made twice or not at all', function()
    refuses('node Add %(y%): the input later, which no earlier node makes', load, sum { nodes = { { 'Add', { 'x', 'later' }, { 'y' } } } })
    local cycle = { { 'Add', { 'x', 'z' }, { 'y' } }, { 'Neg', { 'y' }, { 'z' } } }
    refuses('which no earlier node makes', load, sum { nodes = cycle })
    refuses('a second value called x', load, sum { nodes = { { 'Neg', { 'x' }, { 'x' } } } })
    refuses('an output q that no node makes', load, sum { outputs = { value('q', 1) } })
  end)

  it('refuses tensors whose elements are not there', function()
    local function with(tensor)
      tensor.name = 'c'
      return sum { tensors = { tensor } }
    end
    refuses('a tensor c with 4 bytes, expected 8', load, with { sizes = { 2 }, raw = '\0\0\0\0' })
    refuses('a tensor c with 12 bytes, expected 8', load, with { sizes = { 2 }, raw = ('\0'):rep(12) })
    refuses('a tensor c with 0 elements, expected 2', load, with { sizes = { 2 } })
    refuses('a tensor c with a size of', load, with { sizes = { 2 ^ 40, 2 ^ 40 }, raw = '' })
    refuses('elements of the type complex64', load, with { sizes = { 1 }, type = 14, raw = ('\0'):rep(8) })
    refuses('elements of the type float8e5m2fnuz', load, with { sizes = { 1 }, type = 20, raw = '\0' })
    refuses('elements of the type string', load, with { sizes = { 0 }, type = 8, raw = '' })
    for _, file in ipairs { '../other', '/etc/passwd', 'a/../../b', '' } do
      refuses('expected a file of its folder', load, with { sizes = { 2 }, place = { location = file } })
    end
    files.write(folder .. '/data', ('\0'):rep(12))
    refuses('bytes from 8 on in a file of 12, expected 8', load, with { sizes = { 2 }, place = { location = 'data', offset = '8' } })
    refuses('the place 1x', load, with { sizes = { 2 }, place = { location = 'data', offset = '1x' } })
    local placed = load(with { sizes = { 2 }, place = { location = 'data', offset = '4' } })
    assert.are.same({ 0, 0 }, placed:run(torch.zeros(1, 2):float())[1]:totable())
  end)

  it('refuses a link that leaves the folder', function()
    os.execute(('ln -s /etc/hostname %s/link'):format(folder))
    refuses('expected a file of its folder', load, sum { tensors = { { name = 'c', sizes = { 2 }, place = { location = 'link' } } } })
  end)

  it('refuses graphs and functions that contain themselves', function()
    local deep = graph { nodes = { { 'Neg', { 'x' }, { 'y' } } }, outputs = { value('y', 1) } }
    for _ = 1, 40 do
      deep = graph {
        nodes = { { 'If', { 'x' }, { 'y' }, attributes = { protobuf.graphAttribute('then_branch', deep) } } }, outputs = { value('y', 1) },
      }
    end
    refuses('graphs within graphs', load, protobuf.model { deep })
    local text = protobuf.bytes
    local call = text(7, protobuf.node { 'F', { 'x' }, { 'y' }, domain = 'my' })
    local recursive = text(1, 'F') .. text(4, 'x') .. text(5, 'y') .. call .. text(10, 'my')
    refuses('functions and graphs in each other, expected at most 32 levels', load, model({
      nodes = { { 'F', { 'x' }, { 'y' }, domain = 'my' } }, inputs = { value('x', 1) }, outputs = { value('y', 1) },
    }, { functions = { recursive } }))
  end)

  it('refuses a chain of calls that is too long', function()
    local text = protobuf.bytes
    local function chain(length)
      local functions = {}
      for i = 1, length do
        local inner = { i < length and ('F%d'):format(i + 1) or 'Neg', { 'x' }, { 'y' }, domain = i < length and 'my' or '' }
        functions[i] = text(1, ('F%d'):format(i)) .. text(4, 'x') .. text(5, 'y') .. text(7, protobuf.node(inner)) .. text(10, 'my')
            .. text(9, text(1, '') .. protobuf.number(2, 17))
      end
      local parts = { nodes = { { 'F1', { 'x' }, { 'y' }, domain = 'my' } }, inputs = { value('x', 1) }, outputs = { value('y', 1) } }
      return model(parts, { functions = functions })
    end
    assert.are.same({ -3 }, load(chain(32)):run(torch.FloatTensor { 3 }):totable())
    refuses('functions and graphs in each other, expected at most 32 levels', load, chain(33))
  end)

  it('runs functions of the model', function()
    local text = protobuf.bytes
    local add = text(7, protobuf.node { 'Add', { 'a', 'a' }, { 'b' } })
    local twice = text(1, 'Twice') .. text(4, 'a') .. text(5, 'b') .. add .. text(10, 'my')
        .. text(9, text(1, '') .. protobuf.number(2, 17))
    local m = load(model({
      nodes = { { 'Twice', { 'x' }, { 'm' }, domain = 'my' }, { 'Twice', { 'm' }, { 'y' }, domain = 'my' } }, inputs = { value('x', 1) },
      outputs = { value('y', 1) },
    }, { functions = { twice } }))
    assert.are.same({ 4, 8 }, m:run(torch.FloatTensor { 1, 2 }):totable())
  end)
end)

describe('onnx.Model', function()
  local m
  setup(function()
    folder = files.folder()
    m = load(sum())
  end)
  teardown(function() os.execute('rm -rf ' .. folder) end)

  it('refuses inputs that it does not declare', function()
    refuses('onnx: x: nothing, expected a tensor of float32', m.run, m)
    refuses('onnx: x: nothing, expected a tensor of float32', m.run, m, {})
    refuses('onnx: x: 3, expected a tensor of float32', m.run, m, 3)
    refuses('onnx: x: torch.DoubleTensor %[1, 2%], expected a tensor of float32', m.run, m, torch.zeros(1, 2))
    refuses('onnx: x: sizes %[1, 3%], expected n x 2', m.run, m, torch.zeros(1, 3):float())
    refuses('onnx: x: sizes %[2%], expected n x 2', m.run, m, torch.zeros(2):float())
    refuses('onnx: inputs: .*z.*, expected x', m.run, m, { x = torch.zeros(1, 2):float(), z = 1 })
    refuses('onnx: inputs: 2, expected x', m.run, m, torch.zeros(1, 2):float(), 1)
    refuses('onnx: graph: inputs: nil, expected a table', m.graph, m)
    local x = torch.zeros(1, 2):float()
    refuses('onnx: graph: constants: x, which is also an input', m.graph, m, { x = x }, { x = x })
    refuses('onnx.Model: it is a file already', torch.serialize, m)
  end)

  it('names the node whose op fails', function()
    local bad = load(model {
      nodes = { { 'MatMul', { 'x', 'x' }, { 'y' } } }, inputs = { value('x', 1) }, outputs = { value('y', 1) },
    })
    refuses('onnx: MatMul %(y%): matmul: ', bad.run, bad, torch.zeros(2, 3):float())
    refuses('onnx: MatMul %(y%): ', bad.run, bad, torch.zeros(2, 3):float())      -- also when it is run again
  end)

  it('refuses nodes whose inputs or attributes no op has', function()
    local function runs(pattern, node, ...)
      local inputs = {}
      for i = 1, select('#', ...) do inputs[i] = value(('i%d'):format(i), 1) end
      local bad = load(model { nodes = { node }, inputs = inputs, outputs = { value('y', 1) } })
      refuses(pattern, bad.run, bad, ...)
    end
    local x, picture = torch.ones(2):float(), torch.ones(1, 4, 2, 2):float()
    runs('Neg %(y%): 0 inputs, expected 1', { 'Neg', {}, { 'y' } })
    runs('Add %(y%): 3 inputs, expected 2', { 'Add', { 'i1', 'i1', 'i1' }, { 'y' } }, x)
    runs('Add %(y%): no input 2, expected one', { 'Add', { 'i1', '' }, { 'y' } }, x)
    runs('Add %(y%): inputs of the sizes 2 and 3', { 'Add', { 'i1', 'i2' }, { 'y' } }, x, torch.ones(3):float())
    runs('expected 4 dimensions', { 'DepthToSpace', { 'i1' }, { 'y' }, attributes = { protobuf.integer('blocksize', 2 ^ 32) } }, picture)
    runs('input 1 with 1 dimensions, expected at least 3', { 'InstanceNormalization', { 'i1', 'i1', 'i1' }, { 'y' } }, x)
    runs('3 factors, expected 4', {
      'GroupNormalization', { 'i1', 'i2', 'i2' }, { 'y' }, attributes = { protobuf.integer('num_groups', 2) },
    }, picture, torch.ones(3):float())
    runs('the axis 7, expected one of 1 dimensions', {
      'Softmax', { 'i1' }, { 'y' }, attributes = { protobuf.integer('axis', 7) },
    }, x)
    runs('5 parts for 1 outputs, expected as many', { 'Split', { 'i1' }, { 'y' }, attributes = { protobuf.integer('num_outputs', 5) } }, x)
  end)

  it('refuses results whose sizes no memory has, before it computes where their elements are from', function()
    finally(function() torch.memoryLimit(0, 0) end)
    torch.memoryLimit(2 ^ 26)
    local linear, crop = protobuf.text('mode', 'linear'), protobuf.text('coordinate_transformation_mode', 'tf_crop_and_resize')
    local function given(type, list) return ffi.string(ffi.new(type .. '[?]', #list, list), ffi.sizeof(type) * #list) end
    local function refusesSizes(pattern, node, list, type, kind)
      local tensors = { { name = 'list', type = type, sizes = { #list }, raw = given(kind, list) },
                        { name = 'region', sizes = { 4 }, raw = given('float', { 0, -1 / 0, 1, 1 / 0 }) },
                        { name = 'pair', sizes = { 2 }, raw = given('float', { 0, 1 }) } }
      local bad = load(model { nodes = { node }, tensors = tensors, inputs = { value('x', 1) }, outputs = { value('y', 1) } })
      refuses(pattern, bad.run, bad, torch.ones(1, 4):float())
    end
    for _, size in ipairs { 2 ^ 28, 2 ^ 40, 2 ^ 62 } do
      for _, attributes in ipairs { {}, { linear } } do
        local tooLarge = size == 2 ^ 62 and #attributes > 0 and 'tensor: sizes: the number of elements' or 'out of memory: '
        refusesSizes('onnx: Resize %(y%): ' .. tooLarge,
                     { 'Resize', { 'x', '', '', 'list' }, { 'y' }, attributes = attributes }, { 1, size }, 7, 'int64_t')
      end
    end
    for _, scale in ipairs { 1e30, 1 / 0, 0 / 0 } do
      refusesSizes('onnx: Resize %(y%): a dimension of size %S+, expected fewer elements', { 'Resize', { 'x', '', 'list' }, { 'y' } },
                   { 1, scale }, 1, 'float')
    end
    refusesSizes('onnx: Resize %(y%): a region from %-inf to inf, expected finite numbers',
                 { 'Resize', { 'x', 'region', '', 'list' }, { 'y' }, attributes = { crop } }, { 1, 3 }, 7, 'int64_t')
    refusesSizes('onnx: OneHot %(y%): out of memory: ', { 'OneHot', { 'x', 'list', 'pair' }, { 'y' } }, { 2 ^ 30 }, 7, 'int64_t')
  end)

  it('decides again where an element chooses a branch', function()
    local function branch(op) return graph { nodes = { { op, { 'x' }, { 'r' } } }, outputs = { value('r', 1) } } end
    local chooser = load(model {
      nodes = { {
        'If', { 'c' }, { 'y' },
        attributes = { protobuf.graphAttribute('then_branch', branch 'Neg'), protobuf.graphAttribute('else_branch', branch 'Exp') },
      } },
      inputs = { value('c', 9, {}), value('x', 1) }, outputs = { value('y', 1) },
    })
    local x, yes, no = torch.FloatTensor { 0, 0 }, torch.BoolTensor { true }, torch.BoolTensor { false }
    for _ = 1, 3 do
      assert.are.same({ 0, 0 }, chooser:run { c = yes, x = x }.y:totable())
      assert.are.same({ 1, 1 }, chooser:run { c = no, x = x }.y:totable())
    end
    assert.are.equal(2, chooser.graphs:info().capture)
    refuses('an element that the program reads inside a capture', chooser.graph, chooser, { c = yes, x = x })
    assert.are.same({ 1, 1 }, chooser:graph({ x = x }, { c = no }):run(x):totable())
  end)

  it('computes what depends on constants and sizes once', function()
    local cast = { 'Cast', { 's' }, { 'f' }, attributes = { protobuf.integer('to', 1) } }
    local folded = load(model {
      nodes = {
        { 'Add', { 'c', 'c' }, { 'd' } }, { 'Shape', { 'x' }, { 's' } }, cast,
        { 'Mul', { 'd', 'f' }, { 'e' } }, { 'Sub', { 'x', 'e' }, { 'y' } },
      },
      tensors = { { name = 'c', sizes = { 2 }, raw = ('\0\0\128\63'):rep(2) } }, inputs = { value('x', 1) },
      outputs = { value('y', 1) },
    })
    local g = folded:graph { x = torch.zeros(3, 2):float() }
    for _, op in ipairs(g:info().ops) do assert.is_truthy(op == 'csub' or op == 'expand' or op == 'reshape', op) end
    assert.are.same({ { -6, -4 }, { -6, -4 }, { -6, -4 } }, g:run(torch.zeros(3, 2):float()):totable())
    assert.are.same({ { -2, -4 } }, folded:run(torch.zeros(1, 2):float()):totable())
  end)

  it('ends each sequence of a recurrent layer where its length says', function()
    local one = { name = 'w', sizes = { 1, 1, 1 }, raw = '\0\0\128\63' }
    local zero = { name = 'r', sizes = { 1, 1, 1 }, raw = '\0\0\0\0' }
    local layer = load(model {
      nodes = { { 'RNN', { 'x', 'w', 'r', '', 'n' }, { 'y', 'last' }, attributes = { protobuf.integer('hidden_size', 1) } } },
      tensors = { one, zero }, inputs = { value('x', 1), value('n', 6) }, outputs = { value('y', 1), value('last', 1) },
    })
    local x = torch.FloatTensor { { { 0.1 }, { 0.2 } }, { { 0.3 }, { 0.4 } } }      -- time, sequence, element
    local y, last = layer:run(x, torch.IntTensor { 2, 1 })
    local expected = torch.tanh(x)
    assert.is_true((last:view(-1) - torch.FloatTensor { expected[2][1][1], expected[1][2][1] }):abs():max() < 1e-6)
    expected[2][2][1] = 0
    assert.is_true((y:view(-1) - expected:view(-1)):abs():max() < 1e-6)
  end)

  it('puts borders where the attributes say', function()
    local function pooled(...)
      local attributes = { protobuf.integers('kernel_shape', { 3 }), ... }
      return load(model {
        nodes = { { 'MaxPool', { 'x' }, { 'y' }, attributes = attributes } }, inputs = { value('x', 1) }, outputs = { value('y', 1) },
      }):run(torch.FloatTensor { { { 4, 3, 2, 1 } } }):view(-1):totable()
    end
    local strides = protobuf.integers('strides', { 2 })
    assert.are.same({ 4, 2 }, pooled(strides, protobuf.text('auto_pad', 'SAME_UPPER')))      -- one more behind
    assert.are.same({ 4, 3 }, pooled(strides, protobuf.text('auto_pad', 'SAME_LOWER')))      -- one more before
    assert.are.same({ 4 }, pooled(strides, protobuf.text('auto_pad', 'VALID')))
    assert.are.same({ 4, 4, 4, 3, 2, 1 }, pooled(protobuf.integers('pads', { 2, 2 })))
  end)

  it('pools with other borders at the end than at the start', function()
    -- The maximum or the mean of each window on x; borders count in means if `counts`.
    local function expected(x, op, kernel, stride, before, after, counts)
      local results = {}
      for first = 1 - before, #x + after - kernel + 1, stride do
        local most, total, inside = -math.huge, 0, 0
        for i = math.max(first, 1), math.min(first + kernel - 1, #x) do
          most, total, inside = math.max(most, x[i]), total + x[i], inside + 1
        end
        table.insert(results, op == 'MaxPool' and most or total / (counts and kernel or inside))
      end
      return results
    end
    local function pool(op, kernel, stride, before, after, counts)
      local attributes = {
        protobuf.integers('kernel_shape', { kernel, 1 }), protobuf.integers('strides', { stride, 1 }),
        protobuf.integers('pads', { before, 0, after, 0 }),
      }
      if op == 'AveragePool' then table.insert(attributes, protobuf.integer('count_include_pad', counts and 1 or 0)) end
      return load(model {
        nodes = { { op, { 'x' }, { 'y' }, attributes = attributes } }, inputs = { value('x', 1) }, outputs = { value('y', 1) },
      })
    end
    for _, case in ipairs { { 'MaxPool' }, { 'AveragePool', false }, { 'AveragePool', true } } do
      local op, counts = unpack(case)
      for kernel = 2, 4 do
        for stride = 1, 4 do
          for before = 0, kernel - 1 do
            for after = 0, op == 'MaxPool' and kernel + 1 or kernel - 1 do             -- windows on borders alone have maxima
              local pooling = pool(op, kernel, stride, before, after, counts)
              for size = 4, 7 do
                local x = torch.randn(size):float()
                local y = pooling:run(x:view(1, 1, size, 1)):view(-1)
                local wanted = expected(x:totable(), op, kernel, stride, before, after, counts)
                assert.equal(#wanted, y:size(1))
                for i, element in ipairs(wanted) do assert.is_true(element == y[i] or math.abs(element - y[i]) < 1e-5) end
              end
            end
          end
        end
      end
    end
    local x = torch.randn(1, 1, 6, 1):float()
    local steps = tostring(pool('MaxPool', 3, 2, 0, 1):graph { x = x })
    assert.is_nil(steps:find('cat', 1, true))                                      -- no border is copied
  end)

  it('gives graphs whose inputs have the order of the model, and names that graphs accept', function()
    local odd = load(model {
      nodes = { { 'Sub', { 'z/x:0', 'a' }, { 'd' } }, { 'Sub', { 'd', '1' }, { 'y/y' } } },
      inputs = { value('z/x:0', 1), value('a', 1), value('1', 1) }, outputs = { value('y/y', 1) },
    })
    local x, y, z = torch.FloatTensor { 7 }, torch.FloatTensor { 2 }, torch.FloatTensor { 1 }
    local named = { ['z/x:0'] = x, a = y, ['1'] = z }
    assert.are.same({ 4 }, odd:run(named)['y/y']:totable())
    local g = odd:graph(named)
    assert.are.same({ 'z_x_0', 'a', 'x1' }, g:info().inputs)
    assert.are.same({ 4 }, g:run(x, y, z):totable())
    assert.are.same({ 4 }, odd:graph({ x, y }, { ['1'] = z }):run(x, y):totable())
    local alike = load(model {
      nodes = { { 'Sub', { 'x/1', 'x:1' }, { 'y' } } }, inputs = { value('x/1', 1), value('x:1', 1) }, outputs = { value('y', 1) },
    })
    assert.are.same({ 'x_1', 'x_1_' }, alike:graph({ x, y }):info().inputs)
  end)

  it('gives a graph that is saved and runs without the model', function()
    local g = m:graph { x = torch.zeros(3, 2):float() }
    local name = folder .. '/sum.mtg'
    g:save(name)
    local loaded = torch.graph.load(name)
    assert.are.same({ { 2, 3 }, { 1, 1 }, { 1, 1 } }, loaded:run(torch.FloatTensor { { 1, 2 }, { 0, 0 }, { 0, 0 } }):totable())
  end)
end)
