// libxml2 as a peer: precompiled XPath over its trees, its streaming parser with empty handlers, its tree builder.
#ifndef LIBXML2_PEER_H
#define LIBXML2_PEER_H

#include <stddef.h>

/// The version of the headers.
const char *libxml2_version(void);

/// Parses a document into libxml2's tree; NULL when it is not well-formed.
void *libxml2_document_parse(const char *bytes, size_t count);
void libxml2_document_free(void *document);

// A document's stanza is the first child element of its root.

/// Writes a stanza into memory that the next call reuses. Sets `count` to its bytes.
const char *libxml2_stanza_write(void *document, size_t *count);

/// Builds the chat message of Suites/Trees.swift in a document with a root, and frees it. Returns its bytes, in memory
/// that the next call reuses, if `count` is not NULL.
const char *libxml2_message_build(const char *identifier, const char *origin, size_t *count);
/// Builds an element with `count` children, of one attribute each, and frees it. Returns their number.
size_t libxml2_children_build(size_t count);

/// A context that is kept for all evaluations, with the object cache on and `$node` bound.
void *libxml2_xpath_context(const char *node_argument);
/// Binds a prefix.
void libxml2_xpath_register(void *context, const char *prefix, const char *uri);
/// NULL when the expression is wrong.
void *libxml2_xpath_compile(const char *expression);
void libxml2_xpath_free(void *expression);
/// Evaluates an expression on the first child of each document's root. Returns the number of these with a result, or the
/// number of all results.
size_t libxml2_xpath_check(void *context, void *expression, void *const *documents, size_t count);
size_t libxml2_xpath_find(void *context, void *expression, void *const *documents, size_t count);

/// Feeds a document to the SAX2 push parser in pieces of at most `chunk` bytes, with handlers that only count elements.
/// Returns their number, or 0 if the document is not well-formed.
size_t libxml2_sax_parse(const char *bytes, size_t count, size_t chunk);

#endif
