/** A log of which only the end is in memory is as good as the whole: the same request, facts, costs and files. */
import { knownFacts } from '../../src/context/facts/knownFacts.ts';
import { liveEntries } from '../../src/context/history/live.ts';
import { type ContextManager, spentIn } from '../../src/context/index.ts';
import { bytesNow, bytesOfAll, demand, difference, sameBytes } from './check.ts';
import type { Counts } from './counts.ts';
import type { World } from './World.ts';

/** Twice: from the start or from the point of an earlier copy, then from the point that this has left. */
export async function checkLarge(world: World, counts: Counts): Promise<void> {
  const whole = await told(world.context, world);
  const messages = bytesNow(world);
  for (const time of ['first', 'second']) {
    await world.asLarge(async (large) => {
      const isPart = large.entries().some(({ subtype }) => subtype === 'past');
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
}

/** What is known of a session, as text. */
async function told(context: ContextManager, world: World): Promise<Record<string, string>> {
  const entries = context.entries();
  const { projection } = context.session.parts;
  const { files, constraints } = knownFacts(liveEntries(entries).entries);
  const report = context.session.report(world.tools);
  const oldest = await context.page(40, 40);
  return {
    size: JSON.stringify(context.measure(world.tools)),
    cost: JSON.stringify(spentIn(entries)),
    files: JSON.stringify([...projection.touchedFiles()].sort()),
    'changed files': JSON.stringify(files),
    constraints: JSON.stringify(constraints.slice(-100)),
    todos: JSON.stringify(context.todos()),
    reductions: JSON.stringify(report.reductions.slice(-20).map(({ uuid, isUndone }) => [uuid, isUndone])),
    breaker: String(report.breakerIsOpen),
    history: JSON.stringify(oldest.map(({ uuid }) => uuid)),
    length: String(context.session.parts.log.seen().last),
  };
}
