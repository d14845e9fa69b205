# What an editor offers in a learner's folder.
cudalab_embed("${directory}/vscode_tasks.json")
