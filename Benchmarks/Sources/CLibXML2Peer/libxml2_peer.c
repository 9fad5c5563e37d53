// libxml2 as its documentation recommends it: SAX2 push, documents, and XPath that is compiled before.

#include "libxml2_peer.h"

#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

// What the corpus' queries name. XPath has no default namespace, so each needs a prefix.
static const char *const namespaces[][2] = {
    {"c", "jabber:client"},
    {"stanzas", "urn:ietf:params:xml:ns:xmpp-stanzas"},
    {"disco", "http://jabber.org/protocol/disco#info"},
    {"pubsub", "http://jabber.org/protocol/pubsub"},
    {"delay", "urn:xmpp:delay"},
    {"jingle", "urn:xmpp:jingle:1"},
    {"x", "jabber:x:data"},
};

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

size_t libxml2_document_elements(void *document) {
    size_t count = 0;
    xmlNodePtr root = xmlDocGetRootElement(document), node = root;
    while (node) {
        if (node->type == XML_ELEMENT_NODE) count++;
        if (node->children && node->type == XML_ELEMENT_NODE) {
            node = node->children;
            continue;
        }
        while (node != root && !node->next) node = node->parent;
        node = node == root ? NULL : node->next;
    }
    return count;
}

void *libxml2_xpath_context(const char *node_argument) {
    xmlXPathContextPtr context = xmlXPathNewContext(NULL);
    for (size_t i = 0; i < sizeof namespaces / sizeof *namespaces; i++)
        xmlXPathRegisterNs(context, BAD_CAST namespaces[i][0], BAD_CAST namespaces[i][1]);
    xmlXPathContextSetCache(context, 1, -1, 0);
    libxml2_xpath_bind(context, node_argument);
    return context;
}

void libxml2_xpath_bind(void *context, const char *node_argument) {
    xmlXPathRegisterVariable(context, BAD_CAST "node", xmlXPathNewCString(node_argument));
}

void *libxml2_xpath_compile(const char *expression) { return xmlXPathCompile(BAD_CAST expression); }

void libxml2_xpath_free(void *expression) { xmlXPathFreeCompExpr(expression); }

static void move_to(xmlXPathContextPtr context, xmlDocPtr document) {
    context->doc = document;
    context->node = xmlFirstElementChild(xmlDocGetRootElement(document));
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
    const xmlChar **namespaces, int attribute_count, int defaulted, const xmlChar **attributes) {}
static void end_element(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {}
static void characters(void *user, const xmlChar *text, int length) {}

int libxml2_sax_parse(const char *bytes, size_t count, size_t chunk) {
    xmlSAXHandler handler = {0};
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = start_element;
    handler.endElementNs = end_element;
    handler.characters = characters;
    handler.ignorableWhitespace = characters;
    xmlParserCtxtPtr parser = xmlCreatePushParserCtxt(&handler, NULL, NULL, 0, NULL);
    xmlCtxtUseOptions(parser, XML_PARSE_NOENT | XML_PARSE_NONET | XML_PARSE_HUGE);
    for (size_t i = 0; i < count; i += chunk) {
        size_t length = count - i < chunk ? count - i : chunk;
        xmlParseChunk(parser, bytes + i, (int)length, 0);
    }
    xmlParseChunk(parser, NULL, 0, 1);
    int well_formed = parser->wellFormed;
    xmlFreeParserCtxt(parser);
    return well_formed;
}
