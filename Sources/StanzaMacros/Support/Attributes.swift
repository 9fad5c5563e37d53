// Finds an attribute of a declaration.

import SwiftSyntax

extension AttributeListSyntax {
    /// The first attribute of that name, whether or not its module is named.
    func attribute(_ name: String) -> AttributeSyntax? {
        for case .attribute(let attribute) in self {
            let found = attribute.attributeName
            if found.as(IdentifierTypeSyntax.self)?.name.text == name
                || found.as(MemberTypeSyntax.self)?.name.text == name
            {
                return attribute
            }
        }
        return nil
    }
}
