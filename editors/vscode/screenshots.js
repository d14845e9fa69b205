// Uses the packaged extension in a real editor (code-server in Chromium), checks what it shows, and takes the screenshots
// of docs/debugging.md. scripts/test-editor installs the editor and runs this script:
//
//   NODE_PATH=FOLDER/node_modules node editors/vscode/screenshots.js PROGRAM cudalab.vsix PICTURES
//
// CHROMIUM names the browser; default /usr/bin/chromium. Each step waits for what it needs on the page.
'use strict';
const assert = require('node:assert');
const { execFileSync, spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { chromium } = require('playwright-core');

const [PROGRAM, ARCHIVE, PICTURES] = process.argv.slice(2).map((each) => path.resolve(each));
const PORT = 8700 + (process.pid % 200);
const SOURCE = fs.readFileSync(path.join(__dirname, '../../labs/transpose/2_tiled.cu'), 'utf8');
const REDUCE = `__global__ void reduce(const float* in, float* out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  for (int h = 64; h > 0; h /= 2)
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
`;
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
  { name: 'transpose', lab: 'transpose', stage: 'tiled', arguments: ['--rows', '64', '--cols', '64'] },
  { name: 'reduce', kernel: 'reduce.cu', stopOnEntry: false,
    arguments: ['--kernel', 'reduce', '--grid', '2', '--block', '128', '--arg', 'buf:f32:256:iota', '--arg', 'buf:f32:2'] },
];
const SETTINGS = {
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'workbench.startupEditor': 'none',
  'workbench.colorTheme': 'Default Light Modern',
  'workbench.tips.enabled': false,
  'editor.minimap.enabled': false,
  'debug.openDebug': 'openOnDebugBreak',
  'extensions.ignoreRecommendations': true,
};

/** A folder with the sources and launch.json, and one with the editor's data. */
function prepare(folder) {
  const work = path.join(folder, 'kernels'), data = path.join(folder, 'data');
  fs.mkdirSync(path.join(work, '.vscode'), { recursive: true });
  for (const each of ['User', 'Machine']) fs.mkdirSync(path.join(data, each), { recursive: true });
  fs.writeFileSync(path.join(work, 'reduce.cu'), REDUCE);
  fs.writeFileSync(path.join(work, 'program.cu'), PROGRAM_SOURCE);
  fs.writeFileSync(path.join(work, 'tiled.cu'), SOURCE);
  execFileSync(PROGRAM, ['start', 'first-transpose', '--into', '.'], { cwd: work });
  const configurations = CONFIGURATIONS.map((each) => ({ type: 'cudalab', request: 'launch', cwd: work, ...each }));
  fs.writeFileSync(path.join(work, '.vscode/launch.json'), JSON.stringify({ version: '0.2.0', configurations }));
  fs.writeFileSync(path.join(data, 'User/settings.json'), JSON.stringify(SETTINGS));
  fs.writeFileSync(path.join(data, 'Machine/settings.json'), JSON.stringify({ 'cudalab.path': PROGRAM }));
  return { work, data };
}

/** @returns {Promise<import('child_process').ChildProcess>} the server, once it listens */
function serve(work, data) {
  const entry = require.resolve('code-server/out/node/entry.js');
  const common = ['--user-data-dir', data, '--extensions-dir', path.join(data, 'extensions')];
  execFileSync(process.execPath, [entry, ...common, '--install-extension', ARCHIVE], { stdio: 'inherit' });
  const server = spawn(process.execPath, [entry, ...common, '--auth', 'none', '--disable-telemetry',
                                          '--disable-update-check', '--bind-addr', `127.0.0.1:${PORT}`, work]);
  return new Promise((resolve, reject) => {
    server.on('exit', (code) => reject(new Error(`code-server ended with ${code}`)));
    server.stdout.on('data', (text) => { if (String(text).includes('HTTP server listening')) resolve(server); });
  });
}

const QUICK_INPUT = '.quick-input-widget .quick-input-box input';

/** Runs a command of the palette. */
async function command(page, name) {
  await page.keyboard.press('F1');
  await page.locator(QUICK_INPUT).fill(`>${name}`);
  await page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: name }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator(QUICK_INPUT).waitFor({ state: 'hidden' });
}

