// Real stanzas and a client's queries on them, against the real Prosody.

import Foundation
import StanzaQuery
import TestSupport
import Testing

extension AgainstProsody {
    @Suite struct CorpusComparisonTests {
        /// Queries in Prosody's language. Each is answered by some stanza of the recording.
        private static let queries = [
            // Any stanza
            "@type", "@id", "@from", "@to", "@xmlns", "@xml:lang", "#", "error@type", "error/@type", "error@by",
            "error/{urn:ietf:params:xml:ns:xmpp-stanzas}", "error/{urn:ietf:params:xml:ns:xmpp-stanzas}text#",
            "error/{urn:ietf:params:xml:ns:xmpp-stanzas}item-not-found", "{urn:xmpp:delay}delay@stamp",
            // Messages
            "body", "body#", "subject#", "thread#", "thread@parent", "{urn:xmpp:receipts}request",
            "{urn:xmpp:receipts}received@id", "{urn:xmpp:sid:0}stanza-id@id", "{urn:xmpp:sid:0}@id",
            "{urn:xmpp:sid:0}origin-id@id", "{http://jabber.org/protocol/chatstates}",
            "{http://jabber.org/protocol/chatstates}composing", "{urn:xmpp:message-correct:0}replace@id",
            "{urn:xmpp:reactions:0}reactions/reaction#", "{urn:xmpp:chat-markers:0}displayed@id",
            "{eu.siacs.conversations.axolotl}encrypted/header@sid",
            "{eu.siacs.conversations.axolotl}encrypted/header/key#", "{urn:xmpp:eme:0}encryption@namespace",
            "{urn:xmpp:carbons:2}/{urn:xmpp:forward:0}/{jabber:client}message/body#",
            "{urn:xmpp:carbons:2}received/{urn:xmpp:forward:0}forwarded/{jabber:client}message@from",
            "{urn:xmpp:carbons:2}sent/{urn:xmpp:forward:0}forwarded/{jabber:client}message/body#",
            "{urn:xmpp:mam:2}result@id",
            "{urn:xmpp:mam:2}result/{urn:xmpp:forward:0}forwarded/{urn:xmpp:delay}delay@stamp",
            "{urn:xmpp:mam:2}result/{urn:xmpp:forward:0}forwarded/{jabber:client}message/body#",
            // Presence and rooms
            "show#", "status#", "priority#", "{http://jabber.org/protocol/caps}c@ver", "{vcard-temp:x:update}x/photo#",
            "{http://jabber.org/protocol/muc#user}x/item@affiliation",
            "{http://jabber.org/protocol/muc#user}x/item/reason#",
            "{http://jabber.org/protocol/muc#user}x/status@code", "{http://jabber.org/protocol/muc#user}x/invite@from",
            "{urn:xmpp:occupant-id:0}occupant-id@id",
            "{http://jabber.org/protocol/muc#owner}query/{jabber:x:data}x/field@var",
            "{http://jabber.org/protocol/muc#owner}query/{jabber:x:data}x/title#",
            "{http://jabber.org/protocol/muc#admin}query/item@jid",
            // Requests and their answers
            "{jabber:iq:roster}query@ver", "{jabber:iq:roster}query/item@jid", "{jabber:iq:roster}query/item/group#",
            "{jabber:iq:version}query/version#", "{jabber:iq:last}query@seconds", "{urn:xmpp:time}time/utc#",
            "{http://jabber.org/protocol/disco#info}query/identity@name",
            "{http://jabber.org/protocol/disco#info}query/feature@var",
            "{http://jabber.org/protocol/disco#info}query/{jabber:x:data}x/field/value#",
            "{http://jabber.org/protocol/disco#items}query/item@jid", "{http://jabber.org/protocol/disco#items}/item",
            "{http://jabber.org/protocol/pubsub}pubsub/items@node",
            "{http://jabber.org/protocol/pubsub}pubsub/publish/item@id",
            "{http://jabber.org/protocol/pubsub}pubsub/items/item/{urn:xmpp:avatar:metadata}metadata/info@bytes",
            "{http://jabber.org/protocol/pubsub#event}event/items@node",
            "{http://jabber.org/protocol/pubsub#event}event/items/item/{http://jabber.org/protocol/nick}nick#",
            "{http://jabber.org/protocol/pubsub#owner}pubsub/affiliations/affiliation@affiliation",
            "{urn:xmpp:mam:2}fin@complete", "{urn:xmpp:mam:2}fin/{http://jabber.org/protocol/rsm}set/last#",
            "{urn:xmpp:mam:2}fin/{http://jabber.org/protocol/rsm}set/first#", "{urn:xmpp:mam:2}prefs@default",
            "{http://jabber.org/protocol/commands}command@status",
            "{http://jabber.org/protocol/commands}command/{jabber:x:data}x/instructions#",
            "{urn:ietf:params:xml:ns:xmpp-bind}bind/jid#", "{jabber:iq:register}query/{jabber:x:data}x@type",
            "{urn:xmpp:blocking}blocklist/item@jid", "{urn:xmpp:jingle:1}jingle@action",
            "{urn:xmpp:jingle:1}jingle/content/{urn:xmpp:jingle:apps:rtp:1}description/payload-type@name",
            // Streams
            "{urn:ietf:params:xml:ns:xmpp-sasl}mechanisms/mechanism#", "{urn:ietf:params:xml:ns:xmpp-streams}text#",
            "{urn:xmpp:sm:3}sm", "@h", "@previd", "@mechanism", "text#", "not-authorized",
        ]

        @Test func recordedStanzasAnswerAsInProsody() throws {
            let prosody = try Prosody()
            var comparison = Comparison()
            var stanzas = 0
            for stanza in try Corpus.stanzas(in: Corpus.recordedSession) {
                let document = Self.stream + stanza + "</stream:stream>"
                let root = try Element(parsing: document)
                let context = try #require(root.firstChild)
                try comparison.compare(Self.queries, on: context, of: document, with: prosody)
                stanzas += 1
            }
            #expect(stanzas > 1_000)
            for query in Self.queries {
                #expect(comparison.queries[query, default: 0] > 0, "no stanza answers '\(query)'")
            }
            // Four answers a stanza are little: most have a type, an id, a sender and a receiver.
            #expect(comparison.sameResults > 4 * stanzas, "\(comparison.sameResults) results from \(stanzas) stanzas")
        }

        /// The namespaces in scope around a stanza.
        private static let stream =
            "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"
    }
}
