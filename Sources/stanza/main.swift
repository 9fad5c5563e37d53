// The executable. The commands are a library, so that tests can run them; libedit provides line editing.

import StanzaCLI

StanzaCommand.runAndExit(beginLineEditing: { LibeditLineEditor() })
