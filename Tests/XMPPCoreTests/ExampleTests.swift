// The examples of the documentation.

import Testing
import XMLTree
import XMPPCore

@Suite struct ExampleTests {
    /// The output of the example instead of standard output.
    private final class Printer {
        var text = ""
    }

    @Test func overview() throws {
        let printer = Printer()
        func print(_ values: any CustomStringConvertible...) {
            printer.text = values.map(\.description).joined(separator: " ")
        }
        let jid = try JID(parsing: "Juliet@Capulet.Example/Balcony")
        print(jid, jid.bare, jid.server)
        #expect(printer.text == "juliet@capulet.example/Balcony juliet@capulet.example capulet.example")
        let gateway = try JID(escaping: "Romeo M. <romeo@montague.example>", domain: "smtp.example")
        print(gateway, gateway.unescapedLocalpart ?? "")
        #expect(
            printer.text == "romeo\\20m.\\20\\3cromeo\\40montague.example\\3e@smtp.example romeo m. "
                + "<romeo@montague.example>")
    }

    @Test func literal() throws {
        let text = "Juliet@capulet.example"
        let account: JID = "juliet@capulet.example"
        let entered = try JID(parsing: text)
        #expect(account == entered)
    }

    @Test func error() {
        let printer = Printer()
        func print(_ values: Any...) { printer.text = values.map { "\($0)" }.joined(separator: " ") }
        do {
            _ = try JID(parsing: "romeo:montague@example.net")
        } catch {
            print(error.part, error.position, error.reason)
        }
        #expect(printer.text == #"localpart 5 forbidden(":")"#)
    }

    @Test func refusal() throws {
        let request = try Element(
            parsing: "<iq xmlns='jabber:client' type='set' id='1' from='juliet@capulet.example/a'/>")
        let answer = request.error(StanzaError("forbidden", type: "auth", text: "Only owners may do that."))
        #expect(answer?["to"] == "juliet@capulet.example/a" && answer?["id"] == "1")
        let refusal = StanzaError("forbidden", type: "auth", text: "Only owners may do that.")
        let read = answer.flatMap(StanzaError.init)
        #expect(read?.condition == "forbidden" && read?.type == "auth" && read?.text == "Only owners may do that.")
        #expect(StanzaError(request) == nil)
        #expect(refusal.description == "the request was refused: forbidden (Only owners may do that.)")
    }

    @Test func value() throws {
        let jid = try JID(parsing: "Juliet@Capulet.example/Balcony")
        #expect(jid.description == "juliet@capulet.example/Balcony")
    }
}
