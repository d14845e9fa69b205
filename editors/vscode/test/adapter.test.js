// Starts the real debug adapter with a configuration that the extension resolves, up to the first stop.
'use strict';
const assert = require('node:assert');
const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const test = require('node:test');
const { resolveConfiguration } = require('../lib/configurations');

const PROGRAM = process.env.CUDALAB_PROGRAM;
const SOURCE = '__global__ void fill(int* x) {\n  x[threadIdx.x] = 1;\n}\nint main() {\n  int* x;\n' +
               '  cudaMalloc(&x, 128);\n  fill<<<1, 32>>>(x);\n  cudaDeviceSynchronize();\n  cudaFree(x);\n}\n';

/** Calls `seen` with every message of the protocol in a stream. */
function readMessages(stream, seen) {
  let bytes = Buffer.alloc(0);
  stream.on('data', (data) => {
    bytes = Buffer.concat([bytes, data]);
    for (let end; (end = bytes.indexOf('\r\n\r\n')) >= 0;) {
      const length = Number(/Content-Length: *(\d+)/i.exec(bytes.toString('utf8', 0, end))[1]);
      if (bytes.length < end + 4 + length) return;
      seen(JSON.parse(bytes.toString('utf8', end + 4, end + 4 + length)));
      bytes = bytes.subarray(end + 4 + length);
    }
  });
}

function sendRequest(stream, seq, command, args) {
  const body = JSON.stringify({ seq, type: 'request', command, arguments: args });
  stream.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** @returns {Promise<any>} the lanes at the first stop */
function lanesAtFirstStop(adapter, configuration) {
  return new Promise((resolve, reject) => {
    adapter.on('exit', (code) => reject(new Error(`the adapter ended with ${code}`)));
    readMessages(adapter.stdout, (message) => {
      if (message.success === false) reject(new Error(message.message));
      if (message.event === 'initialized') {
        sendRequest(adapter.stdin, 2, 'launch', configuration);
        sendRequest(adapter.stdin, 3, 'configurationDone', {});
      }
      if (message.event === 'stopped') sendRequest(adapter.stdin, 4, 'cudalab/warp', {});
      if (message.command === 'cudalab/warp') resolve(message.body);
    });
    sendRequest(adapter.stdin, 1, 'initialize', { adapterID: 'cudalab', linesStartAt1: true });
  });
}

test('the adapter stops in the active file and answers with 32 lanes', { skip: !PROGRAM, timeout: 120000 }, async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cudalab-vscode-'));
  const file = path.join(folder, 'fill.cu');
  fs.writeFileSync(file, SOURCE);
  const adapter = spawn(PROGRAM, ['debug-adapter'], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => { adapter.kill(); fs.rmSync(folder, { recursive: true }); });
  const { lanes } = await lanesAtFirstStop(adapter, resolveConfiguration({}, file, folder));
  assert.deepStrictEqual(lanes.map(({ lane, active }) => [lane, active]), [...Array(32).keys()].map((lane) => [lane, true]));
});
