-- Files of graphs: the format byte by byte against a writer of this spec, damage, and the program examples/graph.
local bit = require 'bit'
local torch, nn = require 'torch', require 'nn'
local graph = torch.graph
local files, shell = require 'spec.support.files', require 'spec.support.shell'
local isClose = require('spec.support.close').isClose

local folder = os.tmpname()
local function path(name) return folder .. '/' .. name end

-- CRC-32C, bit by bit.
local function crc(text)
  local value = bit.bnot(0)
  for i = 1, #text do
    value = bit.bxor(value, text:byte(i))
    for _ = 1, 8 do
      local odd = bit.band(value, 1) == 1
      value = bit.rshift(value, 1)
      if odd then value = bit.bxor(value, 0x82f63b78) end
    end
  end
  return bit.bnot(value) % 2 ^ 32
end

-- A number in n bytes, the lowest first.
local function bytes(value, n)
  local text = ''
  for _ = 1, n do
    text = text .. string.char(value % 256)
    value = math.floor(value / 256)
  end
  return text
end

local function padded(text, unit) return text .. ('\0'):rep(-#text % unit) end

-- A file of a text and the bytes of its constants, as docs/graph.md describes it. Fields of `changes` replace those of the header.
local function written(text, constants, changes)
  changes = changes or {}
  local body, table, data = padded(text, 8), '', ''
  local first = 64 + #body + 24 * #constants
  for i, constant in ipairs(constants) do
    local at = math.ceil((first + #data) / 64) * 64
    data = data .. ('\0'):rep(at - first - #data) .. constant
    table = table .. (changes[i] or bytes(at, 8) .. bytes(#constant, 8) .. bytes(crc(constant), 4) .. bytes(0, 4))
  end
  local header = 'MTGRAPH\26' .. bytes(changes.version or 1, 4) .. bytes(changes.constants or #constants, 4)
    .. bytes(first + #data, 8) .. bytes(changes.text or #text, 8) .. ('\0'):rep(28)
  return header .. bytes(crc(header .. body .. table), 4) .. body .. table .. data
end

local function message(f, ...) return select(2, pcall(f, ...)) end

local function load(content)
  files.write(path 'made.mtg', content)
  return graph.load(path 'made.mtg')
end

describe('files of graphs', function()
  setup(function()
    os.remove(folder)
    assert(os.execute('mkdir ' .. folder) == 0)
  end)
  teardown(function() os.execute('rm -rf ' .. folder) end)

  it('contain text and constants as the documentation says', function()
    local w, few = torch.FloatTensor { 1, 2 }, torch.ByteTensor { 7 }
    local g = graph.parse('graph(x: float32[2]) { constant w: float32[2] constant few: uint8[1] y = add(x, w)  return y, few }',
      { w = w, few = few })
    g:save(path 'small.mtg')
    local content = files.read(path 'small.mtg')
    assert.equal(written(tostring(g), { '\0\0\128\63\0\0\0\64', '\7' }), content)
    local loaded = load(content)
    local y, z = loaded:run(torch.FloatTensor { 10, 20 })
    assert.same({ { 11, 22 }, { 7 } }, { y:totable(), z:totable() })
  end)

  it('give back captured networks, in the form that is not fused', function()
    local net = nn.Sequential():add(nn.SpatialConvolution(1, 3, 3, 3)):add(nn.ReLU()):add(nn.View(3 * 4 * 4)):add(nn.Linear(48, 5))
      :add(nn.LogSoftMax())
    local parameters = net:getParameters()      -- one storage
    local g = graph.capture(function(x) return net:forward(torch.exp(torch.sin(x) * 2 + 1)) end, { torch.randn(2, 1, 6, 6) })
    g:save(path 'net.mtg')
    assert.is_nil(files.read(path 'net.mtg'):find('fused {', 1, true))
    local loaded = graph.load(path 'net.mtg')
    local x = torch.randn(2, 1, 6, 6)
    local expected = g:run(x)
    parameters:fill(0)
    assert.is_true(isClose(expected, (loaded:run(x)), { sameType = true }))
    assert.equal(tostring(g), tostring(loaded))
  end)

  it('have all dtypes, layouts and empty tensors as constants', function()
    local tensors, lines = {}, {}
    for i, name in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double', 'Bool' } do
      local class = torch[name .. 'Tensor']
      if class then tensors['c' .. i] = torch.ones(3, 2):type('torch.' .. name .. 'Tensor'):t() end
    end
    tensors.e, tensors.n = torch.FloatTensor(0, 4), torch.DoubleTensor()
    tensors.s = torch.DoubleTensor { 5 }:expand(3)
    local names = {}
    for name in pairs(tensors) do names[#names + 1] = name end
    table.sort(names)
    for _, name in ipairs(names) do lines[#lines + 1] = 'constant ' .. name .. '\n' end
    local g = graph.parse('graph(x: tensor) {' .. table.concat(lines) .. 'return ' .. table.concat(names, ', ') .. '}', tensors)
    g:save(path 'all.mtg')
    local results = { graph.load(path 'all.mtg'):run(torch.ones(1)) }
    for i, name in ipairs(names) do
      assert.equal(torch.type(tensors[name]), torch.type(results[i]))
      assert.same(tensors[name]:size():totable(), results[i]:size():totable(), name)
      assert.same(tensors[name]:double():contiguous():totable(), results[i]:double():totable(), name)
    end
  end)

  it('stay as they are when a graph writes to its constants', function()
    local total = torch.zeros(2)
    graph.capture(function(x) total:add(x) return total end, { torch.ones(2) }):save(path 'total.mtg')
    local content = files.read(path 'total.mtg')
    local g = graph.load(path 'total.mtg')
    local before = g:run(torch.Tensor { 1, 2 }):totable()
    local after = g:run(torch.Tensor { 1, 2 }):totable()
    assert.same({ 1, 2 }, { after[1] - before[1], after[2] - before[2] })
    g:constant('c1'):fill(100)
    assert.same({ 101, 102 }, g:run(torch.Tensor { 1, 2 }):totable())
    assert.equal(content, files.read(path 'total.mtg'))
    assert.same(before, graph.load(path 'total.mtg'):run(torch.Tensor { 1, 2 }):totable())
  end)

  it('replace others when they are complete', function()
    local g = graph.parse('graph(x) { return exp(x) }')
    local name = path 'linked.mtg'
    files.write(path 'target.mtg', 'old')
    assert(os.execute(('chmod 640 %s && ln -s target.mtg %s'):format(path 'target.mtg', name)) == 0)
    g:save(name)
    assert.same({ 1 }, graph.load(name):run(torch.zeros(1)):totable())
    assert.equal('640\n', (shell('stat -c %a ' .. path 'target.mtg')))
    assert.equal('', (shell('ls -A ' .. folder .. ' | grep tmp; true')))
    assert.matches('^graph.save: /nowhere/x.mtg: No such file or directory, expected', message(g.save, g, '/nowhere/x.mtg'))
    assert.matches('graph.save: file: 1, expected a string', message(g.save, g, 1))
    local onMeta = graph.parse('graph(x) { constant c return add(x, c) }', { c = torch.zeros(2, 'float on meta') })
    assert.matches('graph.save: c: a constant without elements', message(onMeta.save, onMeta, path 'target.mtg'))
    assert.same({ 1 }, graph.load(name):run(torch.zeros(1)):totable())
  end)

  it('that are wrong give an error with the name and what was expected', function()
    local text, one = 'graph(x: tensor) {\n  constant w: float64[1]\n  return add(x, w)\n}\n', bytes(0, 8)
    local name = path 'made.mtg'
    local function refused(content, expected)
      local said = message(load, content)
      assert.equal('torch.graph.load: ' .. name .. ': ' .. expected, said)
    end
    local good = written(text, { one })
    assert.same({ 3 }, load(good):run(torch.Tensor { 3 }):totable())
    refused('', 'another format, expected a file of a graph')
    refused('PK\3\4 something else', 'another format, expected a file of a graph')
    refused(good:sub(1, 20), '20 bytes, expected a header of 64')
    refused(good:sub(1, -2), ('%d bytes, expected %d'):format(#good - 1, #good))
    refused(good .. '\0', ('%d bytes, expected %d'):format(#good + 1, #good))
    refused(written(text, { one }, { version = 4 }), 'version 4 of the format, expected at most 3')
    refused(written(text, { one }, { text = 2 ^ 40 }), 'a text that ends after the file, expected a whole text')
    refused(written(text, { one }, { constants = 2 ^ 31 }), 'a table that ends after the file, expected a whole table')
    refused(good:gsub('add', 'mul'), 'a header, text or table with another checksum, expected an undamaged file')
    refused(good:sub(1, -2) .. '\1', 'a constant w with another checksum, expected an undamaged file')
    refused(written(text:gsub('add', 'frob'), { one }), "line 3: 'frob(x, w)', expected an op of the engine")
    refused(written(text:gsub('w: float64%[1%]', 'w'), { one }), 'a constant w without a dtype and sizes, expected constants with both')
    refused(written(text:gsub('%[1%]', '[?]'), { one }), 'a constant w of unknown sizes, expected constants of known sizes')
    refused(written(text:gsub('%[1%]', '[2]'), { one .. one .. one }), 'a constant w with 24 bytes, expected 16')
    refused(written(text:gsub('%[1%]', '[1000000]'), { one }), 'a constant w of float64[1000000], expected elements that the file has')
    refused(written(text, {}), 'a further constant w, expected 0 constants')
    refused(written(text, { one, one }), 'a text with 1 constants, expected 2')
    local outside = bytes(2 ^ 20, 8) .. bytes(8, 8) .. bytes(crc(one), 4) .. bytes(0, 4)
    refused(written(text, { one }, { outside }), 'a constant w outside of the file, expected constants behind the table, in order')
    refused(written(text, { one }, { bytes(64, 8) .. outside:sub(9) }),
      'a constant w outside of the file, expected constants behind the table, in order')
    assert.matches('torch.graph.load: /nowhere: No such file or directory, expected a file', message(graph.load, '/nowhere'))
    assert.matches('torch.graph.load: /: something else, expected a regular file', message(graph.load, '/'))
    assert.matches('torch.graph.load: file: 1, expected a string', message(graph.load, 1))
  end)

  it('with random damage give an error, or a graph that can be printed', function()
    local w = torch.randn(3, 4)
    local g = graph.capture(function(x) return torch.max(torch.mm(x, w) + 1, 2) end, { torch.randn(2, 3) })
    g:save(path 'net.mtg')
    local content, text = files.read(path 'net.mtg'), tostring(g)
    local survivors = 0
    for _ = 1, 400 do
      local damaged = content
      if torch.random(2) == 1 then damaged = damaged:sub(1, torch.random(0, #content - 1)) end
      for _ = 1, torch.random(3) do
        local at = torch.random(math.max(#damaged, 1))
        damaged = damaged:sub(1, at - 1) .. string.char(torch.random(0, 255)) .. damaged:sub(at + 1)
      end
      local good, loaded = pcall(load, damaged)
      if good then assert.equal(text, tostring(loaded)) else assert.matches('^torch.graph.load: .*, expected ', loaded) end
    end
    -- With right checksums everything behind them reads the damage.
    local data = files.read(path 'net.mtg'):sub(-96)
    for _ = 1, 400 do
      local damaged = text
      for _ = 1, torch.random(2) do
        local from, to = torch.random(#text), torch.random(#text)
        local inserted = torch.random(2) == 1 and text:sub(from, from + torch.random(0, 8)) or string.char(torch.random(0, 255))
        damaged = damaged:sub(1, to - 1) .. inserted .. damaged:sub(to + torch.random(0, 2))
      end
      local good, loaded = pcall(load, written(damaged, { data }))
      if good then
        survivors = survivors + 1
        assert.is_string(tostring(loaded))
        pcall(loaded.run, loaded, torch.randn(2, 3))
      end
    end
    assert.is_true(survivors > 0)
  end)

  it('run in a C program', function()
    local preset = os.getenv 'MT_PRESET' or 'release'
    local sanitizer = ({ asan = '-fsanitize=address,undefined', tsan = '-fsanitize=thread' })[preset] or ''
    local compile = 'cc -std=c99 -O1 -Wall -Wextra -Werror examples/graph/run.c -o %s -Iengine/include -Lbuild/%s/lib -lmoontorch '
      .. '-Wl,-rpath,"$PWD/build/%s/lib" %s'
    local said, status = shell(compile:format(path 'run', preset, preset, sanitizer))
    assert.equal(0, status, said)
    local _, lines = files.read 'examples/graph/run.c':gsub('\n', '')
    assert.is_true(lines <= 40)
    local net = nn.Sequential():add(nn.Linear(2, 3)):add(nn.Dropout(0.9)):add(nn.Tanh())
    torch.save(path 'net.t7', net)
    local th = require('spec.support.program').path
    said, status = shell(('%s --export %s %s --input 1x2 --type float'):format(th, path 'net.t7', path 'net.mtg'))
    assert.equal(0, status, said)
    assert.matches('net.mtg: 1 inputs, 1 outputs, %d steps, 2 constants\n$', said)
    local output
    output, status = shell(("echo '0.5 -2 3 1' | %s %s"):format(path 'run', path 'net.mtg'))
    assert.equal(0, status, output)
    net:evaluate()
    local expected, i = net:forward(torch.Tensor { { 0.5, -2 }, { 3, 1 } }):view(-1), 0
    for number in output:gmatch '%S+' do
      i = i + 1
      assert.near(expected[i], tonumber(number), 1e-5)
    end
    assert.equal(6, i)
    for _, input in ipairs { '', '1' } do
      output, status = shell(('echo %s | %s %s'):format(input, path 'run', path 'net.mtg'))
      assert.same({ 'run: too few numbers\n', 1 }, { output, status })
    end
    for text, expectation in pairs {
      ['graph(x: float32[2], y: float32[2]) { return add(x, y) }'] = 'run: another graph, expected one input\n',
      ['graph(x: float64[2]) { return exp(x) }'] = 'run: another graph, expected a float32 input and output\n',
      ['graph(x: float32[0]) { return exp(x) }'] = 'run: another graph, expected an input with elements and a contiguous output\n',
      ['graph(x: float32[?]) { return exp(x) }'] = 'run: graph: mt_graph_prepare: x: an input of any size, expected a tensor for it\n',
    } do
      graph.parse(text):save(path 'other.mtg')
      output, status = shell(('echo 1 2 | %s %s'):format(path 'run', path 'other.mtg'))
      assert.same({ expectation, 1 }, { output, status })
    end
    output, status = shell(path 'run' .. ' /nowhere </dev/null')
    assert.matches('^run: file: mt_graph_load: /nowhere: No such file', output)
    assert.equal(1, status)
  end)

  it('th --export tells what is wrong', function()
    local th = require('spec.support.program').path
    torch.save(path 'table.t7', { 1 })
    torch.save(path 'net.t7', nn.Linear(2, 3))
    for arguments, expected in pairs {
      ['net.t7'] = 'export: arguments: 1 files, expected th %-%-export NETWORK.t7 FILE.mtg',
      ['net.t7 x.mtg'] = 'export: arguments: no %-%-input, expected th',
      ['net.t7 x.mtg --input'] = 'export: %-%-input: nothing, expected a word behind it',
      ['net.t7 x.mtg --input 1y2'] = 'export: %-%-input: 1y2, expected sizes such as',
      ['net.t7 x.mtg --input 1xx2'] = 'export: %-%-input: 1xx2, expected sizes such as',
      ['net.t7 x.mtg --input 1x2:frob'] = 'export: %-%-input: frob, expected an element type',
      ['net.t7 x.mtg --input 1x2 --type frob'] = 'export: %-%-type: frob, expected an element type',
      ['net.t7 x.mtg --input 1x2 --frob'] = 'export: arguments: %-%-frob, expected th',
      ['net.t7 x.mtg --input 1x5'] = 'expected size 2 of dimension 2',
      ['table.t7 x.mtg --input 1x2'] = 'table.t7: .*, expected a network',
      ['none.t7 x.mtg --input 1x2'] = 'none.t7',
    } do
      local said, status = shell(('%s --export %s 2>&1'):format(th, arguments:gsub('%w+%.', folder .. '/%0')))
      assert.equal(1, status, arguments)
      assert.matches('^th: .*' .. expected, said)
    end
    assert.is_nil(io.open(path 'x.mtg'))
  end)
end)

describe('Graph:dot', function()
  it('draws inputs, constants, steps and outputs', function()
    local g = graph.parse('graph(x: float32[2, 3]) { constant w  values, at = max(cmul(x, w), 2)  update w = x  return values, at }',
      { w = torch.FloatTensor(2, 3) })
    local text = g:dot()
    assert.matches('^digraph {\n', text)
    for _, line in ipairs {
      'input1 [shape=box, label="x\\nfloat32[2, 3]"];', 'constant1 [shape=ellipse, label="w\\nfloat32[2, 3]"];', 'input1 -> step1;',
      'constant1 -> step1;', 'step1 -> step2;', 'step2 -> output2 [label="#2"];', 'input1 -> constant1 [style=dashed];',
    } do
      assert.is_truthy(text:find('  ' .. line .. '\n', 1, true), line)
    end
    if os.execute 'command -v dot >/dev/null 2>&1' ~= 0 then return end
    local name = os.tmpname()
    finally(function() os.remove(name) end)
    files.write(name, text)
    local plain, status = shell('dot -Tplain ' .. name)
    assert.equal(0, status)
    local _, nodes = plain:gsub('\nnode ', '')
    local _, edges = plain:gsub('\nedge ', '')
    assert.same({ 6, 6 }, { nodes, edges })
  end)
end)
