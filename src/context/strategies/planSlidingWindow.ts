/** The sliding window over a view: what goes, and which results are cut. Acts only where the user chose it. */
import type { ContextSettings } from '../../protocol/contextSettings.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { SlidingWindow, type WindowResult } from '../history/SlidingWindow.ts';
import type { View } from '../history/view.ts';
import { type WindowFacts, windowItems } from '../history/windowItems.ts';

export interface SlidingWindowPlan {
  /** Uuids of heads, in log order. */
  readonly removed: readonly string[];
  /** Results to be cut, with the tokens that each may keep. */
  readonly clips: readonly { readonly result: JSONLEntry; readonly tokens: number }[];
  readonly window: WindowResult;
}

/** Undefined when the view is within the window already. */
export function planSlidingWindow(
  { atoms, pinned }: Pick<View, 'atoms' | 'pinned'>,
  settings: ContextSettings['window'],
  facts: Pick<WindowFacts, 'sizeOf' | 'sizeOfResult'>,
): SlidingWindowPlan | undefined {
  // The note of an earlier removal goes with the next one and is no message of the window.
  const shown = atoms.filter(({ head }) => head.subtype !== 'reduction');
  const items = windowItems(shown, { ...facts, isPinned: ({ head }) => pinned.has(head.uuid) });
  const window = new SlidingWindow(settings).applyWindow(items);
  const included = new Set(window.included);
  const limits = new Map(window.clips.map(({ uuid, tokens }) => [uuid, tokens]));
  const removed = shown.flatMap(({ head }) => (included.has(head.uuid) ? [] : [head.uuid]));
  const clips = shown.flatMap(({ calls }) =>
    calls.flatMap(({ result }) => {
      const tokens = result === undefined ? undefined : limits.get(result.uuid);
      return result === undefined || tokens === undefined ? [] : [{ result, tokens }];
    }),
  );
  return removed.length === 0 && clips.length === 0 ? undefined : { removed, clips, window };
}
