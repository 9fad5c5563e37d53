// Code that answers a form reads its values and its element: `import DataForms` brings both.

@_exported public import FormModel
