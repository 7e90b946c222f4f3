-- Words for the shell reach a program as they are.
local word = require 'torch.shell_word'
local shell = require 'spec.support.shell'

describe('torch.shell_word', function()
  it('gives the shell one word with the same bytes, and runs nothing', function()
    for _, text in ipairs { '', 'a b', "it's", "''", '"', '$(echo x)', '`echo x`', '\\', '\n', '* ? [a]', '; exit 3', '\255\1', '-n' } do
      assert.equal(text .. '|', shell('printf "%s|" ' .. word(text)))
    end
  end)
end)
