// The errors of a storage that a test lets fail.

import StreamManagement

/// An error that lasts.
struct DiskFull: Error {}

/// An error that a later attempt may not have.
struct Full: TemporaryStorageError, Equatable {
    var isTemporary: Bool { true }
}
