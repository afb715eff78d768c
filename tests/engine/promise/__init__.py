"""Our own side can be wrong too: edits, lost files, second runs and failed creations remove nothing."""
