// Tests the search for kernels.
'use strict';
const assert = require('node:assert');
const test = require('node:test');
const { findKernels } = require('../lib/kernels');

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
