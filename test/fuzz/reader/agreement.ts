/**
 * Runs commands that need no question in real shells, in a namespace of their own, and looks whether they did what was
 * promised: no file made, changed or gone, nothing secret in the output, nothing run that the folder brings along.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { lookingEnvironment } from '../../../src/tools/shell/lookingEnvironment.ts';
import { quote } from '../../../src/tools/shell/shellScript.ts';

/** In files that must not be shown, and in the values of variables that must not be printed. */
export const MARK = 'MARKED';
const secret = `${MARK} hidden\n`;

/** Longest that a batch may take; a command that waits for ever is no surprise. */
const BATCH_MS = 120_000;

export interface Surprise {
  readonly shell: string;
  readonly command: string;
  readonly what: string;
}

export interface Arena {
  readonly root: string;
  readonly home: string;
}

/** Makes the tree that commands run in, with files whose names are traps. */
export function makeArena(top: string): Arena {
  const home = join(top, 'home');
  const root = join(home, 'project');
  const file = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode });
    chmodSync(join(root, path), mode);
  };
  for (const path of [
    '.env',
    '.env.local',
    'secret/id_rsa',
    'nested/.env',
    '../.ssh/id_rsa',
    '../../outside/o.txt',
  ])
    file(path, secret);
  file(`../../outside/${MARK}-name`, 'x\n');
  file(`../.ssh/${MARK}-key`, secret);
  for (const path of ['a.txt', 'b.txt', 'my file.txt', "quote's.txt", '[id].ts', '{a,b}', '~', '../n.txt'])
    file(path, 'one x,2\n../../outside/o.txt\n-o\n*\n');
  for (const path of ['src/app.ts', 'src/util/x.ts', 'docs/read.md', 'src/FILE', 'odd/-o', 'odd/--pre=x'])
    file(path, 'x 1\n');
  file('data.json', '{"name":"x"}\n');
  for (const path of ['evil', 'node_modules/.bin/ls', 'ls', 'touch'])
    file(path, '#!/bin/sh\n: > ran\n', 0o755);
  symlinkSync('../../outside/o.txt', join(root, 'link.txt'));
  symlinkSync('../../outside', join(root, 'link'));
  symlinkSync('src', join(root, 'inner'));
  const git = (...args: readonly string[]): void => {
    const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-C', root];
    spawnSync('git', [...own, ...args], { stdio: 'ignore' });
  };
  spawnSync('git', ['init', '-q', root]);
  git('add', 'a.txt', 'src');
  git('commit', '-qm', 'one');
  file('nested/x', 'x\n');
  spawnSync('git', ['init', '-q', join(root, 'nested')]);
  spawnSync('git', ['-C', join(root, 'nested'), 'config', 'core.fsmonitor', '../evil']);
  spawnSync('git', ['init', '-q', '--bare', join(root, 'bare')]);
  spawnSync('git', ['-C', join(root, 'bare'), 'config', 'core.fsmonitor', '../evil']);
  return { root, home };
}

/** The same with files that are called like options: then hardly any pattern may stand alone. */
export function addTraps({ root }: Arena): void {
  for (const name of ['-o', '--pre=x', '-rf']) writeFileSync(join(root, name), 'x\n');
}

/** Whether namespaces can be made here. */
export function canConfine(): boolean {
  return spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true']).status === 0;
}

/** The shells of the list that there are. */
export const shellsHere = (): readonly string[] =>
  ['bash', 'dash', 'zsh'].filter((name) => spawnSync(name, ['-c', ':']).status === 0);

/** Every path with what tells whether it was touched. */
function snapshot(top: string): string {
  const lines: string[] = [];
  const look = (folder: string): void => {
    for (const name of readdirSync(folder).sort()) {
      const path = join(folder, name);
      const info = lstatSync(path);
      const target = info.isSymbolicLink() ? readlinkSync(path) : '';
      lines.push(
        `${path} ${info.mode} ${info.isDirectory() ? '' : `${info.size} ${info.mtimeMs} ${info.ino}`} ${target}`,
      );
      if (info.isDirectory()) look(path);
    }
  };
  look(top);
  return lines.join('\n');
}

/** Runs all in each shell, and finds out which command was to blame where something happened. */
export async function runBatch(
  commands: readonly string[],
  shells: readonly string[],
  make: () => Arena,
  top: string,
): Promise<readonly Surprise[]> {
  const surprises: Surprise[] = [];
  for (const shell of shells) {
    const bisect = async (part: readonly string[]): Promise<void> => {
      const what = await happens(part, shell, make, top);
      if (what === undefined) return;
      const [command] = part;
      if (part.length === 1 && command !== undefined) {
        surprises.push({ shell, command, what });
        return;
      }
      await bisect(part.slice(0, part.length / 2));
      await bisect(part.slice(part.length / 2));
    };
    await bisect(commands);
  }
  return surprises;
}

let arena: { readonly top: string; readonly place: Arena; readonly before: string } | undefined;

async function happens(
  commands: readonly string[],
  shell: string,
  make: () => Arena,
  top: string,
): Promise<string | undefined> {
  if (arena?.top !== top) {
    rmSync(top, { recursive: true, force: true });
    const place = make();
    arena = { top, place, before: snapshot(top) };
  }
  const { place, before } = arena;
  const script = commands.map((command) => `( eval ${quote(command)} )\n`).join('');
  const output = await confined(shell, script, place, top);
  const after = snapshot(top);
  if (after !== before) {
    const lines = new Set(before.split('\n'));
    const changed = after.split('\n').find((line) => !lines.has(line)) ?? 'a file is gone';
    arena = undefined;
    return `changed: ${changed}`;
  }
  if (output.includes(MARK))
    return `showed: ${output.slice(Math.max(0, output.indexOf(MARK) - 60), output.indexOf(MARK) + 60)}`;
  const write = /^.*(?:Read-only file system).*$/m.exec(output)?.[0];
  return write === undefined ? undefined : `tried to write: ${write}`;
}

function confined(shell: string, script: string, { root, home }: Arena, top: string): Promise<string> {
  const env = lookingEnvironment(
    {
      PATH: `node_modules/.bin:${join(root, 'node_modules/.bin')}:${process.env.PATH ?? ''}`,
      HOME: home,
      TOKEN: `${MARK}-token`,
      GITHUB_TOKEN: `${MARK}-token`,
      LANG: 'C.UTF-8',
    },
    root,
  );
  const flags = shell === 'zsh' ? ['-f'] : [];
  const args = [
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--bind', top, top],
    ...['--unshare-all', '--die-with-parent', '--chdir', root, shell, ...flags, '-s'],
  ];
  return new Promise((resolve) => {
    const child = spawn('bwrap', args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    const timer = setTimeout(() => child.kill('SIGKILL'), BATCH_MS);
    child.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString('utf8'));
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(script.replaceAll(' )\n', ' ) </dev/null\n'));
  });
}
