-- examples/hosts: each is compiled as a user would, against the library alone, and does what its first comment describes.
local torch = require 'torch'
local shell = require 'spec.support.shell'
local files = require 'spec.support.files'

local preset = os.getenv 'MT_PRESET' or 'release'
local sanitizer = ({ asan = '-fsanitize=address,undefined', tsan = '-fsanitize=thread' })[preset]     -- a program has those of its library
local compilers = { c = 'cc -std=c99 -O1 -Wall -Wextra -Werror', cpp = 'c++ -std=c++17 -O1 -Wall -Wextra -Werror' }
local folder = os.tmpname()

-- The program built from examples/hosts/`file`, which finds only its library's folder.
local function build(file)
  local name = folder .. '/' .. file:match '^%w+'
  local flags = '-Iengine/include -Lbuild/%s/lib -lmoontorch -lpthread -Wl,-rpath,"$PWD/build/%s/lib" %s'
  flags = flags:format(preset, preset, sanitizer or '')
  if files.read('examples/hosts/' .. file):find('<lua.h>', 1, true) then flags = '$(pkg-config --cflags --libs luajit) ' .. flags end
  local said, status = shell(('%s examples/hosts/%s -o %s %s'):format(compilers[file:match '%w+$'], file, name, flags))
  assert(status == 0, said)
  return 'cd /; timeout 300 ' .. name
end

