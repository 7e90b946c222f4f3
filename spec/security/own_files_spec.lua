-- Programs that start in a folder full of hostile files: one for every module and every library of Moontorch, and for those that its files
-- ask for. Each notes that it was loaded. A program's own `require` may load one; Moontorch's files never do.
local ffi = require 'ffi'
local client = require 'spec.support.jupyter'
local files = require 'spec.support.files'
local shell = require 'spec.support.shell'

ffi.cdef 'int mt_spec_link(const char *from, const char *to) asm("link");'      -- a process ln for each of them would take seconds

local preset = os.getenv 'MT_PRESET' or 'release'
local root = shell 'pwd':gsub('\n', '')
local build = ('%s/build/%s'):format(root, preset)
local th = build .. '/bin/th'
local sanitizer = ({ asan = '-fsanitize=address,undefined', tsan = '-fsanitize=thread' })[preset] or ''

local folder, notes

-- The names of modules: all files in lua/, and other modules that they require.
local function moduleNames()
  local names = { libmoontorch = true, ['libmoontorch.threads'] = true, moontorch = true }
  for path in io.popen "find lua -name '*.lua' | sort":lines() do
    local name = path:match '^lua/(.*)%.lua$':gsub('/init$', ''):gsub('/', '.')
    names[name] = true
    for required in files.read(path):gmatch "require *%(?'([%w_][%w_.]*[%w_])'" do names[required] = true end
  end
  return names
end

-- The names of libraries: those in a build's folder, and those that the sources load.
local function libraryNames()
  local names = {}
  local sources = "ls build/%s/lib; grep -rhoE '\\blib[a-zA-Z0-9_+-]+\\.so(\\.[0-9]+)*' lua engine bindings packages cuda"
  for name in io.popen(sources:format(preset)):lines() do
    if name:find '^lib.*%.so' then names[name] = true end
  end
  names['libmoontorch_image.so'], names['libmoontorch_cuda.so'] = true, true
  return names
end

