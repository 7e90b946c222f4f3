-- examples/scale.lua: the model's times against closed forms, and a run on real ranks.
package.path = 'examples/?.lua;' .. package.path
local program, ranks, shell = require 'spec.support.program', require 'spec.support.ranks', require 'spec.support.shell'
local Network, ways, plans = require 'scale.network', require 'scale.all_reduce', require 'scale.plans'

local a, b, sum = 2e-6, 10e9, 5e9      -- latency, bandwidth, bytes added per second

local function network(n, perMachine)
  return Network.new { ranks = n, perMachine = perMachine or 1, latency = a, bandwidth = b, localLatency = a / 2, localBandwidth = 2 * b,
    sum = sum }
end

local function near(expected, time) assert(math.abs(time / expected - 1) < 1e-9, ('%g, expected %g'):format(time, expected)) end

describe('examples/scale.lua', function()
  -- Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", 2005, for one rank a machine.
  it('takes the known times for all-reduces', function()
    for _, n in ipairs { 2, 8, 64 } do
      for _, s in ipairs { 1e6, 64e6 } do
        local levels = math.log(n) / math.log(2)
        near(2 * (n - 1) * (a + s / n / b) + (n - 1) * s / n / sum, ways.ring(network(n), s))
        near(2 * levels * (a + s / b) + levels * s / sum, ways.tree(network(n), s))
        near(3 * a + (n - 1) * (256 + 2 * s / n) / b + (n - 1) * s / n / sum, ways.direct(network(n), s))
        near(ways.ring(network(n), s), ways.hierarchical(network(n), s))
      end
      near(2 * a + (n - 1) * (256 + 4096) / b + (n - 1) * 4096 / sum, ways.direct(network(n), 4096))
    end
  end)

  it('takes the times of a pipeline for chains, and what they send', function()
    local agreed = a + 256 / b
    for pieces, s in pairs { [17] = 17 * 60000, [1700] = 1700 * 61440 } do
      local q = s / pieces      -- sums are slower than the network, and begin when the first piece is there
      near(agreed + 2 * (a + q / b) + s / sum, ways.chain(network(2), s))
    end
    for _, n in ipairs { 3, 8 } do
      local net, s, levels = network(n), 1e6, math.ceil(math.log(n) / math.log(2))
      local time = ways.chain(net, s)
      near(n * levels * 256 + 2 * (n - 1) * s, net.sent)
      local q = s / math.ceil(s / math.max(16384, math.min(61440, s / (4 * n))))
      -- At least all hops of one piece, and what the slowest part does for the others.
      local hops = levels * agreed + (n - 1) * (2 * (a + q / b) + q / sum)
      assert(time >= (hops + s / sum - q / sum) * (1 - 1e-9) and time < hops + 2 * s / sum, tostring(time))
    end
    near(2 * agreed + 2 * 2 * a + (1 + 2 + 2) * 4096 / b + 3 * 4096 / sum, ways.chain(network(4), 4096))      -- collected by rank 0
  end)

  it('shares the way out of a machine among its ranks', function()
    local n, s = 16, 16e6
    local function traffic(way)
      local net = network(n, 4)
      ways[way](net, s)
      return net.sent
    end
    near(n * 12 * (256 + 2 * s / n), traffic 'direct')      -- 12 of 15 others are on other machines
    near(4 * 2 * (n - 1) * s / n, traffic 'ring')      -- 4 of 16 steps leave a machine
    near(4 * 2 * 3 * s / 4, traffic 'hierarchical')
    near(2 * 3 * s, traffic 'tree')
    -- within a machine: one level of the tree and back
    near(2 * (a / 2 + s / (2 * b)) + s / sum, ways.hierarchical(network(2, 2), s))
  end)

  it('takes the known times for pipelines', function()
    for _, stages in ipairs { 1, 2, 5 } do
      for _, batches in ipairs { 1, 4 } do
        near((batches + stages - 1) * (1 + 2) + 2 * (stages - 1) * 0.25, plans.pipeline(stages, batches, 1, 2, 0.25))
      end
    end
  end)

  it('knows what divided optimisers send and keep', function()
    local psi, n = 1e6, 4
    for stage, expected in pairs { [0] = { 6e6, 16e6 }, { 6e6, 10e6 }, { 6e6, 7e6 }, { 9e6, 4e6 } } do
      local sent, kept = plans.zero(stage, psi, n)
      near(expected[1], sent)
      near(expected[2], kept)
    end
  end)

  it('prints its tables, and measures its figures on ranks', function()
    ranks.need()
    local output, status, errors = program.run { 'examples/scale.lua', 'most=8', 'latency=1e-5' }
    assert.equal('', errors)
    assert.equal(0, status)
    assert.truthy(output:find 'all%-reduce of float32, 8 ranks a machine')
    local _, refused, problem = program.run { 'examples/scale.lua', 'speed=3' }
    assert.equal(1, refused)
    assert.truthy(problem:find('speed=3: expected one of the figures', 1, true))
    output, status = shell(('MT_PRESET=%s %s bin/th-launch -n 2 examples/scale.lua most=8'):format(os.getenv 'MT_PRESET' or 'release',
      ranks.environment))
    assert.equal(0, status)
    local _, rows = output:gsub('%[0%] +%d+ +%d+%.%d+ +%d+%.%d+\n', '')
    assert.equal(4, rows)
  end)
end)