describe('examples/hosts', function()
  setup(function()
    os.remove(folder)
    assert(os.execute('mkdir -p ' .. folder) == 0)
  end)
  teardown(function() os.execute('rm -rf ' .. folder) end)

  describe('score.c', function()
    local score
    setup(function()
      local nn = require 'nn'
      local net = nn.Sequential():add(nn.Linear(2, 2)):add(nn.Dropout(0.5))
      net:get(1).weight:copy(torch.Tensor { { 1, 2 }, { 3, 4 } })
      net:get(1).bias:copy(torch.Tensor { 0, -1 })
      torch.save(folder .. '/net.t7', net)
      torch.save(folder .. '/table.t7', { 1, 2 })
      score = build 'score.c'
    end)

    it('answers rows from arguments and from lines, without dropout', function()
      local output, status = shell(('%s %s/net.t7 1 10'):format(score, folder))
      assert.same({ '21 42\n', 0 }, { output, status })
      output, status = shell(([[printf '1 10\n0.5,-1e1\n' | (%s %s/net.t7)]]):format(score, folder))
      assert.same({ '21 42\n-19.5 -39.5\n', 0 }, { output, status })
    end)

    it('goes on after a line that is wrong, and says which it was', function()
      local output, status = shell(([[printf '1 x\n\n1 2 3\n1 10' | (%s FOLDER/net.t7 2>FOLDER/said); s=$?; cat FOLDER/said; (exit $s)]])
        :format(score):gsub('FOLDER', folder))
      assert.equal(1, status)
      assert.equal("21 42\nscore: line 1: 'x', expected a number\nscore: line 2: no numbers\n",
        output:match '^(.-)score: line 3')
      assert.matches('line 3: .*%[3%], expected size 2 of dimension 1 %(size mismatch%) %(in module 1 of nn.Sequential%)\n$',
        output)
    end)

    it('tells a wrong call and a file that is no network', function()
      local function says(expected, code, arguments)
        local output, status = shell(score .. ' ' .. arguments)
        assert.matches(expected, output)
        assert.equal(code, status)
      end
      says('^usage: score NETWORK.t7', 2, '')
      says('none.t7: .*No such file', 3, folder .. '/none.t7 1')
      says('table is in it, expected a network', 3, folder .. '/table.t7 1')
      says('score: .*a type tag', 3, '/etc/passwd 1')
      says("'1x', expected a number", 1, folder .. '/net.t7 1x')
    end)
  end)

  it('game.cpp learns to hold the pole, the same way for the same seed', function()
    local game = build 'game.cpp'
    local function tries(arguments)
      local output, status = shell(game .. ' ' .. arguments)
      assert.equal(0, status, output)
      assert.matches('\nforward: p50 [%d.]+ ms, p99 [%d.]+ ms\ntraining: .*\nframe: .*\n%d+ of %d+ frames took longer than 16.7 ms\n$',
        output)
      return output:match '^(.-)forward:'
    end
    local first = tries '40 3'
    assert.equal(first, tries '40 3')
    assert.not_equal(first, tries '40 4')
    assert.matches('^try 1: fell after', first)
    assert.is_true(tonumber(first:match 'still stands after ([%d.]+) s') > 20)
    for _, wrong in ipairs { 'x', '0', '1 -1', '1 2 3' } do
      local output, status = shell(game .. ' ' .. wrong)
      assert.same({ 'usage: game [SECONDS [SEED]], up to 3600 s\n', 2 }, { output, status })
    end
  end)

  it('states.c opens and closes states on threads, and nothing is left', function()
    local states = build 'states.c'
    local output, status = shell(states .. (sanitizer and ' 12 6 3' or ' 300 50 8'))
    assert.matches('%+0 descriptors\n', output)
    if not sanitizer then assert.equal(0, status, output) end     -- its allocator keeps freed memory
    output, status = shell(states .. ' 0')
    assert.matches('^states: 0, expected 1..%d+\nusage', output)
    assert.equal(2, status)
  end)

  it('events.lua answers while a thread works', function()
    local script = require('spec.support.program').path .. ' examples/hosts/events.lua'
    local output, status = shell("printf 'solve 700\\nping\\nsolve 3\\n' | " .. script)
    assert.equal('pong\n', output:match '^[^\n]*\n')      -- before the first is solved
    assert.matches('\nsolved 700 equations, residual below 1e%-6: true\n', output)
    assert.matches('\nsolved 3 equations, residual below 1e%-6: true\n', output)
    assert.equal(0, status)
    output, status = shell("echo 'solve x' | " .. script)
    assert.equal("events: 'solve x', expected ping or solve N, up to 5000\n", output)
    assert.equal(1, status)
  end)

  it('voice.cpp runs a model in the frames of a game, without allocations', function()
    if sanitizer then return pending 'a sanitizer has a malloc of its own' end
    local shared = '../shared/data/models/'
    local expected = io.open(shared .. 'expected.npz', 'rb')
    if not expected then return pending 'the model is not here: ../shared/data/models' end
    expected:close()
    local figures = torch.npz.load(shared .. 'expected.npz')      -- ONNX Runtime's
    local sound = figures.silero_in:view(-1)
    sound = sound:narrow(1, 65, sound:size(1) - 64):float():contiguous()      -- behind 64 zeros
    files.write(folder .. '/sound', require 'ffi'.string(sound:data(), 4 * sound:nElement()))
    local voice = build 'voice.cpp'
    local arguments = (' %s/%ssilero_op18.onnx %s/sound'):format(os.getenv 'PWD', shared, folder)
    local output, status = shell(voice .. arguments .. ' fast')
    assert.equal(0, status, output)
    local players = 0
    for line in output:gmatch '(0%.[%d. ]+) \n' do
      players = players + 1
      local i = 0
      for probability in line:gmatch '%S+' do
        i = i + 1
        assert.is_true(math.abs(tonumber(probability) - figures.silero_out:view(-1)[i]) < 1e-4, line)
      end
      assert.equal(8, i)
    end
    assert.equal(4, players)
    assert.matches('\n17 frames, 0 allocations; start %d+ ms\na frame: p50 [%d.]+ ms, p99 .*\nmemory: %d+ KiB\n$', output)
    output, status = shell(voice .. ' /no/such.onnx x')
    assert.equal(1, status)
    assert.matches('^voice: mt_onnx_load: /no/such.onnx', output)
  end)

  it('realtime.cpp neither allocates nor locks', function()
    if sanitizer then return pending 'a sanitizer has a malloc of its own' end
    local output, status = shell(build 'realtime.cpp' .. ' 2000')
    assert.equal('2000 blocks, 0 allocations, 0 locks', output:match '^[^\n]*')
    assert.equal(0, status)
  end)
end)
