-- The targets that CMake builds from a checkout without options, and from a checkout inside another project.
local files = require 'spec.support.files'
local shell = require 'spec.support.shell'

if (os.getenv 'MT_PRESET' or 'release') ~= 'release' then
  describe('the targets that CMake builds', function() pending('are those of a release, not of ' .. os.getenv 'MT_PRESET') end)
  return
end

local hasCMake = os.execute 'command -v cmake >/dev/null 2>&1' == 0
local hasNinja = os.execute 'command -v ninja >/dev/null 2>&1' == 0

local function temporaryFolder()
  local folder = shell 'mktemp -d':gsub('\n$', '')
  finally(function() os.execute(("rm -rf '%s'"):format(folder)) end)
  return folder
end

local function must(command)
  local output, status = shell(command)
  if status ~= 0 then error(command .. '\n' .. output, 2) end
  return output
end

describe('cmake without a preset', function()
  it('makes a release, as the preset does', function()
    if not hasCMake then return pending 'cmake is missing' end
    local folder = temporaryFolder()
    must(("cmake -S . -B '%s'"):format(folder))
    local cache = files.read(folder .. '/CMakeCache.txt')
    assert.matches('\nCMAKE_BUILD_TYPE:STRING=Release\n', cache)
    assert.matches('\nCMAKE_CXX_FLAGS_RELEASE:STRING=%-O2\n', cache)
    assert.matches('\nCMAKE_C_FLAGS_RELEASE:STRING=%-O2\n', cache)
  end)
end)

-- A project with a C program that links the library; ROOT is this checkout, INCLUSION how it gets there.
local project = [[
cmake_minimum_required(VERSION 3.25)
project(host LANGUAGES C CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
INCLUSION
add_executable(host host.c)
target_link_libraries(host PRIVATE Moontorch::moontorch)
add_library(ops MODULE ops.cpp)
target_link_libraries(ops PRIVATE Moontorch::headers)
message(STATUS "Lua files: ${Moontorch_LUA_DIR}")
message(STATUS "standard: <${CMAKE_CXX_STANDARD}>, type: <${CMAKE_BUILD_TYPE}>")
]]

local inclusions = {
  add_subdirectory = 'add_subdirectory(ROOT moontorch)',
  FetchContent = 'include(FetchContent)\nFetchContent_Declare(moontorch SOURCE_DIR ROOT)\nFetchContent_MakeAvailable(moontorch)',
}

for name, inclusion in pairs(inclusions) do
  describe('a project that has Moontorch by ' .. name, function()
    it('builds the library and its own targets, with its own options and folders', function()
      if not hasCMake or not hasNinja then return pending 'cmake or ninja is missing' end
      local root, folder = shell 'pwd':gsub('\n$', ''), temporaryFolder()
      files.write(folder .. '/CMakeLists.txt', (project:gsub('INCLUSION', inclusion):gsub('ROOT', root)))
      files.write(folder .. '/host.c', '#include <moontorch/moontorch.h>\nint main(void) { return mt_version() == 0; }\n')
      files.write(folder .. '/ops.cpp', '#include <moontorch/moontorch.h>\nint ops() { return mt_version() == nullptr; }\n')
      local configured = must(("cmake -G Ninja -S '%s' -B '%s/build' 2>&1"):format(folder, folder))
      assert.matches('Lua files: ' .. root .. '/lua\n', configured, 1, true)
      assert.matches('standard: <>, type: <>\n', configured, 1, true)

      local plan = must(("ninja -C '%s/build' -t commands all"):format(folder))
      assert.matches('libmoontorch%.so', plan)
      assert.is_nil(plan:find('/bin/th/', 1, true))
      assert.is_nil(plan:find('doctest', 1, true))
      assert.is_nil(plan:find('moontorch_cuda', 1, true))
      assert.is_nil(plan:find('moontorch_image', 1, true))
      local options = {}
      for line in plan:gmatch '[^\n]+' do
        local file = line:match ' %-c (%S+)$'
        if file then options[file:match '[^/]+/[^/]+$'] = line end
      end
      local host = options[folder:match '[^/]+$' .. '/host.c']
      assert.is_nil(host:find '%-fno%-math%-errno')
      assert.is_nil(host:find '%-std=')
      for _, option in ipairs { '-O2', '-fno-math-errno', '-std=c++20' } do
        assert.is_truthy(options['core/error.cpp']:find(' ' .. option .. ' ', 1, true), option)
      end

      -- One object of each side is enough: the source, and the path of the object.
      must(("ninja -C '%s/build' CMakeFiles/ops.dir/ops.cpp.o CMakeFiles/host.dir/host.c.o"):format(folder))
      local targets = must(("ninja -C '%s/build' -t targets all"):format(folder))
      assert.matches('\nhost: ', targets)
      assert.matches('moontorch[%w_/-]*/lib/libmoontorch%.so', targets)
      assert.is_nil(targets:find '\ninstall/package: ')
      assert.is_nil(targets:find '\nuninstall: ')
    end)
  end)
end
