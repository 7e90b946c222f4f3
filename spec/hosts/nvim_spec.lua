-- examples/hosts/nvim: Debian's neovim with torch in it. MT_NVIM is the command, with its environment (`env LD_LIBRARY_PATH=... nvim`),
-- nvim by default; MT_MAGIKA is the file magika.onnx of the package magika on PyPI. Without one of them, or under a sanitizer, nothing is
-- tested.
local files, shell = require 'spec.support.files', require 'spec.support.shell'

local preset = os.getenv 'MT_PRESET' or 'release'
local nvim, model = os.getenv 'MT_NVIM' or 'nvim', os.getenv 'MT_MAGIKA'

local program = [[
  local root = vim.env.PWD
  package.path = ('%s/lua/?.lua;%s/lua/?/init.lua;%s/examples/hosts/nvim/?.lua;%s'):format(root, root, root, package.path)
  package.cpath = ('%s/build/release/lib/?.so;%s'):format(root, package.cpath)
  local contentType = require 'content_type'
  contentType.setup { model = vim.env.MT_MAGIKA }
  for line in io.lines(vim.env.LIST) do
    vim.cmd('silent edit ' .. vim.fn.fnameescape(line))
    io.write(vim.bo.filetype == '' and 'none' or vim.bo.filetype, '\n')
  end
  local text = table.concat(vim.fn.readfile(root .. '/README.md'), '\n')
  local times = {}
  for i = 1, 50 do
    local start = vim.loop.hrtime()
    contentType.of(text)
    times[i] = (vim.loop.hrtime() - start) / 1e6
  end
  table.sort(times)
  local status = table.concat(vim.fn.readfile '/proc/self/status', '\n')
  io.write(('%.2f ms, %d KiB\n'):format(times[25], status:match 'VmRSS:%s+(%d+)'))
]]

describe('examples/hosts/nvim', function()
  local folder
  setup(function()
    folder = files.folder()
  end)
  teardown(function() os.execute('rm -rf ' .. folder) end)

  it('tells the types of buffers by their content', function()
    if preset ~= 'release' then return pending 'a sanitizer is not in nvim' end
    if not model then return pending 'MT_MAGIKA is not set' end
    if select(2, shell(nvim .. ' --version')) ~= 0 then return pending 'neovim is not installed' end
    -- Files whose names say nothing, a name that says a type that the content is not, and texts of no type.
    local list, expected = {}, {}
    local function add(name, text, kind)
      files.write(folder .. '/' .. name, text)
      list[#list + 1], expected[#expected + 1] = folder .. '/' .. name, kind
    end
    for path, kind in pairs { ['lua/nn/Linear.lua'] = 'lua', ['engine/onnx/program.cpp'] = 'cpp', ['spec/engine/capi_graph_test.c'] = 'c',
                              ['spec/onnx/cases.py'] = 'python', ['README.md'] = 'markdown', ['bin/test'] = 'sh',
                              ['CMakePresets.json'] = 'json' } do
      add('text_' .. kind, files.read(path), kind)
    end
    add('blanks', '\n\n   \n' .. ('\n'):rep(3000) .. files.read 'lua/nn/Linear.lua' .. ('\n'):rep(3000), 'lua')
    add('named.py', files.read 'lua/nn/Linear.lua', 'python')
    add('empty', '', 'none')
    add('only_blanks', ' \n \n', 'none')
    files.write(folder .. '/program.lua', program)
    files.write(folder .. '/list', table.concat(list, '\n'))
    local command = 'LIST=%s/list MT_MAGIKA=%s timeout 120 %s --headless -n -i NONE -u NORC -c "luafile %s/program.lua" -c qa!'
    local output, status = shell(command:format(folder, model, nvim, folder))
    assert.equal(0, status, output)
    local found, time = {}, nil
    for line in output:gmatch '[^\r\n]+' do
      if line:find '^%l+$' then found[#found + 1] = line end
      time = line:match '^[%d.]+ ms, %d+ KiB$' or time
    end
    assert.same(expected, found, output)
    assert.is_truthy(time, output)
  end)
end)
