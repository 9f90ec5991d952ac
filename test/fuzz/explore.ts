/** One seed: makes a program, runs it, and shrinks it when something does not hold. */
import fc from 'fast-check';
import { type Counts, noCounts } from './counts.ts';
import { type Program, programs, type Scale } from './program.ts';
import { runProgram } from './run.ts';

export interface Failure {
  readonly message: string;
  readonly program: Program;
}

/** Made once: they hold tables of all characters. */
const made: Record<Scale, () => fc.Arbitrary<Program>> = { quick: once('quick'), long: once('long') };

function once(scale: Scale): () => fc.Arbitrary<Program> {
  let arbitrary: fc.Arbitrary<Program> | undefined;
  return () => {
    arbitrary ??= programs(scale);
    return arbitrary;
  };
}

/** How long a failing program is made smaller, in milliseconds. */
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
    // What is tried after that counts as whole, so that the smallest so far is it.
    if (Date.now() > giveUpAt) return;
    try {
      await runProgram(program, folder, total);
    } catch (error) {
      last = error;
      if (giveUpAt === Number.POSITIVE_INFINITY) giveUpAt = Date.now() + SHRINK_MS;
      // What is run to shrink is not counted.
      total = noCounts();
      throw error;
    }
  });
  const details = await fc.check(property, { seed, numRuns: 1 });
  if (!details.failed || details.counterexample === null) return undefined;
  return { message: last instanceof Error ? last.message : String(last), program: details.counterexample[0] };
}
