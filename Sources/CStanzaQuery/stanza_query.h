/* The stanza query language for C, and for languages that call C: compile a query once, and run it on XML elements.
 *
 * Link with libstanzaquery (`swift build -c release --product stanzaquery`). You can call every function with NULL for a
 * handle: it then does nothing, or gives a STANZA_ERROR_USE. No input ends the program, whatever its bytes are.
 *
 * Text is UTF-8 with its length. Returned text also ends in a zero byte, which is not counted. Queries and elements do
 * not change, and any thread may use them at the same time. A parser, and the results of one evaluation, belong to one
 * thread at a time. Free each object that a function named `..._create`, `..._compile`,
 * `..._compile_with_options`, `..._parse`, `..._copy`, `stanza_find` or `stanza_find_first` returns once, with the
 * function of its type, in any order.
 *
 * If a function takes `stanza_error **error`, pass NULL to ignore errors. Otherwise the function sets `*error` to the
 * error, which you free, or to NULL.
 */
#ifndef STANZA_QUERY_H
#define STANZA_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. Each addition increments it. A library with the same number has everything in this
 * header. */
#define STANZA_INTERFACE_VERSION 3
int32_t stanza_interface_version(void);

typedef struct stanza_query stanza_query;
typedef struct stanza_element stanza_element;
typedef struct stanza_parser stanza_parser;
typedef struct stanza_results stanza_results;
typedef struct stanza_error stanza_error;

/* Bytes and their number. `bytes` may be NULL if `length` is 0. */
typedef struct {
    const char *bytes;
    size_t length;
} stanza_text;

/* MARK: Errors */

/* The text of a query is wrong. */
#define STANZA_ERROR_QUERY 1
/* A query could not be evaluated: the arguments do not fit, or a regular expression took too long. */
#define STANZA_ERROR_EVALUATION 2
/* The input is not XML, or exceeds a limit. */
#define STANZA_ERROR_XML 3
/* A function was called with a missing handle, an unknown number, or text that is not UTF-8. */
#define STANZA_ERROR_USE 4

int32_t stanza_error_kind(const stanza_error *error);
/* A stable name: for queries the kind of error, such as "syntax" or "arguments"; for XML the stream error's condition,
 * such as "not-well-formed"; for STANZA_ERROR_USE always "use". */
stanza_text stanza_error_name(const stanza_error *error);
/* The mistake, its place, the expected text and the repair, in one or several lines. */
stanza_text stanza_error_message(const stanza_error *error);
/* Its place, in bytes of the query's text, or of all input of the parser. An XML error has no length: its end is its
 * start. A STANZA_ERROR_USE has no place: both are 0. */
size_t stanza_error_start(const stanza_error *error);
size_t stanza_error_end(const stanza_error *error);
void stanza_error_free(stanza_error *error);

/* MARK: Elements */

/* Reads one element. `default_namespace` is the default namespace around it; NULL for none. */
stanza_element *stanza_element_parse(
    const char *xml, size_t length, const char *default_namespace, stanza_error **error);
/* Another handle to the same element, which lives until you free it. Costs next to nothing. */
stanza_element *stanza_element_copy(const stanza_element *element);
/* The element as XML. Free it with stanza_string_free. NULL for NULL. `length` may be NULL. */
char *stanza_element_xml(const stanza_element *element, size_t *length);
void stanza_element_free(stanza_element *element);
void stanza_string_free(char *string);

/* MARK: Streams */

/* The kind of input: an XMPP stream, whose stanzas are delivered as they end; one document; or elements one after
 * another, without a common root, in the namespace jabber:client. */
#define STANZA_PARSER_STREAM 1
#define STANZA_PARSER_DOCUMENT 2
#define STANZA_PARSER_FRAGMENTS 3

/* The parser needs more input; after stanza_parser_finish, it has no further events. */
#define STANZA_EVENT_NONE 0
/* A stream's start tag: an element without content. */
#define STANZA_EVENT_STREAM_START 1
/* A stanza, a document's root, or a fragment. */
#define STANZA_EVENT_ELEMENT 2
#define STANZA_EVENT_STREAM_END 3
/* A well-formed stanza or fragment exceeds a limit, or a stanza of a stream breaks Namespaces in XML, and the parser skips
 * it. `*error` has the reason and its place; `*element` is NULL. Streams and fragments continue after it. */
#define STANZA_EVENT_REJECTED 4
/* The input has a mistake, which `*error` describes. Fragments continue in the next line; streams and documents have
 * ended. */
#define STANZA_EVENT_ERROR (-1)

/* NULL for an unknown mode. */
stanza_parser *stanza_parser_create(int32_t mode);
/* Gives the parser bytes, in pieces of any size. If the pointer is missing, or the length is larger than any memory, the
 * parser gets nothing, and the next call of stanza_parser_next gives a STANZA_ERROR_USE: the input lacks these bytes. */
