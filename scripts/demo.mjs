// Opens the demo model in a scratch copy of the sample project, under git, so that none of the user's files are
// touched.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const scratch = join(mkdtempSync(join(tmpdir(), 'clawdcode-demo-')), 'market-basket');
cpSync(join(root, 'examples/sample-project'), scratch, { recursive: true });
spawnSync('git', ['init', '--quiet', scratch]);
process.stdout.write(`A scratch copy of the sample project: ${scratch}\n`);
const child = spawn(process.execPath, [join(root, 'bin/clawdcode.js'), '--demo', ...process.argv.slice(2)], {
  cwd: scratch,
  stdio: 'inherit',
});
// The terminal sends Ctrl+C to the entire group; the program handles it.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
