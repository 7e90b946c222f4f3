--- Data frames for other libraries in the same process, and theirs as data frames, by Arrow's C data interface: pyarrow, pandas, Polars,
-- DuckDB and others. Columns of numbers without missing values share their memory.
-- @module data.arrow
-- @usage local batch = data.arrow.export(frame)
-- library.consume(batch:array(), batch:schema())
local ffi = require 'ffi'
local C = require 'libmoontorch'
local torch = require 'torch'
local check = require 'torch.check'
local data = require 'data'
local column = require 'data.frame.column'
local read, structures, write = require 'data.arrow.read', require 'data.arrow.structures', require 'data.arrow.write'

local native = C.arrow
local arrow, batches, streams = {}, {}, {}

native.metatable.__index, native.metatable.__typename = batches, 'data.arrow.Batch'
native.streamMetatable.__index, native.streamMetatable.__typename = streams, 'data.arrow.Stream'

local function isOf(metatable, x) return type(x) == 'userdata' and debug.getmetatable(x) == metatable end
local function isBatch(x) return isOf(native.metatable, x) end

-- One of the two structures of an exported frame.
local function structureOf(where, batch, i, ctype)
  if not isBatch(batch) then check.raise(('%s: self: %s, expected a result of data.arrow.export'):format(where, check.describe(batch))) end
  local address = select(i, native.addresses(batch))
  if not address then check.raise(where .. ': self: it was consumed, expected a new export of the frame') end
  return ffi.cast(ctype, address)
end

-- The ArrowArray and the ArrowSchema of an exported frame: pointers with the fields of Arrow's header, valid until a consumer moves the
-- structures away or the batch is collected.
function batches:array() return structureOf('array', self, 2, 'mt_ArrowArray *') end
function batches:schema() return structureOf('schema', self, 1, 'mt_ArrowSchema *') end

-- The ArrowArrayStream of an exported frame, likewise.
function streams:stream()
  if not isOf(native.streamMetatable, self) then
    check.raise(('stream: self: %s, expected a result of data.arrow.exportStream'):format(check.describe(self)))
  end
  local address = native.streamAddress(self)
  if not address then check.raise 'stream: self: it was consumed, expected a new export of the frame' end
  return ffi.cast('mt_ArrowArrayStream *', address)
end

local function frameOf(where, x)
  if torch.type(x) ~= 'data.Frame' then check.raise(('%s: frame: %s, expected a data.Frame'):format(where, check.describe(x))) end
  return x
end

-- The description of a frame, for the native part.
local function describe(where, frame, options)
  frameOf(where, frame)
  local timezone = check.options(where, options, { 'timezone' }).timezone
  return write(where, frame, timezone == nil and '' or check.name(where, 'timezone', timezone))
end

--- Exports a frame as a record batch: an array of structs. Numbers share the frame's memory, without copies; texts, booleans and dates are
-- copied. Missing values become nulls, NaN too. Dates become timestamps in microseconds, categories dictionaries of texts.
-- @tparam data.Frame frame
-- @tparam[opt] table options `timezone` of dates, such as 'UTC'; default: none
-- @treturn data.arrow.Batch with `batch:array()` and `batch:schema()`, pointers to an ArrowArray and an ArrowSchema. A consumer moves them
--   away, and releases them once, in any thread, also after the frame and the Lua state. What nobody moved is released when it is collected
-- @raise for columns of types that Arrow lacks: floats of 8 bits
-- @usage local batch = data.arrow.export(frame)
function arrow.export(frame, options)
  return check.call(native.export, describe('data.arrow.export', frame, options))
end

--- Exports a frame as a stream of one record batch, for consumers that take streams: Polars, DuckDB, pyarrow's RecordBatchReader.
-- @tparam data.Frame frame
-- @tparam[opt] table options as for `export`
-- @treturn data.arrow.Stream with `stream:stream()`, a pointer to an ArrowArrayStream, which a consumer moves away and releases
-- @raise as `export`
-- @usage library.consume(data.arrow.exportStream(frame):stream())
function arrow.exportStream(frame, options)
  return check.call(native.exportStream, describe('data.arrow.exportStream', frame, options))
end

-- Returns the address of a structure of a program, a pointer or a number.
local function addressOf(where, name, pointer)
  local good, address = pcall(structures.address, pointer)
  if type(pointer) ~= 'cdata' and type(pointer) ~= 'number' or not good or not address or address < 65536 or address % 8 ~= 0 then
    check.raise(('%s: %s: %s, expected a pointer to a structure of Arrow, or its address'):format(where, name,
      type(pointer) == 'cdata' and 'no address' or check.describe(pointer)))
  end
  return address
end

-- Reads the array at an address, which it moves away and releases when it is no longer used.
local function batchAt(where, schema, address)
  local owner, moved = native.take(address)
  if not owner then check.raise(where .. ': array: it was released, expected one that was not') end
  local good, names, records, rows, isShared = pcall(read, where, schema, ffi.cast('mt_ArrowArray *', moved), owner)
  if not good or not isShared then native.release('array', moved) end      -- else when the last tensor is collected
  if not good then check.call(error, names, 0) end
  return names, records, rows
end

local function frameFrom(names, records, rows)
  local frame = data.Frame({}, {}, {}, {}, rows)
  for i, name in ipairs(names) do frame:_put(name, records[i]) end
  return frame
end

