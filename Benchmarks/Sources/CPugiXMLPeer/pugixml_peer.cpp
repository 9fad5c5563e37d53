// pugixml as its documentation recommends it: documents from memory, and XPath that is compiled before.

#include "pugixml_peer.h"

#include <iterator>
#include <pugixml.hpp>
#include <string>

using pugi::xml_document;
using pugi::xml_node;

namespace {

struct Query {
    pugi::xpath_variable_set variables;
    pugi::xpath_query query;
};

xml_node stanza(void *document) { return static_cast<xml_document *>(document)->document_element().first_child(); }

struct StringWriter : pugi::xml_writer {
    std::string text;

    void write(const void *bytes, size_t count) override { text.append(static_cast<const char *>(bytes), count); }
};

const char *print(xml_node node, size_t *count) {
    static StringWriter writer;
    writer.text.clear();
    node.print(writer, "", pugi::format_raw | pugi::format_no_declaration, pugi::encoding_utf8);
    *count = writer.text.size();
    return writer.text.c_str();
}

xml_node add_child(xml_node parent, const char *name, const char *uri) {
    xml_node child = parent.append_child(name);
    child.append_attribute("xmlns").set_value(uri);
    return child;
}

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

const char *pugixml_stanza_write(void *document, size_t *count) { return print(stanza(document), count); }

const char *pugixml_message_build(const char *identifier, const char *origin, size_t *count) {
    xml_document document;
    xml_node message = add_child(document, "message", "jabber:client");
    message.append_attribute("type").set_value("chat");
    message.append_attribute("to").set_value("romeo@example.net/orchard");
    message.append_attribute("id").set_value(identifier);
    message.append_child("body").text().set("Wherefore art thou, Romeo?");
    add_child(message, "active", "http://jabber.org/protocol/chatstates");
    add_child(message, "request", "urn:xmpp:receipts");
    add_child(message, "origin-id", "urn:xmpp:sid:0").append_attribute("id").set_value(origin);
    return count ? print(message, count) : "";
}

size_t pugixml_children_build(size_t count) {
    xml_document document;
    xml_node root = document.append_child("r");
    for (size_t i = 0; i < count; i++) root.append_child("a").append_attribute("b").set_value("c");
    return (size_t)std::distance(root.begin(), root.end());
}

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
