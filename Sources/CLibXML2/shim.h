// The part of libxml2 that the stream parser uses.
#ifndef CLIBXML2_SHIM_H
#define CLIBXML2_SHIM_H
#include <libxml/xmlversion.h>
// Keeps the system's ICU headers out: Foundation brings another version of them, and a module that holds both does not
// build under the sanitizers. Only libxml2's converters use them, and the parser takes nothing but UTF-8.
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#endif
