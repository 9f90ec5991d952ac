#!/usr/bin/env node
// The launcher. Plain JavaScript that any old Node can parse: checks the version before loading anything else. On a
// Node that is too old it starts the checkout's own newer one, if there is one.
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Importing it would also load its streams and promises: 4 ms at every start.
const fs = process.getBuiltinModule ? process.getBuiltinModule('node:fs') : await import('node:fs');
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const parts = process.versions.node.split('.').map(Number);
const tooOld = parts[0] < 22 || (parts[0] === 22 && parts[1] < 16);

if (tooOld) {
  const own = join(root, 'node_modules', 'node', 'bin', 'node');
  if (fs.existsSync(own)) await runWith(own);
  else {
    process.stderr.write(
      'clawdcode needs Node 22.16 or later; this is ' +
        process.version +
        '. Install a newer Node and try again.\n',
    );
    process.exitCode = 1;
  }
} else {
  if (!fs.existsSync(join(root, 'dist', 'cli.cjs'))) {
    process.stderr.write(
      'clawdcode is not built yet: run "npm install" (or "npm run build") in ' + root + '\n',
    );
    process.exitCode = 1;
  } else {
    const { openPieces } = await import('./pieces.js');
    const pieces = openPieces(join(root, 'dist'), codeCachePlaceOf());
    process.exitCode = await pieces.load('cli.cjs').main(process.argv.slice(2), pieces.setFlags);
  }
}

/**
 * Where compiled code may be kept, see codeCacheFolder.js; undefined to keep none. NODE_COMPILE_CACHE is ignored,
 * because code in that folder would be run unchecked.
 */
function codeCachePlaceOf() {
  // Node's own variable for this.
  if (process.env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  try {
    // As in src/cli/process/appPaths.ts, but relative paths are not accepted.
    const dataRoot = process.env.CLAWDCODE_HOME || join(homedir(), '.clawdcode');
    return { dataRoot: dataRoot, cwd: process.cwd() };
  } catch (_error) {
    // There is no home, or the current folder has been deleted: the program reports it.
    return undefined;
  }
}

/** Runs this program under another Node; forwards signals and takes over its exit code. */
async function runWith(node) {
  const { spawn } = await import('node:child_process');
  const { constants } = await import('node:os');
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
    process.on(signal, () => {
      // The terminal sends SIGINT to the entire group; forward it only if it was sent to this process alone.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  await new Promise((done) => {
    child.on('error', (error) => {
      process.stderr.write('clawdcode could not start ' + node + ': ' + error.message + '\n');
      process.exitCode = 1;
      done();
    });
    child.on('exit', (code, signal) => {
      process.exitCode = code === null ? 128 + (constants.signals[signal] || 0) : code;
      done();
    });
  });
}
