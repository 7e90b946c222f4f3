-- examples/extension, the package that docs/extending.md goes through: built and installed as its author would, by CMake and by luarocks,
-- against an installation that knows nothing of this working tree; and swept.
local shell = require 'spec.support.shell'
local files = require 'spec.support.files'

local preset = os.getenv 'MT_PRESET' or 'release'

local function run(command, ...)
  local output, status = shell(command:format(...))
  if status ~= 0 then error(('%s\n%s'):format(command:format(...), output), 2) end
  return (output:gsub('%s+$', ''))
end

local root, folder = run 'pwd', run 'mktemp -d'
local prefix, sources, test = folder .. '/prefix', folder .. '/sources', folder .. '/sources/test/sweep.lua'
local swept = 'nothing found by ' .. table.concat(require('torch').sweep.names, ', ')

-- Everything is run from a folder that has nothing to do with it; of the environment a compiler and luarocks need no more than these.
local function clean(variables, command, ...)
  return run(('cd / && env -i PATH="$PATH" HOME=%s %s %s'):format(folder, variables, command), ...)
end

local function isSwept(output)
  for _, op in ipairs { 'pseudo_huber', 'every', 'ema', 'ema_grad' } do
    assert.truthy(output:find(op .. ': ' .. swept, 1, true), output)
  end
end

describe('the package of examples/extension', function()
  setup(function() run('cp -R examples/extension %s', sources) end)
  teardown(function() os.execute('rm -rf ' .. folder) end)

  if preset ~= 'release' then
    it('passes its sweeps under the sanitizers', function()
      local config = folder .. '/config'
      run('mkdir ' .. config)
      files.write(config .. '/MoontorchConfig.cmake', 'add_library(Moontorch::headers INTERFACE IMPORTED)\n'
        .. ('target_include_directories(Moontorch::headers INTERFACE %s/engine/include)\n'):format(root))
      run('cmake -S %s -B %s/build -DMoontorch_DIR=%s && cmake --build %s/build', sources, folder, config, folder)
      run('cmake --install %s/build --prefix %s/own', folder, folder)
      isSwept(run('LUA_PATH="%s/own/lua/?/init.lua;;" LUA_CPATH="%s/own/lib/?.so;;" build/%s/bin/th %s', folder, folder, preset, test))
    end)
    return
  end

  it('is built by CMake against an installation, and installed beside it', function()
    run('cmake --install build/%s --prefix %s', preset, prefix)
    clean('', 'cmake -S %s -B %s/build -DCMAKE_PREFIX_PATH=%s', sources, folder, prefix)
    clean('', 'cmake --build %s/build && cmake --install %s/build --prefix %s/own', folder, folder, folder)
    local paths = ('LUA_PATH="%s/own/lua/?/init.lua;;" LUA_CPATH="%s/own/lib/?.so;;"'):format(folder, folder)
    isSwept(clean(paths, '%s/bin/th %s', prefix, test))
    assert.equal('', clean('', 'ldd %s/own/lib/smooth/ops.so | grep -i -e moontorch -e lua || true', folder))
  end)

  if not pcall(run, 'command -v luarocks') then
    pending 'is built by luarocks, which is not installed'
  else
    it('is built by luarocks, and runs in plain LuaJIT', function()
      run('rm -rf %s/build', sources)
      local make = 'sh -c "cd %s && luarocks --lua-version=5.1 --tree=%s/tree make --deps-mode=none smooth-1.0-1.rockspec"'
      clean('CMAKE_PREFIX_PATH=' .. prefix, make, sources, folder)
      local paths = ('LUA_PATH="%s/tree/share/lua/5.1/?/init.lua;%s/share/moontorch/lua/?.lua;%s/share/moontorch/lua/?/init.lua;;" '
        .. 'LUA_CPATH="%s/tree/lib/lua/5.1/?.so;%s/lib/?.so;;"'):format(folder, prefix, prefix, folder, prefix)
      isSwept(clean(paths, 'luajit %s', test))
      assert.equal('smooth.Average(0.5)', clean(paths, 'luajit -e "print(require([[smooth]]).Average())"'))
    end)
  end

  it('is what docs/extending.md shows', function()
    local page, count = files.read 'docs/extending.md', 0
    for name, text in page:gmatch '\n`examples/extension/(%S+)`:?\n\n```%w[^\n]*\n(.-\n)```' do
      assert.equal(files.read('examples/extension/' .. name), text)
      count = count + 1
    end
    assert.is_true(count >= 6, count .. ' files are shown')
  end)
end)
