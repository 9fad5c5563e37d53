// A promise as an argument of a handler: stored as its identity, found again by the centre that is given at the call.

import Foundation
import Handlers

extension Promise: Storable {
    public static var storableType: StorableType { .promise }

    public func storedValue() -> StoredValue { .promise(PromiseReference(id: id)) }

    /// Always throws: a promise needs its centre, which only a call can give.
    public init(storedValue: StoredValue) throws {
        throw StorableMismatch(expected: "a PromiseCentre among the arguments of the call", actual: "none")
    }

    /// The promise of a stored handler, with the only `PromiseCentre` among the arguments of the call.
    public init(storedValue: StoredValue, given: HandlerArguments) throws {
        guard case .promise(let reference) = storedValue else {
            throw StorableMismatch(expected: .promise, actual: storedValue)
        }
        guard let centre = given.only(PromiseCentre.self) else {
            throw StorableMismatch(
                expected: "one PromiseCentre among the arguments of the call", actual: "none or several")
        }
        self = centre.promise(reference.id)
    }
}
