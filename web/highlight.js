// Colours CUDA C++: a list of [class, text] pieces that together are the source.
const KEYWORDS = new Set(("alignas auto bool break case char class const constexpr continue default delete do double else enum " +
  "extern false float for friend if inline int long namespace new nullptr operator private public return short signed " +
  "sizeof static struct switch template this true typedef typename union unsigned using virtual void volatile while").split(" "));
const CUDA = new Set(("__global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __launch_bounds__ " +
  "threadIdx blockIdx blockDim gridDim warpSize").split(" "));
const TOKEN = /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|^[ \t]*#[^\n]*|[A-Za-z_]\w*|\d[\w.]*|\s+|[^\s\w]/gm;

export const is_cuda = word => CUDA.has(word) || /^__\w+/.test(word);

function kind_of(token) {
  if (token.startsWith("//") || token.startsWith("/*")) return "comment";
  if (/^["']/.test(token)) return "string";
  if (/^[ \t]*#/.test(token)) return "macro";
  if (/^\d/.test(token)) return "number";
  if (KEYWORDS.has(token)) return "keyword";
  if (is_cuda(token)) return "cuda";
  return "";
}

export function highlighted(source) {
  const pieces = [];
  for (const [token] of source.matchAll(TOKEN)) {
    const kind = kind_of(token);
    const last = pieces[pieces.length - 1];
    if (last && last[0] === kind) last[1] += token;
    else pieces.push([kind, token]);
  }
  return pieces;
}
