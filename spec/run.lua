-- Runs busted in the LuaJIT that runs this file: `build/release/bin/th spec/run.lua spec/torch`.
require 'busted.runner' { standalone = false }
