// Takes the screenshots of docs/debugging.md in a real editor: code-server with the packaged extension, in Chromium.
//
//   npm install --prefix FOLDER code-server@4.99.4 playwright-core
//   NODE_PATH=FOLDER/node_modules node editors/vscode/screenshots.js PROGRAM cudalab.vsix PICTURES
//
// CHROMIUM names the browser; default /usr/bin/chromium. Each step waits for what it needs on the page.
'use strict';
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
const CONFIGURATIONS = [
  { name: 'transpose', lab: 'transpose', stage: 'tiled', arguments: ['--rows', '64', '--cols', '64'] },
  { name: 'reduce', kernel: 'reduce.cu', stopOnEntry: false,
    arguments: ['--kernel', 'reduce', '--grid', '2', '--block', '128', '--arg', 'buf:f32:256:iota', '--arg', 'buf:f32:2'] },
];
const SETTINGS = {
  'cudalab.path': PROGRAM,
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
  fs.mkdirSync(path.join(data, 'User'), { recursive: true });
  fs.writeFileSync(path.join(work, 'reduce.cu'), REDUCE);
  fs.writeFileSync(path.join(work, 'tiled.cu'), SOURCE);
  const configurations = CONFIGURATIONS.map((each) => ({ type: 'cudalab', request: 'launch', cwd: work, ...each }));
  fs.writeFileSync(path.join(work, '.vscode/launch.json'), JSON.stringify({ version: '0.2.0', configurations }));
  fs.writeFileSync(path.join(data, 'User/settings.json'), JSON.stringify(SETTINGS));
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

/** Runs a command of the palette. */
async function command(page, name) {
  await page.keyboard.press('F1');
  await page.waitForSelector('.quick-input-widget input');
  await page.keyboard.type(name);
  await page.waitForTimeout(800);
  await page.keyboard.press('Enter');
  await page.waitForTimeout(800);
}

async function open(page, file, line) {
  await page.keyboard.press('Control+p');
  await page.keyboard.type(`${file}:${line}`);
  await page.waitForTimeout(1500);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.monaco-editor .view-line');
  await page.waitForTimeout(1500);
}

/** Starts a configuration of launch.json, and waits until the launch has stopped. */
async function debug(page, name) {
  await page.keyboard.press('Control+p');
  await page.keyboard.type(`debug ${name}`);
  await page.waitForTimeout(1500);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.debug-top-stack-frame-line, .debug-focused-stack-frame-line', { timeout: 120000 });
  await page.waitForTimeout(4000);
}

async function picture(page, name) {
  const file = path.join(PICTURES, `${name}.png`);
  await page.screenshot({ path: file });
  console.log(`${file}: ${fs.statSync(file).size} bytes`);
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cudalab-screens-'));
  const { work, data } = prepare(folder);
  fs.mkdirSync(PICTURES, { recursive: true });
  const server = await serve(work, data);
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(120000);
    await page.goto(`http://127.0.0.1:${PORT}/?folder=${work}`);
    await page.waitForSelector('.monaco-workbench .part.editor');
    await page.waitForTimeout(5000);
    await open(page, 'reduce.cu', 6);
    await picture(page, 'vscode-lenses');
    await debug(page, 'reduce');
    await picture(page, 'vscode-race');
    await command(page, 'Debug: Stop');
    await debug(page, 'transpose');
    await command(page, 'Focus on Warp View');
    for (let i = 0; i < 10; ++i) await command(page, 'Debug: Step Over');
    await page.waitForTimeout(2000);
    await picture(page, 'vscode-warp');
  } catch (error) {
    await picture(await browser.contexts()[0].pages()[0], 'failed');
    throw error;
  } finally {
    await browser.close();
    server.removeAllListeners('exit');
    server.kill();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error) => { console.error(error); process.exit(1); });
