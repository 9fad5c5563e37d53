// Where the package is: tests read its grammar, suites, corpus and documentation in place.

import Foundation

/// The package's folder.
public let packageFolder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
