#include "CAtomics.h"

uintptr_t stanza_words[2];
