// The part of libedit that reads lines. Swift cannot call its variadic functions, so this file wraps each call.
#ifndef CEDIT_SHIM_H
#define CEDIT_SHIM_H
#include <stdio.h>
#include <wchar.h>
#include <histedit.h>

/// An editor on standard input and output; NULL without memory.
static inline EditLine *cedit_open(const char *program) { return el_init(program, stdin, stdout, stderr); }

/// Sets the object that receives the callbacks.
static inline void cedit_set_owner(EditLine *editor, void *owner) { el_wset(editor, EL_CLIENTDATA, owner); }

static inline void *cedit_owner(EditLine *editor) {
    void *owner = NULL;
    el_wget(editor, EL_CLIENTDATA, &owner);
    return owner;
}

static inline void cedit_set_prompt(EditLine *editor, wchar_t *(*prompt)(EditLine *)) {
    el_wset(editor, EL_PROMPT, prompt);
}

/// Sets the function that reads a character.
static inline void cedit_set_reader(EditLine *editor, int (*read)(EditLine *, wchar_t *)) {
    el_wset(editor, EL_GETCFN, read);
}

/// Binds Emacs's keys. The keys of signals become ordinary keys, and the tab key completes.
static inline void cedit_set_keys(EditLine *editor, unsigned char (*complete)(EditLine *, int)) {
    el_wset(editor, EL_EDITOR, L"emacs");
    el_wset(editor, EL_SIGNAL, 0);
    el_wset(editor, EL_SETTY, L"-d", L"-isig", NULL);
    el_wset(editor, EL_ADDFN, L"stanza-complete", L"Completes the text before the cursor", complete);
    el_wset(editor, EL_BIND, L"^I", L"stanza-complete", NULL);
    el_wset(editor, EL_BIND, L"^R", L"em-inc-search-prev", NULL);
}

/// Binds the tab key again if the user's own file chose vi's keys.
static inline void cedit_keep_completing(EditLine *editor) {
    const wchar_t *keys = NULL;
    if (el_wget(editor, EL_EDITOR, &keys) == 0 && keys != NULL && wcscmp(keys, L"vi") == 0)
        el_wset(editor, EL_BIND, L"^I", L"stanza-complete", NULL);
}

/// Sets the lines that the arrow keys offer, at most `count`.
static inline void cedit_set_history(EditLine *editor, HistoryW *history, int count) {
    HistEventW event;
    history_w(history, &event, H_SETSIZE, count);
    history_w(history, &event, H_SETUNIQUE, 1);
    el_wset(editor, EL_HIST, history_w, history);
}

static inline void cedit_remember(HistoryW *history, const wchar_t *line) {
    HistEventW event;
    history_w(history, &event, H_ENTER, line);
}

/// The columns of a character, as libedit counts them. Some C libraries declare it only when they are asked to.
int wcwidth(wchar_t character);
static inline int cedit_width(wchar_t character) { return wcwidth(character); }
#endif
