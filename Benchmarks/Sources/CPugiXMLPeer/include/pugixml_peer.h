// pugixml as a peer: its tree, and precompiled XPath over it.
#ifndef PUGIXML_PEER_H
#define PUGIXML_PEER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the headers: 1130 is 1.13.
int pugixml_version(void);

/// Parses a document; NULL when pugixml refuses it.
void *pugixml_document_parse(const char *bytes, size_t count);
void pugixml_document_free(void *document);

// A document's stanza is the first child element of its root.

/// Writes a stanza into memory that the next call reuses. Sets `count` to its bytes.
const char *pugixml_stanza_write(void *document, size_t *count);

/// Builds the chat message of Suites/Trees.swift, and frees it. Returns its bytes, in memory that the next call reuses, if
/// `count` is not NULL.
const char *pugixml_message_build(const char *identifier, const char *origin, size_t *count);
/// Builds an element with `count` children, of one attribute each, and frees it. Returns their number.
size_t pugixml_children_build(size_t count);

/// `$node` is bound to the argument. NULL when the expression is wrong.
void *pugixml_xpath_compile(const char *expression, const char *node_argument);
void pugixml_xpath_free(void *query);
/// Evaluates a query on the first child of each document's root. Returns the number of these with a result, or the number
/// of all results.
size_t pugixml_xpath_check(void *query, void *const *documents, size_t count);
size_t pugixml_xpath_find(void *query, void *const *documents, size_t count);

#ifdef __cplusplus
}
#endif

#endif
