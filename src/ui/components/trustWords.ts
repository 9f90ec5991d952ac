/** What the question of trust says, on the screen and in plain lines. Pure; whoever shows it makes it safe to show. */
import type { TrustQuestion } from '../types.ts';
import type { Choice } from './choices.ts';

export interface TrustWords {
  readonly heading: string;
  /** The sentence before the list; absent when there is nothing to list. */
  readonly introduction?: string;
  readonly items: readonly { readonly sign: 'does' | 'added' | 'removed'; readonly text: string }[];
  /** The first is yes. */
  readonly choices: readonly Choice[];
}

export function trustWords({ effects, before }: TrustQuestion): TrustWords {
  if (before === undefined)
    return {
      heading: 'Do you trust this folder?',
      ...(effects.length === 0 ? {} : { introduction: 'Its settings would:' }),
      items: effects.map((text) => ({ sign: 'does', text })),
      choices: choices('Yes, I trust this folder', 'No, continue without its settings'),
    };
  if (!before.isRecorded)
    return {
      heading: 'Do you still trust this folder?',
      introduction: 'You trusted it in an earlier version, which did not record these settings:',
      items: effects.map((text) => ({ sign: 'does', text })),
      choices: choices('Yes, I trust this folder', 'No, continue without its settings'),
    };
  return {
    heading: 'Do you trust what has changed in this folder?',
    introduction: `Changed since you trusted it: ${before.added} new, ${before.removed} gone.`,
    // However much went, what came stands first.
    items: [
      ...effects.map((text) => ({ sign: 'added', text }) as const),
      ...before.gone.map((text) => ({ sign: 'removed', text }) as const),
    ],
    choices: choices('Yes, apply the changes', 'No, continue without the changes'),
  };
}

function choices(yes: string, no: string): readonly Choice[] {
  return [
    { label: yes, letter: 'y', action: 'confirm:yes' },
    { label: no, letter: 'n', action: 'confirm:no' },
  ];
}
