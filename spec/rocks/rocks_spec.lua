-- Runs first: it takes long.
-- The rocks, installed by luarocks into separate trees: their contents; that they work without the sources, with a second tree and on
-- another processor; and that rocks written for Torch7 install with them. torch is built twice, which a compiler cache makes short.
local files = require 'spec.support.files'
local run = require 'spec.support.shell'

local function line(command) return (run(command):gsub('%s+$', '')) end

local function installed(name) return line('command -v ' .. name) ~= '' end

local preset = os.getenv 'MT_PRESET' or 'release'
if preset ~= 'release' then
  describe('the rocks', function() pending('are built as a release, not as ' .. preset) end)
  return
elseif not installed 'luarocks' then
  describe('the rocks', function() pending 'need luarocks, which is not installed' end)
  return
end

local folder = line 'mktemp -d'
local source, server, home = folder .. '/source', folder .. '/server', folder .. '/home'
local own, other, third = home .. '/.luarocks', folder .. '/other', folder .. '/third'      -- trees
local cache = installed 'ccache' and 'CCACHE_DIR=' .. line 'ccache -k cache_dir' or ''

-- The plug-in takes minutes to build; OpenBLAS's kernels are those of the processor that qemu emulates.
local environment = 'env -u LUA_PATH -u LUA_CPATH -u OPENBLAS_CORETYPE MT_CUDA=OFF'
local function clean(command) return ('cd %s && %s HOME=%s %s %s'):format(folder, environment, home, cache, command) end

local function luarocks(tree, words, place)
  local where = tree == own and '--local' or '--tree=' .. tree
  local command = ('sh -c "cd %s && luarocks --lua-version=5.1 %s %s"'):format(place or source, where, words)
  local output, status = run(clean(command))
  return output, status
end

local function must(...)
  local output, status = luarocks(...)
  if status ~= 0 then error(output) end
  return output
end

-- The output of a program with the paths of a tree, from an unrelated folder.
local function under(tree, command)
  return line(clean(([[sh -c 'eval "$(luarocks --lua-version=5.1 --tree=%s path --bin)"; cd /; %s']]):format(tree, command)))
end

-- The output of a tree's th, without the paths of other trees.
local function byItself(tree, words) return line(clean(('env LUA_PATH="./?.lua" LUA_CPATH="./?.so" %s/bin/th %s'):format(tree, words))) end

local main = [[
require 'nn'
%s = {}
local Twice, parent = torch.class('%s.Twice', 'nn.Module')
function Twice:__init() parent.__init(self) end
function Twice:updateOutput(x) return self.output:resizeAs(x):copy(x):mul(2) end
%s.part = require '%s.part'
return %s
]]

-- A rock as they were written for Torch7: its rockspec and its files.
local function write(name, build, texts)
  os.execute(('mkdir -p %s/%s'):format(folder, name))
  files.write(('%s/%s/%s-1.0-0.rockspec'):format(folder, name, name), ([[
package = "%s"
version = "1.0-0"
source = { url = "git://github.com/somebody/%s", tag = "master" }
description = { summary = "somebody's", license = "BSD" }
dependencies = { "torch >= 7.0", "nn >= 1.0", "paths", "sys >= 1.0", "xlua >= 1.0", "optim >= 1.0.5" }
build = %s
]]):format(name, name, build))
  texts['init.lua'], texts['part.lua'] = main:gsub('%%s', name), 'return "a part"\n'
  for file, text in pairs(texts) do files.write(('%s/%s/%s'):format(folder, name, file), text) end
  return ('--only-server=%s make %s-1.0-0.rockspec'):format(server, name), folder .. '/' .. name
end

local byCMake = [==[{
   type = "command",
   build_command = [[cmake -E make_directory build && cd build && cmake .. -DCMAKE_BUILD_TYPE=Release ]] ..
      [[-DCMAKE_PREFIX_PATH="$(LUA_BINDIR)/.." -DCMAKE_INSTALL_PREFIX="$(PREFIX)" && make]],
   install_command = "cd build && make install"
}]==]

local function cmakeLists(src, rest)
  return ([[
CMAKE_MINIMUM_REQUIRED(VERSION 2.6 FATAL_ERROR)
FIND_PACKAGE(Torch REQUIRED)
SET(src %s)
SET(luasrc init.lua)
%s]]):format(src, rest)
end

local asPackage = 'ADD_TORCH_PACKAGE(%s "${src}" "${luasrc}" "Somebody\'s")\n'
local print2 = [[luajit -e "require [=[torch]=] print(torch.ones(2):sum(), torch.version_)"]]

local function versionOf(tree) return under(tree, print2):match '^2\t(%S+)$' end

local rocks = dofile 'rocks/list.lua'

