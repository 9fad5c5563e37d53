// The C interface as its header declares it, called from Swift.

import CStanzaQuery
import Testing

@testable import StanzaQueryC

@Suite struct InterfaceTests {
    @Test func versionIsTheHeaders() {
        #expect(stanza_interface_version() == STANZA_INTERFACE_VERSION)
    }

    @Test(arguments: [
        ("b", STANZA_VALUE_ELEMENT), ("b#", STANZA_VALUE_STRING), ("/@@", STANZA_VALUE_ATTRIBUTES),
        ("/@t|bool", STANZA_VALUE_BOOL), ("/@n|int", STANZA_VALUE_INT), ("/@n|uint", STANZA_VALUE_UINT),
        ("/@n|double", STANZA_VALUE_DOUBLE), ("/@d|datetime", STANZA_VALUE_DATETIME),
        ("/@a|base64", STANZA_VALUE_BASE64), ("/@u|uuid", STANZA_VALUE_UUID),
        ("{jabber:x:data}x\\\\", STANZA_VALUE_FORM), ("{jabber:x:data}x\\&f\\", STANZA_VALUE_FIELD),
    ])
    func everyKindOfResult(_ text: String, _ kind: Int32) throws {
        let query = try compiled(text)
        defer { stanza_query_free(query) }
        #expect(stanza_query_result_kind(query) == kind, "\(text)")
        let element = try parsed(
            """
            <m t='true' n='7' d='1970-01-01T00:00:10Z' a='SGk=' u='3E2A7B1C-0000-4000-8000-0123456789AB'><b>text</b>\
            <x xmlns='jabber:x:data' type='form'><field var='f' type='text-single'><value>v</value></field></x></m>
            """)
        let results = try #require(stanza_find(query, element, nil, 0, nil))
        stanza_element_free(element)
        defer { stanza_results_free(results) }
        #expect(stanza_results_count(results) == 1)
        var value = stanza_value()
        #expect(stanza_results_next(results, &value))
        #expect(value.kind == kind)
        switch kind {
        case STANZA_VALUE_ELEMENT: #expect(xml(value.element) == "<b>text</b>")
        case STANZA_VALUE_STRING: #expect(value.text.string == "text")
        case STANZA_VALUE_BOOL: #expect(value.value.boolean)
        case STANZA_VALUE_INT: #expect(value.value.integer == 7)
        case STANZA_VALUE_UINT: #expect(value.value.unsigned_integer == 7)
        case STANZA_VALUE_DOUBLE: #expect(value.value.floating == 7)
        case STANZA_VALUE_DATETIME: #expect(value.value.floating == 10)
        case STANZA_VALUE_BASE64: #expect(value.text.string == "Hi")
        case STANZA_VALUE_UUID: #expect(value.text.string == "3e2a7b1c-0000-4000-8000-0123456789ab")
        case STANZA_VALUE_FORM: #expect(xml(value.element).hasPrefix("<x xmlns='jabber:x:data'"))
        case STANZA_VALUE_FIELD: #expect(xml(value.element).contains("<value>v</value>"))
        default:
            var (name, content) = (stanza_text(), stanza_text())
            #expect(value.value.count == 5)
            #expect(stanza_results_attribute(results, 1, &name, &content))
            #expect(name.string == "n" && content.string == "7")
            #expect(!stanza_results_attribute(results, 5, &name, &content))
            #expect(!stanza_results_attribute(results, .max, &name, &content))
        }
        #expect(!stanza_results_next(results, &value))
        #expect(value.kind == 0 && value.element == nil)
    }

