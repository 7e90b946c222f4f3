-- examples/treelstm.lua, examples/charlm.lua and examples/gpt.lua on little data: they learn, are reproducible to the last digit, and
-- report errors. With MT_SPEC_EXAMPLES=full the last two also read Shakespeare, for minutes.
local files, program = require 'spec.support.files', require 'spec.support.program'

local function run(...)
  local output, status, errors = program.run { ... }
  assert.equal('', errors)
  assert.equal(0, status)
  return output
end

describe('examples/treelstm.lua', function()
  local function accuracyOf(trees)
    local output = run('examples/treelstm.lua', '--trees', trees, '--test', '200', '--size', '16', '--curve', '')
    return tonumber(output:match 'accuracy ([%d.]+) %%\n$')
  end

  it('learns to evaluate trees, the same each time', function()
    assert.is_true(accuracyOf '600' > 36)                       -- guessing: 20 %
    assert.equal(accuracyOf '64', accuracyOf '64')
  end)
end)

local text = os.tmpname()
local shakespeare = '../shared/data/tinyshakespeare.txt'

local function writeText()
  local file = io.open(text, 'w')
  for i = 1, 1500 do file:write(('%d is %s. '):format(i % 10, i % 2 == 0 and 'even' or 'odd')) end
  file:close()
end

-- Both programs: words for little data.
local function behaves(name, words)
  local saved, curve = os.tmpname(), os.tmpname() .. '.svg'
  setup(writeText)
  teardown(function()
    for _, file in ipairs { text, saved, curve } do os.remove(file) end
  end)

  it('learns a text, writes one, and ends with the held-out loss', function()
    local output = run(('examples/%s.lua'):format(name), '--data', text, '--sample', '40', '--save', saved, '--curve', curve, unpack(words))
    local loss = tonumber(output:match 'held%-out ([%d.]+) nats a character\n$')
    assert.is_true(loss < 0.8, loss)                           -- as many kinds of characters at random: 2.8
    assert.is_true(#output:match 's\n([^\n]*)\nheld%-out' == 40)
    assert.is_not_nil(files.read(saved):sub(1, 1))
    assert.matches('^<%?xml.*loss %[nats a character%].*</svg>%s*$', files.read(curve))
  end)

  it('says that there is no such file', function()
    local _, status, errors = program.run { ('examples/%s.lua'):format(name), '--data', '/nonexistent' }
    assert.equal(2, status)
    assert.matches(name .. ': %-%-data: /nonexistent', errors)
  end)

  if os.getenv 'MT_SPEC_EXAMPLES' ~= 'full' then return end
  it('continues Shakespeare', function()
    local file = io.open(shakespeare)
    if not file then return pending('is not here: ' .. shakespeare) end
    file:close()
    local output = run(('examples/%s.lua'):format(name), '--data', shakespeare, '--curve', '')
    assert.is_true(tonumber(output:match 'held%-out ([%d.]+) nats a character\n$') <= 1.75, output)
  end)
end

describe('examples/charlm.lua', function()
  behaves('charlm', { '--size', '32', '--batch', '8', '--length', '20', '--steps', '150', '--threads', '1' })
end)

describe('examples/gpt.lua', function()
  behaves('gpt', { '--size', '32', '--layers', '2', '--heads', '2', '--batch', '8', '--length', '24', '--steps', '150' })
end)
