# Completion for fish: delegraph itself knows its verbs and options.
delegraph completion fish | source
