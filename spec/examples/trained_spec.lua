-- Runs first: it takes long.
-- Examples that train for seconds: with the settings of their users they learn what they say they learn, and draw their pictures.
local files, program = require 'spec.support.files', require 'spec.support.program'

-- Program, what its last line says, the least number there, the word in its picture, options.
local cases = {
  { 'seq2seq', '([%d.]+) %% of unseen sequences are right\n$', 95, 'attention' },
  { 'words', '([%d.]+) %% of the questions are answered\n$', 60, 'river' },
  { 'cartpole', 'the pole stands for ([%d.]+) of 200 steps\n$', 150, 'steps of eight carts' },
  { 'cartpole', 'the pole stands for ([%d.]+) of 200 steps\n$', 150, 'rounds of sixteen carts', { '--method', 'policy' } },
  { 'regression', 'the coefficients agree in ([%d.]+) digits\n$', 6, "Huber's loss" },
  { 'lennard_jones', '(%d+) of 8 sizes reach the lowest known energy\n$', 7, '9 atoms', { '--most', '9' } },
  { 'karate', '([%d.]+) of 34 members are right, %d+ at least\n$', 31, 'stayed with 34' },
  { 'dictionary', 'sums of %d+%.%d atoms have ([%d.]+) %% of the variance, as many principal components [67]%d.%d %%\n$', 80, '100 atoms',
    { '--steps', '10' } },
  { 'style', '([%d.]+) %% of the distance between the styles is gone, brightness correlates with the content by 0%.[4-9]%d\n$', 90,
    'content in this style', { '--size', '48', '--steps', '40', '--filters', '8' } },
}

describe('examples', function()
  for _, case in ipairs(cases) do
    local name, line, least, word, more = unpack(case)
    it(('%s.lua learns %s'):format(name, table.concat(more or {}, ' ')), function()
      local picture = os.tmpname() .. '.svg'
      local output, status, errors = program.run { ('examples/%s.lua'):format(name), '--curve', picture, unpack(more or {}) }
      assert.equal('', errors)
      assert.equal(0, status)
      local number = tonumber(output:match(line))
      assert.is_true(number ~= nil and number >= least, output)
      assert.matches(word .. '.*</svg>%s*$', files.read(picture))
      os.remove(picture)
    end)
  end
end)