describe('the rocks', function()
  local version = files.read('CMakeLists.txt'):match 'project%(moontorch VERSION ([%d.]+)'
  local next = version .. '.1'
  local brought, before, upgraded
  local alone, tested, refusals = {}, {}, {}

  setup(function()
    local sources = 'CMakeLists.txt CMakePresets.json LICENSE README.md cmake docs engine bindings packages cuda bin lua rocks'
    os.execute(('mkdir -p %s %s && cp -R %s %s'):format(source, home, sources, source))
    must(own, ('make rocks/torch-%s-1.rockspec'):format(version))
    for _, rock in ipairs(rocks) do
      if rock.name ~= 'torch' then must(own, ('make rocks/%s-%s-1.rockspec'):format(rock.name, version)) end
    end
    must(other, 'make rocks/torch-scm-1.rockspec')
    alone.test = byItself(other, source .. '/rocks/test.lua torch')
    alone.missing = byItself(other, '-e "torch.noGrad(print)"')
    alone.torch = byItself(other, '-e "for _ in pairs(torch) do end print [=[all]=]"')
    must(other, 'make rocks/autograd-scm-1.rockspec')
    alone.autograd = byItself(other, '-e "for _ in pairs(require [=[autograd]=]) do end print [=[all]=]"')
    assert(select(2, run(clean(source .. '/rocks/server ' .. server))) == 0)
    brought = must(third, '--only-server=' .. server .. ' install nn')
    for _, rock in ipairs(rocks) do
      local name = rock.name
      tested[name] = under(own, ('cd %s; luarocks --lua-version=5.1 --local test rocks/%s-scm-1.rockspec'):format(source, name))
    end

    os.execute(('cp -R examples/extension %s/smooth'):format(folder))
    must(third, ('--only-server=%s make smooth-1.0-1.rockspec'):format(server), folder .. '/smooth')
    must(third, write('older', '{ type = "builtin", modules = { ["older.init"] = "init.lua", ["older.part"] = "part.lua" } }', {}))
    must(third, write('aged', byCMake, {
      ['CMakeLists.txt'] = cmakeLists('', asPackage:format 'aged' ..
        'INSTALL(FILES part.lua DESTINATION ${Torch_INSTALL_LUA_PATH_SUBDIR}/aged)\n'),
    }))
    for _, case in ipairs {
      { 'package', 'init.c', asPackage:format 'package' },
      { 'linked', '', 'ADD_LIBRARY(linked MODULE plain.c)\nTARGET_LINK_LIBRARIES(linked luaT TH)\n' },
      { 'included', '', 'ADD_LIBRARY(included MODULE init.c)\n' },
    } do
      local name, src, rest = unpack(case)
      refusals[name] = luarocks(third, write(name, byCMake, {
        ['CMakeLists.txt'] = cmakeLists(src, rest), ['init.c'] = '#include "TH.h"\n', ['plain.c'] = 'int x;\n',
      })):gsub('%s+', ' ')
    end

    before = versionOf(own)
    files.write(source .. '/CMakeLists.txt', (files.read(source .. '/CMakeLists.txt'):gsub('VERSION ' .. version, 'VERSION ' .. next, 1)))
    assert(select(2, run(('luajit %s/rocks/write.lua'):format(source))) == 0)
    upgraded = must(own, ('make rocks/torch-%s-1.rockspec'):format(next))
    os.execute('rm -rf ' .. source)
  end)

  teardown(function() os.execute('rm -rf ' .. folder) end)

  it('have the rockspecs that rocks/write.lua writes', function()
    os.execute('mkdir ' .. folder .. '/written')
    run(('luajit rocks/write.lua %s/written'):format(folder))
    local ours = '-x list.lua -x write.lua -x test.lua -x server -x plug_in -x native -x reference'
    assert.equal('', line(('diff -r %s rocks %s/written'):format(ours, folder)))
  end)

  it('share the files of lua/ out, each to one', function()
    local count = 0
    local manifest = {}
    setfenv(assert(loadfile(own .. '/lib/luarocks/rocks-5.1/manifest')), manifest)()
    for module, holders in pairs(manifest.modules) do
      assert.equal(1, #holders, module)
      count = count + 1
    end
    local libraries = 1      -- the engine's
    for _, rock in ipairs(rocks) do libraries = libraries + (rock.native and 1 or 0) end
    assert.equal(tonumber(line 'find lua -type f | wc -l') + libraries, count)
  end)

  it('run with the sources gone, from any folder', function()
    assert.equal('2', under(own, 'th -e "print(torch.ones(2):sum())"'))
    assert.equal('1h1m', under(own, 'th -e "print(xlua.formatTime(3661))"'))
    assert.equal('Usage: th-launch [options] script.lua [arguments]', under(own, 'th-launch --help'):match '^[^\n]*')
    assert.equal('nn.Linear(2 -> 3)', under(own, [[luajit -e "print(require [=[nn]=].Linear(2, 3))"]]))
    assert.equal('2', line(clean(own .. '/bin/th -e "print(torch.ones(2):sum())"')))      -- without any path
  end)

  it('have their pages of the reference, which th shows', function()
    local program = 'for _, name in ipairs { [=[torch.cumsum]=], [=[nn.Linear]=] } do print(require [=[trepl.help]=].of(name)) end'
    local text = line(clean(('%s/bin/th -e "%s"'):format(own, program)))
    local _, count = text:gsub('\nEXAMPLE\n', '')
    assert.equal(2, count, text)
  end)

  it('work with no more than they need: a look at all of each, and a sentence for what is missing', function()
    assert.equal('torch works', alone.test:match '[^\n]*$')
    assert.truthy(alone.missing:find('noGrad: the package autograd, which brings it, is not installed', 1, true))
    assert.equal('all', alone.torch)
    assert.equal('all', alone.autograd)      -- its wrappers of nn need nn
  end)

  it('pass what luarocks test runs', function()
    for name, output in pairs(tested) do assert.equal(name .. ' works', output:match '[^\n]*$') end
  end)

  it('have the version that CMakeLists.txt, the library and th say', function()
    assert.equal(version, before)
    assert.equal(version, versionOf(third))
    assert.equal('Moontorch ' .. version, under(third, 'th -v'):match '^[^,]*')
    assert.equal(version .. '-1', line(clean('luarocks --lua-version=5.1 --tree=' .. third .. ' show --mversion torch')))
  end)

  it('bring what they need from the folder of rocks/server', function()
    for _, name in ipairs { 'torch', 'autograd', 'nn' } do
      assert.truthy(brought:find(('%s %s-1 is now installed'):format(name, version), 1, true))
    end
  end)

  it('make way for the next version', function()
    assert.truthy(upgraded:find('torch ' .. next .. '-1 is now installed', 1, true))
    assert.equal(next, versionOf(own))
    assert.equal(next .. '-1', line('ls ' .. own .. '/lib/luarocks/rocks-5.1/torch'))
  end)

  it('stand side by side in two trees, and th takes its own', function()
    assert.equal(version, versionOf(other))
    assert.equal('Moontorch ' .. version, under(own, other .. '/bin/th -v'):match '^[^,]*')
    assert.equal('Moontorch ' .. next, under(other, own .. '/bin/th -v'):match '^[^,]*')
  end)

  for _, name in ipairs { 'older', 'aged' } do
    it(('carry a rock that was written for Torch7 (%s)'):format(name), function()
      local script = [[luajit -e "local rock = require [=[%s]=] print(rock.Twice():forward(torch.ones(3)):sum(), rock.part)"]]
      assert.equal('6\ta part', under(third, script:format(name)))
    end)
  end

  it('carry a rock with ops of its own', function()
    local swept = under(third, ('luajit %s/smooth/test/sweep.lua'):format(folder))
    assert.truthy(swept:find 'ema: nothing found by forward, .*, gradient, ', swept)
  end)

  it('tell rocks written in C, as CMake looks at them, that they cannot be built', function()
    local sentence = "%s: %s asks for Torch7's C libraries (TH.h, luaT.h), which Moontorch does not have"
    for name, what in pairs { package = 'init.c', linked = 'linking luaT', included = 'init.c' } do
      assert.truthy(refusals[name]:find(sentence:format(name, what), 1, true), refusals[name])
    end
  end)

  it('leave nothing of theirs when they are removed', function()
    must(other, 'remove autograd', folder)
    must(other, 'remove torch', folder)
    assert.equal('', line(('find %s -type f -not -path "*/rocks-5.1/manifest*"'):format(other)))
  end)

  if jit.arch ~= 'x64' or not installed 'qemu-x86_64' then
    pending 'run on older processors: needs qemu-user on x86-64'
    return
  end

  -- Westmere is the first with SSE4.2, AES and PCLMULQDQ.
  it('run on a processor that lacks what this one has', function()
    local script = [[require [=[nn]=] local y, x = nn.Linear(40, 40):forward(torch.ones(3, 40)), torch.ones(40, 40) ]] ..
      [[print(torch.mm(x, x):sum(), torch.exp(y):log():dist(y) < 1e-12, torch.config().target)]]
    assert.equal('64000\ttrue\tsse4', under(third, ([[qemu-x86_64 -cpu Westmere $(command -v luajit) -e "%s"]]):format(script)))
  end)

  it('are refused, with a sentence, by a processor that is too old', function()
    for _, processor in ipairs { 'Nehalem', 'core2duo', 'qemu64' } do
      local output = under(third, ([[qemu-x86_64 -cpu %s $(command -v luajit) -e "require [=[torch]=]"]]):format(processor))
      assert.truthy(output:find('moontorch: processor: it lacks SSE4.2, AES or PCLMULQDQ, which kernels need', 1, true), output)
    end
  end)
end)
