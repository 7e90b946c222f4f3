// Line editing by libedit's own interface: its imitation of readline would install signal handlers behind our back.
#include "line_editor.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#ifdef MT_WITH_EDIT
#include <histedit.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <clocale>
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
    prompt_ = prompt;
    interrupted_ = false;
    int length = 0;
    const char* text = el_gets(edit_, &length);
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

  void complete_with(Completer completer) { completer_ = std::move(completer); }

 private:
  Editor() {
    // Characters of several bytes; numbers keep their point.
    std::setlocale(LC_CTYPE, "");
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
    el_set(edit_, EL_ADDFN, "th-suspend", "stops the program until the shell goes on with it", &Editor::suspend);
    el_set(edit_, EL_SETTY, "-d", "-isig", nullptr);  // Ctrl-C and Ctrl-Z are keys while a line is edited
    for (const auto& [key, command] : {std::pair{"\t", "th-complete"},
                                       {"^C", "th-interrupt"},
                                       {"^Z", "th-suspend"},
                                       {"^R", "em-inc-search-prev"},
                                       {"\\e[3~", "ed-delete-next-char"},
                                       {"\\e[1~", "ed-move-to-beg"},
                                       {"\\e[4~", "ed-move-to-end"},
                                       {"\\e[1;5C", "em-next-word"},
                                       {"\\e[1;5D", "ed-prev-word"}}) {
      el_set(edit_, EL_BIND, key, command, nullptr);
    }
    el_source(edit_, nullptr);  // the user's ~/.editrc
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
    std::fputs("^C\n", stdout);
    return CC_EOF;
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

  /// Whether more waits behind a TAB than a second one: then it is a blank of pasted text, and asks for nothing.
  static bool is_pasted() {
    int waiting = 0;
    return ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting > 1;
  }

  /// Shows names in columns, as many as 80 characters hold.
  static void list(const std::vector<std::string>& names) {
    size_t widest = 0;
    for (const std::string& name : names) widest = std::max(widest, name.size() + 2);
    const size_t columns = std::max<size_t>(1, 80 / widest);
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
  Completer completer_;
  bool interrupted_ = false;
};

#endif

}  // namespace

#ifdef MT_WITH_EDIT

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

LineEnd read_line(const std::string& prompt, std::string& line) { return read_plain(prompt, line); }

void add_history(const std::string&) {}

void set_completer(Completer) {}

#endif

}  // namespace th
