// The executable: the commands are a library, so that they can be tested, and the editing of lines comes from another.

import StanzaCLI

StanzaCommand.runAndExit(beginLineEditing: { LibeditLineEditor() })
