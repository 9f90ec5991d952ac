/**
 * Taking up sessions of growing size in a pseudo-terminal: until a typed character is on the screen, until the
 * session is there with its figures, and memory three seconds later; beside the same for a new session. The first opening of a
 * log that this program has never seen reads it from its start, and is told apart.
 */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectSlug } from '../../src/context/storage/pathUtils.ts';
import { interactiveStart } from '../parts/screenStart.mjs';
import { generateSession } from './generate.ts';

export interface ResumeLine {
  readonly what: string;
  readonly typedMs: number;
  readonly readyMs: number;
  readonly megabytes: number;
}

const ROUNDS = 3;

/** `program`: the built launcher. Sizes in megabytes. */
export async function measureResume(program: string, sizes: readonly number[]): Promise<ResumeLine[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-bench-resume-')));
  try {
    const root = join(folder, 'project');
    await mkdir(root);
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      TERM: 'xterm-256color',
      CLAWDCODE_HOME: join(folder, 'data'),
    };
    const start = async (what: string, args: readonly string[]): Promise<ResumeLine> => {
      const { typedMs, readyMs, bytes } = await interactiveStart(program, {
        cwd: root,
        env,
        args: ['--demo', ...args],
        ready: /context ~?\d+%/,
      });
      return { what, typedMs, readyMs, megabytes: bytes / 1e6 };
    };
    const best = async (what: string, args: readonly string[]): Promise<ResumeLine> => {
      const lines: ResumeLine[] = [];
      for (let round = 0; round < ROUNDS; round++) lines.push(await start(what, args));
      const median = (of: (line: ResumeLine) => number): number =>
        lines.map(of).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
      return {
        what,
        typedMs: median((line) => line.typedMs),
        readyMs: median((line) => line.readyMs),
        megabytes: median((line) => line.megabytes),
      };
    };
    await start('warm-up', []);
    const table = [await best('a new session', [])];
    for (const size of sizes) {
      const id = `bench${size}`;
      const file = join(folder, 'data/projects', projectSlug(root), `${id}.jsonl`);
      await generateSession(file, { bytes: size * 1e6, seed: size, root });
      if (size >= 100) table.push(await start(`${size} MB, never opened before`, ['--resume', id]));
      table.push(await best(`${size} MB`, ['--resume', id]));
      await rm(file);
    }
    return table;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
