// Prosody on the loopback interface, with a module that answers on command.

import Foundation

/// A server for the demonstration. It ends with this object, and with this process.
final class DemoServer {
    let port: UInt16
    private let folder: URL
    private let process = Process()
    private let input = Pipe()
    /// Nothing is written here: the pipe ends when the server and all its child processes have ended.
    private let life = Pipe()

    /// - Parameters:
    ///   - folder: The folder for its files.
    ///   - program: Prosody.
    init(in folder: URL, program: String = "/usr/bin/prosody") throws {
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw DemoFailure("\(program) does not exist: install the package prosody")
        }
        self.folder = folder
        port = try LoopbackPort.findFree()
        try FileManager.default.createDirectory(
            at: folder.appending(path: "data/localhost/accounts"), withIntermediateDirectories: true)
        // The folder's name is replaced last: it may contain the other placeholder.
        try write(
            Self.configuration.replacing("PORT", with: "\(port)")
                .replacing("FOLDER", with: Self.quoted(folder.path)), "server.lua")
        try write(Self.module, "mod_slow_avatar.lua")
        try write("return { [\"password\"] = \"secret\"; };\n", "data/localhost/accounts/\(AvatarRequest.user).dat")
        process.executableURL = URL(filePath: "/bin/sh")
        // The shell ends the server when its input ends, with this process at the latest. An installed Prosody changes
        // to its data folder by itself; another one does not.
        process.arguments = [
            "-c",
            "cd \"$0/data\"; \"$@\" 3>&1 >\"$0/output.log\" 2>&1 & server=$!; exec >&- 2>&-; read line; kill -9 $server",
            folder.path, program, "-F", "--config", folder.appending(path: "server.lua").path,
        ]
        process.standardInput = input
        process.standardOutput = life
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        // A killed process ends after a moment; until then it could write to its folder.
        _ = life.fileHandleForReading.hasInput(within: .seconds(5))
    }

    /// Returns when the server accepts connections.
    ///
    /// - Parameter longestWait: A thousand times the usual duration.
    /// - Throws: `DemoFailure` with the server's output if it ends instead, or takes too long; `EndingSignal` if a
    ///   signal comes first.
    func waitUntilItListens(longestWait: Duration = .seconds(600)) throws {
        let deadline = ContinuousClock.now + longestWait
        while !LoopbackPort.takesConnections(port) {
            try EndingSignal.check()
            if life.fileHandleForReading.hasInput(within: .milliseconds(20)) {
                throw DemoFailure("Prosody has ended instead of listening; \(lastWords)")
            }
            if ContinuousClock.now > deadline {
                throw DemoFailure(
                    "Prosody does not listen after \(longestWait.components.seconds) seconds; \(lastWords)")
            }
        }
    }

    /// The last output of the server.
    private var lastWords: String {
        let logs = ["output.log", "server.log"].compactMap {
            try? String(contentsOf: folder.appending(path: $0), encoding: .utf8)
        }
        let lines = logs.joined().split(separator: "\n").suffix(20)
        return lines.isEmpty ? "it printed nothing" : "it printed:\n" + lines.joined(separator: "\n")
    }

    /// Makes the server answer the pending request.
    func answer(_ word: String) throws { try write(word + "\n", "answer") }

    private func write(_ text: String, _ name: String) throws {
        try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }

    /// A path as part of a Lua string.
    private static func quoted(_ path: String) -> String {
        path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    /// Prosody searches for modules from the data folder: in their path it reads a backslash as a slash, and a
    /// semicolon as the beginning of another path.
    private static let configuration = """
        run_as_root = true
        pidfile = "FOLDER/prosody.pid"
        data_path = "FOLDER/data"
        certificates = "FOLDER"
        plugin_paths = { ".." }
        interfaces = { "127.0.0.1" }
        c2s_ports = { PORT }
        c2s_direct_tls_ports = { }
        s2s_ports = { }
        http_ports = { }
        https_ports = { }
        c2s_require_encryption = false
        authentication = "internal_plain"
        storage = "internal"
        log = { { levels = { min = "info" }, to = "file", filename = "FOLDER/server.log" } }
        modules_enabled = { "roster", "saslauth", "disco", "posix", "smacks", "presence", "message", "iq", "offline" }
        modules_disabled = { "s2s", "tls", "http" }
        slow_avatar_file = "FOLDER/answer"

        VirtualHost "localhost"
        Component "rooms.localhost" "muc"
            modules_enabled = { "slow_avatar" }
        """

    /// The slow network of the story: the server answers when a file contains the answer.
    private static let module = """
        local st = require "util.stanza";
        local timer = require "util.timer";
        local name = module:get_option_string("slow_avatar_file");

        module:hook("iq/bare/vcard-temp:vCard", function (event)
            local stanza = event.stanza;
            if stanza.attr.type ~= "set" then return; end
            timer.add_task(0.05, function ()
                local file = io.open(name);
                if not file then return 0.05; end
                local word = file:read("*l");
                file:close();
                if word == "success" then
                    module:send(st.reply(stanza));
                else
                    module:send(st.error_reply(stanza, "auth", "forbidden", "only owners may change the avatar"));
                end
            end);
            return true;
        end, 10);
        """
}

/// The reason why the demonstration failed.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
