--- Messages between neighbouring stages of a pipeline: a tensor or a list of tensors, whose types and sizes go ahead, or the news that a
-- stage has failed. The latter takes the place of the tensors, so that the messages of all stages stay in step.
-- @module nn.support.pipeline_messages
local torch, C = require 'torch', require 'libmoontorch'
local tensors = require 'distributed.tensors'

local messages = {}

local room = 128      -- numbers of a header

local numbers, types = {}, {}
for i, info in ipairs(C.dtypes) do
  numbers[('torch.%sTensor'):format(info.torch)] = i
  types[i] = ('%sTensor'):format(info.torch)
end

--- Returns whether a value can be sent, or what it is.
-- @param value
-- @treturn ?string what is wrong with it
function messages.problem(value)
  local list, used = torch.isTensor(value) and { value } or value, 3
  if type(list) ~= 'table' or #list == 0 then return torch.type(value) .. ', expected a tensor or a list of tensors' end
  for _, x in ipairs(list) do
    if not (torch.isTensor(x) and numbers[x:type()]) then
      return ('a list with %s, expected tensors on the CPU'):format(torch.isTensor(x) and 'a ' .. x:type() or torch.type(x))
    end
    used = used + 2 + x:dim()
  end
  return used > room and ('a list of %d tensors, expected fewer'):format(#list) or nil
end

-- A header: 1, or 0 of a stage that has failed; the number of tensors; 1 if they are a list; then type, dimensions and sizes of each.
local function headerOf(value)
  local header = torch.LongTensor(room):zero()
  if value == nil then return header, {} end
  local list = torch.isTensor(value) and { value } or value
  header[1], header[2], header[3] = 1, #list, torch.isTensor(value) and 0 or 1
  local at = 3
  for _, x in ipairs(list) do
    header[at + 1], header[at + 2] = numbers[x:type()], x:dim()
    for d = 1, x:dim() do header[at + 2 + d] = x:size(d) end
    at = at + 2 + x:dim()
  end
  return header, list
end

--- Begins to send a value.
-- @param value a tensor, a list of tensors, or nil: this stage has failed
-- @int target a rank
-- @tparam table options `group`, `tag`, `timeout`
-- @tparam {table,...} handles to wait for, which grows
function messages.send(value, target, options, handles)
  local header, list = headerOf(value)
  options = { group = options.group, tag = options.tag, timeout = options.timeout, async = true }
  handles[#handles + 1] = tensors.send(header, target, options)
  for _, x in ipairs(list) do handles[#handles + 1] = tensors.send(x:detach(), target, options) end
end

--- Waits for a value.
-- @int source a rank
-- @tparam table options `group`, `tag`, `timeout`
-- @return a tensor, a list of tensors, or nil: the sender has failed
function messages.receive(source, options)
  local header = tensors.receive(torch.LongTensor(room), source, options):totable()
  if header[1] == 0 then return nil end
  local list, at = {}, 3
  for i = 1, header[2] do
    local sizes = { unpack(header, at + 3, at + 2 + header[at + 2]) }
    list[i] = tensors.receive(torch[types[header[at + 1]]](unpack(sizes)), source, options)
    at = at + 2 + #sizes
  end
  return header[3] == 1 and list or list[1]
end

return messages
