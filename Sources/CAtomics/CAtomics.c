#include "CAtomics.h"

uintptr_t stanza_query_cache, stanza_match_scratch;
