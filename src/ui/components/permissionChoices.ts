import type { PermissionQuestion } from '../../protocol/permissions.ts';
import { reveal, sanitizeLine } from '../print/sanitize.ts';
import type { Choice } from './choices.ts';

/** What can be answered: yes, always where a rule is proposed, no. The last one is no. */
export function permissionChoices({ suggestion }: PermissionQuestion): readonly Choice[] {
  return [
    { label: 'Yes', letter: 'y', action: 'confirm:yes' },
    ...(suggestion === undefined
      ? []
      : [
          {
            label: oneRow(suggestion.label),
            detail: oneRow(destinationOf(suggestion)),
            letter: 'a',
            action: 'confirm:always',
          } as const,
        ]),
    { label: 'No, and tell it what to do differently', letter: 'n', action: 'confirm:no' },
  ];
}

function destinationOf({ rules, destination, file }: NonNullable<PermissionQuestion['suggestion']>): string {
  if (destination === 'mode') return 'switches to the mode that accepts edits';
  const where =
    destination === 'session' ? 'for this session only' : `saved to ${file ?? 'the local settings'}`;
  return `${rules.join(', ')} · ${where}`;
}

const oneRow = (text: string): string => sanitizeLine(reveal(text));