    @Test func argumentsOfEveryKind() throws {
        let query = try compiled("a<s=%@><i=%d><u=%u><f=%.1f><b=%d>")
        let element = try parsed("<m><a s='ß' i='-1' u='18446744073709551615' f='0.5' b='1'/></m>")
        defer {
            stanza_query_free(query)
            stanza_element_free(element)
        }
        #expect(stanza_query_argument_count(query) == 5)
        var arguments = [stanza_argument](repeating: stanza_argument(), count: 5)
        let kinds = [
            STANZA_ARGUMENT_TEXT, STANZA_ARGUMENT_INTEGER, STANZA_ARGUMENT_UNSIGNED, STANZA_ARGUMENT_FLOATING,
            STANZA_ARGUMENT_BOOLEAN,
        ]
        for (index, kind) in kinds.enumerated() { arguments[index].kind = kind }
        arguments[1].value.integer = -1
        arguments[2].value.unsigned_integer = .max
        arguments[3].value.floating = 0.5
        arguments[4].value.integer = 2
        try "ß".withText { text in
            arguments[0].value.text = text
            #expect(stanza_check(query, element, arguments, 5, nil) == 1)
            let first = try #require(stanza_find_first(query, element, arguments, 5, nil))
            #expect(stanza_results_count(first) == 1)
            stanza_results_free(first)
        }
        "x".withText { text in
            arguments[0].value.text = text
            #expect(stanza_check(query, element, arguments, 5, nil) == 0)
        }
        var error: OpaquePointer?
        #expect(stanza_check(query, element, arguments, 1 << 61, &error) == -1)
        #expect(stanza_error_kind(error) == STANZA_ERROR_USE)
        stanza_error_free(error)
        #expect(stanza_check(query, element, arguments, 4, &error) == -1)
        #expect(stanza_error_kind(error) == STANZA_ERROR_EVALUATION)
        #expect(stanza_error_name(error).string == "arguments")
        stanza_error_free(error)
    }

    @Test(arguments: [
        ("a<k=ÄB>", 0, 0), ("a<k=ÄB>", STANZA_OPTION_CASE_INSENSITIVE_FILTERS, 1),
        ("a<k=ÄB>", STANZA_OPTION_STRICT_CONVERSIONS, 0), ("a@n|int", 0, 1),
        ("a@n|int", STANZA_OPTION_CASE_INSENSITIVE_FILTERS, 1), ("a@n|int", STANZA_OPTION_STRICT_CONVERSIONS, 0),
        ("a<k=ÄB>@k|int", STANZA_OPTION_CASE_INSENSITIVE_FILTERS | STANZA_OPTION_STRICT_CONVERSIONS, 0),
        ("a<k=ÄB>@k", STANZA_OPTION_CASE_INSENSITIVE_FILTERS | STANZA_OPTION_STRICT_CONVERSIONS, 1),
    ])
    func optionsOfCompiling(_ text: String, _ options: Int32, _ expected: Int32) throws {
        let query = text.withText {
            stanza_query_compile_with_options($0.bytes, $0.length, UInt32(options), nil)
        }
        let element = try parsed("<m><a k='äb' n='7x'/></m>")
        defer {
            stanza_query_free(query)
            stanza_element_free(element)
        }
        #expect(stanza_check(query, element, nil, 0, nil) == expected)
    }

    @Test(arguments: [4, 7, UInt32(1) << 31, .max])
    func unknownOptionsAreReported(_ options: UInt32) {
        var error: OpaquePointer?
        #expect("a".withText { stanza_query_compile_with_options($0.bytes, $0.length, options, &error) } == nil)
        #expect(stanza_error_kind(error) == STANZA_ERROR_USE)
        #expect(stanza_error_message(error).string.hasSuffix("is not an option of queries"))
        stanza_error_free(error)
    }

    @Test func errorsOfQueriesSayWhere() throws {
        var error: OpaquePointer?
        let query = "a@b|integer".withText { stanza_query_compile($0.bytes, $0.length, &error) }
        #expect(query == nil)
        #expect(stanza_error_kind(error) == STANZA_ERROR_QUERY)
        #expect(stanza_error_name(error).string == "unknownConversion")
        #expect(stanza_error_start(error) == 4 && stanza_error_end(error) == 11)
        #expect(stanza_error_message(error).string.contains("did you mean '|int'?"))
        stanza_error_free(error)
    }

    /// The message does not name `ParserLimits`, because C cannot set them.
    @Test func limitsAreReported() {
        var error: OpaquePointer?
        let deep = String(repeating: "<a>", count: 257) + String(repeating: "</a>", count: 257)
        #expect(deep.withText { stanza_element_parse($0.bytes, $0.length, nil, &error) } == nil)
        #expect(stanza_error_name(error).string == "policy-violation")
        let message = stanza_error_message(error).string
        #expect(message.hasSuffix(": elements are nested more than 256 deep, which is the limit"), "\(message)")
        stanza_error_free(error)
    }

