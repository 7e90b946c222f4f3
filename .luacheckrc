std = "luajit"
max_line_length = 140
self = false
-- Derivative rules all take (g, y, inputs...), whether they need them or not.
files["lua/autograd/rules/*.lua"] = { ignore = { "212" } }
files["spec/**/*.lua"] = { std = "+busted" }
