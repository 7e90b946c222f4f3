-- MT_MINIMAL: the names of omitted ops come from their declarations. With MT_BUILD_MODELS=1 (some minutes): the library itself.
local files, protobuf, shell = require 'spec.support.files', require 'spec.onnx.protobuf', require 'spec.support.shell'

local program = [[
#include <cstdio>

#include "engine/core/absent.h"

int main() {
  for (const mt::AbsentOp& op : mt::absent_ops()) std::printf("%s %s\n", op.name.data(), op.alias.data());
}
]]

describe('MT_MINIMAL', function()
  it('knows the ops that it lacks, their aliases and those of macros, too', function()
    if os.execute 'command -v cmake c++ >/dev/null 2>&1' ~= 0 then return pending 'cmake or c++ is missing' end
    local folder = os.tmpname()
    os.remove(folder)
    finally(function() os.execute(("rm -rf '%s'"):format(folder)) end)
    local function run(command) assert.equal(0, os.execute((command:gsub('DIR', folder)))) end
    run 'cmake -S . -B DIR -DMT_MINIMAL=ON -DMT_TESTS=OFF -DMT_PROGRAMS=OFF -DMT_PACKAGES= -DMT_CUDA=OFF >/dev/null 2>&1'
    files.write(folder .. '/main.cpp', program)
    run 'c++ -std=c++20 -I. -o DIR/names DIR/main.cpp DIR/engine/absent_ops.cpp'
    run 'DIR/names >DIR/list'
    local names = {}
    for name in files.read(folder .. '/list'):gmatch '%S+' do names[name] = true end
    for _, name in ipairs { 'svd', 'inverse', 'inv', 'cholesky', 'potrf', 'bitand', 'cbitand', 'lshift', 'clshift', 'warp' } do
      assert.is_true(names[name], name)
    end
    assert.is_nil(names.exp)
  end)

  it('is a library of less than 4 MB, which reads ONNX models', function()
    if not os.getenv 'MT_BUILD_MODELS' then return pending 'MT_BUILD_MODELS is not set' end
    local said, status = shell 'cmake --preset minimal && cmake --build --preset minimal --target moontorch th'
    assert.equal(0, status, said)
    local size = tonumber((shell 'wc -c <build/minimal/lib/libmoontorch.so'))
    assert.is_true(size < 4e6, size)
    local folder, value = files.folder(), protobuf.value
    finally(function() os.execute(('rm -rf %s'):format(folder)) end)
    files.write(folder .. '/net.onnx', protobuf.model { protobuf.graph { nodes = { { 'Relu', { 'x' }, { 'y' } } },
                                                                           inputs = { value('x', 1, { 2 }) },
                                                                           outputs = { value('y', 1, { 2 }) } } })
    files.write(folder .. '/main.lua', [[
      local torch, nn, onnx = require 'torch', require 'nn', require 'onnx'
      local model = onnx.load(arg[1] .. '/net.onnx')
      for _ = 1, 3 do print(unpack(model:run { x = torch.FloatTensor { -1, 2 } }.y:totable())) end
      local net = nn.Sequential():add(nn.SpatialConvolution(1, 2, 3, 3)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2))
      print(#net:forward(torch.zeros(1, 1, 8, 8)))
      print(select(2, pcall(onnx.save, net, arg[1] .. '/none.onnx', { inputs = torch.zeros(1, 1, 8, 8) })))
      print(select(2, pcall(torch.svd, torch.zeros(2, 2))))
    ]])
    said, status = shell(('build/minimal/bin/th %s/main.lua %s'):format(folder, folder))
    assert.equal(0, status, said)
    assert.equal(('0\t2\t\n'):rep(3) .. ' 1\n 2\n 3\n 3\n[torch.LongStorage of size 4]\n\n' ..
                 'onnx.save: not in this build (MT_MINIMAL)\t\nsvd: not in this build (MT_MINIMAL)\t\n', said)
  end)
end)
