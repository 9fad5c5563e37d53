// Compares names of elements.

import XMLTree

extension Element {
    func isNamed(_ name: String, _ namespace: String) -> Bool {
        self.name.utf8.elementsEqual(name.utf8) && (self.namespace ?? "").utf8.elementsEqual(namespace.utf8)
    }
}
