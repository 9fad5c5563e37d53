// Users of sessions handle addresses and the errors of stanzas.

@_exported public import XMPPCore
