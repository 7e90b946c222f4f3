-- The progress bar of a loop: its iteration, its output, and no output without a terminal.
local torch = require 'torch'
local xlua = require 'xlua'
local program = require 'spec.support.program'

-- A file object that stores its output.
local function paper()
  local file = { text = '' }
  function file:write(...) self.text = self.text .. table.concat { ... } end
  function file.flush() end
  return file
end

local function gathered(...)
  local list = {}
  for a, b in ... do list[#list + 1] = b == nil and a or { a, b } end
  return list
end

describe('xlua.bar', function()
  it('goes through counts, lists, tensors, sets, loaders and iterators', function()
    assert.same({ 1, 2, 3 }, gathered(xlua.bar(3)))
    assert.same({}, gathered(xlua.bar(0)))
    assert.same({ { 1, 'a' }, { 2, 'b' } }, gathered(xlua.bar { 'a', 'b' }))
    assert.same({ { 1, 5 }, { 2, 6 } }, gathered(xlua.bar(torch.Tensor { 5, 6 })))
    local set = require('data').ListDataset { 'x', 'y' }
    assert.same({ { 1, 'x' }, { 2, 'y' } }, gathered(xlua.bar(set)))
    local batches = 0
    for batch in xlua.bar(require('data').TensorDataset(torch.range(1, 5)):loader { batchSize = 2 }) do
      batches = batches + 10 * batch:size(1) + 1
    end
    assert.equal(53, batches)
    assert.same({ { 'k', 'v' } }, gathered(xlua.bar(next, nil, { k = 'v' })))
    assert.same({ 'ab', 'c' }, gathered(xlua.bar(('ab c'):gmatch '%w+')))
    assert.error_matches(function() xlua.bar(nil) end, 'xlua.bar: what: nil, expected a count, list, tensor, set, loader or iterator')
    assert.error_matches(function() xlua.bar(3, { descripton = 'x' }) end,
      'xlua.bar: options: descripton, expected one of description, total')
  end)

  it('draws a description, the share, the count, the rate and values', function()
    local file = paper()
    local steps, bar = xlua.bar(4, { description = 'epoch', file = file, always = true, interval = 0 })
    for i in steps do bar:set { loss = 1 / i, word = 'x' } end
    assert.matches('^\repoch%s+0%%  %[>%.+%]  0/4', file.text)
    assert.matches('epoch%s+50%%  %[=+>%.+%]  2/4  %d+ms, %d+ms left  %S+/s  loss 0.5  word x', file.text)
    assert.matches('epoch%s+100%%  %[=+%]  4/4  %d+ms  %S+/s  loss 0.25  word x\27%[J\r\n$', file.text)
    for _, line in ipairs(file.text:split '\r') do assert.is_true(#line < 90) end
  end)

  it('keeps within the width of the terminal, and knows how many batches a loader has', function()
    local file, columns = paper(), require 'xlua.drawing'.columns(2)
    local loader = require('data').TensorDataset(torch.range(1, 5)):loader { batchSize = 2 }
    local function first(description)
      file.text = ''
      local steps, bar = xlua.bar(loader, { description = description, file = file, always = true, interval = 0 })
      steps()
      local line = file.text:match '^\r([^\27]*)'
      bar:close()
      return line
    end
    assert.equal(('x'):rep(columns - 1), first(('x'):rep(columns + 9)))
    assert.matches('^x+    0%%  0/3  ', first(('x'):rep(columns - 20)))
  end)

  it('draws a line for each of loops in each other, and none for one that was left', function()
    local file = paper()
    local how = { file = file, always = true, interval = 0 }
    for _ in xlua.bar(2, how) do
      for j in xlua.bar(5, how) do
        if j == 3 then break end
      end
    end
    assert.matches('\n\r%s+20%%.-1/5.-\27%[J\27%[1A\r', file.text)
    assert.matches('^[^\n]*\r100%%  %[=+%]  2/2[^\n]*\n$', file.text:match '\r%s*100%%.*$' and file.text:match '(\r100%%.*)$')
  end)

  it('is counted by hand, too, with and without an end', function()
    local file = paper()
    local bar = xlua.Bar(nil, { file = file, always = true, interval = 0 })
    bar:update(5):update()
    bar:close()
    assert.equal(6, bar.count)
    assert.matches('\r6  %d+ms  %S+/s\27%[J\r\n$', file.text)
    assert.equal(require('data').progress, xlua.bar)
    file.text = ''
    bar = xlua.Bar(nil, { file = file, always = true, interval = 0 })
    bar:update(1e15)      -- 1e9 per second, unless it would take more than a week
    bar:close()
    assert.matches('%dG/s', file.text)
  end)

  describe('of steps at a known time', function()
    local clock = require 'torch.clock'
    local monotonic, now = clock.monotonic, 0
    before_each(function() clock.monotonic = function() return now end end)
    after_each(function() clock.monotonic = monotonic end)

    for _, case in ipairs {
      { 5e9, 1, '5G/s' }, { 1e9, 1, '1G/s' }, { 2.5e6, 1, '2.5M/s' }, { 1e6, 1, '1M/s' }, { 25000, 2, '12.5k/s' }, { 1e4, 1, '10k/s' },
      { 9999, 1, '9999/s' }, { 1234, 1, '1234/s' }, { 199, 2, '99.5/s' }, { 617, 50, '12.3/s' }, { 3, 2, '1.5/s' }, { 1, 1, '1/s' },
      { 1, 4, '4s each' }, { 3, 4, '1s333ms each' },
    } do
      it('has the rate ' .. case[3], function()
        local file = paper()
        now = 100
        local bar = xlua.Bar(nil, { file = file, always = true, interval = 1000 })
        bar:update(case[1])
        now = now + case[2]
        bar:close()
        assert.equal(('%d  %ds  %s'):format(case[1], case[2], case[3]), file.text:match '\r([^\r]*)\27%[J\r\n$')
      end)
    end
  end)

  it('draws nothing where there is no terminal', function()
    local output, _, errors = program.run { '-e', 'require "xlua" for i in xlua.bar(3, "x") do io.write(i) end' }
    assert.equal('123', output)
    assert.equal('', errors)
  end)
end)
