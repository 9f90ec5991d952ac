/** A home and a real repository to work in, both in one temporary folder. */
import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { giveCode } from './program.ts';

const run = promisify(execFile);
const modules = resolve(import.meta.dirname, '../../../node_modules');

export interface Workspace {
  readonly home: string;
  /** The program's data folder. */
  readonly data: string;
  readonly repository: string;
  /** An empty folder for temporary files. */
  readonly temporary: string;
  /** The program's environment; only PATH comes from the developer's own. */
  env(more?: Readonly<Record<string, string>>): Record<string, string>;
  /**
   * The same for golden screens, which must not depend on whether this machine has a sandbox: with a fake bubblewrap
   * that confines nothing.
   */
  screenEnv(more?: Readonly<Record<string, string>>): Record<string, string>;
  write(path: string, text: string): Promise<void>;
  read(path: string): Promise<string>;
  /** Runs git in the repository and returns its output. */
  git(...args: string[]): Promise<string>;
  /** The repository's session files, oldest first, with their entries. */
  sessions(): Promise<{ file: string; entries: JSONLEntry[] }[]>;
  remove(): Promise<void>;
}

/** Runs the command after `--`; has no network to offer. */
const STAND_IN = `#!/bin/sh
case " $* " in *' --info-fd '*) exit 1 ;; esac
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
`;

const imports = new Map<string, Promise<string>>();

/** A repository with this package, once for all tests of the process: copying it takes a twentieth of creating it. */
function imported(source: string): Promise<string> {
  const known = imports.get(source) ?? importPackage(source);
  imports.set(source, known);
  return known;
}

async function importPackage(source: string): Promise<string> {
  const repository = await mkdtemp(join(process.env.CLAWDCODE_TEST_HOME ?? tmpdir(), 'imported-'));
  await cp(resolve(modules, source), repository, { recursive: true });
  await runGit(repository, ['init', '--quiet', '--initial-branch=main']);
  await runGit(repository, ['add', '--all']);
  await runGit(repository, ['commit', '--quiet', '--message', 'Import']);
  return repository;
}

async function runGit(repository: string, args: readonly string[]): Promise<string> {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];
  const { stdout } = await run('git', [...identity, ...args], { cwd: repository });
  return stdout;
}

/** A copy of a third-party package under git; trusted by default. */
export async function createWorkspace(source = 'picomatch'): Promise<Workspace> {
  const base = await mkdtemp(join(tmpdir(), 'clawdcode-e2e-work-'));
  const home = join(base, 'home');
  const data = join(home, '.clawdcode');
  const repository = join(base, 'repository');
  const temporary = join(base, 'temporary');
  await mkdir(home);
  await giveCode(data);
  await mkdir(temporary);
  cpSync(await imported(source), repository, { recursive: true });
  const git = (...args: string[]) => runGit(repository, args);
  const env: Workspace['env'] = (more = {}) => ({
    PATH: process.env.PATH ?? '',
    HOME: home,
    LANG: 'C.UTF-8',
    COLORTERM: 'truecolor',
    ...more,
  });
  const standIn = join(base, 'stand-in');
  await mkdir(standIn);
  await writeFile(join(standIn, 'bwrap'), STAND_IN, { mode: 0o755 });
  return {
    home,
    data,
    repository,
    temporary,
    env,
    screenEnv: (more = {}) => env({ PATH: `${standIn}:${process.env.PATH ?? ''}`, ...more }),
    git,
    write: (path, text) => writeFile(join(repository, path), text),
    read: (path) => readFile(join(repository, path), 'utf8'),
    async sessions() {
      const projects = await readdir(join(data, 'projects')).catch(() => []);
      const files = await Promise.all(
        projects.map(async (project) => {
          const folder = join(data, 'projects', project);
          return (await readdir(folder))
            .filter((name) => name.endsWith('.jsonl'))
            .map((name) => join(folder, name));
        }),
      );
      const all = await Promise.all(
        files.flat().map(async (file) => ({ file, entries: parseLines(await readFile(file, 'utf8')) })),
      );
      return all.sort((a, b) => (a.entries[0]?.timestamp ?? '').localeCompare(b.entries[0]?.timestamp ?? ''));
    },
    remove: () => rm(base, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/** Writes a preload that shifts the clock and returns the NODE_OPTIONS that load it: "the next day" for one process. */
export async function clockShift(workspace: Workspace, hours: number): Promise<string> {
  const file = join(workspace.home, `clock-${hours}.cjs`);
  const shift = hours * 3_600_000;
  const code = `const Real = Date;
const now = () => Real.now() + ${shift};
globalThis.Date = class Date extends Real {
  constructor(...args) { if (args.length === 0) super(now()); else super(...args); }
  static now() { return now(); }
};`;
  await writeFile(file, code);
  return `--require=${file}`;
}

/** Ignores an incomplete last line: it may still be written, or its writer was killed. */
function parseLines(text: string): JSONLEntry[] {
  return text
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      if (line === '') return [];
      const { crc: _, ...entry } = JSON.parse(line);
      return [entry as JSONLEntry];
    });
}
