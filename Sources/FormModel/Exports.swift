// A form is read from an element and keeps it: `import FormModel` brings the elements too.

@_exported public import XMLTree
