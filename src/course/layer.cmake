# The tasks of an editor in a learner's folder.
cudalab_embed("${directory}/learner/vscode_tasks.json")
