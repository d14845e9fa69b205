# What an editor offers in a learner's folder.
cudalab_embed("${directory}/learner/vscode_tasks.json")
