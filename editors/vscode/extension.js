// Connects VS Code with cudalab: the debug adapter, and commands above kernels.
'use strict';
const vscode = require('vscode');
const { execFile } = require('child_process');
const { diagnosticsOf } = require('./lib/diagnostics');
const { resolveConfiguration } = require('./lib/configurations');
const { exerciseOf } = require('./lib/exercises');
const { findKernels } = require('./lib/kernels');
const { tasksOf } = require('./lib/tasks');
const { warpPage } = require('./lib/warp_page');
const { randomBytes } = require('crypto');

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
function taskOf(words, uri, folder) {
  const scope = vscode.workspace.getWorkspaceFolder(uri) || vscode.TaskScope.Workspace;
  return new vscode.Task({ type: 'cudalab', command: words[0] }, scope, words[0], 'cudalab',
                         new vscode.ProcessExecution(program(), words, { cwd: folder }),
                         words[0] === 'check' ? '$cudalab' : []);
}

/** @returns {vscode.Task[]} the tasks of the active file */
function activeTasks() {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return [];
  const { uri } = editor.document;
  return tasksOf(uri.fsPath).map(({ words, folder }) => taskOf(words, uri, folder));
}

const tasks = {
  provideTasks: activeTasks,
  /** @param {vscode.Task} given */
  resolveTask(given) {
    const { definition } = given;
    const found = activeTasks().find((task) => task.definition.command === definition.command);
    return found && new vscode.Task(definition, given.scope || vscode.TaskScope.Workspace, given.name, 'cudalab',
                                    found.execution, found.problemMatchers);
  },
};

/** @param {string[]} words @param {string} folder @returns {Promise<any>} the document that cudalab writes */
function documentOf(words, folder) {
  return new Promise((resolve, reject) => {
    execFile(program(), words, { cwd: folder, maxBuffer: 1 << 26 }, (error, output, complaint) => {
      try {
        resolve(JSON.parse(output));
      } catch {
        reject(new Error(complaint.trim() || (error && error.message) || 'cudalab wrote no document'));
      }
    });
  });
}

/** @param {import('./lib/diagnostics').Diagnostic} found @returns {vscode.Diagnostic} */
function shown(found) {
  const range = (line) => new vscode.Range(line - 1, 0, line - 1, Number.MAX_SAFE_INTEGER);
  const diagnostic = new vscode.Diagnostic(
    range(found.line), found.message,
    found.isInformation ? vscode.DiagnosticSeverity.Information : vscode.DiagnosticSeverity.Error);
  diagnostic.source = 'cudalab';
  diagnostic.relatedInformation = found.related.map(({ file, line }) => new vscode.DiagnosticRelatedInformation(
    new vscode.Location(vscode.Uri.file(file), range(line)), 'the second access'));
  return diagnostic;
}

/** @param {vscode.DiagnosticCollection} collection @param {vscode.Uri} uri */
async function check(collection, uri) {
  const exercise = exerciseOf(uri.fsPath);
  if (!exercise) return;
  try {
    await vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString())?.save();
    const found = diagnosticsOf(await documentOf(['check', exercise.name, '--json'], exercise.folder), exercise.folder);
    collection.delete(uri);
    for (const file of new Set(found.map((each) => each.file)))
      collection.set(vscode.Uri.file(file), found.filter((each) => each.file === file).map(shown));
    vscode.window.setStatusBarMessage(`cudalab: ${exercise.name}: ${found.filter((each) => !each.isInformation).length} problems`, 5000);
  } catch (error) {
    await vscode.window.showErrorMessage(`cudalab: ${error.message}`);
  }
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

/** The view of the lanes, asked from the session at each stop. */
class WarpView {
  /** @param {vscode.WebviewView} view */
  resolveWebviewView(view) {
    this.view = view;
    view.onDidDispose(() => { this.view = undefined; });
    return this.refresh(vscode.debug.activeDebugSession);
  }
  /** @param {vscode.DebugSession | undefined} session */
  async refresh(session) {
    if (!this.view || !session || session.type !== 'cudalab') return;
    try {
      this.show(await session.customRequest('cudalab/warp', {}));
    } catch (error) {
      this.show({ lines: [error.message] });
    }
  }
  /** @param {any} warp */
  show(warp) {
    if (this.view) this.view.webview.html = warpPage(warp, randomBytes(16).toString('hex'));
  }
}

/** @param {WarpView} view */
function trackerFactory(view) {
  return {
    /** @param {vscode.DebugSession} session */
    createDebugAdapterTracker: (session) => ({
      onDidSendMessage: (message) => { if (message.event === 'stopped') view.refresh(session); },
    }),
  };
}

/** @param {vscode.ExtensionContext} context */
function activate(context) {
  const languages = ['cuda-cpp', 'cuda', 'cpp'].map((language) => ({ language, scheme: 'file' }));
  const collection = vscode.languages.createDiagnosticCollection('cudalab');
  const warp = new WarpView();
  context.subscriptions.push(
    collection,
    vscode.tasks.registerTaskProvider('cudalab', tasks),
    vscode.window.registerWebviewViewProvider('cudalab.warp', warp),
    vscode.debug.registerDebugAdapterTrackerFactory('cudalab', trackerFactory(warp)),
    vscode.debug.registerDebugAdapterDescriptorFactory('cudalab', adapters),
    vscode.debug.registerDebugConfigurationProvider('cudalab', configurations),
    vscode.languages.registerCodeLensProvider(languages, lenses),
    vscode.commands.registerCommand('cudalab.check', (uri) => check(collection, uri)),
    vscode.commands.registerCommand('cudalab.run',
      (uri) => vscode.tasks.executeTask(taskOf(['run', uri.fsPath], uri, folderOf(uri)))),
    vscode.commands.registerCommand('cudalab.debug', debug));
}

module.exports = { activate };
