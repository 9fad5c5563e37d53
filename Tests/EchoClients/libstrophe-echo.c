#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strophe.h>

static void say(xmpp_conn_t *bot, xmpp_stanza_t *message, const char *body)
{
    xmpp_stanza_t *reply = xmpp_message_new(xmpp_conn_get_context(bot), "chat", xmpp_stanza_get_from(message), NULL);
    xmpp_message_set_body(reply, body);
    xmpp_send(bot, reply);
    xmpp_stanza_release(reply);
}

static int answer(xmpp_conn_t *bot, xmpp_stanza_t *message, void *data)
{
    const char *type = xmpp_stanza_get_type(message);
    char *body = xmpp_message_get_body(message), number[16];
    int first, last;
    if (body && !(type && !strcmp(type, "error"))) {
        if (!strncmp(body, "ping ", 5)) say(bot, message, body);
        else if (sscanf(body, "send %d %d", &first, &last) == 2)
            for (; first <= last; first++) snprintf(number, sizeof number, "%d", first), say(bot, message, number);
    }
    if (body) xmpp_free(xmpp_conn_get_context(bot), body);
    return 1;
}

static void connected(xmpp_conn_t *bot, xmpp_conn_event_t event, int error, xmpp_stream_error_t *stream, void *data)
{
    if (event == XMPP_CONN_CONNECT) xmpp_handler_add(bot, answer, NULL, "message", NULL, NULL);
    else xmpp_stop(xmpp_conn_get_context(bot));
}

int main(void)
{
    xmpp_initialize();
    xmpp_ctx_t *context = xmpp_ctx_new(NULL, NULL);
    xmpp_sm_state_t *session = NULL;
    for (;;) {
        xmpp_conn_t *bot = xmpp_conn_new(context);
        xmpp_conn_set_flags(bot, XMPP_CONN_FLAG_MANDATORY_TLS | XMPP_CONN_FLAG_TRUST_TLS);
        xmpp_conn_set_jid(bot, getenv("XMPP_JID"));
        xmpp_conn_set_pass(bot, getenv("XMPP_PASSWORD"));
        if (session) xmpp_conn_set_sm_state(bot, session);
        xmpp_connect_client(bot, getenv("XMPP_HOST"), atoi(getenv("XMPP_PORT")), connected, NULL);
        xmpp_run(context);
        session = xmpp_conn_get_sm_state(bot);
        xmpp_conn_release(bot);
        for (int wait = 0; wait < 100; wait++) xmpp_run_once(context, 10);
    }
}