    @Test func streamsAreReadInPieces() throws {
        let parser = try #require(stanza_parser_create(STANZA_PARSER_STREAM))
        defer { stanza_parser_free(parser) }
        var events: [Int32] = []
        var element: OpaquePointer?
        var error: OpaquePointer?
        for byte in "<s xmlns='jabber:client'><m/><m></x>".utf8.map(CChar.init(bitPattern:)) {
            withUnsafePointer(to: byte) { stanza_parser_feed(parser, $0, 1) }
            while true {
                let event = stanza_parser_next(parser, &element, &error)
                if event == STANZA_EVENT_NONE { break }
                #expect((element != nil) == (event == STANZA_EVENT_STREAM_START || event == STANZA_EVENT_ELEMENT))
                events.append(event)
                stanza_element_free(element)
                if event == STANZA_EVENT_ERROR {
                    #expect(stanza_error_kind(error) == STANZA_ERROR_XML)
                    #expect(stanza_error_name(error).string == "not-well-formed")
                    #expect(stanza_error_start(error) == 32 && stanza_error_end(error) == 32)
                    stanza_error_free(error)
                }
            }
        }
        #expect(events == [STANZA_EVENT_STREAM_START, STANZA_EVENT_ELEMENT, STANZA_EVENT_ERROR])
        stanza_parser_reset(parser)
        "<s/>".withText { stanza_parser_feed(parser, $0.bytes, $0.length) }
        stanza_parser_finish(parser)
        #expect(stanza_parser_next(parser, &element, nil) == STANZA_EVENT_STREAM_START)
        stanza_element_free(element)
        #expect(stanza_parser_next(parser, nil, nil) == STANZA_EVENT_STREAM_END)
        #expect(stanza_parser_create(0) == nil)
    }

    /// A stanza beyond a limit does not end its stream.
    @Test(arguments: [
        (STANZA_PARSER_STREAM, "<s xmlns='jabber:client'>", STANZA_EVENT_STREAM_START),
        (STANZA_PARSER_FRAGMENTS, "", 0),
    ])
    func stanzasFollowOneBeyondALimit(_ mode: Int32, _ header: String, _ first: Int32) throws {
        let parser = try #require(stanza_parser_create(mode))
        defer { stanza_parser_free(parser) }
        let deep = String(repeating: "<a>", count: 257) + String(repeating: "</a>", count: 257)
        (header + "<m/>" + deep + "<m/>").withText { stanza_parser_feed(parser, $0.bytes, $0.length) }
        var element: OpaquePointer?
        var error: OpaquePointer?
        var events: [Int32] = []
        while true {
            let event = stanza_parser_next(parser, &element, &error)
            if event == STANZA_EVENT_NONE { break }
            events.append(event)
            #expect((element != nil) == (event != STANZA_EVENT_REJECTED))
            #expect((error != nil) == (event == STANZA_EVENT_REJECTED))
            if error != nil {
                #expect(stanza_error_kind(error) == STANZA_ERROR_XML)
                #expect(stanza_error_name(error).string == "policy-violation")
                #expect(stanza_error_start(error) == header.utf8.count + 4)
            }
            stanza_element_free(element)
            stanza_error_free(error)
        }
        let expected = [first, STANZA_EVENT_ELEMENT, STANZA_EVENT_REJECTED, STANZA_EVENT_ELEMENT]
        #expect(events == expected.filter { $0 != 0 })
    }

    @Test func bytesThatAParserCannotHaveAreReported() throws {
        let parser = try #require(stanza_parser_create(STANZA_PARSER_FRAGMENTS))
        defer { stanza_parser_free(parser) }
        var element: OpaquePointer?
        var error: OpaquePointer?
        for (isMissing, length) in [(true, 5), (false, -1)] {
            "<a/>".withText { stanza_parser_feed(parser, isMissing ? nil : $0.bytes, length) }
            #expect(stanza_parser_next(parser, &element, &error) == STANZA_EVENT_ERROR)
            #expect(stanza_error_kind(error) == STANZA_ERROR_USE && stanza_error_name(error).string == "use")
            #expect(stanza_error_start(error) == 0 && stanza_error_end(error) == 0)
            stanza_error_free(error)
            // The parser reports the misuse once, and continues.
            #expect(stanza_parser_next(parser, &element, &error) == STANZA_EVENT_NONE)
            "<a/>".withText { stanza_parser_feed(parser, $0.bytes, $0.length) }
            #expect(stanza_parser_next(parser, &element, &error) == STANZA_EVENT_ELEMENT)
            stanza_element_free(element)
        }
        stanza_parser_feed(parser, nil, 0)
        #expect(stanza_parser_next(parser, &element, &error) == STANZA_EVENT_NONE)
        stanza_parser_feed(parser, nil, 1)
        stanza_parser_reset(parser)
        #expect(stanza_parser_next(parser, &element, &error) == STANZA_EVENT_NONE)
    }