void stanza_parser_feed(stanza_parser *parser, const char *bytes, size_t length);
/* Ends the input. */
void stanza_parser_finish(stanza_parser *parser);
/* Returns the next event. Sets `*element` to an element, which you free, or to NULL. Sets `*error` with
 * STANZA_EVENT_ERROR and STANZA_EVENT_REJECTED. */
int32_t stanza_parser_next(stanza_parser *parser, stanza_element **element, stanza_error **error);
/* Begins a new input, as after STARTTLS. */
void stanza_parser_reset(stanza_parser *parser);
void stanza_parser_free(stanza_parser *parser);

/* MARK: Queries */

/* The type of a query's results. */
#define STANZA_VALUE_ELEMENT 1
#define STANZA_VALUE_STRING 2
#define STANZA_VALUE_ATTRIBUTES 3
#define STANZA_VALUE_BOOL 4
#define STANZA_VALUE_INT 5
#define STANZA_VALUE_UINT 6
#define STANZA_VALUE_DOUBLE 7
#define STANZA_VALUE_DATETIME 8
#define STANZA_VALUE_BASE64 9
#define STANZA_VALUE_UUID 10
#define STANZA_VALUE_FORM 11
#define STANZA_VALUE_FIELD 12

/* Options of compiling a query, added with `|`; 0 for none. */
/* Filters ignore case, by simple case folding. */
#define STANZA_OPTION_CASE_INSENSITIVE_FILTERS 1
/* |bool, |int, |uint, |double and |base64 give no result for a text that is not entirely such a value. */
#define STANZA_OPTION_STRICT_CONVERSIONS 2

/* Compiles a query; NULL if its text is wrong. Linear in its length. */
stanza_query *stanza_query_compile(const char *text, size_t length, stanza_error **error);
/* Compiles a query with options. An unknown option is a STANZA_ERROR_USE. Since version 3. */
stanza_query *stanza_query_compile_with_options(
    const char *text, size_t length, uint32_t options, stanza_error **error);
/* One of STANZA_VALUE_..., the same for all results; 0 for NULL. */
int32_t stanza_query_result_kind(const stanza_query *query);
/* The number of arguments that an evaluation takes. */
size_t stanza_query_argument_count(const stanza_query *query);
void stanza_query_free(stanza_query *query);

/* MARK: Evaluation */

/* The kinds of a stanza_argument: each selects a member of its value. */
#define STANZA_ARGUMENT_TEXT 1
#define STANZA_ARGUMENT_INTEGER 2
#define STANZA_ARGUMENT_UNSIGNED 3
#define STANZA_ARGUMENT_FLOATING 4
#define STANZA_ARGUMENT_BOOLEAN 5

/* An argument for a specifier such as %@ in the query. It is never read as a part of the query. */
typedef struct {
    int32_t kind;
    union {
        stanza_text text;
        /* INTEGER; for BOOLEAN 0 is false. */
        int64_t integer;
        uint64_t unsigned_integer;
        double floating;
    } value;
} stanza_argument;

/* Whether the query has a result: 1 or 0; -1 for an error. `arguments` may be NULL if `count` is 0. */
int32_t stanza_check(
    const stanza_query *query, const stanza_element *element, const stanza_argument *arguments, size_t count,
    stanza_error **error);
/* All results in document order, or only the first; NULL for an error. */
stanza_results *stanza_find(
    const stanza_query *query, const stanza_element *element, const stanza_argument *arguments, size_t count,
    stanza_error **error);
stanza_results *stanza_find_first(
    const stanza_query *query, const stanza_element *element, const stanza_argument *arguments, size_t count,
    stanza_error **error);

/* One result. Its pointers refer to memory of the results, which lives until the next call or until you free them. Keep
 * an element with stanza_element_copy. */
typedef struct {
    int32_t kind;
    /* ELEMENT; for FORM the form's element. For FIELD a new element with the field, not the form's own one; NULL if the
     * field cannot be written. */
    const stanza_element *element;
    /* STRING; the bytes for BASE64; the usual form for UUID. */
    stanza_text text;
    union {
        bool boolean;
        int64_t integer;
        uint64_t unsigned_integer;
        /* DOUBLE; seconds since 1970 for DATETIME. */
        double floating;
        /* ATTRIBUTES: their number, for stanza_results_attribute. */
        size_t count;
    } value;
} stanza_value;

/* The number of all results. */
size_t stanza_results_count(const stanza_results *results);
/* The next result; false after the last. */
bool stanza_results_next(stanza_results *results, stanza_value *value);
/* An attribute of the last result; false if the index is too large. The first is "xmlns" if the element has a
 * namespace. */
bool stanza_results_attribute(const stanza_results *results, size_t index, stanza_text *name, stanza_text *value);
void stanza_results_free(stanza_results *results);

#ifdef __cplusplus
}
#endif

#endif
