/** Keeps the user's own status line up to date; does nothing where there is none. */
import type { Controller } from '../controller/types.ts';
import type { UiSession } from '../types.ts';
import { statusInput } from './statusInput.ts';
import { createStatusRunner, type StatusRunner } from './statusRunner.ts';
import { statusText } from './statusText.ts';
import { addEntry, noTotals } from './totals.ts';

/** Returns what ends it. */
export function attendStatusLine(controller: Controller, now: () => number): () => void {
  let runner: StatusRunner | undefined;
  let session: UiSession | undefined;
  let totals = noTotals;
  let unsubscribe = (): void => undefined;
  let seen: readonly unknown[] = [];
  /** A failure is said once, until it works again. */
  let failure: string | undefined;

  const start = (): StatusRunner | undefined => {
    const command = controller.services()?.statusLine;
    if (command === undefined) return undefined;
    return createStatusRunner(
      command,
      () => session && statusInput(session.agent.state(), session.host.status(), totals, now()),
      (output) => {
        if (output.type === 'failed') {
          if (output.message !== failure) controller.say('warning', output.message);
          failure = output.message;
          if (controller.snapshot().statusText !== undefined) controller.adjust({ statusText: undefined });
          return;
        }
        failure = undefined;
        const { theme, statusText: before } = controller.snapshot();
        const pad = ' '.repeat(command.padding);
        const lines = statusText(output.text, !theme.plain).map((line) => pad + line);
        if (lines.join('\n') !== before?.join('\n')) controller.adjust({ statusText: lines });
      },
      now,
    );
  };
  const look = (): void => {
    runner ??= start();
    if (runner === undefined) return;
    const current = controller.snapshot().session;
    if (current !== session) {
      unsubscribe();
      session = current;
      totals = (session?.agent.entries() ?? []).reduce(addEntry, noTotals);
      unsubscribe =
        session?.agent.subscribe((event) => {
          if (event.type === 'entry') totals = addEntry(totals, event.entry);
        }) ?? (() => undefined);
    }
    if (session === undefined) return;
    const { sessionId, title, model, mode, measure, usage, busy } = session.agent.state();
    const now = [sessionId, title, model.id, mode, measure, usage.requests, usage.costUsd, busy];
    if (now.every((value, index) => value === seen[index])) return;
    seen = now;
    runner.wake();
  };
  const unlisten = controller.subscribe(look);
  look();
  return () => {
    unlisten();
    unsubscribe();
    runner?.dispose();
  };
}