-- A file in Lua and, where there is a compiler, a library that is linked to each name.
local function makeHostile()
  folder = shell 'mktemp -d':gsub('\n', '')
  notes = folder .. '/notes'
  local note = ("local file = io.open(%q, 'a') file:write('%%s\\n') file:close() return setmetatable({}, { __index = function() end })\n")
    :format(notes)
  local compiled = files.write(folder .. '/hostile.c', ([[
    #include <stdio.h>
    __attribute__((constructor)) static void note(void) {
      FILE *file = fopen("%s", "a");
      fputs("a library\n", file);
      fclose(file);
    }]]):format(notes)) or shell(('cc -shared -fPIC -o %s/hostile.so %s/hostile.c'):format(folder, folder)) == ''
  local folders, texts, libraries = {}, {}, {}
  for name in pairs(moduleNames()) do
    local path = name:gsub('%.', '/')
    folders[#folders + 1] = path
    texts[#texts + 1] = path .. '.lua'
    texts[#texts + 1] = path .. '/init.lua'
    libraries[#libraries + 1] = path .. '.so'
    libraries[#libraries + 1] = path .. '/init.so'
  end
  for name in pairs(libraryNames()) do
    libraries[#libraries + 1] = name
    libraries[#libraries + 1] = 'moontorch/' .. name
  end
  folders[#folders + 1] = 'moontorch'
  files.write(folder .. '/folders', table.concat(folders, '\n') .. '\n')
  assert(os.execute(("cd %s && xargs mkdir -p <folders"):format(folder)) == 0)
  for _, name in ipairs(texts) do files.write(folder .. '/' .. name, note:format(name)) end
  if not compiled then return end
  local linked = {}
  for _, name in ipairs(libraries) do
    local path = ('%s/%s'):format(folder, name)
    assert(linked[path] or ffi.C.mt_spec_link(folder .. '/hostile.so', path) == 0, path)
    linked[path] = true
  end
end

-- What programs do: each of Moontorch's packages, its files that are read late, its workers. What a program requires by a name that is its
-- own is not asked for: torchnet asks for the package data.
local exercise = [[
  local names = {}
  for name in ('%s'):gmatch '%%S+' do require(name) end
  torch.ones(3, 4):mm(torch.ones(4, 3)):sum()
  for _ in pairs(torch) do end
  for _ in pairs(require 'nn') do end
  torch.cuda.isAvailable()
  pcall(torch.loadDevice, 'cuda')
  pcall(require 'image'.compressPPM, torch.ones(2, 2))
  pcall(require 'audio'.load, 'none.flac')
  pcall(require 'hdf5'.open, 'none.h5', 'r')
  pcall(require, 'torch.paths')
  local set = require 'moontorch.data'.TensorDataset { input = torch.range(1, 8) }
  require 'moontorch.plot'.plot(torch.ones(3))
  pcall(require 'moontorch.plot'.save, '/dev/null/none.png')
  local function work()
    local torch = require 'torch'
    require 'nn'
    require 'torchnet'
    require 'image'
    return torch.ones(2):sum(), require 'moontorch.data'.TensorDataset { input = torch.ones(2) }:size()
  end
  local sums = 0
  for _, pool in ipairs { (require 'threads'.Threads(1)), (torch.processes(1)) } do
    for _ = 1, 2 do pool:addjob(work, function(sum, size) sums = sums + sum + size end) end
    pool:addjob(function(x, t) return x, t:size() end, function(x) sums = sums + x:sum() end, torch.ones(1), set)
    pool:terminate()
  end
  local net = torch.deserialize(torch.serialize(require 'nn'.Linear(2, 2)))
  local list = require 'torchnet'.ListDataset { list = { 1 }, load = function(i) return i end }
  io.write(sums, ' ', torch.type(net), ' ', list:size())
]]

-- Moontorch's packages, but those whose names a program may have.
local function packages()
  local names = {}
  for name in io.popen 'ls lua':lines() do
    local onDevice = name == 'cutorch' or name == 'cunn' or name == 'cudnn'
    if not onDevice and not require 'torch.modules'.givesWay(name) then names[#names + 1] = name end
  end
  return table.concat(names, ' ')
end

local function isSafe(command, expected)
  os.remove(notes)
  local output, status = shell(('cd %s && %s'):format(folder, command))
  local file = io.open(notes)
  assert.equal('', file and file:read '*a' or '')
  if file then file:close() end
  assert.equal(0, status, output)
  assert.equal(expected, output:sub(-#expected), output)
end

describe('In a folder of hostile files', function()
  setup(makeHostile)
  teardown(function() os.execute('rm -rf ' .. folder) end)
  local ended, code = '18 nn.Linear 1'
  setup(function()
    code = exercise:format(packages())
    files.write(folder .. '/program.lua', code)
    files.write(folder .. '/plain.lua', ([[
      require 'torch'
      package.path = './?.lua;./?/init.lua;' .. package.path
      package.cpath = './?.so;' .. package.cpath
    ]]) .. code)
  end)

  it('th loads none of them', function()
    isSafe(th .. " -e 'io.write(1)'", '1')
    isSafe(th .. ' program.lua', ended)
  end)
  it('th loads none of them for the options and commands that load packages', function()
    isSafe(th .. ' -g -lnn -loptim -e "io.write(torch.type(nn.Linear(1, 1)))"', 'nn.Linear')
    isSafe(('printf "? nn.Linear\\n? plot\\nwho()\\n1\\n" | %s | tail -n 1'):format(th), '1\t\n')
  end)
  it('th loads none of them where LUA_PATH names the folder first', function()
    isSafe(('LUA_PATH="./?.lua;./?/init.lua;;" LUA_CPATH="./?.so;;" %s program.lua'):format(th), ended)
  end)
  it('luajit loads none of them once it has torch', function()
    if shell 'command -v luajit' == '' then return pending 'luajit is not here' end
    if preset ~= 'release' then return pending 'a sanitizer has to be loaded first' end
    local paths = 'LUA_PATH="%s/lua/?.lua;%s/lua/?/init.lua;./?.lua;./?/init.lua;;" LUA_CPATH="./?.so;%s/lib/?.so"'
    paths = paths:format(root, root, build)
    isSafe(paths .. ' luajit program.lua', ended)
    isSafe(paths .. ' luajit plain.lua', ended)
    for _, name in ipairs { 'nn', 'paths', 'threads' } do isSafe(("%s luajit -e 'require [[%s]] io.write(1)'"):format(paths, name), '1') end
  end)
  it('what the notebook kernel does with cells loads none of them', function()
    isSafe(th .. [[ -e "local kernel = require 'moontorch.notebook.kernel'
      kernel.complete('torch.zer', 9) kernel.inspect('nn.Linear', 9) kernel.isComplete('x = 1') kernel.info()
      kernel.execute('plot = require [=[moontorch.plot]=] plot.plot(torch.ones(2)) torch.ones(2)', 1, false, {})
      io.write(kernel.execute('1 + 1', 2, false, {}).status)"]], 'ok')
  end)
  it('the notebook kernel loads none of them', function()
    local kernel = build .. '/bin/moontorch-kernel'
    if os.execute('test -e ' .. kernel) ~= 0 then return pending 'the kernel is not built' end
    isSafe(kernel .. ' --install --prefix prefix >/dev/null && echo installed', 'installed\n')
    local python = client.python()
    if not python then return pending 'needs jupyter_client of Python' end
    files.write(folder .. '/steps', require 'cjson'.encode {
      { 'execute', code }, { 'complete', 'torch.zer' }, { 'inspect', 'nn.Linear', 9 }, { 'execute', 'plot.plot(torch.ones(2))' },
    })
    isSafe(('%s %s/spec/notebook/client.py prefix/share/jupyter/kernels <steps | grep -c "%s"'):format(python, root, ended), '1\n')
  end)
  it('a program in C loads none of them', function()
    files.write(folder .. '/host.c', [[
      #include <moontorch/lua.h>
      #include <moontorch/moontorch.h>
      #include <stdio.h>
      #include <lua.h>
      #include <lauxlib.h>
      #include <lualib.h>
      int main(void) {
        lua_State *L = luaL_newstate();
        luaL_openlibs(L);
        luaL_dostring(L, "package.path = './?.lua;./?/init.lua;' .. package.path package.cpath = './?.so;' .. package.cpath");
        if (mt_lua_open(L, NULL) != MT_OK) return printf("%s\n", mt_error_message()), 1;
        if (luaL_dofile(L, "program.lua") != 0) return printf("%s\n", lua_tostring(L, -1)), 1;
        lua_close(L);
        return 0;
      }]])
    local command = 'cc %s/host.c -o %s/host -I%s/engine/include $(pkg-config --cflags --libs luajit) %s'
    local linked = ('-L%s/lib -lmoontorch -Wl,-rpath,%s/lib %s'):format(build, build, sanitizer)
    local said, status = shell(command:format(folder, folder, root, linked))
    if status ~= 0 then return pending('no compiler, or no LuaJIT for it: ' .. said) end
    isSafe('./host', ended)
  end)
end)
