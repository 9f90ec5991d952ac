#!/usr/bin/env node
// The launcher. Plain JavaScript that any old Node can parse: it checks the version before anything else
// is loaded. On a Node that is too old it starts the checkout's own newer one, if there is one.
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// An import of it would load its streams and promises, too: 4 ms of every start.
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
 * Where compiled code may be kept, see codeCacheFolder.js; undefined where none shall be. NODE_COMPILE_CACHE is not for us: what
 * lies in the folder that it names would be run as it is.
 */
function codeCachePlaceOf() {
  // As Node's own.
  if (process.env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  try {
    // As in src/cli/process/appPaths.ts; relative paths are no place.
    const dataRoot = process.env.CLAWDCODE_HOME || join(homedir(), '.clawdcode');
    return { dataRoot: dataRoot, cwd: process.cwd() };
  } catch (_error) {
    // No home, or the folder that we are in is gone: the program will say so.
    return undefined;
  }
}

/** Runs this same program under another Node; signals go on to it, its exit becomes ours. */
async function runWith(node) {
  const { spawn } = await import('node:child_process');
  const { constants } = await import('node:os');
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
    process.on(signal, () => {
      // The terminal sends SIGINT to the whole group; only a signal meant for us alone has to be handed on.
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
