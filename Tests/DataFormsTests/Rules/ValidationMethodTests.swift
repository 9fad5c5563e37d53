// The methods of validation that a field may have, and the content of their elements (XEP-0122).

import DataForms
import Testing

@Suite struct ValidationMethodTests {
    private func faults(_ field: String) throws -> [String] {
        let xml = """
            <x xmlns='jabber:x:data' xmlns:v='http://jabber.org/protocol/xdata-validate' type='form'>\(field)</x>
            """
        return try #require(DataForm(parse(xml))).faults.map(\.description)
    }

    /// The table "Validation Methods and Field Types" of XEP-0122 §4.6, line by line. A field type that a line does not
    /// name is allowed.
    @Test func validationMethodsAndFieldTypes() throws {
        let forbidden: [(method: String, content: String, types: Set<FieldType>)] = [
            ("basic", "<v:basic/>", [.hidden, .jidMulti, .jidSingle]),
            ("basic", "", [.hidden, .jidMulti, .jidSingle]),
            ("open", "<v:open/>", [.hidden]),
            ("range", "<v:range min='1'/>", [.hidden, .jidMulti, .listMulti, .textMulti]),
            ("regex", "<v:regex>1</v:regex>", [.hidden, .jidMulti, .listMulti, .textMulti]),
        ]
        for (method, content, types) in forbidden {
            for type in FieldType.allCases {
                let field = "<field var='a' type='\(type.rawValue)'><v:validate datatype='xs:integer'>\(content)"
                let sentence =
                    "The field 'a' of type \(type.rawValue) has the validation method \(method): expected another field type "
                    + "or method; it counts nevertheless."
                #expect(
                    try faults(field + "</v:validate></field>") == (types.contains(type) ? [sentence] : []),
                    "\(method) \(type)")
            }
        }
    }

    /// XEP-0122 §3.2 defines the possible content of each method's element.
    @Test func validationMethodsHoldNothingElse() throws {
        func validated(_ content: String) throws -> [String] {
            try faults(
                "<field var='a' type='text-single'><v:validate datatype='xs:integer'>\(content)</v:validate></field>")
        }
        for name in ["basic", "open"] {
            let sentence =
                "The element <\(name)/> of the field 'a' has attributes or content: expected none; they are ignored."
            for content in ["<v:\(name) x='1'/>", "<v:\(name)>x</v:\(name)>", "<v:\(name)><b/></v:\(name)>"] {
                #expect(try validated(content) == [sentence], "\(content)")
            }
            #expect(try validated("<v:\(name)></v:\(name)>") == [])
        }
        for content in ["x", "<b/>"] {
            #expect(
                try validated("<v:range min='1'>\(content)</v:range>") == [
                    "The element <range/> of the field 'a' has content: expected 'min' and 'max' only; it is ignored."
                ])
        }
        for content in ["<v:regex x='1'>1</v:regex>", "<v:regex>1<b/></v:regex>"] {
            #expect(
                try validated(content) == [
                    "The element <regex/> of the field 'a' has attributes or child elements: expected a pattern alone; "
                        + "they are ignored."
                ])
        }
    }
}
