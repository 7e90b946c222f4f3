-- Examples with published weights: they find what they say they find, and draw their pictures. The weights are those of
-- examples/published/fetch, in the folder MT_PUBLISHED; without it the specs only see that the programs ask for them.
local paths = require 'paths'
local files, program = require 'spec.support.files', require 'spec.support.program'

local folder = os.getenv 'MT_PUBLISHED' or '../shared/data/models'

-- Program, file of its weights, option that names the picture, what its last line says, the least number there, the word in its picture,
-- options.
local cases = {
  { 'retrain', 'crepe_tiny.pth', '--curve', '([%d.]+) %% of unseen frames are right after 10 frames a note\n$', 90, 'published body',
    { '--shots', '10', '--test', '240' } },
}

describe('examples', function()
  for _, case in ipairs(cases) do
    local name, weights, option, line, least, word, more = unpack(case)
    local script, source = ('examples/%s.lua'):format(name), paths.concat(folder, weights)

    it(('%s.lua asks for its weights'):format(name), function()
      local output, status, errors = program.run { script }
      assert.same({ '', 2 }, { output, status })
      assert.matches(('^%s: %%-%%-weights: nothing, expected .* of examples/published/fetch\n$'):format(name), errors)
      output, status, errors = program.run { script, '--weights', '/no/such' }
      assert.same({ '', 2 }, { output, status })
      assert.matches(('^%s: %%-%%-weights: .*/no/such: No such file or directory[^\n]*\n$'):format(name), errors)
    end)

    local test = (paths.filep(source) or paths.dirp(source)) and it or pending
    test(('%s.lua works with %s'):format(name, weights), function()
      local picture = os.tmpname() .. '.svg'
      local output, status, errors = program.run { script, '--weights', source, option, picture, unpack(more or {}) }
      assert.equal('', errors)
      assert.equal(0, status)
      local number = tonumber(output:match(line))
      assert.is_true(number ~= nil and number >= least, output)
      assert.matches(word .. '.*</svg>%s*$', files.read(picture))
      os.remove(picture)
    end)
  end
end)
