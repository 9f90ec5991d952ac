// Loads yoga-layout synchronously from a file. Its own entry decodes 95 KB of base64 and fetches a data: URL, which
// loads Node's entire HTTP client: 25 ms and 15 MB at every start. `scripts/build.mjs` writes the same code to
// `dist/yoga.wasm`. Obsolete once yoga-layout offers this itself: test/bundle/shims.test.ts will detect it.
import { readFileSync } from 'node:fs';
import load from 'yoga-layout/dist/binaries/yoga-wasm-base64-esm.js';
import wrapAssembly from 'yoga-layout/dist/src/wrapAssembly.js';

const code = new WebAssembly.Module(readFileSync(new URL('./yoga.wasm', import.meta.url)));
const assembly = {
  instantiateWasm(imports, onReady) {
    const instance = new WebAssembly.Instance(code, imports);
    onReady(instance, code);
    return instance.exports;
  },
};
// Fills the given object before it returns, since nothing here is asynchronous.
load(assembly);

export default wrapAssembly(assembly);
export * from 'yoga-layout/dist/src/generated/YGEnums.js';
