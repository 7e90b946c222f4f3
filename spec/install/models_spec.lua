-- bin/minimal: what it finds that models need, a build that knows what it lacks, and, with MT_BUILD_MODELS=1 (some minutes), the library.
local torch = require 'torch'
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
    local needs = require('onnx').load(folder .. '/net.onnx'):_needs()
    assert.same({ 'Cast', 'Exp', 'If', 'Relu' }, needs.ops)
    assert.same({ 'int16', 'float32', 'bool' }, needs.dtypes)
  end)

  it('finds every op that the graphs of the cases of the package onnx have', function()
    local onnx, conformance, modelNeeds = require 'onnx', require 'spec.onnx.conformance', require 'bin.model_needs'
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

  it('builds a library that runs the models, and says what it lacks', function()
    if not os.getenv 'MT_BUILD_MODELS' then return pending 'MT_BUILD_MODELS is not set' end
    succeed 'bin/minimal DIR/net.onnx --output DIR/out'
    files.write(folder .. '/run.c', [[
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
      }]])
    succeed 'cc -std=c99 DIR/run.c -IDIR/out/include -LDIR/out -lmoontorch -Wl,-rpath,DIR/out -o DIR/run'
    local expected = ('0 0 1 2\n1 1 5.755 7.389\n'):rep(2) ..
      'svd: not in this build (bin/minimal net.onnx)\ndtype: float16: not in this build (bin/minimal)\n'
    assert.equal(expected, succeed 'DIR/run DIR/net.onnx')
    succeed 'cc -std=c99 DIR/run.c -IDIR/out/include DIR/out/libmoontorch.a -lstdc++ -lm -lpthread -ldl -Wl,--gc-sections -s -o DIR/static'
    assert.equal(expected, succeed 'DIR/static DIR/net.onnx')
    local size = tonumber((succeed 'wc -c <DIR/out/libmoontorch.so'))
    assert.is_true(size < 1.5e6, size)
  end)
end)
