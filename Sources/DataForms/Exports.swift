// Whoever reads and writes forms needs elements: they come along.

@_exported public import XMLTree
