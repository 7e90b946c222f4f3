// Line editing by libedit's native interface: its readline interface would install signal handlers.
#include "line_editor.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#ifdef MT_WITH_EDIT
#include <histedit.h>

#include <algorithm>
#include <clocale>
#include <cstring>
#include <deque>
#include <optional>
#endif

namespace th {
namespace {

LineEnd read_plain(const std::string& prompt, std::string& line) {
  std::fputs(prompt.c_str(), stdout);
  std::fflush(stdout);
  line.clear();
  errno = 0;
  for (int c; (c = std::getc(stdin)) != EOF;) {
    if (c == '\n') return LineEnd::line;
    line.push_back(static_cast<char>(c));
  }
  if (errno == EINTR) {
    std::clearerr(stdin);
    std::fputc('\n', stdout);
    return LineEnd::interrupt;
  }
  return line.empty() ? LineEnd::end_of_input : LineEnd::line;
}

#ifdef MT_WITH_EDIT

class Editor {
 public:
  static Editor& instance() {
    static Editor editor;
    return editor;
  }

  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  LineEnd read(const std::string& prompt, std::string& line) {
    if (!pasted_.empty()) return read_pasted(prompt, line);
    prompt_ = prompt;
    interrupted_ = false;
    if (!begun_.empty()) el_push(edit_, begun_.c_str());
    begun_.clear();
    int length = 0;
    mark_pastes(true);
    const char* text = el_gets(edit_, &length);
    mark_pastes(false);
    if (interrupted_) return LineEnd::interrupt;
    if (!text || length <= 0) return LineEnd::end_of_input;
    line.assign(text, static_cast<size_t>(length));
    if (line.back() == '\n') line.pop_back();
    return LineEnd::line;
  }

  void add(const std::string& entry) {
    HistEvent event;
    history(history_, &event, H_ENTER, entry.c_str());
  }

  bool has_pasted() const { return !pasted_.empty() || !begun_.empty(); }

  void complete_with(Completer completer) { completer_ = std::move(completer); }

 private:
  Editor() {
    // For characters of several bytes; the decimal point of numbers doesn't change. In the C locale, which containers often have, libedit
    // would drop lines with such characters.
    std::setlocale(LC_CTYPE, "");
    if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
    HistEvent event;
    history_ = history_init();
    history(history_, &event, H_SETSIZE, 10000);
    history(history_, &event, H_SETUNIQUE, 1);
    edit_ = el_init("lua", stdin, stdout, stderr);
    el_set(edit_, EL_CLIENTDATA, this);
    el_set(edit_, EL_PROMPT, &Editor::show_prompt);
    el_set(edit_, EL_SIGNAL, 0);
    el_set(edit_, EL_EDITOR, "emacs");
    el_set(edit_, EL_HIST, history, history_);
    el_set(edit_, EL_ADDFN, "th-complete", "completes a name", &Editor::complete);
    el_set(edit_, EL_ADDFN, "th-interrupt", "gives the line up", &Editor::interrupt);
    el_set(edit_, EL_ADDFN, "th-paste", "takes what is pasted", &Editor::paste);
    el_set(edit_, EL_ADDFN, "th-suspend", "stops the program until the shell continues it", &Editor::suspend);
    el_set(edit_, EL_SETTY, "-d", "-isig", nullptr);  // Ctrl-C and Ctrl-Z are keys while a line is edited
    for (const auto& [key, command] : {std::pair{"\t", "th-complete"},
                                       {"^C", "th-interrupt"},
                                       {"^Z", "th-suspend"},
                                       {"^R", "em-inc-search-prev"},
                                       {"\\e[200~", "th-paste"},
                                       {"\\e[3~", "ed-delete-next-char"},
                                       {"\\e[1~", "ed-move-to-beg"},
                                       {"\\e[4~", "ed-move-to-end"},
                                       {"\\e[1;5C", "em-next-word"},
                                       {"\\e[1;5D", "ed-prev-word"}}) {
      el_set(edit_, EL_BIND, key, command, nullptr);
    }
    el_source(edit_, nullptr);  // the user's ~/.editrc
    // libedit's command prompt ends the process at an unbalanced quote.
    el_set(edit_, EL_BIND, "\\ex", "ed-unassigned", nullptr);
    el_set(edit_, EL_BIND, "-a", ":", "ed-unassigned", nullptr);
  }

  ~Editor() {
    el_end(edit_);
    history_end(history_);
  }

  static Editor& of(EditLine* edit) {
    void* self = nullptr;
    el_get(edit, EL_CLIENTDATA, &self);
    return *static_cast<Editor*>(self);
  }

  static char* show_prompt(EditLine* edit) { return of(edit).prompt_.data(); }

  static unsigned char interrupt(EditLine* edit, int) {
    of(edit).interrupted_ = true;
    of(edit).begun_.clear();
    std::fputs("^C\n", stdout);
    return CC_EOF;
  }

  /// Switches the terminal's bracketed paste mode, which is on while a line is edited.
  static void mark_pastes(bool on) {
    const char* terminal = std::getenv("TERM");
    if (!terminal || std::strcmp(terminal, "dumb") == 0 || !isatty(STDOUT_FILENO)) return;
    std::fputs(on ? "\033[?2004h" : "\033[?2004l", stdout);
    std::fflush(stdout);
  }

