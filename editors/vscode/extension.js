// Connects VS Code with cudalab: the debug adapter, and commands above kernels.
'use strict';
const vscode = require('vscode');
const { execFile } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { diagnosticsOf, hazardsOf } = require('./lib/diagnostics');
const { configurationOfKernel, resolveConfiguration } = require('./lib/configurations');
const { exerciseOf } = require('./lib/exercises');
const { findKernels, hasMain, optionsSuggested } = require('./lib/kernels');
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

/** Says what to do if the program cannot be started, which VS Code itself does not report. @returns {Promise<void>} */
async function requireProgram() {
  const failure = await new Promise((resolve) => { execFile(program(), ['--version'], (error) => resolve(error)); });
  if (!failure) return;
  const choice = await vscode.window.showErrorMessage(
    `"${program()}" cannot be started. Install cudalab, or name its program in the setting cudalab.path.`, 'Open Settings');
  if (choice) await vscode.commands.executeCommand('workbench.action.openSettings', 'cudalab.path');
}

const adapters = {
  createDebugAdapterDescriptor() {
    requireProgram();
    return new vscode.DebugAdapterExecutable(program(), ['debug-adapter']);
  },
};

const configurations = {
  /** @param {vscode.WorkspaceFolder | undefined} folder @param {vscode.DebugConfiguration} given */
  async resolveDebugConfiguration(folder, given) {
    const editor = vscode.window.activeTextEditor;
    const file = editor && editor.document.uri.scheme === 'file' ? editor.document.fileName : undefined;
    const resolved = resolveConfiguration(given, file, folder && folder.uri.fsPath);
    if (!resolved) await vscode.window.showErrorMessage('Open a CUDA file, or name a target in launch.json.');
    const text = editor ? editor.document.getText() : '';
    const [kernel] = findKernels(text);
    if (!resolved || given.program || resolved.program !== file || !kernel || hasMain(text)) return resolved;
    const { program: kernelFile, ...rest } = resolved;  // a file without main is not a program
    const options = await optionsFor(editor.document.uri, kernel.name);
    return options && { ...rest, kernel: kernelFile, arguments: options };
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

/** @param {string[]} words @param {string | undefined} folder @returns {Promise<string>} what cudalab prints */
function outputOf(words, folder) {
  return new Promise((resolve, reject) => {
    execFile(program(), words, { cwd: folder, maxBuffer: 1 << 26 }, (error, output, complaint) => {
      if (output) resolve(output);
      else reject(new Error(complaint.trim() || (error && error.message) || 'cudalab printed nothing'));
    });
  });
}

/** The link that opens a page of cudalab. @param {string} page a file */
function linkTo(page) {
  return vscode.Uri.parse(`command:cudalab.page?${encodeURIComponent(JSON.stringify([page]))}`);
}

/** A line of a file, without its indentation if the file is open. @param {string} file @param {number} line from 1
 *  @returns {vscode.Range} */
function rangeOf(file, line) {
  const document = vscode.workspace.textDocuments.find((each) => each.uri.fsPath === file);
  const begin = document && line <= document.lineCount ? document.lineAt(line - 1).firstNonWhitespaceCharacterIndex : 0;
  return new vscode.Range(line - 1, begin, line - 1, Number.MAX_SAFE_INTEGER);
}

/** @param {import('./lib/diagnostics').Diagnostic} found @param {string} page @returns {vscode.Diagnostic} */
function shown(found, page) {
  const diagnostic = new vscode.Diagnostic(
    rangeOf(found.file, found.line), found.message,
    found.isInformation ? vscode.DiagnosticSeverity.Information : vscode.DiagnosticSeverity.Error);
  diagnostic.source = 'cudalab';
  diagnostic.code = fs.existsSync(page) ? { value: found.code, target: linkTo(page) } : found.code;
  diagnostic.relatedInformation = found.related.map(({ file, line }) => new vscode.DiagnosticRelatedInformation(
    new vscode.Location(vscode.Uri.file(file), rangeOf(file, line)), 'the second access'));
  return diagnostic;
}

/** What a command has found, until it runs again. */
class Problems {
  /** @param {vscode.DiagnosticCollection} collection */
  constructor(collection) {
    this.collection = collection;
    this.pages = fs.mkdtempSync(path.join(os.tmpdir(), 'cudalab-vscode-'));
  }
  /** @param {vscode.Uri} uri @param {string} end of the file's name @returns {string} */
  fileFor(uri, end) {
    return path.join(this.pages, path.basename(uri.fsPath) + end);
  }
  /** @param {vscode.Uri} uri @param {import('./lib/diagnostics').Diagnostic[]} found */
  show(uri, found) {
    const page = this.fileFor(uri, '.html');
    this.collection.clear();
    for (const file of new Set(found.map((each) => each.file)))
      this.collection.set(vscode.Uri.file(file), found.filter((each) => each.file === file).map((each) => shown(each, page)));
    const errors = found.filter((each) => !each.isInformation).length;
    vscode.window.setStatusBarMessage(`cudalab: ${path.basename(uri.fsPath)}: ${errors} ${errors === 1 ? 'problem' : 'problems'}`, 5000);
  }
  dispose() {
    fs.rmSync(this.pages, { recursive: true, force: true });
  }
}

/** @param {vscode.Uri} uri */
async function save(uri) {
  await vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString())?.save();
}

/** @param {() => Promise<void>} work */
async function reported(work) {
  try {
    await work();
  } catch (error) {
    await vscode.window.showErrorMessage(`cudalab: ${error.message}`);
  }
}

/** @param {Problems} problems @param {vscode.Uri} uri */
function check(problems, uri) {
  const exercise = exerciseOf(uri.fsPath);
  return exercise && reported(async () => {
    await save(uri);
    const words = ['check', exercise.name, '--json', `--html=${problems.fileFor(uri, '.html')}`];
    const document = JSON.parse(await outputOf(words, exercise.folder));
    const [kernel] = findKernels(await textOf(uri));
    problems.show(uri, diagnosticsOf(document, exercise.folder, kernel ? kernel.line + 1 : 1));
  });
}

/** The options that run a kernel of a file without main, which the user edits. @param {vscode.Uri} uri
 *  @param {string} kernel @returns {Promise<string[] | undefined>} */
async function optionsFor(uri, kernel) {
  const suggested = optionsSuggested(await outputOf(['run', uri.fsPath], folderOf(uri)), kernel);
  const given = await vscode.window.showInputBox({ title: `cudalab: sizes and arguments of ${kernel}`, value: suggested,
                                                   prompt: 'options of `cudalab run`, one --arg for each parameter',
                                                   ignoreFocusOut: true });
  return given === undefined ? undefined : given.split(/\s+/).filter(Boolean);
}

/** @param {vscode.Uri} uri @returns {Promise<string>} */
async function textOf(uri) {
  return (await vscode.workspace.openTextDocument(uri)).getText();
}

/** Runs the kernel or its program in a terminal, then shows the hazards. @param {Problems} problems
 *  @param {vscode.Uri} uri @param {string} kernel */
function run(problems, uri, kernel) {
  return reported(async () => {
    await save(uri);
    const options = hasMain(await textOf(uri)) ? [] : await optionsFor(uri, kernel);
    if (!options) return;
    const document = problems.fileFor(uri, '.json');
    fs.rmSync(document, { force: true });
    const words = ['run', uri.fsPath, ...options, `--json=${document}`, `--html=${problems.fileFor(uri, '.html')}`];
    await finished(await vscode.tasks.executeTask(taskOf(words, uri, folderOf(uri))));
    if (!fs.existsSync(document)) return;
    problems.show(uri, hazardsOf(JSON.parse(fs.readFileSync(document, 'utf8')), uri.fsPath, folderOf(uri) || path.dirname(uri.fsPath)));
  });
}

/** @param {vscode.TaskExecution} execution @returns {Promise<void>} */
function finished(execution) {
  return new Promise((resolve) => {
    const listener = vscode.tasks.onDidEndTask((event) => {
      if (event.execution !== execution) return;
      listener.dispose();
      resolve();
    });
  });
}

/** @param {vscode.Uri} uri @param {string} kernel */
function debug(uri, kernel) {
  return reported(async () => {
    await save(uri);
    const found = configurationOfKernel(uri.fsPath, kernel, await textOf(uri), folderOf(uri));
    if (found.kernel) found.arguments = await optionsFor(uri, kernel);
    if (found.kernel && !found.arguments) return;
    await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(uri), /** @type {any} */ (found));
  });
}

