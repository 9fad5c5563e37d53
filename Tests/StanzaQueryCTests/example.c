/* Reads a stream in pieces, and prints who says what in it. */
#include <stanza_query.h>
#include <stdio.h>
#include <string.h>

static int fail(stanza_error *error) {
    stanza_text message = stanza_error_message(error);
    fprintf(stderr, "%.*s\n", (int)message.length, message.bytes);
    stanza_error_free(error);
    return 1;
}

int main(void) {
    static const char stream[] =
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"
        "<message from='romeo@example.net'><body>Art thou not Romeo?</body></message>"
        "<message from='juliet@example.com'><body>Neither, fair saint</body></message>";
    static const char text[] = "/message<from=%@>/body#";

    stanza_error *error;
    stanza_query *query = stanza_query_compile(text, strlen(text), &error);
    if (query == NULL) return fail(error);

    stanza_parser *parser = stanza_parser_create(STANZA_PARSER_STREAM);
    for (size_t start = 0; start < strlen(stream); start += 50) {
        size_t rest = strlen(stream) - start;
        stanza_parser_feed(parser, stream + start, rest < 50 ? rest : 50);

        stanza_element *element;
        int32_t event;
        while ((event = stanza_parser_next(parser, &element, &error)) != STANZA_EVENT_NONE) {
            if (event == STANZA_EVENT_ERROR) return fail(error);
            if (event == STANZA_EVENT_REJECTED) {
                /* The stanza is too large; others follow. */
                fail(error);
                continue;
            }
            stanza_argument juliet = {.kind = STANZA_ARGUMENT_TEXT, .value.text = {"juliet@example.com", 18}};
            stanza_results *results = stanza_find(query, element, &juliet, 1, &error);
            if (results == NULL) return fail(error);
            stanza_value value;
            while (stanza_results_next(results, &value)) {
                printf("%.*s\n", (int)value.text.length, value.text.bytes);
            }
            stanza_results_free(results);
            stanza_element_free(element);
        }
    }
    stanza_parser_free(parser);
    stanza_query_free(query);
    return 0;
}
