--- libhdf5, loaded on first use: its functions, with Lua errors, and handles that the garbage collector releases.
-- @module hdf5.library
local ffi = require 'ffi'
local check, kept = require 'torch.check', require 'torch.library'

ffi.cdef [[
typedef int64_t mt_hid_t;
typedef struct { mt_hid_t id; } mt_hdf5_handle;
int H5open(void);
int H5get_libversion(unsigned *major, unsigned *minor, unsigned *release);
int H5free_memory(void *memory);
int H5Eset_auto2(mt_hid_t stack, void *function, void *data);
int H5Eclear2(mt_hid_t stack);
int H5Eprint2(mt_hid_t stack, void *stream);
int H5Idec_ref(mt_hid_t id);
int H5Iis_valid(mt_hid_t id);
int H5Iget_type(mt_hid_t id);
mt_hid_t H5Fcreate(const char *name, unsigned flags, mt_hid_t creation, mt_hid_t access);
mt_hid_t H5Fopen(const char *name, unsigned flags, mt_hid_t access);
int H5Fflush(mt_hid_t id, int scope);
int H5Fis_hdf5(const char *name);
mt_hid_t H5Gcreate2(mt_hid_t place, const char *name, mt_hid_t link, mt_hid_t creation, mt_hid_t access);
typedef struct { int storage_type; uint64_t nlinks; int64_t max_corder; bool mounted; } mt_hdf5_group_info;
int H5Gget_info(mt_hid_t group, mt_hdf5_group_info *info);
ssize_t H5Lget_name_by_idx(mt_hid_t place, const char *group, int index, int order, uint64_t n, char *name, size_t size,
                           mt_hid_t access);
int H5Lexists(mt_hid_t place, const char *name, mt_hid_t access);
int H5Rcreate(void *address, mt_hid_t place, const char *name, int kind, mt_hid_t space);
int H5Ldelete(mt_hid_t place, const char *name, mt_hid_t access);
mt_hid_t H5Oopen(mt_hid_t place, const char *name, mt_hid_t access);
mt_hid_t H5Dcreate2(mt_hid_t place, const char *name, mt_hid_t type, mt_hid_t space, mt_hid_t link, mt_hid_t creation, mt_hid_t access);
int H5Dread(mt_hid_t set, mt_hid_t type, mt_hid_t memory, mt_hid_t file, mt_hid_t transfer, void *buffer);
int H5Dwrite(mt_hid_t set, mt_hid_t type, mt_hid_t memory, mt_hid_t file, mt_hid_t transfer, const void *buffer);
int H5Dset_extent(mt_hid_t set, const uint64_t *sizes);
int H5Dvlen_reclaim(mt_hid_t type, mt_hid_t space, mt_hid_t transfer, void *buffer);
mt_hid_t H5Dget_space(mt_hid_t set);
mt_hid_t H5Dget_type(mt_hid_t set);
mt_hid_t H5Dget_create_plist(mt_hid_t set);
uint64_t H5Dget_storage_size(mt_hid_t set);
mt_hid_t H5Screate(int class);
mt_hid_t H5Screate_simple(int rank, const uint64_t *sizes, const uint64_t *most);
int H5Sget_simple_extent_ndims(mt_hid_t space);
int H5Sget_simple_extent_type(mt_hid_t space);
int H5Sget_simple_extent_dims(mt_hid_t space, uint64_t *sizes, uint64_t *most);
int H5Sselect_hyperslab(mt_hid_t space, int op, const uint64_t *start, const uint64_t *stride, const uint64_t *count,
                        const uint64_t *block);
mt_hid_t H5Tcopy(mt_hid_t type);
mt_hid_t H5Tcreate(int class, size_t size);
mt_hid_t H5Tenum_create(mt_hid_t base);
int H5Tenum_insert(mt_hid_t type, const char *name, const void *value);
int H5Tinsert(mt_hid_t type, const char *name, size_t offset, mt_hid_t member);
int H5Tget_class(mt_hid_t type);
size_t H5Tget_size(mt_hid_t type);
int H5Tget_nmembers(mt_hid_t type);
char *H5Tget_member_name(mt_hid_t type, unsigned n);
mt_hid_t H5Tget_member_type(mt_hid_t type, unsigned n);
int H5Tget_member_value(mt_hid_t type, unsigned n, void *value);
mt_hid_t H5Tget_native_type(mt_hid_t type, int direction);
mt_hid_t H5Tget_super(mt_hid_t type);
mt_hid_t H5Tvlen_create(mt_hid_t base);
mt_hid_t H5Tarray_create2(mt_hid_t base, unsigned rank, const uint64_t *sizes);
int H5Tget_array_ndims(mt_hid_t type);
int H5Tget_array_dims2(mt_hid_t type, uint64_t *sizes);
size_t H5Tget_ebias(mt_hid_t type);
int H5Tget_order(mt_hid_t type);
mt_hid_t H5Rdereference2(mt_hid_t place, mt_hid_t access, int kind, const void *reference);
ssize_t H5Iget_name(mt_hid_t id, char *name, size_t size);
int H5Tset_size(mt_hid_t type, size_t size);
int H5Tset_cset(mt_hid_t type, int set);
int H5Tset_fields(mt_hid_t type, size_t sign, size_t exponent, size_t exponentSize, size_t mantissa, size_t mantissaSize);
int H5Tset_ebias(mt_hid_t type, size_t bias);
int H5Tget_sign(mt_hid_t type);
int H5Tis_variable_str(mt_hid_t type);
int H5Tget_strpad(mt_hid_t type);
mt_hid_t H5Pcreate(mt_hid_t class);
int H5Pset_fapl_core(mt_hid_t list, size_t increment, bool keeps);
int H5Pset_file_image(mt_hid_t list, void *image, size_t size);
int H5Pset_chunk(mt_hid_t list, int rank, const uint64_t *sizes);
int H5Pset_deflate(mt_hid_t list, unsigned level);
int H5Pset_shuffle(mt_hid_t list);
int H5Pset_create_intermediate_group(mt_hid_t list, unsigned on);
int H5Pget_layout(mt_hid_t list);
int H5Pget_nfilters(mt_hid_t list);
int H5Pget_filter2(mt_hid_t list, unsigned n, unsigned *flags, size_t *count, unsigned *values, size_t length, char *name,
                   unsigned *config);
int H5Zfilter_avail(int filter);
mt_hid_t H5Acreate2(mt_hid_t object, const char *name, mt_hid_t type, mt_hid_t space, mt_hid_t creation, mt_hid_t access);
mt_hid_t H5Aopen(mt_hid_t object, const char *name, mt_hid_t access);
int H5Aexists(mt_hid_t object, const char *name);
int H5Adelete(mt_hid_t object, const char *name);
int H5Arename(mt_hid_t object, const char *from, const char *to);
int H5Aread(mt_hid_t attribute, mt_hid_t type, void *buffer);
int H5Awrite(mt_hid_t attribute, mt_hid_t type, const void *buffer);
mt_hid_t H5Aget_space(mt_hid_t attribute);
mt_hid_t H5Aget_type(mt_hid_t attribute);
ssize_t H5Aget_name_by_idx(mt_hid_t object, const char *name, int index, int order, uint64_t n, char *text, size_t size, mt_hid_t access);
extern mt_hid_t H5P_CLS_DATASET_CREATE_ID_g, H5P_CLS_LINK_CREATE_ID_g, H5P_CLS_FILE_ACCESS_ID_g;
extern mt_hid_t H5T_C_S1_g, H5T_STD_U8LE_g, H5T_STD_I8LE_g, H5T_STD_I16LE_g, H5T_STD_I32LE_g, H5T_STD_I64LE_g, H5T_STD_U16LE_g,
  H5T_STD_U32LE_g, H5T_STD_U64LE_g, H5T_IEEE_F32LE_g, H5T_IEEE_F64LE_g;
extern mt_hid_t H5T_NATIVE_UINT8_g, H5T_NATIVE_INT8_g, H5T_NATIVE_INT16_g, H5T_NATIVE_INT32_g, H5T_NATIVE_INT64_g, H5T_NATIVE_UINT16_g,
  H5T_NATIVE_UINT32_g, H5T_NATIVE_UINT64_g, H5T_NATIVE_FLOAT_g, H5T_NATIVE_DOUBLE_g;
void *mt_open_memstream(char **text, size_t *size) asm("open_memstream");
int mt_fclose(void *stream) asm("fclose");
void mt_free(void *memory) asm("free");
]]

