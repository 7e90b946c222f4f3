--- The libc functions that files need, with errors as values: result, or nil, the system's message and its code.
-- @module torch.file.libc
local ffi = require 'ffi'

-- Private names, here and in all other declarations, because programs may declare libc's functions with other types.
ffi.cdef [[
int mt_statx(int dirfd, const char *path, int flags, unsigned mask, void *out) asm("statx");
int mt_open(const char *path, int flags, ...) asm("open");
int mt_close(int fd) asm("close");
int mt_fsync(int fd) asm("fsync");
int mt_sync_file_range(int fd, int64_t offset, int64_t n, unsigned flags) asm("sync_file_range");
int mt_fchmod(int fd, unsigned mode) asm("fchmod");
int mt_fchown(int fd, unsigned user, unsigned group) asm("fchown");
int mt_linkat(int fromFolder, const char *from, int toFolder, const char *to, int flags) asm("linkat");
int mt_rename(const char *from, const char *to) asm("rename");
int mt_unlink(const char *path) asm("unlink");
int mt_getpid(void) asm("getpid");
char *mt_realpath(const char *path, char *resolved) asm("realpath");
int64_t mt_readlink(const char *path, char *to, size_t n) asm("readlink");
char *mt_strerror(int code) asm("strerror");
int64_t mt_read(int fd, void *to, size_t n) asm("read");
int64_t mt_write(int fd, const void *from, size_t n) asm("write");
int64_t mt_pread(int fd, void *to, size_t n, int64_t offset) asm("pread");
int64_t mt_pwrite(int fd, const void *from, size_t n, int64_t offset) asm("pwrite");
void *mt_malloc(size_t n) asm("malloc");
void *mt_realloc(void *p, size_t n) asm("realloc");
void mt_free(void *p) asm("free");
void *mt_memchr(const void *bytes, int byte, size_t n) asm("memchr");
void *mt_memmove(void *to, const void *from, size_t n) asm("memmove");
void *mt_popen(const char *command, const char *mode) asm("popen");
int mt_pclose(void *stream) asm("pclose");
int mt_fileno(void *stream) asm("fileno");
double mt_strtod(const char *text, char **end) asm("strtod");
int64_t mt_strtoll(const char *text, char **end, int base) asm("strtoll");
uint64_t mt_strtoull(const char *text, char **end, int base) asm("strtoull");
]]

-- The kernel's struct statx, the same on every architecture.
local statx = ffi.typeof [[struct {
  uint32_t mask, blksize; uint64_t attributes; uint32_t nlink, uid, gid; uint16_t mode, spare0;
  uint64_t ino, size, blocks, attributes_mask, rest[26];
}]]

local C, tonumber = ffi.C, tonumber
local interrupted, currentFolder, emptyPath, wantedFields = 4, -100, 0x1000, 0x21b
local followLinks, beginWriting = 0x400, 2
local writeOnly, readWrite, create, exclusive, truncate, closeOnExec = 0x1, 0x2, 0x40, 0x80, 0x200, 0x80000
local temporary = 0x400000 + (jit.arch == 'arm64' and 0x4000 or 0x10000)      -- O_TMPFILE includes O_DIRECTORY
local flags = { r = 0, w = writeOnly + create + truncate, rw = readWrite + create, new = writeOnly + create + exclusive,
                nameless = writeOnly + temporary }

-- The system would end a name at a zero byte.
local function isCut(path) return type(path) == 'string' and path:find '%z' ~= nil end
local function cutFailure() return nil, 'a zero byte is in the name', 22 end      -- EINVAL

local libc = {
  taken = 17,      -- the error code for an existing name
}

local function failure()
  local code = ffi.errno()
  return nil, ffi.string(C.mt_strerror(code)), code
end

local function result(code)
  if code ~= 0 then return failure() end
  return true
end

--- Opens a file. Modes: 'r'; 'w' empties it; 'rw' creates it if absent; 'new' fails if it exists;
-- 'nameless' creates a file without a name in the folder `path`.
-- @treturn ?int descriptor
-- @treturn ?string the system's message
function libc.open(path, mode)
  if isCut(path) then return cutFailure() end
  local fd
  local how, permissions = flags[mode] + closeOnExec, ffi.new('unsigned', 438)      -- 0666
  repeat fd = C.mt_open(path, how, permissions) until fd >= 0 or ffi.errno() ~= interrupted
  if fd < 0 then return failure() end
  return fd
end

--- Runs a shell command with a pipe to its input ('w') or output ('r').
-- @treturn ?int descriptor
-- @return a function that closes the pipe and waits for the command, or the system's message
function libc.openPipe(command, mode)
  if isCut(command) then return cutFailure() end
  local stream = C.mt_popen(command, mode .. 'e')      -- e: other child processes do not inherit it
  if stream == nil then return failure() end
  return C.mt_fileno(stream), function()
    C.mt_pclose(stream)
    return true
  end
