// Lua states in separate threads run every op concurrently, on private tensors and on one that all of them read. Usage: lua_threads <folder
// of the sources> <folder of the library> [calls of each op in each state] Under the thread sanitizer (preset tsan) this program detects
// races.
#include <cstdio>
#include <cstdlib>
#include <lua.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int states = 4;

// Each state computes a result from fixed seeds; all four results must be equal. Then it calls all ops with random arguments, which return
// results or raise errors, while the states change their numbers of threads, and use and free each other's tensors.
constexpr const char* program = R"lua(
local number, calls, shared = ...
local torch = require 'torch'
local C = require 'libmoontorch'
local fuzz = require 'spec.support.fuzz'

local common = torch.pushudata(shared, 'torch.FloatTensor')
torch.setnumthreads(number % 3 + 1)
torch.manualSeed(7)
local function result()
  local a, b = torch.randn(64, 64), torch.rand(64, 64):float()
  local x = torch.randn(32, 32):requiresGrad()
  torch.sum(torch.tanh(x * x)):backward()
  local images = torch.randn(4, 3, 16, 16):float()
  local sorted = torch.sort(a:view(-1))
  local back = torch.deserialize(torch.serialize { a, { b } })
  return (a * a):sum() + b:std() + x.grad:sum() + sorted[17] + torch.cumsum(b, 2):max() + back[2][1]:sum()
    + torch.conv2d(images, torch.ones(5, 3, 3, 3):float()):sum() + torch.sum(common) + torch.randperm(1000)[1]
    + torch.add(common, 1):sum() + torch.zeros(200000):add(1):sum()
end
local first = result()

local names = C.opInfo()
table.sort(names)
for position, name in ipairs(names) do
  local pick, info = fuzz.generator(100 * number + position), C.opInfo(name)
  for _ = 1, calls do
    local list = fuzz.arguments(pick, info)
    if list.n > 1 and info.results <= 1 and pick(6) == 1 then list[2] = common end      -- where it can't be a result
    pcall(torch[name], unpack(list, 1, list.n))
  end
  if position % 40 == 0 then
    assert(torch.getnumthreads() == number % 3 + 1, 'another state changed the number of threads')
    collectgarbage()
  end
end

torch.setnumthreads(2)
torch.manualSeed(7)
local second = result()
assert(math.abs(first - second) <= 1e-9 * math.abs(first), 'the same program gave ' .. first .. ' and ' .. second)
return ('%.10g'):format(first)
)lua";

struct Outcome {
  bool good = false;
  std::string text;
};

void prepare(lua_State* L, const std::string& sources, const std::string& library) {
  luaL_openlibs(L);
  const std::string paths = "package.path = '" + sources + "/?.lua;" + sources + "/lua/?.lua;" + sources +
                            "/lua/?/init.lua;' .. package.path package.cpath = '" + library + "/?.so;' .. package.cpath";
  if (luaL_dostring(L, paths.c_str()) != 0) std::abort();
}

void run(int number, int calls, double shared, const std::string& sources, const std::string& library, Outcome& outcome) {
  lua_State* L = luaL_newstate();
  prepare(L, sources, library);
  outcome.good = luaL_loadstring(L, program) == 0;
  if (outcome.good) {
    lua_pushinteger(L, number);
    lua_pushinteger(L, calls);
    lua_pushnumber(L, shared);
    outcome.good = lua_pcall(L, 3, 1, 0) == 0;
  }
  const char* text = lua_tostring(L, -1);
  outcome.text = text != nullptr ? text : "an error that is no text";
  lua_close(L);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string sources = argv[1], library = argv[2];
  const int calls = argc > 3 ? std::atoi(argv[3]) : 8;
  lua_State* L = luaL_newstate();
  prepare(L, sources, library);
  // One reference for each state: pushudata takes ownership of it.
  const char* share =
      "require 'torch' local x = torch.FloatTensor(300, 200):fill(0.5) for i = 1, 4 do x:retain() end return torch.pointer(x)";
  if (luaL_dostring(L, share) != 0) {
    std::fprintf(stderr, "%s\n", lua_tostring(L, -1));
    return 1;
  }
  const double shared = lua_tonumber(L, -1);
  std::vector<Outcome> outcomes(states);
  std::vector<std::thread> threads;
  for (int i = 0; i < states; ++i)
    threads.emplace_back(run, i, calls, shared, std::cref(sources), std::cref(library), std::ref(outcomes[static_cast<size_t>(i)]));
  for (std::thread& thread : threads) thread.join();
  lua_close(L);
  int failures = 0;
  for (const Outcome& outcome : outcomes) {
    if (outcome.good && outcome.text == outcomes[0].text) continue;
    std::fprintf(stderr, "%s, where the first state gave %s\n", outcome.text.c_str(), outcomes[0].text.c_str());
    ++failures;
  }
  return failures == 0 ? 0 : 1;
}
