--- All families, and their networks by name.
-- @module zoo.catalogue
local torch, check = require 'torch', require 'torch.check'

local catalogue = {}

-- The files of zoo/models. A list, since a program may contain all files, and have no folder.
local files = [[
  resnet vgg alexnet mobilenet_v2 mobilenet_v3 crepe mtcnn silero gpt2 bert llama vit squeezenet densenet convnext efficientnet
  googlenet inception_v3 dcgan vae unet t5 minilm clip whisper seq2seq dqn retinanet yolox vit_transformers
]]

local families      -- name of a network -> its family

local function load()
  if families then return families end
  families = {}
  for file in files:gmatch '%S+' do
    local family = require('zoo.models.' .. file)
    for name in pairs(family.models) do families[name] = family end
  end
  return families
end

local function sortedNames()
  local names = {}
  for name in pairs(load()) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- Returns the number of changes of single characters that make b of a.
local function distance(a, b)
  local row = {}
  for j = 0, #b do row[j] = j end
  for i = 1, #a do
    local before = row[0]
    row[0] = i
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      before, row[j] = row[j], math.min(row[j] + 1, row[j - 1] + 1, before + cost)
    end
  end
  return row[#b]
end

--- Returns the names of the networks, sorted.
-- @string[opt] pattern only names in which this text occurs, in small letters
-- @treturn {string,...}
-- @raise if `pattern` is not a string
-- @usage for _, name in ipairs(zoo.list 'resnet') do print(name) end
function catalogue.list(pattern)
  if pattern ~= nil then check.text('zoo.list', 'pattern', pattern) end
  local names = {}
  for _, name in ipairs(sortedNames()) do
    if not pattern or name:find(pattern, 1, true) then names[#names + 1] = name end
  end
  return names
end

--- Returns the family of a network.
-- @string where for messages
-- @string name
-- @treturn table
function catalogue.family(where, name)
  name = check.text(where, 'name', name)
  local family = load()[name]
  if family then return family end
  local best, least
  for _, each in ipairs(sortedNames()) do
    local d = distance(name, each)
    if not least or d < least then best, least = each, d end
  end
  check.raise(('%s: name: %q, expected a name of zoo.list(), such as %s'):format(where, name, best))
end

--- Returns all families.
-- @treturn {[string]=table} by file
function catalogue.families()
  local list = {}
  for file in files:gmatch '%S+' do list[file] = require('zoo.models.' .. file) end
  return list
end

--- Returns a class of the zoo, for files of networks.
-- @string name without the package
-- @treturn ?table its constructor
function catalogue.class(name)
  load()
  return torch.getconstructortable('zoo.' .. name)
end

--- Makes a network with new parameters, in the default type, in training mode.
-- @string name of `zoo.list`
-- @tparam[opt] table options the arguments of torchvision's builder, or of the configuration in transformers, in camelCase, such as
-- `numClasses`; docs/packages/zoo.md lists them
-- @treturn nn.Module
-- @raise if no network has the name, or an option is unknown or out of range
-- @usage local net = zoo.make('resnet18', { numClasses = 10 })
function catalogue.make(name, options)
  local family = catalogue.family('zoo.make', name)
  return family.make(family:optionsOf('zoo.make: ' .. name, name, options))
end

return catalogue
