// Changes a form in place. DataForm+Writing.swift writes the differences.

import FormModel

extension DataFormElement where Node == MutableElement {
    /// Changes the form in place: unchanged parts keep their elements, with all content.
    ///
    /// ```swift
    /// try DataFormElement(element)?.edit { form in
    ///     form["muc#roomconfig_roomname"] = "Elsinore"
    ///     form.title = nil
    /// }
    /// ```
    ///
    /// The call makes all changes to the tree or none.
    ///
    /// - Parameter change: Gets the form as a value, and changes it.
    /// - Returns: The result of `change`.
    /// - Throws: The errors of `change`, and `XMLTreeError` for text that XML cannot hold.
    /// - Complexity: O(size of the form).
    @discardableResult
    public func edit<Result>(_ change: (inout DataForm) throws -> Result) throws -> Result {
        guard let old = DataForm(element) else {
            // The element was renamed since, so it is not a form any more.
            var form = DataForm(.form)
            return try change(&form)
        }
        var new = old
        let result = try change(&new)
        if new != old { try new.patch(element, from: old) }
        return result
    }
}
