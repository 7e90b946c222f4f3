// Reading lines from a terminal: with editing, history and completion through libedit where it was built in.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace th {

struct Completion {
  std::string insert;                   // to be put at the cursor
  std::vector<std::string> candidates;  // to be shown, when there are any
};

/// Gives a completion for the text before the cursor. Must not throw.
using Completer = std::function<Completion(const std::string&)>;

enum class LineEnd { line, end_of_input, interrupt };

/// Reads a line into `line`, without its end. Plain input, unedited, when standard input is no terminal.
LineEnd read_line(const std::string& prompt, std::string& line);

/// Whether lines that were pasted wait to be read.
bool has_pasted();

/// Columns of the terminal that the output goes to; 0 where it is none, or does not say.
int columns_of_terminal();

void add_history(const std::string& entry);

void set_completer(Completer completer);

}  // namespace th
