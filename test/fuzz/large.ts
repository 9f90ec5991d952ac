/** A log of which only the end is in memory gives the same results as a whole one: request, facts, costs and files. */
import { currentOutcomes } from '../../src/context/facts/commandRuns.ts';
import { knownFacts } from '../../src/context/facts/knownFacts.ts';
import { isPrompt } from '../../src/context/history/atoms.ts';
import { liveEntries } from '../../src/context/history/liveEntries.ts';
import { type ContextManager, usageOfSession } from '../../src/context/index.ts';
import { removalEntry } from '../../src/context/strategies/applyWindow.ts';
import { rewindTo } from '../context/anyCorrection.ts';
import { sessionOf } from '../context/sessionOf.ts';
import { bytesNow, bytesOfAll, demand, difference, sameBytes } from './check.ts';
import type { Counts } from './counts.ts';
import type { World } from './World.ts';

/** Opens it twice: from the start or an earlier checkpoint, then from the checkpoint that this run has left. */
export async function checkLarge(world: World, counts: Counts): Promise<void> {
  const whole = await told(world.context, world);
  const messages = bytesNow(world);
  let isPart = false;
  for (const time of ['first', 'second']) {
    await world.asCopy('large', async (large) => {
      isPart = large.entries().some(({ subtype }) => subtype === 'past');
      if (isPart) counts.tails++;
      const same = bytesOfAll(large.getMessages());
      demand(sameBytes(same, messages), `A large session has the same request (${time} time).`, () =>
        difference(messages, same),
      );
      const part = await told(large, world);
      for (const key of Object.keys(whole))
        demand(
          part[key] === whole[key],
          `A large session knows the same ${key} (${time} time).`,
          () => `${whole[key]?.slice(0, 300)}\n${part[key]?.slice(0, 300)}`,
        );
    });
  }
  if (isPart) await checkRewind(world);
}

/** A rewind beyond the entries in memory has the same effect as in a session that is fully in memory. */
async function checkRewind(world: World): Promise<void> {
  const back = (turn: number) => async (context: ContextManager) => {
    const prompts = (await context.page(Number.POSITIVE_INFINITY, 10_000)).filter(isPrompt);
    const before = prompts[Math.floor(prompts.length * turn)];
    const steps: (readonly string[])[] = [];
    await context.uncompact(world.options);
    steps.push(bytesOfAll(context.getMessages()));
    if (before !== undefined) await rewindTo(sessionOf(context), before.uuid);
    steps.push(bytesOfAll(context.getMessages()));
    return steps;
  };
  for (const turn of [0, 0.5]) {
    const whole = await world.asCopy('whole', back(turn));
    const large = await world.asCopy('large', back(turn));
    for (const [index, messages] of whole.entries())
      demand(sameBytes(messages, large[index] ?? []), 'A large session goes back like a small one.', () =>
        difference(messages, large[index] ?? []),
      );
  }
}

/** Everything known about a session, as text. */
async function told(context: ContextManager, world: World): Promise<Record<string, string>> {
  const entries = context.entries();
  const { projection, log } = sessionOf(context);
  const removed = projection.view().atoms.map(({ head }) => head.uuid);
  const removal = removalEntry({ removed, strategy: '', reason: '' }, log.live(), { preTokens: 0 });
  const { files, commands } = knownFacts(liveEntries(entries).entries);
  const report = context.report(world.tools);
  const oldest = await context.page(40, 40);
  return {
    size: JSON.stringify(context.measure(world.tools)),
    cost: JSON.stringify(usageOfSession(entries)),
    files: JSON.stringify([...projection.touchedFiles()].sort()),
    'changed files': JSON.stringify(files),
    outcomes: JSON.stringify(currentOutcomes(commands)),
    todos: JSON.stringify(context.todos()),
    reductions: JSON.stringify(report.reductions.slice(-20).map(({ uuid, isUndone }) => [uuid, isUndone])),
    breaker: String(report.breakerIsOpen),
    'pointer to what is shown': String(removal.message.content),
    history: JSON.stringify(oldest.map(({ uuid }) => uuid)),
    length: String(sessionOf(context).log.seen().last),
  };
}
