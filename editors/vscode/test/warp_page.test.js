// Tests the page of the Warp view.
'use strict';
const assert = require('node:assert');
const test = require('node:test');
const { warpPage } = require('../lib/warp_page');

test('escapes every text and allows no scripts', () => {
  const bad = '<script>"\'&';
  const page = warpPage({ lines: [bad], lanes: [{ lane: 0, active: true, values: { [bad]: bad } }] }, 'abc');
  assert.ok(!page.includes('<script>'));
  assert.strictEqual(page.split('&lt;script&gt;&quot;&#39;&amp;').length, 4);
  assert.match(page, /default-src 'none'; style-src 'nonce-abc'"/);
});

test('has a row for each lane, also without a value', () => {
  const page = warpPage({ lines: [], lanes: [{ lane: 0, active: true, values: { i: '7' } }, { lane: 1, active: false }] }, 'n');
  assert.match(page, /<tr class="active"><th>0<\/th><td>active<\/td><td>7<\/td><\/tr>/);
  assert.match(page, /<tr class="inactive"><th>1<\/th><td>inactive<\/td><td><\/td><\/tr>/);
});

test('shows the pictures of accesses before the lanes', () => {
  const page = warpPage({ pictures: ['<figure><svg class="picture"></svg></figure>'], lanes: [] }, 'n');
  assert.ok(page.indexOf('<svg class="picture">') < page.indexOf('<table>'));
  assert.match(page, /\.t-bad\{/);
});

test('names values that all lanes share once, above the table', () => {
  const lanes = [0, 1].map((lane) => ({ lane, active: true, values: { n: '8', i: String(lane) } }));
  const page = warpPage({ lanes }, 'n');
  assert.match(page, /all lanes: <code>n = 8<\/code>.*<th>state<\/th><th>i<\/th><\/tr>/);
});
