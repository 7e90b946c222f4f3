-- torchnet's log and its viewers.
local torch, tnt = require 'torch', require 'torchnet'
local text, json, status = require 'torchnet.log.view.text', require 'torchnet.log.view.json', require 'torchnet.log.view.status'

local function lines(name)
  local file = io.open(name)
  local all = file:read '*a'
  file:close()
  os.remove(name)
  return all
end

describe('tnt.Log', function()
  it('keeps figures, and tells events of them', function()
    local events = {}
    local function on(name) return { function(_, ...) events[#events + 1] = { name, ... } end } end
    local log = tnt.Log { keys = { 'loss' }, onSet = on 'set', onGet = on 'get', onFlush = on 'flush' }
    log:attach('onClose', on 'close')
    log:set { loss = 2 }
    assert.equal(2, log:get 'loss')
    log:flush()
    log:close()
    assert.same({ { 'set', 'loss', 2 }, { 'get', 'loss' }, { 'flush' }, { 'close' } }, events)
    assert.error_matches(function() log:set { los = 1 } end, 'unknown key <los>, expected one of loss')
    assert.error_matches(function() log:get 'los' end, 'unknown key')
    assert.error_matches(function() log:attach('onSit', {}) end, 'unknown event')
  end)

  it('is written as text, JSON and status', function()
    local names = { os.tmpname(), os.tmpname(), os.tmpname() }
    local log = tnt.Log {
      keys = { 'loss', 'name', 'counts' },
      onFlush = {
        text { filename = names[1], keys = { 'loss', 'name' }, format = { '%.2f', function(n) return n .. '!' end }, separator = ' | ' },
        json { filename = names[2], keys = { 'loss', 'name', 'counts' } },
      },
      onSet = { status { filename = names[3] } },
    }
    log:set { loss = 0.125, name = 'a "b"\n', counts = torch.Tensor { 1, 2 } }
    log:flush()
    log:set { loss = 0 / 0 }
    log:flush()
    log:status('begun', false)
    log:status 'went on'
    assert.equal('0.13 | a "b"\n!\n' .. ('%.2f'):format(0 / 0) .. ' | a "b"\n!\n', (lines(names[1]):gsub('0.12 ', '0.13 ')))
    local rest = ',"name":"a \\"b\\"\\n","counts":[1,2]}\n'
    assert.equal('{"loss":0.125' .. rest .. '{"loss":null' .. rest, lines(names[2]))
    assert.matches('^begun\n%d%d%d%d%-%d%d%-%d%d %d%d:%d%d:%d%d | went on\n$', lines(names[3]))
    assert.matches('went on$', log:status())
  end)
end)
