// Small questions to tables.

import GRDB

extension Database {
    func count(_ table: String) throws -> Int? { try Int.fetchOne(self, sql: "SELECT count(*) FROM \(table)") }
}
