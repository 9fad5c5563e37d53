// A form keeps the element that it was read from, so `import FormModel` also imports the elements.

@_exported public import XMLTree
