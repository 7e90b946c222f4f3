-- examples/freestanding: a model in a C program. With MT_BUILD_MODELS=1 (some minutes) the library has no threads, files and environment.
local files, shell = require 'spec.support.files', require 'spec.support.shell'
local th = require('spec.support.program').path
local preset = os.getenv 'MT_PRESET' or 'release'

describe('examples/freestanding', function()
  local folder
  local function succeed(command)
    local output, status = shell((command:gsub('DIR', folder)))
    assert.equal(0, status, output)
    return output
  end
  local compile = 'cc -std=c99 -Wall -Wextra -Werror examples/freestanding/sine.c -IDIR -Iengine/include -o DIR/sine '
  local function check(output)
    local count = 0
    for x, y in output:gmatch '(%S+) (%-?%d+%.%d+)\n' do
      assert.near(math.sin(x), tonumber(y), 0.05)
      count = count + 1
    end
    assert.equal(9, count, output)
    local bytes = tonumber(output:match '(%d+) bytes for tensors\n$')
    assert.is_true(bytes > 0 and bytes <= 65536, output)
  end
  setup(function()
    folder = files.folder()
    succeed(th .. ' examples/freestanding/sine.lua DIR')
  end)
  teardown(function() os.execute('rm -rf ' .. folder) end)

  it('computes the sine', function()
    local sanitizer = ({ asan = '-fsanitize=address,undefined', tsan = '-fsanitize=thread' })[preset] or ''
    succeed((compile .. '-Lbuild/PRESET/lib -lmoontorch -Wl,-rpath,"$PWD/build/PRESET/lib" ' .. sanitizer):gsub('PRESET', preset))
    check(succeed 'DIR/sine')
  end)

  it('has the same bytes in both files', function()
    local bytes = {}
    for number in files.read(folder .. '/sine.h'):gmatch '%d+' do bytes[#bytes + 1] = string.char(number) end
    assert.equal(files.read(folder .. '/sine.onnx'), table.concat(bytes))
  end)

  it('builds without functions of an operating system', function()
    if not os.getenv 'MT_BUILD_MODELS' then return pending 'MT_BUILD_MODELS is not set' end
    succeed 'bin/minimal DIR/sine.onnx --freestanding --output DIR/small'
    succeed(compile .. 'DIR/small/libmoontorch.a -lstdc++ -lm -Wl,--gc-sections')
    check(succeed 'DIR/sine')
    local of = { 'pthread_', 'sched_', 'sem_', 'open', 'fopen', 'close', 'read', 'write', 'f?stat', 'mmap', 'madvise', 'sysconf', 'getenv',
                 'environ', 'dl', 'fork', 'posix_', 'clock_', 'gettimeofday', 'nanosleep', 'syscall' }
    for _, library in ipairs { 'small/libmoontorch.a', 'small/libmoontorch.so' } do
      local needed = succeed(('nm %s --undefined-only DIR/%s'):format(library:find 'so$' and '-D' or '', library))
      assert.matches(' memcpy', needed)
      for name in needed:gmatch ' [Uwv] ([%w_]+)' do
        for _, start in ipairs(of) do assert.is_nil(name:match('^_*' .. start), name) end
        for _, part in ipairs { 'filesystem', 'random_device', '6thread', 'chrono' } do assert.is_nil(name:find(part, 1, true), name) end
      end
    end
  end)

  it('says what it lacks', function()
    if not os.getenv 'MT_BUILD_MODELS' then return pending 'MT_BUILD_MODELS is not set' end
    files.write(folder .. '/lacks.c', [[
      #include <moontorch/arena.h>
      #include <stdio.h>
      static char memory[1 << 16];
      static void run(void* context, int32_t count, void (*task)(void* job, int32_t i), void* job) {
        for (int32_t i = 0; context == NULL && i < count; ++i) task(job, i);
      }
      #define SHOW(call) printf("%d %s\n", (int)call, mt_error_message())
      int main(void) {
        const int64_t sizes[1] = {4}, many[1] = {100000};
        const mt_threads threads = {sizeof threads, run, NULL};
        mt_tensor *x = NULL, *y = NULL;
        mt_onnx* m = NULL;
        mt_graph* g = NULL;
        mt_arena* arena = NULL;
        SHOW(mt_tensor_create(MT_FLOAT32, 1, sizes, &x));
        if (mt_arena_create(memory, sizeof memory, &arena) || mt_arena_use(arena)) return 1;
        if (mt_tensor_create(MT_FLOAT32, 1, sizes, &x)) return 2;
        SHOW(mt_tensor_create(MT_FLOAT32, 1, many, &y));
        SHOW(mt_onnx_load("sine.onnx", &m));
        SHOW(mt_graph_load("net.mtg", &g));
        SHOW(mt_device_load("device.so"));
        SHOW(mt_ops_load("ops.so"));
        SHOW(mt_set_threads(&threads));
        printf("%d %d\n", (int)mt_set_num_threads(4), (int)mt_num_threads());
        mt_tensor_release(x);
        return 0;
      }]])
    succeed 'cc -std=c99 -Wall DIR/lacks.c -Iengine/include DIR/small/libmoontorch.a -lstdc++ -lm -Wl,--gc-sections -o DIR/lacks'
    local lacks = 'not in this build (MT_FREESTANDING)'
    assert.equal(([[
4 out of memory: 80 bytes were asked for, 0 are in use
4 out of memory: 400064 bytes were asked for, 320 are in use
5 mt_onnx_load: files: LACKS
5 mt_graph_load: files: LACKS
5 mt_device_load: libraries: LACKS
5 mt_ops_load: libraries: LACKS
5 mt_set_threads: threads: LACKS
0 1
]]):gsub('LACKS', lacks), (succeed 'DIR/lacks'))
  end)
end)
