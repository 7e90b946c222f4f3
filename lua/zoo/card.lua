--- What is known about a network of the zoo.
-- @module zoo.card
local torch, catalogue, state = require 'torch', require 'zoo.catalogue', require 'nn.support.state'
local withCommas = require 'nn.support.with_commas'

local Card = {}

-- Returns a text for a normalisation.
local function normalisationText(normalisation)
  if type(normalisation) ~= 'table' then return normalisation end
  return ('mean %s, deviation %s'):format(table.concat(normalisation.mean, ' '), table.concat(normalisation.std, ' '))
end

function Card:__tostring()
  local lines = { self.name .. ', ' .. self.title, 'paper           ' .. self.paper }
  local function add(label, text) if text then lines[#lines + 1] = ('%-15s %s'):format(label, text) end end
  add('input', table.concat(self.input, ' x ') .. (self.tokens and (' positions, from 1 to %d'):format(self.tokens) or ''))
  add('normalisation', normalisationText(self.normalisation))
  add('output', self.output)
  add('labels', self.labels and ('%d, from %s to %s'):format(#self.labels, self.labels[1], self.labels[#self.labels]))
  add('parameters', ('%s, %.1f MB as floats'):format(withCommas(self.parameters), self.parameters * 4 / 1e6))
  add('multiply-adds', withCommas(self.multiplyAdds))
  return table.concat(lines, '\n')
end

-- Returns a batch of one example, on meta.
local function example(family, options)
  local sizes = torch.LongStorage { 1, unpack(family:inputOf(options)) }
  return family.tokens and torch.ones(sizes):long() or torch.Tensor(sizes)
end

--- Returns what is known about a network: its paper, input, labels and sizes. Nothing is allocated for its parameters.
-- @string name of `zoo.list`
-- @tparam[opt] table options those of `zoo.make`
-- @treturn table with `name`, `title` of the family, `paper`, `input`: sizes of one example, `tokens`: size of the vocabulary,
-- `normalisation`: {mean =, std =} by channel of a picture from 0 to 1, or a sentence, `labels`: the names of the classes, in order,
-- `output`: sizes, as a text, `parameters`: number of their elements, `multiplyAdds` of one example; `sizes`: a list of {name, sizes} of
-- all tensors. `tostring` shows them
-- @raise if no network has the name, or an option is unknown or out of range
-- @usage print(zoo.card 'resnet18')
return {
  card = function(name, options)
    local family = catalogue.family('zoo.card', name)
    local complete = family:optionsOf('zoo.card: ' .. name, name, options)
    local summary, sizes = nil, {}
    torch.withDevice('meta', function()
      local net = family.make(complete)
      summary = net:summary(example(family, complete))
      for i, entry in ipairs((state.entries(net))) do sizes[i] = { entry.name, entry.tensor:size():totable() } end
    end)
    local labels = family.labels and require(family.labels)
    return setmetatable({
      name = name, title = family.title, paper = complete.paper or family.paper, input = family:inputOf(complete),
      normalisation = complete.normalisation or family.normalisation, tokens = family.tokens and complete[family.tokens],
      labels = labels and #labels == complete.numClasses and labels or nil,
      output = summary.layers[1].output, parameters = summary.parameters, multiplyAdds = summary.multiplyAdds, sizes = sizes,
    }, Card)
  end,
}
