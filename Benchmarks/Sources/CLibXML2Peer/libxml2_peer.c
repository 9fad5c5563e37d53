// libxml2 as its documentation recommends it: SAX2 push, documents, and XPath that is compiled before.

#include "libxml2_peer.h"

#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

static void be_silent(void *context, const char *message, ...) {
    (void)context;
    (void)message;
}

const char *libxml2_version(void) { return LIBXML_DOTTED_VERSION; }

void *libxml2_document_parse(const char *bytes, size_t count) {
    // One context for all documents, so that they share a dictionary of names; small texts inside their nodes.
    static xmlParserCtxtPtr parser;
    if (!parser) {
        xmlSetGenericErrorFunc(NULL, be_silent);
        parser = xmlNewParserCtxt();
    }
    int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_COMPACT;
    return xmlCtxtReadMemory(parser, bytes, (int)count, NULL, NULL, options);
}

void libxml2_document_free(void *document) { xmlFreeDoc(document); }

static xmlNodePtr stanza_of(xmlDocPtr document) { return xmlFirstElementChild(xmlDocGetRootElement(document)); }

static xmlBufferPtr empty_buffer(void) {
    static xmlBufferPtr buffer;
    if (!buffer) buffer = xmlBufferCreate();
    xmlBufferEmpty(buffer);
    return buffer;
}

static const char *contents(xmlBufferPtr buffer, size_t *count) {
    *count = (size_t)xmlBufferLength(buffer);
    return (const char *)xmlBufferContent(buffer);
}

const char *libxml2_stanza_write(void *document, size_t *count) {
    xmlBufferPtr buffer = empty_buffer();
    xmlNodeDump(buffer, document, stanza_of(document), 0, 0);
    return contents(buffer, count);
}

static xmlNodePtr add_child(xmlNodePtr parent, const char *name, const char *uri) {
    xmlNodePtr child = xmlNewChild(parent, NULL, BAD_CAST name, NULL);
    xmlSetNs(child, xmlNewNs(child, BAD_CAST uri, NULL));
    return child;
}

const char *libxml2_message_build(const char *identifier, const char *origin, size_t *count) {
    xmlDocPtr document = xmlNewDoc(BAD_CAST "1.0");
    xmlNodePtr message = xmlNewDocNode(document, NULL, BAD_CAST "message", NULL);
    xmlDocSetRootElement(document, message);
    xmlSetNs(message, xmlNewNs(message, BAD_CAST "jabber:client", NULL));
    xmlNewProp(message, BAD_CAST "type", BAD_CAST "chat");
    xmlNewProp(message, BAD_CAST "to", BAD_CAST "romeo@example.net/orchard");
    xmlNewProp(message, BAD_CAST "id", BAD_CAST identifier);
    // Text children escape their text; a child without a namespace takes its parent's.
    xmlNewTextChild(message, NULL, BAD_CAST "body", BAD_CAST "Wherefore art thou, Romeo?");
    add_child(message, "active", "http://jabber.org/protocol/chatstates");
    add_child(message, "request", "urn:xmpp:receipts");
    xmlNewProp(add_child(message, "origin-id", "urn:xmpp:sid:0"), BAD_CAST "id", BAD_CAST origin);
    const char *bytes = "";
    if (count) {
        xmlBufferPtr buffer = empty_buffer();
        xmlNodeDump(buffer, document, message, 0, 0);
        bytes = contents(buffer, count);
    }
    xmlFreeDoc(document);
    return bytes;
}

size_t libxml2_children_build(size_t count) {
    xmlDocPtr document = xmlNewDoc(BAD_CAST "1.0");
    xmlNodePtr root = xmlNewDocNode(document, NULL, BAD_CAST "r", NULL);
    xmlDocSetRootElement(document, root);
    for (size_t i = 0; i < count; i++)
        xmlNewProp(xmlNewChild(root, NULL, BAD_CAST "a", NULL), BAD_CAST "b", BAD_CAST "c");
    size_t children = xmlChildElementCount(root);
    xmlFreeDoc(document);
    return children;
}

void libxml2_xpath_register(void *context, const char *prefix, const char *uri) {
    xmlXPathRegisterNs(context, BAD_CAST prefix, BAD_CAST uri);
}

void *libxml2_xpath_context(const char *node_argument) {
    xmlXPathContextPtr context = xmlXPathNewContext(NULL);
    xmlXPathContextSetCache(context, 1, -1, 0);
    xmlXPathRegisterVariable(context, BAD_CAST "node", xmlXPathNewCString(node_argument));
    return context;
}

void *libxml2_xpath_compile(const char *expression) { return xmlXPathCompile(BAD_CAST expression); }

void libxml2_xpath_free(void *expression) { xmlXPathFreeCompExpr(expression); }

static void move_to(xmlXPathContextPtr context, xmlDocPtr document) {
    context->doc = document;
    context->node = stanza_of(document);
}

size_t libxml2_xpath_check(void *context, void *expression, void *const *documents, size_t count) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        move_to(context, documents[i]);
        found += xmlXPathCompiledEvalToBoolean(expression, context) == 1;
    }
    return found;
}

size_t libxml2_xpath_find(void *context, void *expression, void *const *documents, size_t count) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        move_to(context, documents[i]);
        xmlXPathObjectPtr result = xmlXPathCompiledEval(expression, context);
        if (result && result->nodesetval) found += (size_t)result->nodesetval->nodeNr;
        xmlXPathFreeObject(result);
    }
    return found;
}

static void start_element(
    void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
    const xmlChar **namespaces, int attribute_count, int defaulted, const xmlChar **attributes) {
    ++*(size_t *)user;
}
static void end_element(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {}
static void characters(void *user, const xmlChar *text, int length) {}

size_t libxml2_sax_parse(const char *bytes, size_t count, size_t chunk) {
    size_t elements = 0;
    xmlSAXHandler handler = {0};
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = start_element;
    handler.endElementNs = end_element;
    handler.characters = characters;
    handler.ignorableWhitespace = characters;
    xmlParserCtxtPtr parser = xmlCreatePushParserCtxt(&handler, &elements, NULL, 0, NULL);
    xmlCtxtUseOptions(parser, XML_PARSE_NOENT | XML_PARSE_NONET | XML_PARSE_HUGE);
    for (size_t i = 0; i < count; i += chunk) {
        size_t length = count - i < chunk ? count - i : chunk;
        xmlParseChunk(parser, bytes + i, (int)length, 0);
    }
    xmlParseChunk(parser, NULL, 0, 1);
    int well_formed = parser->wellFormed;
    xmlFreeParserCtxt(parser);
    return well_formed ? elements : 0;
}
