--- The few libc calls that files need, with errors as values: result, or nil, the system's message and its code.
-- @module torch.file.libc
local ffi = require 'ffi'

ffi.cdef [[
int statx(int dirfd, const char *path, int flags, unsigned mask, void *out);
int open(const char *path, int flags, ...);
int close(int fd);
int fsync(int fd);
int sync_file_range(int fd, int64_t offset, int64_t n, unsigned flags);
int fchmod(int fd, unsigned mode);
int linkat(int fromFolder, const char *from, int toFolder, const char *to, int flags);
int rename(const char *from, const char *to);
int unlink(const char *path);
int getpid(void);
char *realpath(const char *path, char *resolved);
int64_t readlink(const char *path, char *to, size_t n);
char *strerror(int code);
int64_t read(int fd, void *to, size_t n);
int64_t write(int fd, const void *from, size_t n);
int64_t pread(int fd, void *to, size_t n, int64_t offset);
int64_t pwrite(int fd, const void *from, size_t n, int64_t offset);
void *malloc(size_t n);
void *realloc(void *p, size_t n);
void free(void *p);
void *memchr(const void *bytes, int byte, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *popen(const char *command, const char *mode);
int pclose(void *stream);
int fileno(void *stream);
double strtod(const char *text, char **end);
int64_t strtoll(const char *text, char **end, int base);
]]

-- The kernel's struct statx, the same on every architecture.
local statx = ffi.typeof [[struct {
  uint32_t mask, blksize; uint64_t attributes; uint32_t nlink, uid, gid; uint16_t mode, spare0;
  uint64_t ino, size, blocks, attributes_mask, rest[26];
}]]

local C, tonumber = ffi.C, tonumber
local interrupted, currentFolder, emptyPath, modeAndSize = 4, -100, 0x1000, 0x203
local followLinks, beginWriting = 0x400, 2
local writeOnly, readWrite, create, exclusive, truncate, closeOnExec = 0x1, 0x2, 0x40, 0x80, 0x200, 0x80000
local temporary = 0x400000 + (jit.arch == 'arm64' and 0x4000 or 0x10000)      -- O_TMPFILE holds O_DIRECTORY
local flags = { r = 0, w = writeOnly + create + truncate, rw = readWrite + create, new = writeOnly + create + exclusive,
                nameless = writeOnly + temporary }

local libc = {
  taken = 17,      -- the code of a name that there is already
}

local function failure()
  local code = ffi.errno()
  return nil, ffi.string(C.strerror(code)), code
end

local function result(code)
  if code ~= 0 then return failure() end
  return true
end

--- Opens a file. Modes: 'r'; 'w' empties it; 'rw' creates it if absent; 'new' fails if it exists;
-- 'nameless' makes a file without a name in the folder `path`.
-- @treturn ?int descriptor
-- @treturn ?string the system's message
function libc.open(path, mode)
  local fd
  repeat fd = C.open(path, flags[mode] + closeOnExec, ffi.new('unsigned', 438)) until fd >= 0 or ffi.errno() ~= interrupted   -- 438: 0666
  if fd < 0 then return failure() end
  return fd
end

--- Runs a shell command with a pipe to its input ('w') or output ('r').
-- @treturn ?int descriptor
-- @return a function that closes the pipe and waits for the command, or the system's message
function libc.openPipe(command, mode)
  local stream = C.popen(command, mode .. 'e')      -- e: other programs started do not inherit it
  if stream == nil then return failure() end
  return C.fileno(stream), function()
    C.pclose(stream)
    return true
  end
end

--- What a path or an open descriptor is.
-- @tparam string|int file
-- @treturn ?table permissions (int), size (bytes), regular (bool), directory (bool)
-- @treturn ?string the system's message
function libc.stat(file)
  local out = statx()
  local code
  if type(file) == 'number' then
    code = C.statx(file, '', emptyPath, modeAndSize, out)
  else
    code = C.statx(currentFolder, file, 0, modeAndSize, out)
  end
  if code ~= 0 then return failure() end
  local kind = bit.band(out.mode, 0xf000)
  return { permissions = bit.band(out.mode, 0xfff), size = tonumber(out.size), regular = kind == 0x8000, directory = kind == 0x4000 }
end

-- Repeats a transfer until `enough` of n bytes are through or the file ends.
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
  if offset then return C.pread(fd, p, n, offset) end
  return C.read(fd, p, n)
end

local function writeCall(fd, p, n, offset)
  if offset then return C.pwrite(fd, p, n, offset) end
  return C.write(fd, p, n)
end

--- Reads up to n bytes.
-- @int fd descriptor
-- @tparam cdata p `uint8_t *`
-- @int n bytes
-- @int[opt] offset where in the file; nil in a pipe or device
-- @treturn int bytes read, fewer than n at the end of the file or after an error
-- @treturn ?string the system's message after an error
function libc.read(fd, p, n, offset) return transfer(readCall, fd, p, n, offset, n) end

--- Like `read`, but content with what a pipe or terminal has at once, one byte or more.
function libc.readSome(fd, p, n, offset) return transfer(readCall, fd, p, n, offset, 1) end

--- Writes n bytes; parameters and results as for `read`.
function libc.write(fd, p, n, offset) return transfer(writeCall, fd, p, n, offset, n) end

function libc.close(fd) return result(C.close(fd)) end
function libc.sync(fd) return result(C.fsync(fd)) end
--- Has the system begin to bring bytes to the disk, without waiting; where it cannot, `sync` does it all.
function libc.beginSync(fd, offset, n) C.sync_file_range(fd, offset, n, beginWriting) end

function libc.setPermissions(fd, permissions) return result(C.fchmod(fd, permissions)) end
function libc.rename(from, to) return result(C.rename(from, to)) end
--- Gives an open file that has no name one; fails if the name is taken.
function libc.link(fd, path) return result(C.linkat(currentFolder, '/proc/self/fd/' .. fd, currentFolder, path, followLinks)) end

function libc.remove(path) return result(C.unlink(path)) end
function libc.pid() return C.getpid() end

--- The path with symbolic links resolved, or nil if there is no such file.
function libc.realpath(path)
  local resolved = C.realpath(path, nil)
  if resolved == nil then return nil end
  local text = ffi.string(resolved)
  C.free(resolved)
  return text
end

--- What a symbolic link says, or nil if the path is none.
function libc.readlink(path)
  local n = 4096                                                     -- the longest path there can be
  local text = ffi.new('char[?]', n)
  local length = tonumber(C.readlink(path, text, n))
  if length < 0 then return nil end
  return ffi.string(text, length)
end

--- A folder's entry is on the disk only when the folder is synchronised too; some file systems refuse, which is no error.
function libc.syncFolder(path)
  local fd = libc.open(path, 'r')
  if fd then
    C.fsync(fd)
    C.close(fd)
  end
end

return libc
