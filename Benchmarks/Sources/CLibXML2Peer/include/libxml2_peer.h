// libxml2 as a peer: precompiled XPath over its trees, its streaming parser with empty handlers, its tree builder.
#ifndef LIBXML2_PEER_H
#define LIBXML2_PEER_H

#include <stddef.h>

/// The version of the headers.
const char *libxml2_version(void);

/// Parses a document into libxml2's tree; NULL when it is not well-formed.
void *libxml2_document_parse(const char *bytes, size_t count);
void libxml2_document_free(void *document);
/// The number of elements of a document.
size_t libxml2_document_elements(void *document);

/// A context that is kept for all evaluations, with the prefixes registered, the object cache on and `$node` bound.
void *libxml2_xpath_context(const char *node_argument);
/// Binds `$node`.
void libxml2_xpath_bind(void *context, const char *node_argument);
/// NULL when the expression is wrong.
void *libxml2_xpath_compile(const char *expression);
void libxml2_xpath_free(void *expression);
/// Evaluates an expression on the first child of each document's root: how many of them have a result,
/// and how many results there are in all.
size_t libxml2_xpath_check(void *context, void *expression, void *const *documents, size_t count);
size_t libxml2_xpath_find(void *context, void *expression, void *const *documents, size_t count);

/// Feeds a document to the SAX2 push parser in pieces of at most `chunk` bytes, with handlers that do nothing.
/// Whether it is well-formed.
int libxml2_sax_parse(const char *bytes, size_t count, size_t chunk);

#endif
