/* Calls what example.c does not: mistakes as values, elements, and the ways to ask. Prints what comes of it. */
#include <stanza_query.h>
#include <stdio.h>
#include <string.h>

static void print_error(stanza_error *error) {
    stanza_text name = stanza_error_name(error);
    stanza_text message = stanza_error_message(error);
    size_t line = strcspn(message.bytes, "\n");
    printf(
        "%d %.*s %zu-%zu: %.*s\n", stanza_error_kind(error), (int)name.length, name.bytes, stanza_error_start(error),
        stanza_error_end(error), (int)(line < message.length ? line : message.length), message.bytes);
    stanza_error_free(error);
}

static stanza_query *compile(const char *text, stanza_error **error) {
    return stanza_query_compile(text, strlen(text), error);
}

int main(void) {
    stanza_error *error;
    printf("%d\n", stanza_interface_version() == STANZA_INTERFACE_VERSION);

    /* Mistakes. */
    if (compile("a@b|integer", &error) == NULL) print_error(error);
    if (compile("a@b|integer", NULL) == NULL) printf("no query\n");
    if (stanza_element_parse("<a></b>", 7, NULL, &error) == NULL) print_error(error);
    if (stanza_check(NULL, NULL, NULL, 0, &error) == -1) print_error(error);

    stanza_query *query = compile("item<k=%@>", &error);
    if (query == NULL || error != NULL) return 1;
    printf("%d %zu\n", stanza_query_result_kind(query), stanza_query_argument_count(query));

    /* An element outlives the one that it is a copy of. */
    static const char xml[] = "<a><item k='1' n='x'/><item k='2'/><item k='1'/></a>";
    stanza_element *parsed = stanza_element_parse(xml, strlen(xml), "urn:a", &error);
    if (parsed == NULL) return 1;
    stanza_element *element = stanza_element_copy(parsed);
    stanza_element_free(parsed);
    size_t length;
    char *text = stanza_element_xml(element, &length);
    printf("%s %d\n", text, strlen(text) == length);
    stanza_string_free(text);

    /* The ways to ask. */
    stanza_argument one = {.kind = STANZA_ARGUMENT_INTEGER, .value.integer = 1};
    stanza_argument three = {.kind = STANZA_ARGUMENT_TEXT, .value.text = {"3", 1}};
    printf("%d ", stanza_check(query, element, &three, 1, &error));
    if (stanza_find(query, element, NULL, 0, &error) == NULL) print_error(error);
    stanza_query_free(query);
    query = compile("item<k=%d>", NULL);
    printf("%d\n", stanza_check(query, element, &one, 1, &error));
    stanza_results *results = stanza_find(query, element, &one, 1, &error);
    stanza_results *first = stanza_find_first(query, element, &one, 1, &error);
    printf("%zu %zu\n", stanza_results_count(results), stanza_results_count(first));
    stanza_results_free(first);

    /* Options. */
    static const char upper[] = "item<n=X>";
    uint32_t options = STANZA_OPTION_CASE_INSENSITIVE_FILTERS | STANZA_OPTION_STRICT_CONVERSIONS;
    stanza_query *folding = stanza_query_compile_with_options(upper, strlen(upper), options, &error);
    printf("%d\n", stanza_check(folding, element, NULL, 0, NULL));
    stanza_query_free(folding);
    if (stanza_query_compile_with_options(upper, strlen(upper), 4, &error) == NULL) print_error(error);

    /* What a result points to lives as long as the results; a copy of it lives on. */
    stanza_value value;
    if (!stanza_results_next(results, &value) || value.kind != STANZA_VALUE_ELEMENT) return 1;
    stanza_element *item = stanza_element_copy(value.element);
    stanza_results_free(results);
    stanza_element_free(element);
    stanza_query_free(query);
    query = compile("/@@", NULL);
    results = stanza_find(query, item, NULL, 0, &error);
    if (!stanza_results_next(results, &value) || value.kind != STANZA_VALUE_ATTRIBUTES) return 1;
    stanza_text name, content;
    for (size_t index = 0; stanza_results_attribute(results, index, &name, &content); index++) {
        printf("%.*s=%.*s ", (int)name.length, name.bytes, (int)content.length, content.bytes);
    }
    printf("%zu %d\n", value.value.count, stanza_results_next(results, &value));
    stanza_results_free(results);
    stanza_element_free(item);
    stanza_query_free(query);
    return 0;
}
