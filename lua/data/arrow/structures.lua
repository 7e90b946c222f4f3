--- The structures of Arrow's C data interface, and the types of columns that frames have in common with it.
-- Sources: https://arrow.apache.org/docs/format/CDataInterface.html, CStreamInterface.html, Columnar.html.
-- @module data.arrow.structures
local ffi = require 'ffi'

local structures = {}

-- Names of this library's own, as a program may declare those of Arrow's header.
ffi.cdef [[
typedef struct mt_ArrowSchema {
  const char *format, *name, *metadata;
  int64_t flags, n_children;
  struct mt_ArrowSchema **children, *dictionary;
  void (*release)(struct mt_ArrowSchema *);
  void *private_data;
} mt_ArrowSchema;
typedef struct mt_ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void **buffers;
  struct mt_ArrowArray **children, *dictionary;
  void (*release)(struct mt_ArrowArray *);
  void *private_data;
} mt_ArrowArray;
typedef struct mt_ArrowArrayStream {
  int (*get_schema)(struct mt_ArrowArrayStream *, mt_ArrowSchema *);
  int (*get_next)(struct mt_ArrowArrayStream *, mt_ArrowArray *);
  const char *(*get_last_error)(struct mt_ArrowArrayStream *);
  void (*release)(struct mt_ArrowArrayStream *);
  void *private_data;
} mt_ArrowArrayStream;
]]

structures.ordered, structures.nullable = 1, 2      -- flags of a schema

--- Arrow's format of each type of numbers.
structures.formatOf = {
  Char = 'c', Byte = 'C', Short = 's', UInt16 = 'S', Int = 'i', UInt32 = 'I', Long = 'l', UInt64 = 'L', Half = 'e', Float = 'f',
  Double = 'g',
}

--- The reverse.
structures.kindOf = {}
for kind, format in pairs(structures.formatOf) do structures.kindOf[format] = kind end

--- The address of a structure, as a number.
-- @param pointer or a structure, or an address
-- @treturn number
function structures.address(pointer)
  if type(pointer) == 'number' then return pointer end
  return tonumber(ffi.cast('intptr_t', ffi.cast('const void *', pointer)))
end

return structures
