// The modules that users of Payloads import along with it: their structures have forms, elements and addresses.

@_exported public import DataForms
@_exported public import StanzaQuery
@_exported public import XMPPCore
