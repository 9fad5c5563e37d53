// `check` of a '|bool' that is compiled in its argument.

import StanzaLint
import Testing

@Suite struct CheckedQueryTests {
    @Test(arguments: [
        (#"x.check(#query("a@b|bool"))"#, 1), (#"x.check( #query<Bool>("a@b|bool"))"#, 1),
        (#"x.check(Query("a@b|bool"))"#, 1), (#"x.check(try Query("a@b|bool"), y)"#, 1),
        (#"x.check(Query("a@b|bool", as: Bool.self))"#, 1), (#"x.check(Query.init("a<c=\(d)>@b|bool"))"#, 1),
        (#"x.check(#query("a@b|int"))"#, 0), (#"x.findFirst(#query("a@b|bool"))"#, 0),
        (#"x.check(y, #query("a@b|bool"))"#, 0), (#"x.check(y.findFirst(#query("a@b|bool")))"#, 0),
        (#"x.check(y); #query("a@b|bool")"#, 0), (#"check(#query("a@b|bool"))"#, 0),
    ]) func warnings(source: String, count: Int) {
        let found = Linter(unsure: .check).findings(in: source, language: .swift)
        #expect(found.map(\.rule) == Array(repeating: .checkOfBool, count: count))
    }
}
