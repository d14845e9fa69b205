// Records the fixtures from real runs: CUDALAB_PROGRAM=build/release/cudalab node editors/vscode/record.js
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const PROGRAM = path.resolve(process.env.CUDALAB_PROGRAM || 'build/release/cudalab');
const VARIANTS = { unsolved: (text) => text, errors: (text) => text.replace(/.*TODO.*/, '  int a = yy;\n  int b = zz;') };

function record(name, change) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cudalab-vscode-'));
  const run = (cwd, ...words) => spawnSync(PROGRAM, words, { cwd, encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  run(folder, 'start', 'first-transpose');
  const course = path.join(folder, 'cudalab-course');
  const file = path.join(course, 'transpose', 'first-transpose.cu');
  fs.writeFileSync(file, change(fs.readFileSync(file, 'utf8')));
  const document = run(course, 'check', 'first-transpose', '--seed', '1', '--json').stdout;
  fs.writeFileSync(path.join(__dirname, 'test', 'fixtures', `${name}.json`), JSON.stringify(JSON.parse(document), null, 1) + '\n');
  fs.rmSync(folder, { recursive: true });
}

for (const [name, change] of Object.entries(VARIANTS)) record(name, change);
