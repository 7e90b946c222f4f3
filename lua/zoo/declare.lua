--- Declares a family of networks: its options, its networks by name, and what is known about them.
--
-- The fields of a declaration:
--
--     title          name of the family
--     paper          authors, year, title, place
--     input          sizes of one example, or a function (options) that returns them
--     tokens         the input has positions in a vocabulary, from 1 to this option
--     normalisation  {mean =, std =} of each channel, for pictures from 0 to 1; or a sentence
--     labels         module with the names of classes, used if `numClasses` has their number
--     options        the options of all networks, as of nn.declare: {name, kind, default =, min =, ...}
--     models         name -> the network's own options; names that `options` lacks are constants, which callers can't set, such as the
--                    `paper` or the `normalisation` of a variant
--     make           a function (options) that returns the network
--     rules          {pattern, replacement} pairs for names of files that the network lacks, applied in order
--     ignores        patterns of names in files that need no parameter
--     samples        {name, options, sizes of an input} for the specs: small networks of each kind
-- @module zoo.declare
local check, kinds = require 'torch.check', require 'nn.support.kinds'

local known = {}
local fields = 'title paper input tokens normalisation labels options models make rules ignores samples'
for name in fields:gmatch '%a+' do known[name] = true end

local Family = {}
Family.__index = Family

--- Returns the options of a network: the callers', the network's own, the family's defaults.
-- @string where for messages
-- @string name
-- @tparam ?table given
-- @treturn table
function Family:optionsOf(where, name, given)
  local names, result = {}, {}
  for i, option in ipairs(self.options) do names[i] = option[1] end
  given = check.options(where, given, names)
  for constant, value in pairs(self.models[name]) do result[constant] = value end
  for _, option in ipairs(self.options) do
    local key, value = option[1], given[option[1]]
    if value ~= nil then
      result[key] = kinds.exact[option[2]](where, key, value, option)
    elseif result[key] == nil then
      result[key] = option.default
    end
  end
  return result
end

--- Returns the sizes of one example.
-- @tparam table options complete
-- @treturn {int,...}
function Family:inputOf(options)
  local input = self.input
  return type(input) == 'function' and input(options) or input
end

--- @tparam table family the declaration
-- @treturn table it, with methods
return function(family)
  for name in pairs(family) do assert(known[name], name) end
  return setmetatable(family, Family)
end
