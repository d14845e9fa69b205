// Connects VS Code with cudalab: the debug adapter, and commands above kernels.
'use strict';
const vscode = require('vscode');
const { resolveConfiguration } = require('./lib/configurations');
const { exerciseOf } = require('./lib/exercises');
const { findKernels } = require('./lib/kernels');

/** @returns {string} the program that the setting names */
function program() {
  return vscode.workspace.getConfiguration('cudalab').get('path') || 'cudalab';
}

/** @param {vscode.Uri} uri @returns {string | undefined} */
function folderOf(uri) {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  return folder && folder.uri.fsPath;
}

const adapters = {
  createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(program(), ['debug-adapter']),
};

const configurations = {
  /** @param {vscode.WorkspaceFolder | undefined} folder @param {vscode.DebugConfiguration} given */
  async resolveDebugConfiguration(folder, given) {
    const editor = vscode.window.activeTextEditor;
    const file = editor && editor.document.uri.scheme === 'file' ? editor.document.fileName : undefined;
    const resolved = resolveConfiguration(given, file, folder && folder.uri.fsPath);
    if (!resolved) await vscode.window.showErrorMessage('Open a CUDA file, or name a target in launch.json.');
    return resolved;
  },
};

/** @param {string[]} words @param {vscode.Uri} uri @param {string | undefined} folder */
function runTask(words, uri, folder) {
  const scope = vscode.workspace.getWorkspaceFolder(uri) || vscode.TaskScope.Workspace;
  const task = new vscode.Task({ type: 'cudalab', command: words[0] }, scope, words[0], 'cudalab',
                               new vscode.ProcessExecution(program(), words, { cwd: folder }), '$cudalab');
  return vscode.tasks.executeTask(task);
}

/** @param {vscode.Uri} uri */
async function check(uri) {
  const exercise = exerciseOf(uri.fsPath);
  if (exercise) await runTask(['check', uri.fsPath, '--format', 'gcc'], uri, exercise.folder);
}

/** @param {vscode.Uri} uri */
function debug(uri) {
  const found = resolveConfiguration({}, uri.fsPath, folderOf(uri));
  return vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(uri), /** @type {any} */ (found));
}

const lenses = {
  /** @param {vscode.TextDocument} document */
  provideCodeLenses(document) {
    const titles = exerciseOf(document.fileName) ? ['check', 'run', 'debug'] : ['run', 'debug'];
    return findKernels(document.getText()).flatMap(({ line }) => titles.map((title) => new vscode.CodeLens(
      new vscode.Range(line, 0, line, 0),
      { title, command: `cudalab.${title}`, arguments: [document.uri] })));
  },
};

/** @param {vscode.ExtensionContext} context */
function activate(context) {
  const languages = ['cuda-cpp', 'cuda', 'cpp'].map((language) => ({ language, scheme: 'file' }));
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory('cudalab', adapters),
    vscode.debug.registerDebugConfigurationProvider('cudalab', configurations),
    vscode.languages.registerCodeLensProvider(languages, lenses),
    vscode.commands.registerCommand('cudalab.check', check),
    vscode.commands.registerCommand('cudalab.run', (uri) => runTask(['run', uri.fsPath], uri, folderOf(uri))),
    vscode.commands.registerCommand('cudalab.debug', debug));
}

module.exports = { activate };
