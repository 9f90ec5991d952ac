// yoga-layout, started at once from a file. Its own entry decodes 95 KB of base64 and fetches a data: URL, which
// loads Node's whole HTTP client: 25 ms and 15 MB at every start. `scripts/build.mjs` puts the same code into
// `dist/yoga.wasm`. Not needed any more when yoga-layout offers that itself: test/bundle/shims.test.ts will say so.
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
// It fills the object that it is given before it returns, as nothing here takes time.
load(assembly);

export default wrapAssembly(assembly);
export * from 'yoga-layout/dist/src/generated/YGEnums.js';
