-- bin/minimal: what it finds that models need, a build that knows what it lacks, and, with MT_BUILD_MODELS=1 (some minutes each), libraries
-- for this processor and, where their compilers and qemu-user are installed, for others.
local torch, nn, onnx = require 'torch', require 'nn', require 'onnx'
local files, protobuf, shell = require 'spec.support.files', require 'spec.onnx.protobuf', require 'spec.support.shell'

local value, graph = protobuf.value, protobuf.graph
local th = require('spec.support.program').path

-- y = flag ? exp(relu(x)) : int16(relu(x)) as a float, in a function of the model; the other op of the function is never run.
local function written()
  local function branch(nodes, name) return graph { nodes = nodes, outputs = { value(name, 1, { 2, 2 }) } } end
  local exp = branch({ { 'Exp', { 'r' }, { 'e' } } }, 'e')
  local rounded = branch({ { 'Cast', { 'r' }, { 'i' }, attributes = { protobuf.integer('to', 5) } },
                           { 'Cast', { 'i' }, { 'f' }, attributes = { protobuf.integer('to', 1) } } }, 'f')
  local bodies = { protobuf.graphAttribute('then_branch', exp), protobuf.graphAttribute('else_branch', rounded) }
  return protobuf.model { graph {
    nodes = { { 'Relu', { 'x' }, { 'r' } }, { 'If', { 'flag' }, { 'y' }, attributes = bodies } },
    inputs = { value('flag', 9, {}), value('x', 1, { 2, 2 }) }, outputs = { value('y', 1, { 2, 2 }) },
  } }
end

-- A network of the form of LeNet, and two pictures: numbers of a congruential generator, which the program in C computes as well.
local function pictures()
  local image, state = torch.FloatTensor(2, 1, 28, 28), 1
  image:apply(function()
    state = (state * 1664525 + 1013904223) % 2 ^ 32
    return math.floor(state / 256) % 65536 / 32768 - 1
  end)
  return image
end

