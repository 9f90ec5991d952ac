/** What must not get lost, whatever the user's file says: a key that sends, and one that takes what is selected. Pure. */
import type { KeyContext } from './actions.ts';
import { type DialogContext, listContexts } from './dialogActions.ts';
import { keysIn } from './keyHints.ts';
import { type Binding, type Keymap, keysOfAction } from './keymap.ts';
import { isText } from './notation.ts';

/** An action without a key that would reach it, although it has Enter as it comes. */
export interface LostWay {
  /** Where changes of Enter have to be left out. */
  readonly contexts: readonly KeyContext[];
  /** One sentence, ready to show. */
  readonly text: string;
}

/** What cannot be done any more with this keymap. A character does not count: it may be text. */
export function lostWays(keymap: Keymap): readonly LostWay[] {
  const lost: LostWay[] = [];
  if (!keysOfAction(keymap, 'chat:submit').some((keys) => !isText(keys)))
    lost.push({ contexts: ['Global', 'Chat'], text: 'No key is bound to send any more; Enter still works.' });
  for (const { contexts, action } of dialogs)
    if (!keysIn(keymap, { contexts, typing: 'text' }, action).some((keys) => !isText(keys)))
      lost.push({
        contexts,
        text: `No key in ${contexts[0]} is bound to ${action} any more; Enter still works.`,
      });
  return lost;
}

/** The changes without those of Enter where it is needed. */
export function withoutLosses(changes: readonly Binding[], lost: readonly LostWay[]): readonly Binding[] {
  return changes.filter(
    ({ keys, context }) => keys !== 'enter' || !lost.some(({ contexts }) => contexts.includes(context)),
  );
}

const dialogs: readonly {
  readonly contexts: readonly DialogContext[];
  readonly action: 'select:accept' | 'confirm:accept' | 'form:submit';
}[] = [
  { contexts: ['Select'], action: 'select:accept' },
  ...listContexts.map((list) => ({ contexts: [list, 'Select'] as const, action: 'select:accept' as const })),
  { contexts: ['Confirmation'], action: 'confirm:accept' },
  { contexts: ['Form'], action: 'form:submit' },
];