  /// Reads pasted text up to the end mark, after the editor has read the start mark. Returns nothing after Ctrl-C, in case the mark was
  /// lost.
  static std::optional<std::string> read_paste() {
    static constexpr char kEnd[] = "\033[201~", kInterrupt = '\003';
    std::string text;
    char c;
    while (read_byte(c)) {
      if (c == kInterrupt) return std::nullopt;
      text.push_back(c);
      if (text.size() >= sizeof kEnd - 1 && text.compare(text.size() - (sizeof kEnd - 1), sizeof kEnd - 1, kEnd) == 0) {
        text.resize(text.size() - (sizeof kEnd - 1));
        break;
      }
    }
    return text;
  }

  static bool read_byte(char& c) {
    ssize_t got;
    do got = ::read(STDIN_FILENO, &c, 1);
    while (got < 0 && errno == EINTR);
    return got == 1;
  }

  /// Inserts one pasted line at the cursor. Of several lines, the first one completes the edited line, and the next reads return the others
  /// unedited; a last line without a line end becomes the beginning of the next edited line.
  static unsigned char paste(EditLine* edit, int) {
    Editor& self = of(edit);
    const std::optional<std::string> pasted = read_paste();
    if (!pasted) return interrupt(edit, 0);
    const std::string& text = *pasted;
    std::string line;
    std::deque<std::string> lines;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\r' && text[i] != '\n') {
        line.push_back(text[i]);
        continue;
      }
      if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') ++i;
      lines.push_back(std::move(line));
      line.clear();
    }
    if (lines.empty()) return insert(edit, line);
    insert(edit, lines.front());
    lines.pop_front();
    self.pasted_ = std::move(lines);
    self.begun_ = quoted(std::move(line));
    el_push(edit, "\n");
    return CC_REFRESH;
  }

  /// Text to read as keys, with TABs quoted by Ctrl-V.
  static std::string quoted(std::string text) {
    for (size_t at = 0; (at = text.find('\t', at)) != std::string::npos; at += 2) text.insert(at, 1, '\026');
    return text;
  }

  static unsigned char insert(EditLine* edit, const std::string& text) {
    if (!text.empty() && el_insertstr(edit, text.c_str()) != 0) return CC_ERROR;
    return CC_REFRESH;
  }

  LineEnd read_pasted(const std::string& prompt, std::string& line) {
    line = std::move(pasted_.front());
    pasted_.pop_front();
    std::printf("%s%s\n", prompt.c_str(), line.c_str());
    return LineEnd::line;
  }

  static unsigned char suspend(EditLine* edit, int) {
    el_set(edit, EL_PREP_TERM, 0);
    raise(SIGTSTP);
    el_set(edit, EL_PREP_TERM, 1);
    return CC_REDISPLAY;
  }

  static unsigned char complete(EditLine* edit, int) {
    if (is_pasted()) return el_insertstr(edit, "  ") == 0 ? CC_REFRESH : CC_ERROR;
    Editor& self = of(edit);
    if (!self.completer_) return CC_ERROR;
    const LineInfo* info = el_line(edit);
    const Completion found = self.completer_(std::string(info->buffer, info->cursor));
    if (!found.insert.empty()) el_insertstr(edit, found.insert.c_str());
    if (!found.candidates.empty()) {
      list(found.candidates);
      return CC_REDISPLAY;
    }
    return found.insert.empty() ? CC_REFRESH_BEEP : CC_REFRESH;
  }

  /// Whether more input than a second TAB follows a TAB: then it is part of pasted text, and no request for completion.
  static bool is_pasted() {
    int waiting = 0;
    return ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting > 1;
  }

  /// Prints names in as many columns as fit.
  static void list(const std::vector<std::string>& names) {
    const int width = columns_of_terminal();
    size_t widest = 0;
    for (const std::string& name : names) widest = std::max(widest, name.size() + 2);
    const size_t columns = std::max<size_t>(1, static_cast<size_t>(width > 0 ? width : 80) / widest);
    std::fputc('\n', stdout);
    for (size_t i = 0; i < names.size(); ++i) {
      std::printf("%-*s", static_cast<int>(widest), names[i].c_str());
      if ((i + 1) % columns == 0 || i + 1 == names.size()) std::fputc('\n', stdout);
    }
    std::fflush(stdout);
  }

  EditLine* edit_;
  History* history_;
  std::string prompt_;
  std::deque<std::string> pasted_;  // lines to read next
  std::string begun_;               // pasted text after them, without a line end
  Completer completer_;
  bool interrupted_ = false;
};

#endif

}  // namespace

int columns_of_terminal() {
  winsize size{};
  return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

#ifdef MT_WITH_EDIT

bool has_pasted() { return isatty(STDIN_FILENO) && Editor::instance().has_pasted(); }

LineEnd read_line(const std::string& prompt, std::string& line) {
  if (!isatty(STDIN_FILENO)) return read_plain(prompt, line);
  std::fflush(stdout);
  return Editor::instance().read(prompt, line);
}

void add_history(const std::string& entry) {
  if (isatty(STDIN_FILENO)) Editor::instance().add(entry);
}

void set_completer(Completer completer) { Editor::instance().complete_with(std::move(completer)); }

#else

bool has_pasted() { return false; }

LineEnd read_line(const std::string& prompt, std::string& line) { return read_plain(prompt, line); }

void add_history(const std::string&) {}

void set_completer(Completer) {}

#endif

}  // namespace th
