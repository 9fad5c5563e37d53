// The message that is sent and received all the time: some 270 bytes, as people write them.

import XMLTree

enum Message {
    static let text = """
        <message to='romeo@example.net/orchard' from='juliet@example.org/balcony' type='chat' id='7f3a9c52'>\
        <body>Wherefore art thou, Romeo? Deny thy father and refuse thy name.</body>\
        <origin-id xmlns='urn:xmpp:sid:0' id='7f3a9c52'/><request xmlns='urn:xmpp:receipts'/></message>
        """

    static func element() throws -> Element { try Element(stanza: text) }
}
