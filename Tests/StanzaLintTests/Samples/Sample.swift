// Swift code with and without findings: SampleTests reads the lines that end in "expect:".
import StanzaQuery

func everythingIsRight<each Argument: QueryArgument>(
    _ stanza: Element, _ node: String, _ arguments: [any QueryArgument], _ pack: repeat each Argument
) throws {
    _ = try stanza.find("{http://jabber.org/protocol/disco#info}query/feature@var", as: String.self)
    _ = try stanza.check("/{jabber:client}iq<type=result>/{urn:xmpp:mam:2}fin<complete=true>")
    _ = try stanza.findFirst("{urn:xmpp:delay}delay@stamp|datetime")?.date
    _ = try stanza.findFirst(#"{*}query/\{urn:xmpp:http:upload:0}result@max-file-size\|int"#, as: Int.self)
    _ = try stanza.findFirst("{*}query/\\{urn:xmpp:http:upload:0}result@max-file-size\\|int", as: Int.self)
    _ = try stanza.find("{http://jabber.org/protocol/pubsub}pubsub/items<node=%@>/item@id", node)
    _ = try stanza.find("/<id=%@%d><type=%%>", node, 2)
    _ = try stanza.find("/<id=%@>", arguments: arguments)
    _ = try stanza.find("/<id=%@>", [node].map { "\($0), x" }.joined(separator: ","), as: String.self)
    _ = try stanza.find("/<id=%@><type=%@>", repeat each pack)
    _ = try Query("/<id=%@>")
    _ = try Query("a<b=X><b=x>", options: .caseInsensitiveFilters)
    _ = try Query("a<b=\(node)>@c|int", as: Int.self)
    _ = #query<Int>("a<b=\(node)>@c|int")
    _ = try stanza.check("{\u{75}rn:x}a\t".trimmingCharacters(in: .whitespaces))
    _ = try stanza.find("\(node)/body#")
    _ = try stanza.find("{urn:x}a<id=urn:x:\(node)\(2)>@b|int")
    _ = try stanza.check("a<b=\(node)><b=c><\(node)=d>")
    _ = try stanza.find("a<b=\(Int(node), default: "none")>@\(node)")
    _ = try stanza.find("a//\(raw: node)")
    _ = try Query("a//\(node)" as String)
    _ = #query("{\(node)}a<b=c\(2)>")
    _ = try stanza.find(node.isEmpty ? "a<b=\(node)>" : "a")
    _ = try QuerySet(["a<b=\(node)>", "a"])
    _ = try Query(node.isEmpty ? "a" : node)
    _ = try Query("a" + "//b")
    _ = try Query(node)
    _ = node.contains("a//b")
    _ = try stanza.check("a//b")  // stanza-lint: ignore
    _ = "stanza.check(\"a//b\")"  // stanza.check("a//b")
    _ = try stanza.find(
        """
        {urn:xmpp:mam:2}fin\
        @complete|bool
        """)
}

func thisIsWrong(_ stanza: Element, _ node: String) throws {
    _ = try stanza.find("a//b")  // expect: syntax
    _ = try stanza.find("a@b|integer")  // expect: unknownConversion
    _ = try stanza.findFirst("a|int")  // expect: misplacedConversion
    _ = try stanza.findFirst("a@b/c")  // expect: misplacedExtraction
    _ = try Query("a<b~(>")  // expect: invalidRegex
    _ = #query("a//b")  // expect: syntax
    _ = try stanza.find("/<id=%@>")  // expect: arguments
    _ = try stanza.find("/<id=%@>", node, 2)  // expect: arguments
    _ = try stanza.check("/<id=100%>")  // expect: syntax
    _ = try stanza.check(#"\{f}@a\|nothing"#)  // expect: unknownConversion
    _ = try stanza.find("{urn:\(node)}a")  // expect: syntax
    _ = try stanza.find("a<id~\(node)>")  // expect: syntax
    _ = try stanza.find("a<id=\(node)>@b|integer")  // expect: unknownConversion
    _ = try stanza.check("a<id=\(node)>", node)  // expect: arguments
    _ = try Query("a//\(node, default: "b")")  // expect: syntax
    _ = #query("a//\(node)")  // expect: syntax
    _ = #query<Int>("a@b|integer")  // expect: unknownConversion
    _ = try Query("a//b", as: Element.self)  // expect: syntax
    _ = try Query.init("a//b")  // expect: syntax
    _ = #query("a<b=%@>")  // expect: syntax
    _ = try stanza.check("a<b=%@>@c|bool", node)  // expect: check-of-bool
    _ = try stanza.check("a<type=x><type=y>")  // expect: contradicting-filters
    _ = try stanza.check("stream:error")  // expect: colon-in-name
    _ = try stanza.check("/urn:xmpp:foo:0name")  // expect: namespace-needs-braces
    _ = try stanza.find("body/#")  // expect: text-of-children
    _ = try stanza.check("{urn:xmpp:mam:2}fin@complete|bool")  // expect: check-of-bool
    _ = try stanza.find(#"x\@a\"#)  // expect: form-in-x
    _ = try Query(node.isEmpty ? "a<b=\(node)>" : node)  // expect: spliced-interpolation
    _ = try stanza.find(Query(Optional(node) ?? "a<b=\(node)>"))  // expect: spliced-interpolation
    _ = try stanza.check(#query(regex: "a<b~c>@d|bool"))  // expect: check-of-bool
    _ = try stanza.find("a//b").map { $0 }; _ = try stanza.find("c//d")  // expect: syntax syntax
}

extension Element {
    func rightAndWrong(_ node: String) throws {
        _ = try find("a<b=\(node)>")
        _ = try check("a//b")  // expect: syntax
    }
}
