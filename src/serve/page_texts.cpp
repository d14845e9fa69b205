// The words of the page: keys, and the messages that they stand for. The page fills slots such as {line}.
#include "serve/page_texts.h"

#include "messages/serve.h"

namespace cudalab::serve {

std::vector<std::pair<std::string, std::string>> page_texts(const Wording& wording) {
  return {
      {"running", wording.say(msg::workbook_running())},
      {"running_for", wording.say(msg::workbook_running_for("{seconds}"))},
      {"cancel", wording.say(msg::workbook_cancel())},
      {"line", wording.say(msg::workbook_line("{line}"))},
      {"met", wording.say(msg::workbook_met())},
      {"missed", wording.say(msg::workbook_missed())},
      {"not_reached", wording.say(msg::workbook_not_reached())},
      {"passed", wording.say(msg::workbook_passed())},
      {"not_yet", wording.say(msg::workbook_not_yet())},
      {"printed", wording.say(msg::workbook_printed())},
      {"details", wording.say(msg::workbook_details())},
      {"own_tab", wording.say(msg::workbook_own_tab())},
      {"save_page", wording.say(msg::workbook_save_page())},
      {"command", wording.say(msg::workbook_command())},
      {"not_a_command", wording.say(msg::workbook_not_a_command())},
      {"run", wording.say(msg::workbook_run())},
      {"show_answer", wording.say(msg::workbook_show_answer())},
      {"questions", wording.say(msg::workbook_questions())},
      {"quiz", wording.say(msg::workbook_quiz())},
      {"mark_quiz", wording.say(msg::workbook_mark_quiz())},
      {"right", wording.say(msg::workbook_right())},
      {"wrong", wording.say(msg::workbook_wrong())},
      {"your_files", wording.say(msg::workbook_your_files())},
      {"course", wording.say(msg::workbook_course())},
      {"state_passed", wording.say(msg::workbook_state_passed())},
      {"state_solution", wording.say(msg::workbook_state_solution())},
      {"state_started", wording.say(msg::workbook_state_started())},
      {"state_new", wording.say(msg::workbook_state_new())},
      {"next", wording.say(msg::workbook_next())},
      {"skip", wording.say(msg::workbook_skip())},
      {"handout", wording.say(msg::workbook_handout())},
      {"work", wording.say(msg::workbook_work())},
      {"language", wording.say(msg::workbook_language())},
      {"parts", wording.say(msg::workbook_parts())},
      {"not_connected", wording.say(msg::workbook_not_connected())},
      {"editor", wording.say(msg::workbook_editor())},
      {"editor_help", wording.say(msg::workbook_editor_help())},
      {"commands", wording.say(msg::workbook_commands())},
      {"check", wording.say(msg::workbook_check())},
      {"hint", wording.say(msg::workbook_hint())},
      {"reset", wording.say(msg::workbook_reset())},
      {"solution", wording.say(msg::workbook_solution())},
      {"next_exercise", wording.say(msg::workbook_next_exercise("{name}"))},
      {"reset_question", wording.say(msg::workbook_reset_question())},
      {"give_up_question", wording.say(msg::workbook_give_up_question())},
      {"start", wording.say(msg::workbook_start())},
      {"hints", wording.say(msg::workbook_hints())},
      {"run_options", wording.say(msg::workbook_run_options())},
      {"before", wording.say(msg::workbook_before())},
      {"after", wording.say(msg::workbook_after())},
      {"compare", wording.say(msg::workbook_compare())},
      {"choose_exercise", wording.say(msg::workbook_choose_exercise())},
      {"not_saved", wording.say(msg::workbook_not_saved())},
      {"take_theirs", wording.say(msg::workbook_take_theirs())},
      {"keep_mine", wording.say(msg::workbook_keep_mine())},
  };
}

}  // namespace cudalab::serve
