// libxml2, which the parser is compared with.
#ifndef CLIBXML2_SHIM_H
#define CLIBXML2_SHIM_H
#include <libxml/xmlversion.h>
// Keeps the system's ICU headers out: Foundation brings another version of them, and a module that holds both does not
// build under the sanitizers.
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#endif