--- Imports a record batch as a frame; an array of another type becomes a frame of one column. Numbers without missing values share memory
-- with the producer. Types: integers and floats (unsigned ones of 16 bits become ints, of 32 and 64 bits longs, or doubles beyond 2^63),
-- booleans, texts and bytes, dictionaries (of texts: categories), dates and timestamps (dates), durations and times of day (seconds).
-- @tparam cdata|number array pointer to an ArrowArray, or its address; it is moved away and released once, also after an error. Or a
--   result of `export`, without a schema
-- @tparam cdata|number schema pointer to its ArrowSchema, which is released, too
-- @treturn data.Frame
-- @raise for other types, such as lists and decimals; for structures that were released or make no sense
-- @usage local frame = data.arrow.import(array, schema)
function arrow.import(array, schema)
  local where = 'data.arrow.import'
  local batch = schema == nil and isBatch(array) and array      -- which lives until its structures are moved
  if batch then array, schema = batch:array(), batch:schema() end
  local arrayAt, schemaAt = addressOf(where, 'array', array), addressOf(where, 'schema', schema)
  local structure = ffi.cast('mt_ArrowSchema *', schemaAt)
  if structure.release == nil then check.raise(where .. ': schema: it was released, expected one that was not') end
  local good, names, records, rows = pcall(batchAt, where, structure, arrayAt)
  native.release('schema', schemaAt)
  if batch then native.addresses(batch) end
  if not good then check.call(error, names, 0) end
  return frameFrom(names, records, rows)
end

-- Puts batches below each other.
local function joined(where, names, list, rows)
  local columns = {}
  for j, name in ipairs(names) do
    local parts = {}
    for i, records in ipairs(list) do parts[i] = records[j] end
    columns[j] = column.concat(where .. ': ' .. name, parts)
  end
  return frameFrom(names, columns, rows)
end

-- Fills a structure from a stream.
local function fill(where, stream, what, structure)
  local problem = native.next(stream, what, structures.address(structure))
  if problem then check.raise(('%s: stream: %s'):format(where, (tostring(problem):gsub('%s*\n%s*', ' ')))) end
end

local function allOf(where, stream, schema)
  fill(where, stream, 'schema', schema)
  local names, list, total
  while true do
    local array = ffi.new 'mt_ArrowArray'
    fill(where, stream, 'array', array)
    if array.release == nil then break end
    local found, records, rows = batchAt(where, schema, structures.address(array))
    names, list, total = names or found, list or {}, (total or 0) + rows
    list[#list + 1] = records
  end
  if not names then return frameFrom(read(where, schema)) end
  return joined(where, names, list, total)
end

--- Imports all batches of a stream as one frame: the columns of several batches are copied below each other.
-- @tparam cdata|number stream pointer to an ArrowArrayStream, or its address; it is released at the end, also after an error. Or a result
--   of `exportStream`
-- @treturn data.Frame
-- @raise as `import`, and an error of the stream
-- @usage local frame = data.arrow.importStream(stream)
function arrow.importStream(stream)
  local where = 'data.arrow.importStream'
  local own = isOf(native.streamMetatable, stream) and stream      -- which lives until it is read
  local address = addressOf(where, 'stream', own and own:stream() or stream)
  local schema = ffi.new 'mt_ArrowSchema'
  local good, frame = pcall(allOf, where, address, schema)
  native.release('schema', structures.address(schema))
  native.release('stream', address)
  if own then native.streamAddress(own) end
  if not good then check.call(error, frame, 0) end
  return frame
end

--- Sets a variable of Python, in this process, to a pyarrow.RecordBatch over a frame: `torch.python`.
-- @string name of the variable
-- @tparam data.Frame frame
-- @tparam[opt] table options of `export`
-- @raise as `export`, and if Python or pyarrow is missing
-- @usage data.arrow.toPython('flowers', frame)
-- torch.python.run 'means = flowers.to_pandas().groupby("species").mean()'
function arrow.toPython(name, frame, options)
  frameOf('data.arrow.toPython', frame)
  check.that(type(name) == 'string' and name:find '^[%a_][%w_]*$',
    ('data.arrow.toPython: name: %s, expected letters, digits and _'):format(check.describe(name)))
  local batch = arrow.export(frame, options)
  torch.python.run(('import pyarrow\n%s = pyarrow.RecordBatch._import_from_c(%.0f, %.0f)'):format(name, structures.address(batch:array()),
    structures.address(batch:schema())))
  native.addresses(batch)      -- it lives until here
end

--- Returns a table of Python, in this process, as a frame: one of pyarrow, pandas or Polars, or anything with `__arrow_c_stream__`.
-- @string expression of Python
-- @treturn data.Frame
-- @raise as `importStream`, and if Python or pyarrow is missing
-- @usage local frame = data.arrow.fromPython 'means.reset_index()'
function arrow.fromPython(expression)
  local text = check.name('data.arrow.fromPython', 'expression', expression)
  local stream = ffi.new 'mt_ArrowArrayStream'
  torch.python.set('_moontorch_stream', structures.address(stream))
  torch.python.run(([[
import pyarrow
def _moontorch_export(table, address):
    if isinstance(table, pyarrow.RecordBatch):
        table = pyarrow.Table.from_batches([table])
    elif type(table).__module__.split(".")[0] == "pandas":
        table = pyarrow.Table.from_pandas(table)
    if isinstance(table, pyarrow.Table):
        pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches())._export_to_c(address)
    else:
        pyarrow.RecordBatchReader.from_stream(table)._export_to_c(address)
_moontorch_export((%s), _moontorch_stream)
del _moontorch_export, _moontorch_stream]]):format(text))
  return arrow.importStream(stream)
end

return arrow
