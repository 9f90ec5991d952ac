// Draws docs/screen.svg: the built program with its demo model in a pseudo-terminal, in a copy of the sample project,
// at the moment when it asks whether it may change a file. Everything in the picture is real output.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import graphemes from '@xterm/addon-unicode-graphemes';
import headless from '@xterm/headless';
import { screenToSvg } from './screenToSvg.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const picture = join(root, 'docs/screen.svg');
const size = { cols: 96, rows: 48 };
const PATIENCE = 20_000;

// A fixed path, since it is visible in the picture.
const scratch = join(tmpdir(), 'clawdcode-screenshot');
const project = join(scratch, 'market-basket');
rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch);
cpSync(join(root, 'examples/sample-project'), project, { recursive: true });
spawnSync('git', ['init', '--quiet', project]);

const terminal = new headless.Terminal({ ...size, allowProposedApi: true, scrollback: 1000 });
terminal.loadAddon(new graphemes.UnicodeGraphemesAddon());
terminal.unicode.activeVersion = '15-graphemes';
const program = spawn(process.execPath, [join(root, 'bin/clawdcode.js'), '--demo'], {
  ...size,
  name: 'xterm-256color',
  cwd: project,
  env: {
    PATH: process.env.PATH,
    HOME: scratch,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
  },
});
program.onData((data) => terminal.write(data));
terminal.onData((reply) => program.write(reply));

try {
  await seen(/context ~?\d+%/);
  program.write('fix the failing test');
  await seen(/❯ fix the failing test/);
  program.write('\r');
  await seen(/Run this command/);
  // A prompt ignores keys that were typed before it appeared.
  await pause(1000);
  program.write('y');
  await seen(/Edit src.*\?[\s\S]*❯ 1\. Yes/);
  await pause(300);
  writeFileSync(picture, screenToSvg(terminal, 'clawdcode --demo'));
  process.stdout.write(`Wrote ${picture}\n`);
} finally {
  program.kill();
  rmSync(scratch, { recursive: true, force: true });
}

/** Waits until the pattern appears on the screen. */
async function seen(wanted) {
  const deadline = Date.now() + PATIENCE;
  while (!wanted.test(screen())) {
    if (Date.now() > deadline) throw new Error(`Never saw ${wanted}; on screen:\n${screen()}`);
    await pause(50);
  }
}

function screen() {
  const { active } = terminal.buffer;
  const line = (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '';
  return Array.from({ length: size.rows }, line).join('\n');
}

function pause(ms) {
  return new Promise((done) => setTimeout(done, ms));
}