local function network()
  torch.manualSeed(1)
  local net = nn.Sequential():add(nn.SpatialConvolution(1, 6, 5, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
    :add(nn.SpatialConvolution(6, 16, 5, 5)):add(nn.Tanh()):add(nn.SpatialMaxPooling(2, 2)):add(nn.View(-1):setNumInputDims(3))
    :add(nn.Linear(256, 84)):add(nn.Sigmoid()):add(nn.Linear(84, 10)):add(nn.LogSoftMax()):float()
  net:evaluate()
  return net
end

-- The lists of a file, by variable, as sets.
local function lists(path)
  local found = {}
  for name, words in files.read(path):gmatch 'set%((%S+) ([^\n]*)%)\n' do
    found[name] = {}
    for word in words:gmatch '[%w_]+' do found[name][word] = true end
  end
  return found
end

describe('bin/minimal', function()
  local folder
  local images, image = network(), pictures()
  local function run(command) return shell((command:gsub('DIR', folder):gsub('TH', th))) end
  local function succeed(command)
    local output, status = run(command)
    assert.equal(0, status, output)
    return output
  end
  setup(function()
    folder = files.folder()
    files.write(folder .. '/net.onnx', written())
    local weight = torch.FloatTensor { { 1, 2 }, { 3, 4 } }
    onnx.save(images, folder .. '/images.onnx', { inputs = image })
    torch.graph.parse('graph(x: float32[?, 2]) { constant w  return softmax(linear(x, w)) }', { w = weight }):save(folder .. '/net.mtg')
  end)
  teardown(function() os.execute('rm -rf ' .. folder) end)

  it('finds the ops of all branches, and of graphs, with the dtypes', function()
    succeed 'TH bin/minimal.lua DIR/onnx.cmake DIR/net.onnx'
    local found = lists(folder .. '/onnx.cmake')
    assert.same({ Cast = true, Exp = true, If = true, Relu = true }, found.MT_BUILT_NODES)
    for _, name in ipairs { 'relu', 'exp', 'to', 'copy', 'strided_view' } do assert.is_true(found.MT_BUILT_OPS[name], name) end
    for _, name in ipairs { 'softmax', 'svd', 'conv2d', 'lstm_cell', 'sort' } do assert.is_nil(found.MT_BUILT_OPS[name], name) end
    assert.is_true(found.MT_BUILT_DTYPES.int16 and found.MT_BUILT_DTYPES.float32 and found.MT_BUILT_DTYPES.bool)
    assert.is_nil(found.MT_BUILT_DTYPES.float16)
    assert.is_true(found.MT_MISSING_OPS.svd and found.MT_MISSING_OPS.softmax)
    assert.is_nil(found.MT_MISSING_OPS.exp)
    succeed 'TH bin/minimal.lua DIR/both.cmake DIR/net.mtg DIR/net.onnx'
    found = lists(folder .. '/both.cmake')
    for _, name in ipairs { 'softmax', 'linear', 'exp' } do assert.is_true(found.MT_BUILT_OPS[name], name) end
    assert.is_true(found.MT_BUILT_FAMILIES.softmax)
  end)

  it('knows the nodes of models, with those of bodies', function()
    local needs = onnx.load(folder .. '/net.onnx'):_needs()
    assert.same({ 'Cast', 'Exp', 'If', 'Relu' }, needs.ops)
    assert.same({ 'int16', 'float32', 'bool' }, needs.dtypes)
  end)

  it('finds every op that the graphs of the cases of the package onnx have', function()
    local conformance, modelNeeds = require 'spec.onnx.conformance', require 'bin.model_needs'
    local ofEngine, missing, ran = modelNeeds.ofEngine(), {}, 0
    local function loaded(bytes)
      files.write(folder .. '/case.onnx', bytes)
      return onnx.load(folder .. '/case.onnx')
    end
    for i, case in ipairs(conformance.cases('spec/onnx/cases', 'node')) do
      if i % 3 == 0 and not conformance.reason(case.name) then
        local data, model = loaded(case.data):run {}, loaded(case.model)
        local inputs, known = {}, {}
        for k, input in ipairs(model:inputs()) do inputs[input.name] = data[('in_%d'):format(k - 1)] end
        for _, name in ipairs(model:_needs().ops) do
          for op in pairs(modelNeeds.ofNode(name).ops) do known[op] = true end
        end
        for _ = 1, 2 do model:run(inputs) end      -- the second run captures graphs
        for _, each in ipairs(model.graphs and model.graphs:info().graphs or {}) do
          for _, part in ipairs { each.checks, each.rest } do
            for _, op in ipairs(part:info().ops) do
              ran = ran + 1
              if not known[op] and not ofEngine[op] then missing[case.ops .. ': ' .. op] = true end
            end
          end
        end
      end
    end
    assert.same({}, missing)
    assert.is_true(ran > 1000)
  end)

  it('refuses what is no model', function()
    files.write(folder .. '/bad.onnx', 'no model')
    local output, status = run 'TH bin/minimal.lua DIR/x.cmake DIR/bad.onnx'
    assert.equal(1, status)
    assert.matches('^bin/minimal: onnx.load: .*bad.onnx: damaged data', output)
    output, status = run 'TH bin/minimal.lua DIR/x.cmake DIR/none.mtg'
    assert.equal(1, status)
    assert.matches('^bin/minimal: .*none.mtg', output)
    output, status = run 'bin/minimal --output'
    assert.equal(2, status)
    assert.matches('^usage: bin/minimal', output)
  end)

  it('gives a build that knows the names of the ops that it lacks', function()
    if os.execute 'command -v cmake c++ >/dev/null 2>&1' ~= 0 then return pending 'cmake or c++ is missing' end
    succeed 'TH bin/minimal.lua DIR/onnx.cmake DIR/net.onnx'
    succeed([[cmake -S . -B DIR/build -DCMAKE_BUILD_TYPE=Release -DMT_MINIMAL=ON -DMT_MODELS=DIR/onnx.cmake -DMT_LUA=OFF -DMT_TESTS=OFF \
      -DMT_PROGRAMS=OFF -DMT_INSTALL=OFF -DMT_PACKAGES= -DMT_CUDA=OFF 2>&1]])
    files.write(folder .. '/main.cpp', [[
      #include <cstdio>
      #include "engine/core/absent.h"
      int main() {
        for (const mt::AbsentOp& op : mt::absent_ops()) std::printf("%s %s\n", op.name.data(), op.alias.data());
        std::printf("(%s)\n", mt::small_build().data());
      }]])
    succeed 'c++ -std=c++20 -I. -o DIR/names DIR/main.cpp DIR/build/engine/absent_ops.cpp'
    local names = {}
    local output = succeed 'DIR/names'
    for name in output:gmatch '[%w_]+' do names[name] = true end
    for _, name in ipairs { 'svd', 'inverse', 'inv', 'softmax', 'sort', 'conv2d' } do assert.is_true(names[name], name) end
    for _, name in ipairs { 'exp', 'relu', 'copy' } do assert.is_nil(names[name], name) end
    assert.matches('%(bin/minimal net.onnx%)\n$', output)
    local families = files.read(folder .. '/build/engine/families.cpp')
    assert.is_truthy(families:find('elementary_rows', 1, true))
    assert.is_nil(families:find('sort_rows', 1, true))
  end)

  -- Programs of these libraries, linked against the shared and the static one. `runs` is the emulator of another processor.
  local function link(compiler, runs, name, text, libraries)
    files.write(('%s/%s.c'):format(folder, name), text)
    local compile = ('%s -std=c99 DIR/%s.c -IDIR/out/include -o DIR/'):format(compiler, name)
    succeed(compile .. 'shared -LDIR/out -lmoontorch -Wl,-rpath,DIR/out')
    succeed(compile .. 'static DIR/out/libmoontorch.a -Wl,--gc-sections -s ' .. libraries)
    return function(arguments)
      local output = succeed(('%s DIR/shared %s'):format(runs, arguments))
      assert.equal(output, succeed(('%s DIR/static %s'):format(runs, arguments)))
      return output
    end
  end

  local branches = [[
    #include <moontorch/moontorch.h>
    #include <stdio.h>
    int main(int count, char** words) {
      const int64_t sizes[2] = {2, 2}, one[1] = {1};
      const float values[4] = {-1, 0, 1.75f, 2};
      float results[4];
      unsigned char flag = 0;
      mt_named_value inputs[2] = {{"x", {0}}, {"flag", {0}}};
      mt_tensor *x = NULL, *f = NULL, *y = NULL;
      mt_onnx* m = NULL;
      if (count != 2 || mt_onnx_load(words[1], &m) || mt_tensor_create(MT_FLOAT32, 2, sizes, &x)) return 1;
      if (mt_tensor_create(MT_BOOL, 1, one, &f) || mt_tensor_write(x, sizeof values, values)) return 2;
      inputs[0].value = mt_value_tensor(x);
      inputs[1].value = mt_value_tensor(f);
      for (; flag < 4; ++flag) {
        unsigned char odd = flag % 2;
        if (mt_tensor_write(f, 1, &odd) || mt_onnx_run(m, inputs, 2, 1, &y) || mt_tensor_read(y, sizeof results, results)) return 3;
        printf("%.4g %.4g %.4g %.4g\n", results[0], results[1], results[2], results[3]);
      }
      if (mt_call("svd", NULL, 0, 0, NULL)) printf("%s\n", mt_error_message());
      if (mt_tensor_create(MT_FLOAT16, 2, sizes, &y)) printf("%s\n", mt_error_message());
      return 0;
    }]]
  local printed = ('0 0 1 2\n1 1 5.755 7.389\n'):rep(2) ..
    'svd: not in this build (bin/minimal %s)\ndtype: float16: not in this build (bin/minimal)\n'

  -- The third run is a prepared one.
  local classes = [[
    #include <moontorch/moontorch.h>
    #include <stdio.h>
    int main(int count, char** words) {
      const int64_t sizes[4] = {2, 1, 28, 28};
      float values[1568], results[20];
      uint32_t state = 1;
      int i, k;
      mt_named_value input = {NULL, {0}};
      mt_tensor *x = NULL, *y = NULL;
      mt_onnx* m = NULL;
      if (count != 2 || mt_onnx_load(words[1], &m) || mt_tensor_create(MT_FLOAT32, 4, sizes, &x)) return 1;
      for (i = 0; i < 1568; ++i) {
        state = state * 1664525u + 1013904223u;
        values[i] = (float)(state >> 8 & 65535) / 32768 - 1;
      }
      if (mt_tensor_write(x, sizeof values, values)) return 2;
      input.name = mt_onnx_input_name(m, 0);
      input.value = mt_value_tensor(x);
      for (k = 0; k < 3; ++k) {
        if (mt_onnx_run(m, &input, 1, 1, &y) || mt_tensor_read(y, sizeof results, results)) return 3;
        for (i = 0; i < 20; ++i) printf("%.9g\n", results[i]);
      }
      return 0;
    }]]

  local function checkClasses(output)
    local found = {}
    for number in output:gmatch '%S+' do found[#found + 1] = tonumber(number) end
    local expected = images:forward(image):view(-1)
    assert.equal(60, #found, output)
    for i, number in ipairs(found) do assert.near(expected[(i - 1) % 20 + 1], number, 2e-6) end
  end

  local function wanted(...)
    if not os.getenv 'MT_BUILD_MODELS' then return pending 'MT_BUILD_MODELS is not set' end
    for _, tool in ipairs { ... } do
      if os.execute(('command -v %s >/dev/null'):format(tool)) ~= 0 then return pending(tool .. ' is missing') end
    end
    finally(function() os.execute(('rm -rf %s/out'):format(folder)) end)
    return true
  end

  it('builds a library that runs the models, and says what it lacks', function()
    if not wanted 'cc' then return end
    succeed 'bin/minimal DIR/net.onnx --output DIR/out'
    assert.equal(printed:format 'net.onnx', link('cc', '', 'branches', branches, '-lstdc++ -lm -lpthread -ldl') 'DIR/net.onnx')
    local size = tonumber((succeed 'wc -c <DIR/out/libmoontorch.so'))
    assert.is_true(size < 1.5e6, size)
  end)

  for _, other in ipairs {
    { 'aarch64', 'aarch64-linux-gnu', 'qemu-aarch64' }, { 'armhf', 'arm-linux-gnueabihf', 'qemu-arm' },
    { 'riscv64', 'riscv64-linux-gnu', 'qemu-riscv64', '-latomic' },
  } do
    local name, triple, emulator, further = unpack(other)
    local libraries = '-lstdc++ -lm -lpthread -ldl ' .. (further or '')
    it('builds one for ' .. name .. ', with the same results', function()
      local compiler, runs = triple .. '-gcc', ('%s -L /usr/%s'):format(emulator, triple)
      if not wanted(compiler, triple .. '-g++', emulator) then return end
      succeed(('bin/minimal DIR/net.onnx DIR/images.onnx --output DIR/out --toolchain cmake/%s.cmake'):format(name))
      assert.equal(printed:format 'net.onnx images.onnx', link(compiler, runs, 'branches', branches, libraries) 'DIR/net.onnx')
      checkClasses(link(compiler, runs, 'classes', classes, libraries) 'DIR/images.onnx')
    end)
  end
end)
