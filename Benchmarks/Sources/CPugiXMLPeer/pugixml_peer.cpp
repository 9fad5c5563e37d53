// pugixml as its documentation recommends it: documents from memory, and XPath that is compiled before.

#include "pugixml_peer.h"

#include <cstring>
#include <pugixml.hpp>

using pugi::xml_document;
using pugi::xml_node;

namespace {

struct Query {
    pugi::xpath_variable_set variables;
    pugi::xpath_query query;
};

xml_node stanza(void *document) { return static_cast<xml_document *>(document)->document_element().first_child(); }

}  // namespace

int pugixml_version(void) { return PUGIXML_VERSION; }

void *pugixml_document_parse(const char *bytes, size_t count) {
    auto *document = new xml_document;
    if (document->load_buffer(bytes, count, pugi::parse_default, pugi::encoding_utf8))
        return document;
    delete document;
    return nullptr;
}

void pugixml_document_free(void *document) { delete static_cast<xml_document *>(document); }

void *pugixml_xpath_compile(const char *expression, const char *node_argument) {
    auto *query = new Query;
    query->variables.set("node", node_argument);
    try {
        query->query = pugi::xpath_query(expression, &query->variables);
        return query;
    } catch (const pugi::xpath_exception &) {
        delete query;
        return nullptr;
    }
}

void pugixml_xpath_free(void *query) { delete static_cast<Query *>(query); }

size_t pugixml_xpath_check(void *query, void *const *documents, size_t count) {
    const auto &compiled = static_cast<Query *>(query)->query;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) found += bool(compiled.evaluate_node(stanza(documents[i])));
    return found;
}

size_t pugixml_xpath_find(void *query, void *const *documents, size_t count) {
    const auto &compiled = static_cast<Query *>(query)->query;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) found += compiled.evaluate_node_set(stanza(documents[i])).size();
    return found;
}
