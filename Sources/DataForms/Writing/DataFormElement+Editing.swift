// Changing a form where it stands. What differs is written by Writing/DataForm+Writing.swift.

import FormModel

extension DataFormElement where Node == MutableElement {
    /// Changes the form where it stands: what the change leaves as it is keeps its elements, with everything in them.
    ///
    /// ```swift
    /// try DataFormElement(element)?.edit { form in
    ///     form["muc#roomconfig_roomname"] = "Elsinore"
    ///     form.title = nil
    /// }
    /// ```
    ///
    /// The tree is changed as a whole or not at all.
    ///
    /// - Parameter change: Gets the form as a value, and changes that.
    /// - Returns: What `change` returns.
    /// - Throws: What `change` throws, and `XMLTreeError` for text that XML cannot hold.
    /// - Complexity: O(size of the form).
    @discardableResult
    public func edit<Result>(_ change: (inout DataForm) throws -> Result) throws -> Result {
        guard let old = DataForm(element) else {
            // Somebody renamed the element since: there is no form to change.
            var form = DataForm(.form)
            return try change(&form)
        }
        var new = old
        let result = try change(&new)
        if new != old { try new.patch(element, from: old) }
        return result
    }
}