    /// Missing and meaningless parameters cause an error, not a crash.
    @Test func wrongCalls() throws {
        let query = try compiled("a<b=%@>")
        let element = try parsed("<m><a b='c'/></m>")
        defer {
            stanza_query_free(query)
            stanza_element_free(element)
        }
        var error: OpaquePointer?
        func isMisuse() -> Bool {
            defer { stanza_error_free(error) }
            return stanza_error_kind(error) == STANZA_ERROR_USE && stanza_error_message(error).length > 0
        }
        #expect(stanza_query_compile(nil, 5, &error) == nil && isMisuse())
        #expect("a".withText { stanza_query_compile($0.bytes, -1, &error) } == nil && isMisuse())
        #expect(stanza_element_parse(nil, 1, nil, &error) == nil && isMisuse())
        #expect(stanza_check(nil, element, nil, 0, &error) == -1 && isMisuse())
        #expect(stanza_check(query, nil, nil, 0, &error) == -1 && isMisuse())
        #expect(stanza_check(query, element, nil, 1, &error) == -1 && isMisuse())
        #expect(stanza_find(query, element, nil, -1, &error) == nil && isMisuse())
        #expect(stanza_parser_next(nil, nil, &error) == STANZA_EVENT_ERROR && isMisuse())
        var argument = stanza_argument()
        #expect(stanza_check(query, element, &argument, 1, &error) == -1 && isMisuse())
        argument.kind = STANZA_ARGUMENT_TEXT
        let invalid: [CChar] = [-1]
        invalid.withUnsafeBufferPointer { bytes in
            argument.value.text = stanza_text(bytes: bytes.baseAddress, length: 1)
            #expect(stanza_check(query, element, &argument, 1, &error) == -1 && isMisuse())
            #expect(stanza_query_compile(bytes.baseAddress, 1, &error) == nil && isMisuse())
        }
        #expect(stanza_element_parse(nil, 0, nil, &error) == nil)
        #expect(stanza_error_kind(error) == STANZA_ERROR_XML)
        stanza_error_free(error)
        stanza_parser_feed(nil, nil, 1)
        stanza_parser_finish(nil)
        stanza_parser_reset(nil)
        stanza_parser_free(nil)
        stanza_query_free(nil)
        stanza_element_free(nil)
        stanza_results_free(nil)
        stanza_error_free(nil)
        stanza_string_free(nil)
        #expect(stanza_element_copy(nil) == nil && stanza_element_xml(nil, nil) == nil)
        #expect(stanza_results_count(nil) == 0 && !stanza_results_next(nil, nil))
        #expect(stanza_error_message(nil).bytes == nil && stanza_query_result_kind(nil) == 0)
    }

    @Test func elementsOutliveTheirResults() throws {
        let query = try compiled("a")
        let element = try parsed("<m><a b='c'>&lt;</a></m>")
        let results = try #require(stanza_find(query, element, nil, 0, nil))
        var value = stanza_value()
        #expect(stanza_results_next(results, &value))
        let kept = stanza_element_copy(value.element)
        stanza_results_free(results)
        stanza_element_free(element)
        stanza_query_free(query)
        #expect(xml(kept) == "<a b='c'>&lt;</a>")
        stanza_element_free(kept)
    }

    // MARK: Helpers

    private func compiled(_ text: String) throws -> OpaquePointer {
        try #require(text.withText { stanza_query_compile($0.bytes, $0.length, nil) })
    }

    private func parsed(_ xml: String) throws -> OpaquePointer {
        try #require(xml.withText { stanza_element_parse($0.bytes, $0.length, nil, nil) })
    }

    private func xml(_ element: OpaquePointer?) -> String {
        var length = 0
        guard let xml = stanza_element_xml(element, &length) else { return "" }
        defer { stanza_string_free(xml) }
        return stanza_text(bytes: xml, length: length).string
    }
}

extension stanza_text {
    fileprivate var string: String {
        String(decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: UTF8.self)
    }
}

extension String {
    fileprivate func withText<Result>(_ body: (stanza_text) throws -> Result) rethrows -> Result {
        let bytes = utf8.map(CChar.init(bitPattern:))
        return try bytes.withUnsafeBufferPointer {
            try body(stanza_text(bytes: $0.baseAddress, length: $0.count))
        }
    }
}
