/** The program in a pseudo-terminal, from its start until a text is on the screen. */
import { spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';
import { treeMemory } from '../parts/memory.mjs';

export interface Shown {
  readonly shownMs: number;
  /** Three seconds later, all processes. */
  readonly megabytes: number;
}

export interface ScreenOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly wanted: string;
  readonly rounds: number;
}

const PAUSE_MS = 3000;
const PATIENCE_MS = 60_000;

/** The median of the rounds, after one that warms the disk's cache. */
export async function screenStart(
  program: string,
  args: readonly string[],
  options: ScreenOptions,
): Promise<Shown> {
  await once(program, args, options);
  const rounds: Shown[] = [];
  for (let round = 0; round < options.rounds; round++) rounds.push(await once(program, args, options));
  const middle = Math.floor(rounds.length / 2);
  const median = (of: (shown: Shown) => number): number => rounds.map(of).sort((a, b) => a - b)[middle] ?? 0;
  return { shownMs: median(({ shownMs }) => shownMs), megabytes: median(({ megabytes }) => megabytes) };
}

async function once(
  program: string,
  args: readonly string[],
  { cwd, env, wanted }: ScreenOptions,
): Promise<Shown> {
  const screen = new headless.Terminal({ cols: 120, rows: 40, allowProposedApi: true });
  const started = performance.now();
  const child = spawn(process.execPath, [program, ...args], { cols: 120, rows: 40, cwd, env: { ...env } });
  const exited = new Promise((done) => child.onExit(done));
  screen.onData((reply) => child.write(reply));
  await new Promise<void>((done, fail) => {
    const timer = setTimeout(
      () => fail(new Error(`never on screen: ${wanted}\n${textOf(screen)}`)),
      PATIENCE_MS,
    );
    child.onData((data) =>
      screen.write(data, () => {
        if (!textOf(screen).includes(wanted)) return;
        clearTimeout(timer);
        done();
      }),
    );
  });
  const shownMs = performance.now() - started;
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  const megabytes = treeMemory(child.pid) / 1e6;
  child.kill();
  await exited;
  return { shownMs, megabytes };
}

function textOf(screen: InstanceType<typeof headless.Terminal>): string {
  const { active } = screen.buffer;
  return Array.from({ length: screen.rows }, (_, row) =>
    active.getLine(active.viewportY + row)?.translateToString(true),
  ).join('\n');
}
