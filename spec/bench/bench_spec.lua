-- bench/run: measures the requested ids, keeps the others in a file, and writes JSON that can be read back.
local function capture(command)
  local pipe = io.popen(command)
  local text = pipe:read '*a'
  pipe:close()
  return text
end

describe('bench/run', function()
  local name, json = os.tmpname(), nil

  setup(function()
    package.path = 'bench/?.lua;' .. package.path
    json = require 'json'
    os.remove(name)
  end)
  teardown(function() os.remove(name) end)

  local function results()
    local file = assert(io.open(name))
    local text = file:read '*a'
    file:close()
    return json.decode(text)
  end

  it('writes positive figures of the workloads that match, and adds to a file', function()
    capture(("bench/run --only '^A.(loop|add_new)$' --json %s 2>&1"):format(name))
    local read = results()
    assert.equal('moontorch', read.meta.implementation)
    assert.equal(1, read.meta.threads)
    local ids = {}
    for id, figures in pairs(read.results) do
      ids[#ids + 1] = id
      assert.equal('s', figures.unit)
      assert.is_true(figures.min > 0 and figures.min <= figures.q1 and figures.q1 <= figures.median and figures.median <= figures.q3)
      assert.is_true(figures.calls >= 1 and figures.others >= 0)
    end
    table.sort(ids)
    assert.same({ 'A.add_new', 'A.loop' }, ids)

    capture(("bench/run --only '^A.view$' --json %s 2>&1"):format(name))
    assert.is_true(results().results['A.view'].median > 0)
    assert.same(read.results['A.loop'], results().results['A.loop'])
  end)

  it('trains models of today with the losses that PyTorch 2.15 has', function()
    capture(("bench/run --only '^K.mlp$' --json %s 2>&1"):format(name))
    local losses = results().results['K.mlp'].losses
    assert.equal(5, #losses)
    for i, expected in ipairs { 2.3080239, 2.1450310, 1.9954787, 1.8227286, 1.6141008 } do
      assert.is_true(math.abs(losses[i] - expected) < 1e-5, losses[i])
    end
  end)

  it('lists the workloads, each once', function()
    local seen, count = {}, 0
    for id in capture('bench/run --list'):gmatch '%S+' do
      assert.is_nil(seen[id], id)
      seen[id], count = true, count + 1
    end
    assert.is_true(seen['A.loop'] and seen['F.mlp@legacy'] and seen['G.mnist_rss'])
    assert.is_true(count > 100)
  end)

  it('names the expected arguments in errors', function()
    assert.matches('%-%-what: expected %-%-threads N', capture 'bench/run --what 2>&1')
  end)
end)

describe('the JSON of results', function()
  it('reads its own files', function()
    package.path = 'bench/?.lua;' .. package.path
    local json = require 'json'
    local value = { a = { 1, 2.5, -1e-9 }, ['b.c@d'] = 'quote " back \\ line \n', e = true, f = { g = false } }
    assert.same(value, json.decode(json.encode(value)))
  end)
end)
