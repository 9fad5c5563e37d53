// expat as a peer: its streaming parser with namespaces, and handlers that do nothing.
#ifndef EXPAT_PEER_H
#define EXPAT_PEER_H

#include <stddef.h>

/// The version of the library.
const char *expat_version(void);

/// Feeds a document in pieces of at most `chunk` bytes. Returns whether it is well-formed.
int expat_parse(const char *bytes, size_t count, size_t chunk);

#endif
