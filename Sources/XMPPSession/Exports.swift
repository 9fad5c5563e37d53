// A client of a session needs one import: the session's interface names types of these modules.

@_exported public import Handlers
@_exported public import Persistence
@_exported public import StanzaQuery
@_exported public import StreamManagement
@_exported public import XMLTree
@_exported public import XMPPCore
