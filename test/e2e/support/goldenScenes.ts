/**
 * Golden screens of one program in a dark and in a light terminal of one width: what is done in one is done in both,
 * and what stands there is compared once nothing moves any more.
 */
import { dirname } from 'node:path';
import { goldenLooks, type Look } from './goldenLooks.ts';
import type { GoldenOptions, GoldenRule } from './goldenScreen.ts';
import type { Stage } from './stage.ts';
import type { Terminal } from './terminal.ts';

/** One of the two. */
export interface Actor {
  readonly stage: Stage;
  readonly terminal: Terminal;
  /** What of its text is its own, besides its folder and the addresses of its servers. */
  readonly own?: () => NonNullable<GoldenOptions['broken']>;
  /** Servers other than the stage's. */
  readonly servers?: readonly { readonly baseUrl: string }[];
}

export interface Scenes<A extends Actor> {
  readonly dark: A;
  readonly light: A;
  /** Does it in both. */
  both(act: (one: A) => Promise<void>): Promise<void>;
  /** The same; then, when nothing runs any more, the screen is compared with the golden one of this name. */
  golden(name: string, act: (one: A) => Promise<void>, more?: readonly GoldenRule[]): Promise<void>;
  /** The same while something runs, which the test holds: nothing but the spinner and its clock changes. */
  goldenHeld(name: string, act: (one: A) => Promise<void>, more?: readonly GoldenRule[]): Promise<void>;
}

/** Milliseconds for which a screen that is not yet as it was kept is looked at again: a slow machine draws later. */
const PATIENCE_MS = 30_000;

/** Call it inside a test; `open` starts the program in a terminal of that colour. */
export async function openScenes<A extends Actor>(
  columns: number,
  open: (background: 'dark' | 'light') => Promise<A>,
): Promise<Scenes<A>> {
  const [dark, light] = await Promise.all([open('dark'), open('light')]);
  const both = async (act: (one: A) => Promise<void>): Promise<void> => {
    await Promise.all([act(dark), act(light)]);
  };
  const compare = async (name: string, isHeld: boolean, more: readonly GoldenRule[]): Promise<void> => {
    await both(({ terminal }) => standsStill(terminal, isHeld));
    const looks = { dark: lookOf(dark, columns), light: lookOf(light, columns) };
    await goldenLooks(looks, `${name}-${columns}`, { rules: [...rules, ...more], styles: columns === 80 });
  };
  const patiently =
    (isHeld: boolean): Scenes<A>['golden'] =>
    async (name, act, more = []) => {
      await both(act);
      for (const last = Date.now() + PATIENCE_MS; ; ) {
        const error = await compare(name, isHeld, more).catch((problem: unknown) => ({ problem }));
        if (error === undefined) return;
        if (Date.now() > last) throw error.problem;
      }
    };
  return { dark, light, both, golden: patiently(false), goldenHeld: patiently(true) };
}

const SPINNER = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/;

/** Until nothing changes; what is held may go on with its spinner and its clock. */
async function standsStill(terminal: Terminal, isHeld: boolean): Promise<void> {
  const shown = (): string => {
    const screen = terminal.screen();
    return isHeld ? screen.replace(SPINNER, '').replace(/\b\d+s\b/g, '') : screen;
  };
  for (let last = ''; last !== shown() || (!isHeld && SPINNER.test(last)); await terminal.pause(100))
    last = shown();
}

/** What differs from run to run: sizes and shares of the window depend on the paths of the machine. */
const rules: readonly GoldenRule[] = [
  [/~?\d+% of \d+(?:\.\d)?k(?: \(compacts at \d+%\))?|~\d+%/, '0%'],
  [/https?:\/\/127\.0\.0\.1:(?!0)\d+\/v1/, 'http://127.0.0.1/v1'],
  [/127\.0\.0\.1:(?!0)\d+/, '127.0.0.1:0'],
  [/just now|\d+ min ago|(?<= )now\b/, 'now'],
  [/ *\b\d+(?:\.\d+)? k?B\b/, '  0 kB'],
  [/[0-9a-f]{7}(?= Import)/, '0000000'],
  // On a slow machine a turn takes long enough to say so.
  [/⎿ \d+ s · /, '⎿ '],
  [/Platform: .*/, 'Platform: …'],
  [/\d+\.\dk(?= tok| →)/, '0.0k'],
  [/\d+\.\d s\b/, '0.0 s'],
  // The one thing that they say differently: which of both they are.
  [/\((?:dark|light|da…|li…)/, '(…'],
  [/as the termi?…/, 'as the term…'],
];

/** Characters that `mkdtemp` puts at the end of a folder's name. */
const RANDOM = 6;

/** What is this terminal's own is broken anywhere on a narrow screen, and where it is long: it stays as long as it is. */
function lookOf({ terminal, stage, servers = [], own }: Actor, columns: number): Look {
  const folder = dirname(stage.work.repository);
  const ports = [stage.server, ...servers].map(({ baseUrl }) => new URL(baseUrl).port);
  const broken: Look['broken'] = [
    ...(own?.() ?? []),
    [folder, asLong('/some/temporary/folder/of/this/test/run', folder)],
    // What is left of it where its beginning was cut off.
    [folder.slice(-RANDOM), asLong('run', folder.slice(-RANDOM))],
    ...ports.map((port): readonly [string, string] => [`:${port}`, `:${'0'.repeat(port.length)}`]),
  ];
  return { screen: terminal.lastWritten(), broken: columns < 80 || own !== undefined ? broken : [] };
}

/** A stand-in of the same length. */
export function asLong(replacement: string, { length }: string): string {
  return replacement.padEnd(length, '-').slice(0, length);
}
