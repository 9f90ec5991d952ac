/**
 * Checks in real shells that commands which need no approval keep the promise: no file created, changed or deleted, no
 * protected file read, no secret in the output nor output that depends on one, no network.
 */
import { MARK } from './arena.ts';
import { confined, type Job, tokens } from './confine.ts';
import type { Ground } from './Ground.ts';

export interface Surprise extends Job {
  readonly shell: string;
  readonly what: string;
}

export interface BatchResult {
  readonly surprises: readonly Surprise[];
  /** Runs that waited for something until they were killed. */
  readonly hung: readonly Job[];
}

/** Runs all commands in each shell; if something happened, finds the command that did it. */
export async function runBatch(
  jobs: readonly Job[],
  ground: Ground,
  shells: readonly string[],
  tools?: string,
): Promise<BatchResult> {
  const surprises: Surprise[] = [];
  const hung: Job[] = [];
  for (const shell of shells) {
    const bisect = async (part: readonly Job[], isWhole: boolean): Promise<void> => {
      const seen = await happens(part, { shell, ground, tools });
      if (isWhole) hung.push(...seen.hung);
      const [first] = part;
      if (seen.what === undefined || first === undefined) return;
      if (part.length === 1) surprises.push({ shell, ...first, what: seen.what });
      else
        for (const half of [part.slice(0, part.length / 2), part.slice(part.length / 2)])
          await bisect(half, false);
    };
    await bisect(jobs, true);
  }
  return { surprises, hung };
}

interface Place {
  readonly shell: string;
  readonly ground: Ground;
  readonly tools: string | undefined;
}

type Outputs = readonly (string | undefined)[];

/** What the commands did together, if it was not allowed. */
async function happens(
  jobs: readonly Job[],
  place: Place,
): Promise<{ readonly what: string | undefined; readonly hung: readonly Job[] }> {
  const ofToken = jobs.filter(({ command }) => command.includes('TOKEN'));
  const look = place.ground.watch();
  const first = await runAll(jobs, place, tokens[0]);
  const second = await runAll(ofToken, place, tokens[1]);
  const what =
    look() ??
    shownBy(first.outputs) ??
    first.network ??
    dependsOn(
      ofToken.map((job) => first.outputs[jobs.indexOf(job)]),
      second.outputs,
    );
  return { what, hung: first.hung };
}

function shownBy(outputs: Outputs): string | undefined {
  for (const output of outputs) {
    const at = output?.indexOf(MARK) ?? -1;
    if (at !== -1) return `showed: ${output?.slice(Math.max(0, at - 60), at + 60)}`;
    const refused = /^.*(?:Read-only file system|remote shell|initgroups).*$/m.exec(output ?? '')?.[0];
    if (refused !== undefined) return `tried: ${refused}`;
  }
  return undefined;
}

/**
 * With another secret, the output must consist of the same characters, apart from numbers such as process ids. Their
 * order may differ: ag prints what each of its threads finds, and programs that run at once write over each other.
 */
function dependsOn(one: Outputs, other: Outputs): string | undefined {
  const steady = (text: string): string => [...text.replace(/\d{2,}/g, '0')].sort().join('');
  const at = one.findIndex((text, index) => {
    const again = other[index];
    return text !== undefined && again !== undefined && steady(text) !== steady(again);
  });
  return at === -1
    ? undefined
    : `depends on a secret: ${one[at]?.slice(0, 100)} / ${other[at]?.slice(0, 100)}`;
}

/** Runs all of them, continuing after one that hangs. */
async function runAll(
  jobs: readonly Job[],
  { shell, ground, tools }: Place,
  token: string,
): Promise<{
  readonly outputs: Outputs;
  readonly network: string | undefined;
  readonly hung: readonly Job[];
}> {
  const outputs: (string | undefined)[] = [];
  const hung: Job[] = [];
  let network = '';
  while (outputs.length < jobs.length) {
    const ran = await confined(shell, jobs.slice(outputs.length), ground.arena, {
      token,
      ...(tools && { tools }),
    });
    network ||= ran.network;
    const done = ran.outputs.indexOf(undefined);
    outputs.push(...(done === -1 ? ran.outputs : ran.outputs.slice(0, done + 1)));
    const waiting = jobs[outputs.length - 1];
    if (done !== -1 && waiting !== undefined) hung.push(waiting);
  }
  return { outputs, hung, network: network === '' ? undefined : `used the network: ${network}` };
}