/** Opens a file in the explorer, by its path in the workspace, and goes to a line. */
async function open(page, file, line) {
  await command(page, 'File: Focus on Files Explorer');
  for (const part of file.split('/')) await page.locator('.explorer-folders-view .monaco-list-row').filter({ hasText: part }).first().dblclick();
  await page.locator('.tab.active').filter({ hasText: path.basename(file) }).waitFor();
  await page.keyboard.press('Control+g');
  await page.locator(QUICK_INPUT).fill(`:${line}`);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.monaco-editor .view-line');
}

/** Starts a configuration of launch.json, and waits until the launch has stopped. */
async function debug(page, name) {
  await page.keyboard.press('Control+p');
  await page.locator(QUICK_INPUT).fill(`debug ${name}`);
  await page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: name }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForSelector('.debug-top-stack-frame-line, .debug-focused-stack-frame-line');
}

async function picture(page, name) {
  const file = path.join(PICTURES, `${name}.png`);
  await page.screenshot({ path: file });
  console.log(`${file}: ${fs.statSync(file).size} bytes`);
}

/** Waits until the text is in an element that matches the selector. */
async function see(page, selector, text) {
  await page.locator(selector).filter({ hasText: text }).first().waitFor();
}

/** Clicks the command above the first kernel. */
async function clickLens(page, title) {
  await page.locator('.codelens-decoration a').filter({ hasText: new RegExp(`^${title}$`) }).first().click();
}

// ---- what a user does ----

async function debugsARace(page) {
  await open(page, 'reduce.cu', 6);
  await see(page, '.codelens-decoration', 'debug');
  await debug(page, 'reduce');
  await see(page, '.exception-widget', 'shared race');
  await see(page, '.debug-call-stack', 'reduce');
  await see(page, '.debug-variables', 'Locals');
  await picture(page, 'vscode-race');
  await command(page, 'Debug: Step Back');
  await page.locator('.exception-widget').waitFor({ state: 'detached' });
  await command(page, 'Debug: Stop');
}

async function looksAtBankConflicts(page) {
  await debug(page, 'transpose');
  await command(page, 'Focus on Warp View');
  const warp = page.frameLocator('iframe.webview').frameLocator('iframe').locator('body');
  for (let i = 0; i < 20 && !/bank/.test(await warp.innerText()); ++i) await command(page, 'Debug: Step Over');
  assert.match(await warp.innerText(), /bank/);
  await picture(page, 'vscode-warp');
  await command(page, 'Debug: Stop');
}

async function runsAKernel(page) {
  await open(page, 'reduce.cu', 1);
  await clickLens(page, 'run');
  const input = page.locator(QUICK_INPUT);
  await input.waitFor();
  assert.match(await input.inputValue(), /^--kernel reduce --grid 4 --block 256 --arg/);
  await input.fill('--kernel reduce --grid 2 --block 128 --arg buf:f32:256:iota --arg buf:f32:2');
  await page.keyboard.press('Enter');
  await page.locator('.squiggly-error').first().waitFor();
  await command(page, 'Problems: Focus on Problems View');
  await see(page, '.markers-panel', 'shared race');
  await see(page, '.markers-panel', 'the second access');
  await picture(page, 'vscode-problems');
  await page.locator('.markers-panel a').filter({ hasText: 'shared race' }).first().click({ modifiers: ['Control'] });
  await page.locator('.tab').filter({ hasText: /^cudalab/ }).first().waitFor();
}

async function checksAnExercise(page) {
  await open(page, 'transpose/first-transpose.cu', 1);
  await clickLens(page, 'check');
  await command(page, 'Problems: Focus on Problems View');
  await see(page, '.markers-panel', 'never written');
}

async function debugsAProgram(page) {
  await open(page, 'program.cu', 1);
  await clickLens(page, 'debug');
  await page.waitForSelector('.debug-top-stack-frame-line');
  await see(page, '.debug-call-stack', 'twice');
  await command(page, 'Debug Console: Focus on Debug Console View');
  await see(page, '.repl', 'before the launch');
  await command(page, 'Debug: Continue');
  await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
}

const USES = { debugsARace, looksAtBankConflicts, runsAKernel, checksAnExercise, debugsAProgram };

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cudalab-screens-'));
  const { work, data } = prepare(folder);
  fs.mkdirSync(PICTURES, { recursive: true });
  const server = await serve(work, data);
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
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
    throw error;
  } finally {
    await browser.close();
    server.removeAllListeners('exit');
    server.kill();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error) => { console.error(error); process.exit(1); });
