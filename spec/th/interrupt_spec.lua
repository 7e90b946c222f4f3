-- Ctrl-C in scripts: one press ends any running code.
local program, files = require 'spec.support.program', require 'spec.support.files'

-- Runs code in the background, presses Ctrl-C after it has written "ready", and returns its output and its status. It writes that
-- by `ready()`, or else at its beginning.
local function pressed(code, presses)
  local prologue = 'local function ready() io.write "ready" io.stdout:flush() end ' .. (code:find 'ready%(%)' and '' or 'ready()') .. '\n'
  local script, out = program.script(prologue .. code), os.tmpname()
  local pipe = io.popen(([[
    %s %s >%s 2>&1 & child=$!
    for i in $(seq 500); do [ -s %s ] && break; sleep 0.02; done
    sleep 0.3
    for i in $(seq %d); do [ $i = 1 ] || sleep 1; kill -INT $child; done
    (sleep 60; kill -9 $child) 2>/dev/null & guard=$!
    wait $child; echo $?; kill $guard]]):format(program.path, script, out, out, presses or 1))
  local status = tonumber(pipe:read '*l')
  pipe:close()
  local output = files.read(out)
  os.remove(script)
  os.remove(out)
  return output, status
end

describe('one Ctrl-C', function()
  it('stops a compiled loop without exits, with what was printed before', function()
    local output, status = pressed 'io.write " before" while true do end'
    assert.matches('^ready before', output)
    assert.matches('th: interrupted!', output, 1, true)
    assert.equal(130, status)
  end)

  local cases = {
    ['interpreted code'] = 'jit.off() while true do end',
    ['a loop of ops'] = 'local x = torch.ones(10) while true do x:add(1) end',
    ['a sort'] = 'local x = torch.rand(2e7) ready() while true do torch.sort(x) end',
    ['blocks of one op'] = [[
      torch.setnumthreads(1)
      local x = torch.rand(100, 1000, 1000):short()
      ready()
      for i = 1, 100 do torch.pow(x, 3) end]],
    ['a product of whole numbers'] = 'local x = torch.ones(3000, 3000):long() ready() while true do local y = x * x y:fill(0) end',
    ['what calls BLAS'] = 'local x = torch.rand(1500, 1500) ready() while true do local y = x * x y:fill(0) end',
    ['a backward pass'] = [[
      local x = torch.ones(1000):requiresGrad()
      while true do local y = x for i = 1, 20000 do y = y + x end torch.sum(y):backward() end]],
  }
  for name, code in pairs(cases) do
    it('stops ' .. name .. ' with a traceback', function()
      local output, status = pressed(code)
      assert.matches('interrupted!\n', output, 1, true)
      assert.matches('stack traceback:', output, 1, true)
      assert.is_nil(output:find('[C]: at 0x', 1, true))      -- the hook's own line
      assert.equal(130, status)
    end)
  end

  it('is an error that a program can catch, after which ops run', function()
    local output, status = pressed [[
      local x, good, problem = torch.rand(1e7)
      ready()
      repeat good, problem = pcall(torch.sort, x) until not good
      io.write(' caught ', problem, ' ', torch.sort(x, 1, true):size(1))]]
    assert.matches('caught .*interrupted! 10000000$', output)
    assert.equal(0, status)
  end)

  it('leaves a tape that works', function()
    local output, status = pressed [[
      local x = torch.ones(1000):requiresGrad()
      local function step() local y = x for i = 1, 20000 do y = y + x end torch.sum(y):backward() end
      local good repeat good = pcall(step) until not good
      x.grad = nil
      torch.sum(x * 2):backward()
      io.write(' gradient ', x.grad[1], ' ', x.grad[1000])]]
    assert.matches('gradient 2 2$', output)
    assert.equal(0, status)
  end)
end)

describe('where a call cannot be stopped', function()
  -- A pattern that tries all ways to cut 30000 letters in six: Lua's own C code, for years.
  local endless = 'local s = ("a"):rep(30000) return s:find(("a*"):rep(6) .. "b")'

  it('the first press says what it waits for, the second what a third does', function()
    local output, status = pressed(endless, 3)
    assert.matches('stops as soon as the call that runs is done.*still running; Ctrl%-C again ends the program', output)
    assert.equal(130, status)
  end)
end)