end

--- Returns the attributes of a path or an open descriptor.
-- @tparam string|int file
-- @treturn ?table permissions (int), user (int), group (int), size (bytes), regular (bool), directory (bool)
-- @treturn ?string the system's message
function libc.stat(file)
  if isCut(file) then return cutFailure() end
  local out = statx()
  local code
  if type(file) == 'number' then
    code = C.mt_statx(file, '', emptyPath, wantedFields, out)
  else
    code = C.mt_statx(currentFolder, file, 0, wantedFields, out)
  end
  if code ~= 0 then return failure() end
  local kind = bit.band(out.mode, 0xf000)
  return {
    permissions = bit.band(out.mode, 0xfff), user = out.uid, group = out.gid, size = tonumber(out.size), regular = kind == 0x8000,
    directory = kind == 0x4000,
  }
end

-- Repeats a transfer until `enough` of n bytes are transferred or the file ends.
local function transfer(call, fd, p, n, offset, enough)
  local done = 0
  while done < enough do
    local count = tonumber(call(fd, p + done, n - done, offset and offset + done))
    if count == 0 then break end
    if count > 0 then
      done = done + count
    elseif ffi.errno() ~= interrupted then
      local _, message = failure()
      return done, message
    end
  end
  return done
end

local function readCall(fd, p, n, offset)
  if offset then return C.mt_pread(fd, p, n, offset) end
  return C.mt_read(fd, p, n)
end

local function writeCall(fd, p, n, offset)
  if offset then return C.mt_pwrite(fd, p, n, offset) end
  return C.mt_write(fd, p, n)
end

--- Reads up to n bytes.
-- @int fd descriptor
-- @tparam cdata p `uint8_t *`
-- @int n bytes
-- @int[opt] offset position in the file; nil for a pipe or device
-- @treturn int number of bytes read, fewer than n at the end of the file or after an error
-- @treturn ?string the system's message after an error
function libc.read(fd, p, n, offset) return transfer(readCall, fd, p, n, offset, n) end

--- Like `read`, but returns the bytes that a pipe or terminal has available, at least one.
function libc.readSome(fd, p, n, offset) return transfer(readCall, fd, p, n, offset, 1) end

--- Writes n bytes; parameters and results as for `read`.
function libc.write(fd, p, n, offset) return transfer(writeCall, fd, p, n, offset, n) end

function libc.close(fd) return result(C.mt_close(fd)) end
function libc.sync(fd) return result(C.mt_fsync(fd)) end
--- Lets the system start to write bytes to the disk, without waiting; if this is not supported, `sync` writes them all.
function libc.beginSync(fd, offset, n) C.mt_sync_file_range(fd, offset, n, beginWriting) end

--- Sets the owner of an open file to a user and a group; if only root may do that, to the group alone, if possible.
function libc.setOwner(fd, user, group)
  local nobody = ffi.cast('unsigned', -1)
  if C.mt_fchown(fd, user, group) ~= 0 then C.mt_fchown(fd, nobody, group) end
end

function libc.setPermissions(fd, permissions) return result(C.mt_fchmod(fd, permissions)) end
function libc.rename(from, to)
  if isCut(to) then return cutFailure() end
  return result(C.mt_rename(from, to))
end
--- Gives a name to an open file without one; fails if the name is taken.
function libc.link(fd, path)
  if isCut(path) then return cutFailure() end
  return result(C.mt_linkat(currentFolder, '/proc/self/fd/' .. fd, currentFolder, path, followLinks))
end

function libc.remove(path) return result(C.mt_unlink(path)) end
function libc.pid() return C.mt_getpid() end

--- Returns the path with symbolic links resolved, or nil if there is no such file.
function libc.realpath(path)
  if isCut(path) then return nil end
  local resolved = C.mt_realpath(path, nil)
  if resolved == nil then return nil end
  local text = ffi.string(resolved)
  C.mt_free(resolved)
  return text
end

--- Returns the target of a symbolic link, or nil if the path is not one.
function libc.readlink(path)
  if isCut(path) then return nil end
  local n = 4096                                                     -- the longest possible path
  local text = ffi.new('char[?]', n)
  local length = tonumber(C.mt_readlink(path, text, n))
  if length < 0 then return nil end
  return ffi.string(text, length)
end

--- Synchronises a folder: only then its entries are on the disk. Some file systems refuse, which is not an error.
function libc.syncFolder(path)
  local fd = libc.open(path, 'r')
  if fd then
    C.mt_fsync(fd)
    C.mt_close(fd)
  end
end

return libc
