--- Writes the forward pass of a network as a file of a graph, which C programs run (`mt_graph_load`).
-- @module trepl.export
local torch = require 'torch'
local message = require 'torch.check.message'

local export = {}

local usage = 'th --export NETWORK.t7 FILE.mtg --input SIZES[:DTYPE] ... [--type TYPE]'

local function refuse(argument, actual, expected)
  error(('export: %s: %s, expected %s'):format(argument, actual, expected), 0)
end

-- Returns the sizes and the dtype, if any, of an option such as 1x28x28:float32.
local function parseInput(text)
  local shown, dtype = text:match '^([^:]+):(.+)$'
  shown = shown or text
  local sizes = {}
  for size in shown:gmatch '[^x]+' do sizes[#sizes + 1] = tonumber(size) end
  if #sizes == 0 or table.concat(sizes, 'x') ~= shown then
    refuse('--input', text, 'sizes such as 1x28x28, or 2x5:int64')
  end
  return { sizes = sizes, dtype = dtype }
end

-- Parses the words after --export.
local function parse(words)
  local asked = { inputs = {}, files = {} }
  local i = 1
  while words[i] do
    local word = words[i]
    if word == '--input' or word == '--type' then
      i = i + 1
      if not words[i] then refuse(word, 'nothing', 'a word behind it: ' .. usage) end
      if word == '--input' then
        table.insert(asked.inputs, parseInput(words[i]))
      else
        asked.type = words[i]
      end
    elseif word:sub(1, 1) == '-' then
      refuse('arguments', word, usage)
    else
      table.insert(asked.files, word)
    end
    i = i + 1
  end
  if #asked.files ~= 2 then refuse('arguments', #asked.files .. ' files', usage) end
  if #asked.inputs == 0 then refuse('arguments', 'no --input', usage) end
  return asked
end

-- Returns the tensor class of a name: torch.FloatTensor of "float", "float32" or "torch.FloatTensor".
local function classOf(argument, name)
  local good, sample = pcall(function()
    local full = 'torch.' .. name:sub(1, 1):upper() .. name:sub(2) .. 'Tensor'
    return torch.Tensor():to(torch[full:match 'torch%.(.*)'] and full or name)
  end)
  if not good then refuse(argument, name, 'an element type such as float or double') end
  return torch.type(sample)
end

local function load(name, class)
  require 'torch.file.class_packages' ()
  local network = torch.load(name)
  if not torch.isTypeOf(network, 'nn.Module') then refuse(name, message.value(network), 'a network, an nn.Module') end
  network:evaluate()
  network:clearState()      -- so that the buffers of earlier passes are no constants
  if class then network:type(class) end
  return network
end

--- Writes a file.
-- The network is in evaluate mode. The graph has the sizes of the inputs, whose first dimension is that of the batch if the network takes
-- one.
-- @tparam {string,...} words the network, the file, and options
-- @raise with a message that names the argument
function export.run(words)
  local asked = parse(words)
  local network = load(asked.files[1], asked.type and classOf('--type', asked.type))
  local inputs = {}
  for i, input in ipairs(asked.inputs) do
    local class = input.dtype and classOf('--input', input.dtype) or network:type()
    inputs[i] = torch.ones(torch.LongStorage(input.sizes)):type(class)      -- 1 is also a valid index
  end
  local g = torch.graph.capture(function(...)
    return network:forward(#inputs == 1 and (...) or { ... })
  end, inputs)
  g:save(asked.files[2])
  local info = g:info()
  local shown = '%s: %d inputs, %d outputs, %d steps, %d constants\n'
  io.write(shown:format(asked.files[2], #info.inputs, info.outputs, #info.ops, #info.constants))
end

return export
