-- MT_MINIMAL: the names of omitted ops come from their declarations.
local files = require 'spec.support.files'

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
end)
