// The completions in shells: the scripts that `stanza --generate-completion-script` prints, run by their shells.
//
// No test types or waits for a time. It calls bash's function, queries fish, and runs zsh in a terminal with a line to
// complete.

import Foundation
import StanzaCLI
import TestSupport
import Testing

@Suite("Completions", .serialized, .timeLimit(.minutes(60)))
struct CompletionTests {
    /// A shell, with its completions for the line in `$LINE`, one in each line.
    enum ShellProgram: String, CaseIterable {
        case bash, fish, zsh

        /// The path of its program; `nil` if the system has none.
        var path: String? {
            ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(rawValue)" }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
        }

        var script: String {
            switch self {
            case .bash:
                """
                eval "$(stanza --generate-completion-script bash)"
                COMP_LINE=$LINE; COMP_POINT=${#COMP_LINE}
                read -ra COMP_WORDS <<<"$COMP_LINE"
                [[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                _stanza stanza "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            case .fish:
                """
                stanza --generate-completion-script fish | source
                complete -C "$LINE" | string replace -r '\\t.*' ''
                """
            case .zsh:
                // The script writes additions to the completion lists to a file; the rest goes to the terminal.
                """
                export ZDOTDIR=$PWD/.zsh
                mkdir $ZDOTDIR
                stanza --generate-completion-script zsh > $ZDOTDIR/_stanza
                cat > $ZDOTDIR/.zshrc <<'END'
                fpath=($ZDOTDIR $fpath)
                autoload -Uz compinit
                compinit -u -D
                compadd() {
                    if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\\ * ]]; then
                        local -a hits
                        builtin compadd -O hits "$@"
                        print -rl -- $hits >> $ZDOTDIR/words
                    fi
                    builtin compadd "$@"
                }
                zle-line-init() { zle complete-word; exit 0 }
                zle -N zle-line-init
                print -z -- "$LINE"
                END
                zmodload zsh/zpty
                zpty terminal zsh -d -i
                while zpty -r terminal text; do :; done
                cat $ZDOTDIR/words
                """
            }
        }

        /// The completions at the end of a line; `nil` if the shell is missing.
        func words(for line: String) async throws -> [String]? {
            guard let path else {
                print("!!! NOT TESTED: completions in \(rawValue), which is not installed. !!!")
                return nil
            }
            let options = self == .bash ? "" : self == .fish ? "--no-config" : "-f"
            let file = self == .zsh ? ".script.zsh" : ".script"
            let result = try await Shell.run(
                "HOME=$PWD LINE='\(line)' TERM=dumb exec \(path) \(options) \(file)",
                files: Self.files.merging([file: script]) { $1 })
            let lines = result.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            // Some shells write a folder with its slash.
            return lines.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }.filter { !$0.isEmpty }
        }

        private static let files = [
            "session.jsonl": "", "chat.log": "", "server.jsonl": "", "Sources/a.swift": "", "routes.txt": "",
            "my.json": "",
        ]
    }

    private static let commands = ["find", "explain", "repl", "form", "lint", "conformance", "help"]

    private static let lines: [(line: String, words: [String])] = [
        ("stanza ", commands), ("stanza fi", ["find"]), ("stanza find --fo", ["--format"]),
        ("stanza find --format ", ["stream", "document", "fragments", "jsonl", "lines", "log"]),
        ("stanza find --js", ["--json"]),
        ("stanza find body ser", ["server.jsonl"]),
        ("stanza explain --trace cha", ["chat.log"]),
        ("stanza explain --set rou", ["routes.txt"]),
        ("stanza repl cha", ["chat.log"]), ("stanza repl --hist", ["--history"]),
        ("stanza lint Sou", ["Sources"]), ("stanza lint --disable text", ["text-of-children"]),
        ("stanza lint --sa", ["--sarif"]), ("stanza conformance my", ["my.json"]),
    ]

    @Test("are offered by the shell", arguments: ShellProgram.allCases, lines)
    func offered(shell: ShellProgram, completed: (line: String, words: [String])) async throws {
        guard let words = try await shell.words(for: completed.line) else { return }
        // bash offers the options in addition to the commands.
        let offered = Set(words).filter { !$0.hasPrefix("-") || completed.words.contains($0) }
        #expect(offered == Set(completed.words), "\(words)")
    }

    /// The other shells offer files that do not fit, rather than none.
    @Test("are only the files that fit")
    func fitting() async throws {
        #expect(try await ShellProgram.bash.words(for: "stanza conformance ser") ?? [] == [])
    }
}
