// The page. The build embeds its files in the program, so that the program needs no files at run time.

/// A file of the page.
struct PlaygroundAsset: Sendable {
    let contentType: String
    let bytes: [UInt8]

    /// The file at a path; `nil` if none exists.
    init?(path: String) {
        guard let asset = Self.all[path] else { return nil }
        self = asset
    }

    private init(_ contentType: String, _ bytes: [UInt8]) {
        self.contentType = contentType
        self.bytes = bytes
    }

    /// All files by their paths. A file of `Assets` that is missing here is not served; a test notices that.
    static let all: [String: PlaygroundAsset] = [
        "/": PlaygroundAsset("text/html; charset=utf-8", PackageResources.index_html),
        "/playground.css": PlaygroundAsset("text/css; charset=utf-8", PackageResources.playground_css),
        "/icon.svg": PlaygroundAsset("image/svg+xml", PackageResources.icon_svg),
        "/examples.json": PlaygroundAsset("application/json", PackageResources.examples_json),
        "/dom.js": script(PackageResources.dom_js),
        "/playground.js": script(PackageResources.playground_js),
        "/evaluation.js": script(PackageResources.evaluation_js),
        "/editor.js": script(PackageResources.editor_js),
        "/colors.js": script(PackageResources.colors_js),
        "/code.js": script(PackageResources.code_js),
        "/diagnostics.js": script(PackageResources.diagnostics_js),
        "/lines.js": script(PackageResources.lines_js),
        "/tabs.js": script(PackageResources.tabs_js),
        "/link.js": script(PackageResources.link_js),
        "/examples.js": script(PackageResources.examples_js),
    ]

    private static func script(_ bytes: [UInt8]) -> PlaygroundAsset {
        PlaygroundAsset("text/javascript; charset=utf-8", bytes)
    }
}
