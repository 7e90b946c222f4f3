--- The messages of TensorBoard's event files.
-- A file is a sequence of records: the length of the bytes, its checksum, the bytes of an Event message, their checksum. Formats:
-- TensorFlow's `record_writer.h`, and `event.proto`, `summary.proto` and `tensor.proto` of the package tensorboard.
-- @module trainer.event_messages
local C, pb = require 'libmoontorch', require 'trainer.protobuf'
local littleEndian = require 'torch.file.outside'.littleEndian

local messages = {}

-- A checksum that differs from that of a text which contains checksums: rotated by 15 bits to the right, plus a constant.
local function masked(text)
  local sum = C.crc32c(text)
  local rotated = math.floor(sum / 2 ^ 15) + sum % 2 ^ 15 * 2 ^ 17
  return littleEndian((rotated + 0xa282ead8) % 2 ^ 32, 4)
end

--- A record.
-- @string event
-- @treturn string
function messages.record(event)
  local length = littleEndian(#event, 8)
  return length .. masked(length) .. event .. masked(event)
end

--- The first event of a file.
-- @number time in seconds since 1970
-- @treturn string
function messages.version(time) return pb.double(1, time) .. pb.bytes(3, 'brain.Event:2') end

local types = { float = 1, double = 2, string = 7 }

-- A tensor message.
local function tensor(kind, sizes, content)
  local shape = {}
  for i, size in ipairs(sizes) do shape[i] = pb.bytes(2, pb.int(1, size)) end
  return pb.int(1, types[kind]) .. pb.bytes(2, table.concat(shape)) .. content
end

--- The tensor of a scalar.
-- @number value
-- @treturn string
function messages.scalar(value)
  local bytes = value == value and pb.elements('float', { value }) or '\0\0\192\127'      -- the sign of NaN depends on the machine
  return tensor('float', {}, pb.bytes(5, bytes))
end

--- The tensor of a histogram.
-- @tparam {{number,number,number},...} buckets left and right edges, and counts
-- @treturn string
function messages.histogram(buckets)
  local flat = {}
  for _, bucket in ipairs(buckets) do
    for i = 1, 3 do flat[#flat + 1] = bucket[i] end
  end
  return tensor('double', { #buckets, 3 }, #flat > 0 and pb.bytes(4, pb.elements('double', flat)) or '')
end

--- The tensor of texts.
-- @tparam {string,...} list
-- @bool[opt] isSingle whether it has no dimension
-- @treturn string
function messages.texts(list, isSingle)
  local content = {}
  for i, text in ipairs(list) do content[i] = pb.bytes(8, text) end
  return tensor('string', isSingle and {} or { #list }, table.concat(content))
end

--- An event with one value.
-- @number time in seconds since 1970
-- @int step
-- @string tag
-- @string plugin of TensorBoard that shows it: scalars, histograms, images or text
-- @string value a tensor message
-- @treturn string
function messages.summary(time, step, tag, plugin, value)
  local metadata = pb.bytes(1, pb.bytes(1, plugin))
  local entry = pb.bytes(1, tag) .. pb.bytes(8, value) .. pb.bytes(9, metadata)
  return pb.double(1, time) .. pb.int(2, step) .. pb.bytes(5, pb.bytes(1, entry))
end

return messages