local library = {}

local opened

--- The library.
-- @treturn cdata its functions
-- @raise if libhdf5 is missing or older than 1.10
function library.open()
  if opened then return opened end
  local found = kept.system('hdf5', 'hdf5')
  local version = ffi.new 'unsigned[3]'
  found.H5get_libversion(version, version + 1, version + 2)
  if version[0] == 1 and version[1] < 10 then
    error(('hdf5: libhdf5 %d.%d.%d, expected 1.10 or newer'):format(version[0], version[1], version[2]), 0)
  end
  found.H5open()
  opened = found
  return found
end

local noErrors = ffi.cast('void *', 0)

-- The library's innermost message about its last failure.
local function reason()
  local text, size = ffi.new 'char *[1]', ffi.new 'size_t[1]'
  local stream = ffi.C.mt_open_memstream(text, size)
  if stream == nil then return 'no reason given' end
  opened.H5Eprint2(0, stream)
  ffi.C.mt_fclose(stream)
  local whole = ffi.string(text[0], size[0])
  ffi.C.mt_free(text[0])
  opened.H5Eclear2(0)
  local last
  for words in whole:gmatch '#%d+: [^\n]- in [^\n]-%(%): ([^\n]+)' do last = words end
  return last or 'no reason given'
end

--- Calls one of the library's functions. Turns off its printing of errors first, since each thread has a separate switch.
-- @string name of the function, without H5
-- @param ... its arguments
-- @return its result if that is not negative; otherwise nil
-- @treturn ?string the reason of the failure
function library.try(name, ...)
  local H = library.open()
  H.H5Eset_auto2(0, noErrors, noErrors)
  local result = H['H5' .. name](...)
  if result < 0 then return nil, reason() end
  return result
