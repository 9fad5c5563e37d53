// Prosody on the loopback interface, with a module that answers when it is told to.

import Foundation

/// A server for the demonstration. It ends with this object, and with this process.
final class DemoServer {
    let port: UInt16
    private let folder: URL
    private let process = Process()
    private let input = Pipe()

    /// - Parameter folder: Where it may keep its files.
    init(in folder: URL) throws {
        guard FileManager.default.isExecutableFile(atPath: Self.program) else {
            throw DemoFailure("there is no \(Self.program): install the package prosody")
        }
        self.folder = folder
        port = try Self.freePort()
        try FileManager.default.createDirectory(
            at: folder.appending(path: "data/localhost/accounts"), withIntermediateDirectories: true)
        try write(
            Self.configuration.replacing("FOLDER", with: folder.path).replacing("PORT", with: "\(port)"), "server.lua")
        try write(Self.module, "mod_slow_avatar.lua")
        try write("return { [\"password\"] = \"secret\"; };\n", "data/localhost/accounts/\(AvatarRequest.user).dat")
        process.executableURL = URL(filePath: "/bin/sh")
        // The shell ends the server when its input ends, that is with this process at the latest.
        process.arguments = [
            "-c", "\"$@\" >\"$0/output.log\" 2>&1 & server=$!; read line; kill -9 $server", folder.path, Self.program,
            "-F", "--config", folder.appending(path: "server.lua").path,
        ]
        process.standardInput = input
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Lets the server answer the request that waits.
    func answer(_ word: String) throws { try write(word + "\n", "answer") }

    private func write(_ text: String, _ name: String) throws {
        try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }

    private static let program = "/usr/bin/prosody"

    private static let configuration = """
        run_as_root = true
        pidfile = "FOLDER/prosody.pid"
        data_path = "FOLDER/data"
        certificates = "FOLDER"
        plugin_paths = { "FOLDER" }
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

    /// The slow network of the story: the answer comes when a file says what it is.
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

    /// A port that is free now.
    private static func freePort() throws -> UInt16 { try FreePort.find() }
}

/// Why there is nothing to show.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
