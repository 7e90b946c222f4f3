std = "luajit"
max_line_length = 140
self = false
exclude_files = { "build" }
-- Derivative rules all take (g, y, inputs...), whether they need them or not.
files["lua/autograd/rules/*.lua"] = { ignore = { "212" } }
-- `not (x < y)` is true for NaN.
files["lua/cephes/*.lua"] = { ignore = { "581" } }
files["lua/distributions/torch7/*.lua"] = { ignore = { "581" } }
files["spec/**/*.lua"] = { std = "+busted" }
files["spec/nn/**/*_figures.lua"] = { max_line_length = false }
files["spec/torch/linalg/figures.lua"] = { max_line_length = false }
files["spec/trainer/events.lua"] = { max_line_length = false }
files["spec/distributions/figures.lua"] = { max_line_length = false }
files["spec/randomkit/figures.lua"] = { max_line_length = false }
files["spec/data/frame/operations_figures.lua"] = { max_line_length = false }
files["spec/text/*figures.lua"] = { max_line_length = false }
files["spec/zoo/generate_figures.lua"] = { max_line_length = false }
files["spec/vision/*figures.lua"] = { max_line_length = false }
files["spec/signal/several_dims_figures.lua"] = { max_line_length = false }
files["spec/torch/numpy_figures.lua"] = { max_line_length = false }
files["spec/torch/storage_dtypes_figures.lua"] = { max_line_length = false }
-- The interactive environment exists to define globals.
files["lua/trepl/*.lua"] = {
  globals = {
    "print", "require", "print_old", "print_new", "setprintlevel", "import", "who", "monitor_G", "help", "browse", "noColors", "repl", "arg", "_RESULTS", "_LAST",
  },
}
files["spec/parallel/*.lua"] = { std = "+busted", read_globals = { "parallel" } }
files["spec/threads/*.lua"] = { std = "+busted", read_globals = { "__threadid", "keptThere" } }
-- Programs in the style of their time make globals as they like, and name things twice.
files["spec/programs/*.lua"] = { std = "luajit+busted", global = false, redefined = false, unused = false }
files["spec/cuda/programs/*.lua"] = { std = "luajit+busted", global = false }
files['spec/torch/rows'] = { max_string_line_length = false }   -- a fact is a line
