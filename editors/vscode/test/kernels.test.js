// Tests the search for kernels.
'use strict';
const assert = require('node:assert');
const test = require('node:test');
const { findKernels, hasMain, optionsSuggested } = require('../lib/kernels');

const names = (text) => findKernels(text).map(({ name }) => name);

test('finds kernels with templates and attributes', () => {
  const text = 'template <typename T>\n__global__ void\n__launch_bounds__(256, 2) a(T* x) { x[0] = f(1); }\n' +
               'extern "C" __global__ void b(int (*f)(int)) {}\n';
  assert.deepStrictEqual(findKernels(text), [{ name: 'a', line: 1 }, { name: 'b', line: 3 }]);
});

test('skips comments, strings and declarations', () => {
  assert.deepStrictEqual(names('// __global__ void a() {}\n/* __global__ void b() {} */\n__global__ void c();\n' +
                               'const char* s = "__global__ void d() {}";\n__global__ void e() {}'), ['e']);
});

test('knows programs by their main', () => {
  assert.ok(hasMain('__global__ void k() {}\nint main(int n, char** words) {}'));
  assert.ok(!hasMain('// int main() {}\n__global__ void k() { domain(1); }'));
});

test('takes the options that cudalab suggests, and only the sizes for another kernel', () => {
  const listing = 'a<class T>(T* x)  (line 6)\n\nRun one:\n' +
                  "  cudalab run k.cu --kernel 'a<float>' --grid 4 --block 256 --arg buf:f32:1024:zero\nTo run a template, …\n";
  assert.strictEqual(optionsSuggested(listing, 'a'), '--kernel a<float> --grid 4 --block 256 --arg buf:f32:1024:zero');
  assert.strictEqual(optionsSuggested(listing, 'b'), '--kernel b --grid 4 --block 256');
  assert.strictEqual(optionsSuggested('', 'b'), '--kernel b');
});
