/** One fresh look at the index, printed as JSON: for picker.ts. */
import { openCatalogue } from '../../src/context/storage/catalogue/SessionCatalogue.ts';

const [dataRoot = ''] = process.argv.slice(2);
globalThis.gc?.();
const before = process.memoryUsage().rss;
const started = performance.now();
const catalogue = openCatalogue({ dataRoot });
const page = await catalogue.list({ limit: 100 });
const pageMs = performance.now() - started;
const all = await catalogue.list();
const allMs = performance.now() - started;
globalThis.gc?.();
const rowsMegabytes = (process.memoryUsage().rss - before) / 1e6;
await catalogue.close();
console.log(JSON.stringify({ pageMs, allMs, rowsMegabytes, rows: page.length + all.length }));
