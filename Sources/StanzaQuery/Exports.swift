// What users of StanzaQuery import along with it.

@_exported public import DataForms
@_exported public import XMLTree
