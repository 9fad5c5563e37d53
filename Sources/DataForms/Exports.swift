// Code that answers a form reads its values and its element, so `import DataForms` also imports both.

@_exported public import FormModel
