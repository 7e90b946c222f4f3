-- examples/single: one binary runs in an empty folder and environment.
local files = require 'spec.support.files'

local preset = os.getenv 'MT_PRESET' or 'release'
local folder

local function run(words)
  local pipe = io.popen(('cd %s && env -i ./single %s 2>&1; echo " status $?"'):format(folder, words))
  local said, status = pipe:read '*a':match '^(.*) status (%d+)\n$'
  pipe:close()
  return said, tonumber(status)
end

describe('examples/single', function()
  setup(function()
    if preset ~= 'release' then return end
    folder = os.tmpname()
    os.remove(folder)
    assert.equal(0, os.execute(("mkdir %s && cmake --build build/%s --target single >%s/log 2>&1 && mv build/%s/bin/single %s && rm %s/log")
      :format(folder, preset, folder, preset, folder, folder)))
  end)
  teardown(function() if folder then os.execute('rm -rf ' .. folder) end end)

  it('trains, saves and loads by its own program', function()
    if preset ~= 'release' then return pending 'a release is what people link' end
    local said, status = run ''
    assert.equal(' 0\n 1\n 1\n 0\n[torch.ByteTensor of size 4]\n\n', said)
    assert.equal(0, status)
  end)

  it('runs a script with its words, and threads find the files, too', function()
    if preset ~= 'release' then return pending 'a release is what people link' end
    files.write(folder .. '/script.lua', [[
      local torch, threads = require 'torch', require 'threads'
      print(arg[0], arg[1], torch.ones(3):sum())
      local pool = threads.Threads(1)
      pool:addjob(function() return require 'nn'.Identity():forward(require 'torch'.ones(2)):sum() end, print)
      pool:synchronize()
      pool:terminate()
      print(pcall(require, 'no.such'))
    ]])
    local said, status = run 'script.lua word'
    assert.matches('^script.lua\tword\t3%s*\n2%s*\nfalse\tmodule \'no.such\' not found', said)
    assert.equal(0, status)
    files.write(folder .. '/script.lua', 'error "wrong"')
    said, status = run 'script.lua'
    assert.matches('script.lua:1: wrong', said)
    assert.equal(1, status)
  end)
end)
