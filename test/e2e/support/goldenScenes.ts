/**
 * Golden screens of one program in a dark and a light terminal of the same width: every action runs in both, and the
 * screens are compared once they are stable.
 */
import { dirname } from 'node:path';
import { goldenLooks, type Look } from './goldenLooks.ts';
import type { GoldenOptions, GoldenRule } from './goldenScreen.ts';
import type { Terminal } from './terminal.ts';
import type { TestProgram } from './testProgram.ts';

/** One of the two. */
export interface Actor {
  readonly setup: TestProgram;
  readonly terminal: Terminal;
  /** The parts of its text that differ, in addition to its folder and its servers' addresses. */
  readonly own?: () => NonNullable<GoldenOptions['broken']>;
  /** Servers other than the setup's. */
  readonly servers?: readonly { readonly baseUrl: string }[];
}

export interface Scenes<A extends Actor> {
  readonly dark: A;
  readonly light: A;
  /** Runs the action in both. */
  both(act: (one: A) => Promise<void>): Promise<void>;
  /** The same; then waits until the program is idle and compares the screen with the golden one of this name. */
  golden(name: string, act: (one: A) => Promise<void>, more?: readonly GoldenRule[]): Promise<void>;
  /** The same while the test keeps something running: only the spinner and its clock may change. */
  goldenHeld(name: string, act: (one: A) => Promise<void>, more?: readonly GoldenRule[]): Promise<void>;
}

/** Milliseconds to keep comparing a screen that does not match yet: a slow machine draws later. */
const PATIENCE_MS = 30_000;

/** Call it inside a test; `open` starts the program in a terminal with that background. */
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

/** Waits until the screen is stable; if `isHeld`, the spinner and its clock may move. */
async function standsStill(terminal: Terminal, isHeld: boolean): Promise<void> {
  const shown = (): string => {
    const screen = terminal.screen();
    return isHeld ? screen.replace(SPINNER, '').replace(/\b\d+s\b/g, '') : screen;
  };
  for (let last = ''; last !== shown() || (!isHeld && SPINNER.test(last)); await terminal.pause(100))
    last = shown();
}

/** Values that differ from run to run: sizes and shares of the window depend on the machine's paths. */
const rules: readonly GoldenRule[] = [
  [/~?\d+% of \d+(?:\.\d)?k(?: \(compacts at \d+%\))?|~\d+%/, '0%'],
  [/https?:\/\/127\.0\.0\.1:(?!0)\d+\/v1/, 'http://127.0.0.1/v1'],
  [/127\.0\.0\.1:(?!0)\d+/, '127.0.0.1:0'],
  [/just now|\d+ min ago|(?<= )now\b/, 'now'],
  [/ *\b\d+(?:\.\d+)? k?B\b/, '  0 kB'],
  [/[0-9a-f]{7}(?= Import)/, '0000000'],
  // On a slow machine a turn takes long enough for its duration to be shown.
  [/⎿ \d+ s · /, '⎿ '],
  [/Platform: .*/, 'Platform: …'],
  // A round number has no decimal, and spaces in a column instead.
  [/(?:\d+\.\d| {2}\d+)k(?= tok| →)/, '0.0k'],
  // Of /cost: the system prompt contains paths. On a narrow screen "in" is on the next line.
  [/\d(?=[\d.]*k +in\b)|(?<=req +[\d.]*)\d(?=[\d.]*k)/, '0'],
  [/\d+\.\d s\b/, '0.0 s'],
  // The only intended difference: the name of the theme.
  [/\((?:dark|light|da…|li…)/, '(…'],
  [/as the termi?…/, 'as the term…'],
];

/** Number of characters that `mkdtemp` appends to a folder's name. */
const RANDOM = 6;

/**
 * Replaces this terminal's own text with text of the same length, since on a narrow screen it may be wrapped anywhere.
 */
function lookOf({ terminal, setup, servers = [], own }: Actor, columns: number): Look {
  const folder = dirname(setup.work.repository);
  const ports = [setup.server, ...servers].map(({ baseUrl }) => new URL(baseUrl).port);
  const broken: Look['broken'] = [
    ...(own?.() ?? []),
    [folder, asLong('/some/temporary/folder/of/this/test/run', folder)],
    // The remaining end of the path, if its start was cut off.
    [folder.slice(-RANDOM), asLong('run', folder.slice(-RANDOM))],
    ...ports.map((port): readonly [string, string] => [`:${port}`, `:${'0'.repeat(port.length)}`]),
  ];
  return { screen: terminal.lastWritten(), broken: columns < 80 || own !== undefined ? broken : [] };
}

/** Pads or cuts a replacement to the same length. */
export function asLong(replacement: string, { length }: string): string {
  return replacement.padEnd(length, '-').slice(0, length);
}
