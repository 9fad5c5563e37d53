// Locks between processes.

import Foundation
import Testing

@testable import Persistence

@Suite struct FileLockTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    private func expectBusy() {
        #expect(throws: StanzaDatabaseError.busy) { try FileLock(path: place.path, timeout: 0) }
    }

    #if os(Linux)
    @Test(arguments: [false, true]) func releasingUnlocksCopiesOfTheDescriptorToo(isShared: Bool) throws {
        let lock = try isShared ? FileLock(sharing: place.path) : FileLock(path: place.path, timeout: 0)
        let copies = try DescriptorCopies(ofFilesAt: place.path)
        #expect(copies.endings == [""])
        expectBusy()
        lock.release()
        try withExtendedLifetime(copies) { try FileLock(path: place.path, timeout: 0).release() }
    }
    #endif
}
