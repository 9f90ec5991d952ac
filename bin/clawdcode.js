#!/usr/bin/env node
// The launcher. Plain JavaScript that any old Node can parse: it checks the version before anything else
// is loaded. On a Node that is too old it starts the checkout's own newer one, if there is one.
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
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
    const pieces = openPieces(join(root, 'dist'), ownCacheFolder());
    process.exitCode = await pieces.load('cli.cjs').main(process.argv.slice(2), pieces.setFlags);
  }
}

/**
 * A folder for compiled code below the system's temporary one that is ours alone: what lies in it is run as it
 * is, so a folder that somebody else made, or may write to, is not used; nor is one whose place hangs on where we are
 * started, which may be a repository that brings it along. Undefined where there is none.
 */
function ownCacheFolder() {
  // As Node's own.
  if (process.env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  const user = process.getuid ? process.getuid() : 0;
  const folder = process.env.NODE_COMPILE_CACHE || join(tmpdir(), 'clawdcode-cache-' + user);
  if (!isAbsolute(folder)) return undefined;
  try {
    // Not with the folders above it: where none can be made, as in /proc, Node would try for ever.
    if (!fs.existsSync(folder)) fs.mkdirSync(folder, { mode: 0o700 });
    const info = fs.lstatSync(folder);
    const isOurs =
      info.isDirectory() && (!process.getuid || (info.uid === user && (info.mode & 0o022) === 0));
    return isOurs ? folder : undefined;
  } catch (_error) {
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