end

--- Like `try`, but raises an error on failure: the words, a colon, the library's reason.
-- @string words name of the failed operation
-- @string name of the function, without H5
-- @param ... its arguments
function library.call(words, name, ...)
  local result, why = library.try(name, ...)
  if result == nil then error(('%s: %s'):format(words, why), 0) end
  return result
end

local depth, unreachable = 0, {}      -- nesting of operations; ids whose handles were collected during one

local function release(id)
  if opened.H5Iis_valid(id) > 0 then opened.H5Idec_ref(id) end
end

local handle = ffi.metatype('mt_hdf5_handle', {
  __gc = function(self)
    if self.id < 0 then return end
    if depth > 0 then unreachable[#unreachable + 1] = self.id else release(self.id) end
  end,
})

local function leave(good, ...)
  depth = depth - 1
  if depth == 0 then
    for i = #unreachable, 1, -1 do
      release(unreachable[i])
      unreachable[i] = nil
    end
  end
  if not good then error((...), 0) end
  return ...
end

local function enter(f, ...)
  depth = depth + 1
  return leave(pcall(f, ...))
end

--- Like `check.call`, for functions that use handles. The collector may find a handle unreachable after its last use, while the library
-- still works with its id; so it releases no handle until the outermost operation has ended.
-- @tparam function f must not call functions of a program
-- @param ... its arguments
-- @return its results
function library.operation(f, ...) return check.call(enter, f, ...) end

--- A handle of the library that the garbage collector releases.
-- @tparam cdata id from a function that opens or creates an object
-- @treturn cdata with the field `id`
function library.own(id) return handle(id) end

--- Releases a handle now; does nothing for a released one.
-- @tparam cdata owned from `own`
function library.close(owned)
  if owned.id >= 0 then
    release(owned.id)
    owned.id = -1
  end
end

return library
