// The executable: one line, so that the commands can be tested as a library.

import StanzaLiveCLI

await StanzaLiveCommand.runAndExit()
