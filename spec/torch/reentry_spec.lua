-- Lua code that runs inside Moontorch's calls: finalisers, which run whenever Lua allocates, and users' functions that recurse endlessly.
local torch = require 'torch'
local tds = require 'tds'
local program = require 'spec.support.program'

-- Runs f while garbage with this finaliser is created and collected; returns how often the finaliser ran.
local function withFinaliser(finaliser, f)
  local runs, problem = 0, nil
  local function run()
    local good, message = pcall(finaliser)
    runs = runs + 1
    problem = problem or not good and message
  end
  for i = 1, 5000 do
    getmetatable(newproxy(true)).__gc = run
    f(i)
  end
  collectgarbage()
  if problem then error(problem) end
  return runs
end

describe('finalisers may call ops:', function()
  it('a list of tensors stays that of its call', function()
    local a, b, ones = torch.zeros(1), torch.zeros(1), {}
    for i = 1, 40 do ones[i] = torch.ones(1) end
    local long = {}
    for i = 1, 60 do long[i] = i % 2 == 0 and a or b end
    local wrong = 0
    local runs = withFinaliser(function() assert(torch.cat(ones, 1):sum() == 40) end, function(i)
      local list = i % 2 == 0 and { a, b } or long
      local good, y = pcall(torch.cat, list, 1)
      if not good or y:nElement() ~= #list or y:sum() ~= 0 then wrong = wrong + 1 end
    end)
    assert.equal(0, wrong)
    assert.is_true(runs > 100)
  end)

  it('a message stays that of its error, and a text that of its place', function()
    local x, vec = torch.ones(2), tds.Vec(('text'):rep(100))
    local text, wrong = vec[1], 0
    withFinaliser(function() pcall(x.narrow, x, 1, 3, 4) end, function(i)
      local _, message = pcall(x.select, x, 1, 2 + i)
      if not message:find '^select: ' or vec[1] ~= text then wrong = wrong + 1 end
    end)
    assert.equal(0, wrong)
  end)

  it('memory that they take does not start others inside them', function()
    local running, most, runs = 0, 0, 0
    for _ = 1, 60 do
      getmetatable(newproxy(true)).__gc = function()
        running, runs = running + 1, runs + 1
        most = math.max(most, running)
        torch.FloatTensor(2e6)
        running = running - 1
      end
    end
    collectgarbage()
    collectgarbage()
    assert.equal(60, runs)
    assert.is_true(most <= 2, most .. ' ran inside each other')
  end)

  it('their errors come out, and collections go on', function()
    local function provoke()
      getmetatable(newproxy(true)).__gc = function() error 'from a finaliser' end
      for _ = 1, 200 do torch.FloatTensor(1e6) end
    end
    for _ = 1, 3 do
      local good, message = pcall(provoke)
      if not good then assert.is_truthy(message:find 'from a finaliser') end
    end
    local live = torch.memory().live
    for _ = 1, 500 do torch.FloatTensor(1e6) end
    assert.is_true(torch.memory().live - live < 2 ^ 30)
  end)
end)

describe('recursion without end is an error where it goes', function()
  local cases = {
    ['through a composed op'] = [[
      require('torch.op').declare {
        name = 'again', signature = '[res] x:tensor', doc = 'itself', samples = '{randn(2)}',
        forward = function(x) return torch.again(x) end }
      local function run() return torch.again(torch.ones(2)) end]],
    ['through a method that indexing calls'] = [[
      torch.getmetatable('torch.DoubleTensor').maskedSelect = function(x, mask) return (x[mask]) end
      local function run() return torch.ones(2)[torch.ByteTensor { 1, 0 }] end]],
    ['through apply'] = 'local function run() torch.ones(2):apply(run) end',
    ['through map in map'] = 'local function run() torch.ones(2):map(torch.ones(2), run) end',
    ['through a function with a derivative of its own'] = [[
      local run
      run = require('autograd').Function {
        forward = function() return run(torch.ones(2):requiresGrad()) end, backward = function(g) return g end }]],
    ['through a hook of the tape'] = [[
      local function run()
        torch.enableGrad(function()
          local x = torch.ones(2):requiresGrad()
          x:registerHook(run)
          torch.sum(torch.exp(x)):backward()
        end)
      end]],
    ['through a module that calls itself'] = [[
      local nn = require 'nn'
      local net = nn.Sequential()
      net:add(net)
      local function run() return net:forward(torch.ones(2)) end]],
  }
  it('through the making of a class, which is whole later', function()
    local output, status = program.run({ '-e', [[
      local x, tried = torch.FloatTensor(2, 3), 0
      local function fall()
        if pcall(fall) then return end
        tried = tried + 1
        assert(#x:size() == 2)       -- needs a class that is not there yet; where there is no room for it, the caller tries
      end
      fall()
      io.write(tostring(tried > 1), ' ', table.concat(x:size():totable(), ' '), ' ', torch.LongTensor { 7 }[1])
    ]] }, '')
    assert.equal(0, status)
    assert.equal('true 2 3 7', output)
  end)

  for name, text in pairs(cases) do
    it(name .. ', on a small stack, too', function()
      for _, stack in ipairs { 1024, 8192 } do
        local script = program.script(text .. ' for _ = 1, 3 do print((select(2, pcall(run)))) end')
        local output, status = program.run({ script }, '', 'ulimit -s ' .. stack .. ';')
        local _, errors = output:gsub('stack overflow', '')
        assert.equal(0, status, name .. ': ' .. output)
        assert.equal(3, errors, output)
        os.remove(script)
      end
    end)
  end
end)
