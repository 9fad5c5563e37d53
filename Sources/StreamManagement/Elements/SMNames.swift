// The names of stream management, as keys to recognize elements by.

import XMLTree
import XMPPCore

/// Keys of names: a comparison compares integers and makes no string.
enum Keys {
    static let streamManagement = NameKey(.namespace, Namespaces.streamManagement)
    static let acknowledgement = streamManagement + NameKey(.local, "a")
    static let request = streamManagement + NameKey(.local, "r")
    static let enabled = streamManagement + NameKey(.local, "enabled")
    static let resumed = streamManagement + NameKey(.local, "resumed")
    static let failed = streamManagement + NameKey(.local, "failed")

    static let message = NameKey(.namespace, Namespaces.client) + NameKey(.local, "message")
    static let presence = NameKey(.namespace, Namespaces.client) + NameKey(.local, "presence")
    static let iq = NameKey(.namespace, Namespaces.client) + NameKey(.local, "iq")
    static let serverMessage = NameKey(.namespace, Namespaces.server) + NameKey(.local, "message")
    static let serverPresence = NameKey(.namespace, Namespaces.server) + NameKey(.local, "presence")
    static let serverIQ = NameKey(.namespace, Namespaces.server) + NameKey(.local, "iq")

    static let streamError = NameKey(.namespace, XMLNamespace.stream) + NameKey(.local, "error")

    static let id = NameKey(.qualified, "id")
    static let type = NameKey(.qualified, "type")
    static let handled = NameKey(.qualified, "h")
    static let maximum = NameKey(.qualified, "max")
}
