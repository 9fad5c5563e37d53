// Creates the database's file before SQLite does: SQLite would let every user of the machine read it. OpenFile.swift
// uses it.

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Creates an empty file that only its user can read and write, unless the file exists. SQLite gives the files beside
/// it, the log and its index, the same mode. On devices that protect files, it can be read and written from the first
/// unlocking on, so that an extension can handle a push message while the device is locked.
///
/// It does not even open an existing file: closing that would release SQLite's locks on it in this process. If it
/// cannot create the file, SQLite cannot open it either, and reports that.
///
/// - Returns: Whether it has created the file.
func makePrivateFile(at path: String) -> Bool {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor < 0 { return false }
    close(descriptor)
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    let protection = FileProtectionType.completeUntilFirstUserAuthentication
    try? FileManager.default.setAttributes([.protectionKey: protection], ofItemAtPath: path)
    #endif
    return true
}
