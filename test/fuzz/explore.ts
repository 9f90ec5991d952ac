/** One seed: generates a program, runs it, and shrinks it on failure. */
import fc from 'fast-check';
import { type Counts, noCounts } from './counts.ts';
import { type Program, programs, type Scale } from './program.ts';
import { runProgram } from './run.ts';

export interface Failure {
  readonly message: string;
  readonly program: Program;
}

/** Created once: they contain tables of all characters. */
const made: Record<Scale, () => fc.Arbitrary<Program>> = { quick: once('quick'), long: once('long') };

function once(scale: Scale): () => fc.Arbitrary<Program> {
  let arbitrary: fc.Arbitrary<Program> | undefined;
  return () => {
    arbitrary ??= programs(scale);
    return arbitrary;
  };
}

/** Milliseconds spent on shrinking a failing program. */
const SHRINK_MS = 60_000;

export async function explore(
  seed: number,
  scale: Scale,
  folder: string,
  counts: Counts,
): Promise<Failure | undefined> {
  let total = counts;
  let last: unknown;
  let giveUpAt = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(made[scale](), async (program) => {
    // From then on every attempt passes, so that the smallest failure so far is final.
    if (Date.now() > giveUpAt) return;
    try {
      await runProgram(program, folder, total);
    } catch (error) {
      last = error;
      if (giveUpAt === Number.POSITIVE_INFINITY) giveUpAt = Date.now() + SHRINK_MS;
      // Runs for shrinking are not counted.
      total = noCounts();
      throw error;
    }
  });
  const details = await fc.check(property, { seed, numRuns: 1 });
  if (!details.failed || details.counterexample === null) return undefined;
  return { message: last instanceof Error ? last.message : String(last), program: details.counterexample[0] };
}
