#include "expat_peer.h"

#include <expat.h>

static void start_element(void *data, const XML_Char *name, const XML_Char **attributes) {
    (void)data, (void)name, (void)attributes;
}

static void end_element(void *data, const XML_Char *name) { (void)data, (void)name; }

static void text(void *data, const XML_Char *text, int count) { (void)data, (void)text, (void)count; }

const char *expat_version(void) { return XML_ExpatVersion(); }

int expat_parse(const char *bytes, size_t count, size_t chunk) {
    XML_Parser parser = XML_ParserCreateNS(NULL, '\1');
    if (parser == NULL) return 0;
    XML_SetElementHandler(parser, start_element, end_element);
    XML_SetCharacterDataHandler(parser, text);
    int is_good = 1;
    for (size_t start = 0; start < count && is_good; start += chunk) {
        size_t length = count - start < chunk ? count - start : chunk;
        is_good = XML_Parse(parser, bytes + start, (int)length, start + length == count) == XML_STATUS_OK;
    }
    XML_ParserFree(parser);
    return is_good;
}
