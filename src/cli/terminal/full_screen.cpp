// Draws with ncurses. Signal handlers write the escape sequences that ncurses would write at its end.
#include "cli/terminal/full_screen.h"

#include <unistd.h>

#include "core/error.h"
#include "messages/cli.h"

#ifdef CUDALAB_HAS_CURSES
#define NCURSES_NOMACROS
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <termios.h>

#include <clocale>
#include <csignal>
#include <cstdlib>

#include "cli/terminal/interrupt.h"
#endif

namespace cudalab::cli {

#ifndef CUDALAB_HAS_CURSES

FullScreen::FullScreen(const Console&, bool colour, const std::string& instead) : colour_(colour) {
  throw unavailable_error(msg::screen_without_ncurses(instead));
}
FullScreen::~FullScreen() = default;
report::ScreenSize FullScreen::size() const { return {}; }
void FullScreen::draw(const std::vector<report::ScreenLine>&) {}
int FullScreen::read_key() { return 'q'; }

#else

namespace {

using report::ScreenTone;

// The appearance of each tone, with ncurses colour numbers. Bank tones follow kBank.
struct Look {
  ScreenTone tone;
  short colour;  // -1: the terminal's own
  attr_t with_colour, without;
};
constexpr Look kLooks[]{
    {ScreenTone::kPlain, -1, A_NORMAL, A_NORMAL},
    {ScreenTone::kTitle, -1, A_BOLD, A_BOLD},
    {ScreenTone::kCurrent, COLOR_YELLOW, A_REVERSE, A_REVERSE},
    {ScreenTone::kFaint, -1, A_DIM, A_NORMAL},
    {ScreenTone::kGood, COLOR_GREEN, A_NORMAL, A_NORMAL},
    {ScreenTone::kBad, COLOR_RED, A_BOLD, A_BOLD},
};
constexpr short kBankColours[report::kBankTones]{COLOR_CYAN,    COLOR_GREEN, COLOR_YELLOW,
                                                 COLOR_MAGENTA, COLOR_BLUE,  COLOR_RED};

short pair_of(ScreenTone tone) { return static_cast<short>(static_cast<int>(tone) + 1); }

void define_colours() {
  start_color();
  use_default_colors();
  for (const Look& look : kLooks) init_pair(pair_of(look.tone), look.colour, -1);
  for (int bank = 0; bank < report::kBankTones; ++bank)
    init_pair(pair_of(static_cast<ScreenTone>(static_cast<int>(ScreenTone::kBank) + bank)),
              kBankColours[bank], -1);
}

void use_look(ScreenTone tone, bool colour) {
  attr_t attributes = A_NORMAL;
  for (const Look& look : kLooks)
    if (look.tone == tone) attributes = colour ? look.with_colour : look.without;
  attr_set(attributes, colour ? pair_of(tone) : static_cast<short>(0), nullptr);
}

std::string capability(const char* name) {
  const char* text = tigetstr(const_cast<char*>(name));
  return text && text != reinterpret_cast<const char*>(-1) ? text : "";
}

// Handles crashes and Ctrl-\: restores the terminal, then the signal takes its default action.
void die(int signal_number) {
  restore_terminal_now();
  raise(signal_number);
}

constexpr int kCrashes[]{SIGQUIT, SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};

void handle(int signal_number, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal_number, &action, nullptr);
}

// Uses the terminal's locale if it is a multi-byte one, else UTF-8. Only LC_CTYPE changes, so numbers keep
// their format.
void use_utf8() {
  if (!std::setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
}

struct KeyName {
  int curses;
  SpecialKey key;
};
constexpr KeyName kKeyNames[]{
    {KEY_UP, kKeyUp},        {KEY_DOWN, kKeyDown},           {KEY_LEFT, kKeyLeft},   {KEY_RIGHT, kKeyRight},
    {KEY_PPAGE, kKeyPageUp}, {KEY_NPAGE, kKeyPageDown},      {KEY_HOME, kKeyHome},   {KEY_END, kKeyEnd},
    {KEY_ENTER, kKeyEnter},  {KEY_BACKSPACE, kKeyBackspace}, {KEY_RESIZE, kKeyNone},
};
struct CharacterName {
  wint_t character;
  SpecialKey key;
};
constexpr CharacterName kCharacterNames[]{
    {'\n', kKeyEnter}, {'\r', kKeyEnter}, {0x7f, kKeyBackspace}, {'\b', kKeyBackspace}, {0x1b, kKeyEscape}};

}  // namespace

FullScreen::FullScreen(const Console& console, bool colour, const std::string& instead) : colour_(colour) {
  if (!console.out_is_terminal || !isatty(STDIN_FILENO) || !console.obeys_escapes)
    throw unavailable_error(msg::screen_needs_terminal(instead));
  termios before{};
  tcgetattr(STDIN_FILENO, &before);
  use_utf8();
  setenv("ESCDELAY", "25", 0);  // wait for the rest of an arrow key's escape sequence, in milliseconds
  if (!newterm(nullptr, stdout, stdin)) throw unavailable_error(msg::screen_terminal_unknown(instead));
  restore_screen_on_signals(
      before, capability("sgr0") + capability("cnorm") + capability("rmkx") + capability("rmcup"));
  for (const int signal_number : kCrashes) handle(signal_number, die, SA_RESETHAND | SA_NODEFER);
  cbreak();
  noecho();
  keypad(stdscr, true);
  curs_set(0);
  colour_ = colour_ && has_colors();
  if (colour_) define_colours();
}

FullScreen::~FullScreen() {
  endwin();
  for (const int signal_number : kCrashes) handle(signal_number, SIG_DFL, 0);
}

report::ScreenSize FullScreen::size() const {
  return {static_cast<std::size_t>(getmaxx(stdscr)), static_cast<std::size_t>(getmaxy(stdscr))};
}

void FullScreen::draw(const std::vector<report::ScreenLine>& lines) {
  erase();
  for (std::size_t row = 0; row < lines.size(); ++row) {
    ::move(static_cast<int>(row), 0);
    for (const report::ScreenSpan& span : lines[row]) {
      use_look(span.tone, colour_);
      addstr(span.text.c_str());
    }
  }
  attr_set(A_NORMAL, 0, nullptr);
  ::refresh();
}

int FullScreen::read_key() {
  wint_t key = 0;
  const int kind = get_wch(&key);
  if (kind == ERR) return isatty(STDIN_FILENO) ? int{kKeyNone} : int{'q'};
  if (kind == KEY_CODE_YES) {
    for (const KeyName& each : kKeyNames)
      if (each.curses == static_cast<int>(key)) return each.key;
    return kKeyNone;
  }
  for (const CharacterName& each : kCharacterNames)
    if (each.character == key) return each.key;
  return static_cast<int>(key);
}

#endif

}  // namespace cudalab::cli
