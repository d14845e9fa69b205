// Uses the packaged extension in a real editor (code-server in Chromium), checks what it shows, and takes the screenshots
// of docs/debugging.md. scripts/test-editor installs the editor and runs this script:
//
//   NODE_PATH=FOLDER/node_modules node editors/vscode/screenshots.js PROGRAM cudalab.vsix PICTURES
//
// CHROMIUM names the browser; default /usr/bin/chromium. USE names the only use to try. Each step waits for what it needs on
// the page; after a failure, PICTURES has failed.png, and the editor's logs are in PICTURES/logs.
'use strict';
const assert = require('node:assert');
const { execFileSync, spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { chromium } = require('playwright-core');

const [PROGRAM, ARCHIVE, PICTURES] = process.argv.slice(2).map((each) => path.resolve(each));
const PORT = 8700 + (process.pid % 200);
const EXERCISE = 'transpose/first-transpose.cu';
const SOLUTION = 'out[column * rows + row] = in[row * columns + column];';
const TILED = fs.readFileSync(path.join(__dirname, '../../labs/transpose/2_tiled.cu'), 'utf8');
const REDUCE = `__global__ void reduce(const float* in, float* out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  for (int h = 64; h > 0; h /= 2)
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
`;
const REDUCE_OPTIONS = ['--kernel', 'reduce', '--grid', '2', '--block', '128', '--arg', 'buf:f32:256:iota', '--arg', 'buf:f32:2'];
const PROGRAM_SOURCE = `#include <cstdio>
__global__ void twice(int* a) {
  int i = threadIdx.x;
  a[i] = 2 * i;
}
int main() {
  int* a;
  cudaMalloc(&a, 128);
  std::printf("before the launch\\n");
  twice<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
`;
const CONFIGURATIONS = [
  { name: 'tiled transposition', lab: 'transpose', stage: 'tiled', arguments: ['--rows', '64', '--cols', '64'] },
  { name: 'reduce', kernel: 'reduce.cu', arguments: REDUCE_OPTIONS, stopOnEntry: false },
];
const SETTINGS = {
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'workbench.startupEditor': 'none',
  'workbench.colorTheme': 'Default Light Modern',
  'workbench.tips.enabled': false,
  'workbench.layoutControl.enabled': false,
  'chat.commandCenter.enabled': false,
  'window.commandCenter': false,
  'breadcrumbs.enabled': false,
  'editor.minimap.enabled': false,
  'editor.stickyScroll.enabled': false,
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
};

/** A course folder with further sources, and a folder with the editor's data. */
function prepare(folder) {
  const work = path.join(folder, 'course'), data = path.join(folder, 'data');
  for (const each of [work, path.join(data, 'User'), path.join(data, 'Machine')]) fs.mkdirSync(each, { recursive: true });
  execFileSync(PROGRAM, ['start', 'first-transpose', '--editor', 'vscode', '--into', '.'], { cwd: work });
  fs.writeFileSync(path.join(work, 'reduce.cu'), REDUCE);
  fs.writeFileSync(path.join(work, 'program.cu'), PROGRAM_SOURCE);
  fs.writeFileSync(path.join(data, 'User/settings.json'), JSON.stringify(SETTINGS));
  fs.writeFileSync(path.join(data, 'Machine/settings.json'), JSON.stringify({ 'cudalab.path': PROGRAM }));
  fs.writeFileSync(path.join(data, 'config.yaml'), 'auth: none\n');
  return { work, data };
}

/** @returns {Promise<import('child_process').ChildProcess>} the server, once it listens */
function serve(work, data) {
  const entry = require.resolve('code-server/out/node/entry.js');
  const common = ['--config', path.join(data, 'config.yaml'), '--user-data-dir', data,
                  '--extensions-dir', path.join(data, 'extensions')];
  execFileSync(process.execPath, [entry, ...common, '--install-extension', ARCHIVE]);
  const server = spawn(process.execPath, [entry, ...common, '--disable-telemetry', '--disable-update-check',
                                          '--disable-workspace-trust', '--bind-addr', `127.0.0.1:${PORT}`, work],
                       { env: { ...process.env, LC_ALL: 'C.UTF-8', LANGUAGE: 'en' } });
  return new Promise((resolve, reject) => {
    server.on('exit', (code) => reject(new Error(`code-server ended with ${code}`)));
    server.stdout.on('data', (text) => { if (String(text).includes('HTTP server listening')) resolve(server); });
  });
}

// ---- what a hand does ----

const QUICK_INPUT = '.quick-input-widget .quick-input-box input';

/** Runs a command of the palette. */
async function command(page, name) {
  await page.keyboard.press('F1');
  await page.locator(QUICK_INPUT).fill(`>${name}`);
  await page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: name }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator(QUICK_INPUT).waitFor({ state: 'hidden' });
}

