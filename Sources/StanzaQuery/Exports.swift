// The modules that users of StanzaQuery import along with it.

@_exported public import FormModel
@_exported public import XMLTree
