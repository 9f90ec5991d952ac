/** Runs one program in its own folder and checks all invariants after each operation. */

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isPrompt } from '../../src/context/history/atoms.ts';
import { sessionOf } from '../context/sessionOf.ts';
import { apply, prompt } from './apply.ts';
import { bytesOfAll, checkLog, checkProjection, demand, sameBytes } from './check.ts';
import { addCounts, type Counts, noCounts } from './counts.ts';
import type { Program } from './program.ts';
import { send } from './send.ts';
import { World } from './World.ts';

/** Throws the violation with the operation after which it was found. Adds to `total`. */
export async function runProgram(program: Program, folder: string, total: Counts): Promise<void> {
  const counts = noCounts();
  let at = -1;
  try {
    await inFolder(program, folder, async (world) => {
      await world.create();
      await prompt(world, ['Mend the window.'], false);
      await send(world, counts);
      for (const [index, op] of program.ops.entries()) {
        at = index;
        await world.summaries.tick();
        await apply(world, op, counts);
        counts.operations++;
        // A request needs a prompt.
        if (!hasPrompt(world)) await prompt(world, ['And now?'], false);
        checkProjection(world, counts);
        await send(world, counts);
      }
      await finish(world);
    });
    counts.programs++;
  } catch (error) {
    const op = program.ops[at];
    throw new Error(`After operation ${at} (${op?.do ?? 'the start'}): ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    addCounts(total, counts);
  }
}

/** Runs in a temporary folder, which is removed afterwards. */
export async function inFolder(
  program: Program,
  folder: string,
  work: (world: World) => Promise<void>,
): Promise<void> {
  const own = await mkdtemp(join(folder, 'program-'));
  const world = new World(program, own);
  try {
    await work(world);
  } finally {
    await world.close();
    await rm(own, { recursive: true, force: true });
  }
}

function hasPrompt(world: World): boolean {
  return world.projection.view().atoms.some(({ head }) => isPrompt(head));
}

async function finish(world: World): Promise<void> {
  // A draft in the background writes to the log when it ends, so wait for it.
  const { thread, log } = sessionOf(world.context);
  thread.stop();
  await thread.settled();
  await log.sync();
  await checkLog(world);
  const before = bytesOfAll(world.messages());
  const id = world.context.getCurrentSessionId() ?? '';
  await world.reopen(id);
  demand(
    sameBytes(bytesOfAll(world.messages()), before),
    'At the end, a resumed session has the same request, to the byte.',
  );
  await checkLog(world);
}