/** Opens a file of the workspace in the explorer, and goes to a line. */
async function open(page, file, line) {
  await command(page, 'File: Focus on Files Explorer');
  for (const part of file.split('/')) {
    const rows = page.locator('.explorer-folders-view .monaco-list-row');
    const row = rows.filter({ has: page.getByText(part, { exact: true }) }).first();
    if (part.endsWith('.cu')) await row.dblclick();
    else if (await row.getAttribute('aria-expanded') === 'false') await row.click();
  }
  await page.locator('.tab.active').filter({ hasText: path.basename(file) }).waitFor();
  await see(page, '.codelens-decoration', 'debug');  // the extension is active
  await goTo(page, line);
}

async function goTo(page, line) {
  await page.keyboard.press('Control+g');
  await page.locator(QUICK_INPUT).fill(`:${line}`);
  await page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: `Go to line ${line}` }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator(QUICK_INPUT).waitFor({ state: 'hidden' });
  await see(page, '.statusbar-item', `Ln ${line},`);
}

/** Starts a configuration of launch.json, which the editor may not have read yet. */
async function debug(page, name) {
  const configurations = CONFIGURATIONS.map((each) => ({ type: 'cudalab', request: 'launch', cwd: page.work, ...each }));
  fs.writeFileSync(path.join(page.work, '.vscode/launch.json'), JSON.stringify({ version: '0.2.0', configurations }));
  const row = page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: name });
  for (let tries = 0, isThere = false; !isThere; ++tries) {
    assert.ok(tries < 20, `launch.json has no ${name}`);
    await page.keyboard.press('Control+p');
    await page.locator(QUICK_INPUT).fill(`debug ${name}`);
    isThere = await row.waitFor({ timeout: 2000 }).then(() => true, () => false);
    await page.keyboard.press(isThere ? 'Enter' : 'Escape');
    await page.locator(QUICK_INPUT).waitFor({ state: 'hidden' });
  }
}

async function setBreakpoint(page) {
  await page.keyboard.press('F9');
  await page.locator('.codicon-debug-breakpoint').first().waitFor();
}

/** Clicks the command above the first kernel. */
async function clickLens(page, title) {
  await page.locator('.codelens-decoration a').filter({ hasText: new RegExp(`^${title}$`) }).first().click();
}

/** Clicks a button of the debug toolbar, such as step-over. */
async function press(page, button) {
  await page.locator(`.debug-toolbar .codicon-debug-${button}`).click();
}

async function endSession(page) {
  await press(page, 'stop');
  await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
}

// ---- what the page shows ----

/** Waits until the text is in an element that matches the selector. */
async function see(page, selector, text) {
  await page.locator(selector).filter({ hasText: text }).first().waitFor();
}

