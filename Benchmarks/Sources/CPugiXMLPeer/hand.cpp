// The ten queries as a C++ programmer would write them against pugixml's tree: what a query language competes with.
#include <cstring>
#include <pugixml.hpp>

#include "pugixml_peer.h"

using pugi::xml_document;
using pugi::xml_node;

namespace {

bool is(const char *value, const char *text) { return std::strcmp(value, text) == 0; }

bool has_namespace(xml_node node, const char *uri) { return is(node.attribute("xmlns").value(), uri); }

// Whether an element without a prefix has the namespace of its parent: it declares none.
bool inherits(xml_node node) { return !node.attribute("xmlns"); }

// Whether a child with that name, and that namespace unless it is null, passes a test.
template <typename Test>
bool any(xml_node parent, const char *name, const char *uri, Test test) {
    for (xml_node child = parent.child(name); child; child = child.next_sibling(name))
        if ((!uri || has_namespace(child, uri)) && test(child)) return true;
    return false;
}

bool has_text(xml_node node) { return node.child_value()[0] != 0; }

const char *const disco = "http://jabber.org/protocol/disco#info";
const char *const pubsub = "http://jabber.org/protocol/pubsub";

struct IsError {
    bool operator()(xml_node stanza) const { return is(stanza.attribute("type").value(), "error"); }
};

struct ItemNotFound {
    bool operator()(xml_node stanza) const {
        return any(stanza, "error", nullptr, [](xml_node error) {
            return any(error, "item-not-found", "urn:ietf:params:xml:ns:xmpp-stanzas", [](xml_node) { return true; });
        });
    }
};

struct Feature {
    bool operator()(xml_node stanza) const {
        return any(stanza, "query", disco, [](xml_node query) {
            return any(query, "feature", nullptr, [](xml_node feature) { return bool(feature.attribute("var")); });
        });
    }
};

struct Item {
    bool operator()(xml_node stanza) const {
        return any(stanza, "pubsub", pubsub, [](xml_node node) {
            return any(node, "items", nullptr, [](xml_node items) { return inherits(items) && items.child("item"); });
        });
    }
};

struct Body {
    bool operator()(xml_node stanza) const { return any(stanza, "body", nullptr, has_text); }
};

struct Stamp {
    bool operator()(xml_node stanza) const {
        return any(stanza, "delay", "urn:xmpp:delay", [](xml_node delay) { return bool(delay.attribute("stamp")); });
    }
};

struct Jingle {
    bool operator()(xml_node stanza) const {
        return any(stanza, "jingle", "urn:xmpp:jingle:1", [](xml_node jingle) {
            const char *action = jingle.attribute("action").value();
            return is(action, "session-initiate") || is(action, "session-accept");
        });
    }
};

struct Identifier {
    bool operator()(xml_node stanza) const { return bool(stanza.attribute("id")); }
};

struct ItemOfNode {
    const char *node;
    bool operator()(xml_node stanza) const {
        return any(stanza, "pubsub", pubsub, [this](xml_node element) {
            return any(element, "items", nullptr, [this](xml_node items) {
                return inherits(items) && is(items.attribute("node").value(), node)
                       && any(items, "item", nullptr, [](xml_node item) { return bool(item.attribute("id")); });
            });
        });
    }
};

struct MaximumSize {
    bool operator()(xml_node stanza) const {
        return any(stanza, "query", disco, [](xml_node query) {
            return any(query, "x", "jabber:x:data", [](xml_node form) {
                return is(form.attribute("type").value(), "result") && any(form, "field", nullptr, [](xml_node field) {
                    return is(field.attribute("var").value(), "max-file-size") && any(field, "value", nullptr, has_text);
                });
            });
        });
    }
};

template <typename Test>
size_t count_of(void *const *documents, size_t count, Test test) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += test(static_cast<xml_document *>(documents[i])->document_element().first_child());
    return found;
}

}  // namespace

size_t pugixml_hand_check(int query, const char *node_argument, void *const *documents, size_t count) {
    switch (query) {
    case 0: return count_of(documents, count, IsError());
    case 1: return count_of(documents, count, ItemNotFound());
    case 2: return count_of(documents, count, Feature());
    case 3: return count_of(documents, count, Item());
    case 4: return count_of(documents, count, Body());
    case 5: return count_of(documents, count, Stamp());
    case 6: return count_of(documents, count, Jingle());
    case 7: return count_of(documents, count, Identifier());
    case 8: return count_of(documents, count, ItemOfNode{node_argument});
    case 9: return count_of(documents, count, MaximumSize());
    default: return 0;
    }
}