/** Shows a page that cudalab has written. It runs no script. @param {string} page */
function showPage(page) {
  const panel = vscode.window.createWebviewPanel('cudalab.page', 'cudalab', vscode.ViewColumn.Beside, { localResourceRoots: [] });
  panel.webview.html = fs.readFileSync(page, 'utf8');
}

const lenses = {
  /** @param {vscode.TextDocument} document */
  provideCodeLenses(document) {
    const titles = exerciseOf(document.fileName) ? ['check', 'run', 'debug'] : ['run', 'debug'];
    return findKernels(document.getText()).flatMap(({ name, line }) => titles.map((title) => new vscode.CodeLens(
      new vscode.Range(line, 0, line, 0),
      { title, command: `cudalab.${title}`, arguments: [document.uri, name] })));
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
  const problems = new Problems(collection);
  const warp = new WarpView();
  context.subscriptions.push(
    collection,
    problems,
    vscode.tasks.registerTaskProvider('cudalab', tasks),
    vscode.window.registerWebviewViewProvider('cudalab.warp', warp),
    vscode.debug.registerDebugAdapterTrackerFactory('cudalab', trackerFactory(warp)),
    vscode.debug.registerDebugAdapterDescriptorFactory('cudalab', adapters),
    vscode.debug.registerDebugConfigurationProvider('cudalab', configurations),
    vscode.languages.registerCodeLensProvider(languages, lenses),
    vscode.commands.registerCommand('cudalab.check', (uri) => check(problems, uri)),
    vscode.commands.registerCommand('cudalab.run', (uri, kernel) => run(problems, uri, kernel)),
    vscode.commands.registerCommand('cudalab.debug', debug),
    vscode.commands.registerCommand('cudalab.showWarp', () => vscode.commands.executeCommand('cudalab.warp.focus')),
    vscode.commands.registerCommand('cudalab.page', showPage));
}

module.exports = { activate };