/** Waits until the session has stopped before this line, which is yellow. */
async function seeStop(page, line) {
  await page.locator('.debug-top-stack-frame-line').first().waitFor();
  if (!await page.locator('.debug-call-stack').first().isVisible()) {
    await command(page, 'View: Show Run and Debug');
    await page.keyboard.press('Control+1');  // the focus back in the source
  }
  const watch = page.locator('.pane-header[aria-expanded="true"]').filter({ hasText: 'Watch' });
  if (await watch.count()) await watch.click();  // leaves more rows for the variables
  await see(page, '.debug-call-stack .stack-frame .line-number', new RegExp(`^${line}:`));
}

/** Waits until a scope or variable is in the Variables view. */
async function seeVariable(page, text) {
  await see(page, '.debug-variables .monaco-list-row, .debug-view-content .monaco-list-row', text);
}

async function expand(page, name) {
  const row = page.locator('.debug-view-content .monaco-list-row').filter({ hasText: name }).first();
  if (await row.getAttribute('aria-expanded') === 'false') await row.locator('.monaco-tl-twistie').click();
}

async function picture(page, name) {
  const file = path.join(PICTURES, `${name}.png`);
  await page.mouse.move(640, 795);
  await page.waitForTimeout(500);  // for animations
  await page.screenshot({ path: file });
}

/** @returns {number} the line of a file of the workspace that contains the text */
function lineOf(page, file, text) {
  return 1 + fs.readFileSync(path.join(page.work, file), 'utf8').split('\n').findIndex((line) => line.includes(text));
}

/** The page within the Warp view. */
function warpPage(page) {
  return page.frameLocator('iframe.webview').last().frameLocator('iframe').locator('body');
}

// ---- what a user does ----

/** F5 in a folder without launch.json, in a file that is no program. */
async function debugsTheOpenFile(page) {
  await open(page, 'reduce.cu', 1);
  await page.keyboard.press('F5');
  const input = page.locator(QUICK_INPUT);
  await input.waitFor();
  assert.match(await input.inputValue(), /^--kernel reduce --grid 4/);
  await input.fill(REDUCE_OPTIONS.join(' '));
  await page.keyboard.press('Enter');
  await seeStop(page, 1);
  await endSession(page);
}

/** @returns {string} the text of the exercise's file, solved */
function solved(page) {
  return fs.readFileSync(path.join(page.work, EXERCISE), 'utf8').replace(/\/\/ TODO.*/, SOLUTION);
}

async function checksAnExercise(page) {
  await open(page, EXERCISE, 1);
  for (const title of ['check', 'run', 'debug']) await see(page, '.codelens-decoration', title);
  await clickLens(page, 'check');
  await command(page, 'Problems: Focus on Problems View');
  await see(page, '.markers-panel', 'never written');
  fs.writeFileSync(path.join(page.work, EXERCISE), solved(page));
  await see(page, '.view-line', 'out[column');
  await clickLens(page, 'check');
  await see(page, '.markers-panel', 'No problems have been detected');
}

async function debugsAnExercise(page) {
  fs.writeFileSync(path.join(page.work, EXERCISE), solved(page));
  const line = lineOf(page, EXERCISE, SOLUTION);
  await open(page, EXERCISE, line);
  await see(page, '.view-line', 'out[column');
  await setBreakpoint(page);
  const begin = Date.now();
  await clickLens(page, 'debug');
  await seeStop(page, lineOf(page, EXERCISE, '__global__'));
  console.log(`first stop in the editor after ${Date.now() - begin} ms`);
  await press(page, 'continue');
  await seeStop(page, line);
  await see(page, '.debug-call-stack', 'warp 1');
  for (const scope of ['Locals', 'Arguments', 'Built-ins', 'Shared', 'Warp', 'Registers']) await seeVariable(page, scope);
  await expand(page, 'Arguments');
  await expand(page, 'Built-ins');
  await seeVariable(page, 'threadIdx');
  await picture(page, 'vscode-breakpoint');
  await press(page, 'step-over');
  await seeStop(page, line + 2);
  await press(page, 'step-back');
  await seeStop(page, line);
  await command(page, 'Remove All Breakpoints');
  await endSession(page);
}

