import type { PermissionAnswer, PermissionQuestion } from '../../protocol/permissions.ts';
import { reveal, sanitizeLine } from '../print/sanitize.ts';
import type { Choice } from './choices.ts';

/** A choice, and the answer that it gives; of the last one, no, the words of the user are part of the answer. */
export type PermissionChoice = Choice & { readonly answer: PermissionAnswer };

/** What can be answered: yes, always where a rule is proposed, always in the sandbox, no. The last one is no. */
export function permissionChoices({
  suggestion,
  canAutoAllow,
}: PermissionQuestion): readonly PermissionChoice[] {
  return [
    { label: 'Yes', letter: 'y', action: 'confirm:yes', answer: { behavior: 'allow' } },
    ...(suggestion === undefined
      ? []
      : [
          {
            label: oneRow(suggestion.label),
            ...(suggestion.detail === undefined ? {} : { detail: oneRow(suggestion.detail) }),
            letter: 'a',
            action: 'confirm:always',
            answer: { behavior: 'allow', remember: true },
          } as const,
        ]),
    ...(canAutoAllow === true
      ? [
          {
            label: 'Yes, and run every command in the sandbox without asking',
            detail: 'for this session; ask and deny rules still apply · see sandbox.autoAllow',
            letter: 's',
            action: 'confirm:sandbox',
            answer: { behavior: 'allow', autoAllow: true },
          } as const,
        ]
      : []),
    {
      label: 'No, tell it what to do instead',
      letter: 'n',
      action: 'confirm:no',
      answer: { behavior: 'deny' },
    },
  ];
}

const oneRow = (text: string): string => sanitizeLine(reveal(text, text.includes('Bash(')));
