/** Hands over what a command has printed, unless it may show what was hidden from the command. */
import type { BlobRef } from '../../protocol/entries/fields.ts';
import type { Confinement } from '../../protocol/sandbox.ts';
import type { OutputCapture } from './OutputCapture.ts';
import type { RecentText } from './TaskRegistry.ts';

export interface HandedOver {
  readonly text: string;
  /** All of it if it is large. Rejects if the disk write fails. */
  readonly original: Promise<BlobRef | undefined>;
  /** Hidden files, ready to show, that it may contain: it is withheld then. */
  readonly withheldFor: readonly string[];
}

/**
 * Takes the output since the last call, before it returns. See `OutputCapture.take` for `isLast`. Rejects if it is not known
 * whether the output may be handed over.
 */
export async function handOver(
  {
    capture,
    recent,
    confinement,
  }: {
    readonly capture: OutputCapture;
    readonly recent: RecentText;
    readonly confinement: Pick<Confinement, 'exposure'> | undefined;
  },
  isLast: boolean,
): Promise<HandedOver> {
  const taken = capture.take({ isLast });
  // Only now: a check before could miss what the last output shows.
  const withheldFor = (await confinement?.exposure?.check()) ?? [];
  if (withheldFor.length === 0) return { text: taken.text, original: taken.keep(), withheldFor };
  recent.clear();
  await taken.discard();
  return { text: '', original: Promise.resolve(undefined), withheldFor };
}
