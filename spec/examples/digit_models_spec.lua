-- Runs first: it takes long.
-- Examples that learn to make or to compare digits, on little data and for seconds. With MT_SPEC_EXAMPLES=full they have the settings of
-- their users, and reach what their first lines say, on drawn digits and on MNIST's.
local files, program = require 'spec.support.files', require 'spec.support.program'

local isFull = os.getenv 'MT_SPEC_EXAMPLES' == 'full'
local mnist = '../shared/data'

-- Returns the numbers that the output's patterns capture.
local function run(name, patterns, words)
  local picture = os.tmpname() .. '.svg'
  local output, status, errors = program.run { ('examples/%s.lua'):format(name), '--curve', picture, unpack(words) }
  assert.equal('', errors)
  assert.equal(0, status)
  assert.matches('<svg.*</svg>%s*$', files.read(picture))
  os.remove(picture)
  local numbers = {}
  for _, pattern in ipairs(patterns) do
    local found = { output:match(pattern) }
    assert.is_true(#found > 0, output)
    for _, number in ipairs(found) do numbers[#numbers + 1] = tonumber(number) end
  end
  return unpack(numbers)
end

-- Calls f with options for little data, or with those for drawn digits and, if they are here, MNIST's.
local function each(little, f)
  if not isFull then return f(little) end
  f {}
  local file = io.open(mnist .. '/t10k-images-idx3-ubyte.gz')
  if not file then return pending('is not here: ' .. mnist) end
  file:close()
  f { '--data', mnist }
end

describe('examples/vae.lua', function()
  it('bounds the information in unseen digits, more tightly with more draws', function()
    each({ '--pictures', '3000', '--epochs', '10', '--hidden', '100', '--draws', '5', '--lr', '0.004' }, function(words)
      local pictures, numbers, tighter, bound = run('vae', {
        'pictures ([%d.]+) %+ numbers ([%d.]+) nats a digit; with %d+ draws ([%d.]+)\n', 'the bound is ([%d.]+) nats a digit\n$',
      }, words)
      assert.near(bound, pictures + numbers, 0.02)
      assert.is_true(bound < (isFull and 105 or 165), bound)
      assert.is_true(tighter < bound and tighter > bound - 12, tighter)
      assert.is_true(numbers > 5, numbers)                  -- the pictures have numbers of their own
    end)
  end)
end)

describe('examples/dcgan.lua', function()
  it('draws digits of all kinds with as much ink as real ones', function()
    each({ '--pictures', '1500', '--epochs', '5', '--batch', '16', '--width', '8', '--noise', '16', '--lr', '0.001' }, function(words)
      local ink, realInk, realClear, clear, rarest = run('dcgan', {
        'ink covers ([%d.]+) of drawings, and ([%d.]+) of real digits\n', '([%d.]+) %% of unseen real digits are clear\n',
        '([%d.]+) %% of drawings are clear digits, ([%d.]+) %% show the rarest one\n$',
      }, words)
      assert.is_true(ink > realInk / 2 and ink < realInk * 2, ink)
      assert.is_true(realClear > (isFull and 85 or 70), realClear)
      assert.is_true(clear > (isFull and 50 or 10), clear)
      assert.is_true(rarest > 2 or not isFull, rarest)
    end)
  end)
end)

describe('examples/contrastive.lua', function()
  it('learns features without labels that are worth more than pixels', function()
    each({ '--pictures', '1500', '--epochs', '3', '--batch', '64', '--width', '8' }, function(words)
      local random, features, pixels = run('contrastive', {
        'features of random weights ([%d.]+) %%\n', 'features ([%d.]+) %%, pixels ([%d.]+) %%\n$',
      }, words)
      assert.is_true(pixels > 50, pixels)                   -- chance: 10
      assert.is_true(features > pixels + (isFull and 10 or 3), features)
      assert.is_true(features > random + (isFull and 10 or 3), random)
    end)
  end)
end)

describe('examples/diffusion.lua', function()
  it('makes the digits asked for of noise, with as much ink as real ones', function()
    each({
      '--pictures', '1000', '--epochs', '8', '--batch', '16', '--width', '16', '--steps', '25', '--lr', '0.004', '--samples', '80',
    }, function(words)
      local clear, ink, realInk, right = run('diffusion', {
        '([%d.]+) %% of the pictures are clear digits\n', 'ink covers ([%d.]+) of the pictures, and ([%d.]+) of real digits\n',
        '([%d.]+) %% show the digits asked for\n$',
      }, words)
      assert.is_true(ink > realInk / 2 and ink < realInk * 2, ink)
      assert.is_true(clear > (isFull and 60 or 25), clear)
      assert.is_true(right > (isFull and 85 or 30), right)      -- chance: 10
    end)
  end)
end)