async function debugsARace(page) {
  await open(page, 'reduce.cu', 6);
  await debug(page, 'reduce');
  await seeStop(page, 6);
  await see(page, '.exception-widget', 'no barrier in between');
  await see(page, '.debug-call-stack', 'warp 3');
  await picture(page, 'vscode-race');
  await press(page, 'step-back');
  await page.locator('.exception-widget').waitFor({ state: 'detached' });
  await press(page, 'step-back');
  await seeStop(page, 5);
  await endSession(page);
}

async function looksAtBankConflicts(page) {
  const line = 1 + TILED.split('\n').findIndex((each) => each.includes('tile[threadIdx.x][threadIdx.y]'));
  await debug(page, 'tiled transposition');
  await see(page, '.tab.active', '2_tiled.cu');
  await goTo(page, line);
  await setBreakpoint(page);
  await press(page, 'continue');
  await seeStop(page, line);
  await page.locator('.debug-toolbar .codicon-table').click();
  const warp = warpPage(page);
  await warp.locator('figcaption').filter({ hasText: 'load in shared memory' }).waitFor();
  await warp.locator('th').filter({ hasText: '31' }).first().waitFor();
  await picture(page, 'vscode-warp');
  await press(page, 'step-back');
  await seeStop(page, line - 1);
  await command(page, 'Remove All Breakpoints');
  await endSession(page);
}

async function runsAKernel(page) {
  await open(page, 'reduce.cu', 1);
  await clickLens(page, 'run');
  const input = page.locator(QUICK_INPUT);
  await input.waitFor();
  assert.match(await input.inputValue(), /^--kernel reduce --grid 4 --block 256 --arg/);
  await input.fill(REDUCE_OPTIONS.join(' '));
  await page.keyboard.press('Enter');
  await page.locator('.squiggly-error').first().waitFor();
  await command(page, 'Problems: Focus on Problems View');
  await see(page, '.markers-panel', 'shared race');
  await see(page, '.markers-panel', 'the second access');
  await picture(page, 'vscode-problems');
  await page.locator('.markers-panel a').filter({ hasText: 'shared race' }).first().click({ modifiers: ['Control'] });
  await page.locator('.tab').filter({ hasText: /^cudalab/ }).locator('.codicon-close').click();
}

async function debugsAProgram(page) {
  await open(page, 'program.cu', 1);
  await clickLens(page, 'debug');
  await seeStop(page, 2);
  await see(page, '.debug-call-stack', 'host code, in cudaDeviceSynchronize');
  await command(page, 'Debug Console: Focus on Debug Console View');
  await see(page, '.repl', 'before the launch');
  await picture(page, 'vscode-program');
  await press(page, 'continue');
  await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
}

const USES = { debugsTheOpenFile, checksAnExercise, debugsAnExercise, debugsARace, looksAtBankConflicts, runsAKernel,
               debugsAProgram };

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cudalab-screens-'));
  const { work, data } = prepare(folder);
  fs.mkdirSync(PICTURES, { recursive: true });
  const server = await serve(work, data);
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.work = work;
  try {
    page.setDefaultTimeout(60000);
    await page.goto(`http://127.0.0.1:${PORT}/?folder=${work}`);
    await page.waitForSelector('.monaco-workbench .part.editor');
    await page.waitForTimeout(5000);
    for (const [name, use] of Object.entries(USES).filter(([each]) => !process.env.USE || each === process.env.USE)) {
      await use(page);
      console.log(`ok ${name}`);
    }
  } catch (error) {
    await picture(page, 'failed');
    fs.cpSync(path.join(data, 'logs'), path.join(PICTURES, 'logs'), { recursive: true });
    throw error;
  } finally {
    await browser.close();
    server.removeAllListeners('exit');
    server.kill();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error) => { console.error(error); process.exit(1); });
