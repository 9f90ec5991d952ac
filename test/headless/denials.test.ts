import { expect, test } from 'vitest';
import { allowance } from '../../src/headless/denials.ts';
import type { CallQuestion } from '../../src/protocol/permissions.ts';

const question = { tool: 'Bash' } as CallQuestion;
const suggested = {
  ...question,
  suggestion: { rules: ['Bash(make)'], destination: 'local', label: '' },
} as const;
const refused = { bypassPermissions: 'switched off' };

test.each([
  [
    question,
    {},
    'A rule in --allowed-tools that names exactly this call of Bash, or --permission-mode bypassPermissions would allow it.',
  ],
  [question, { refused }, 'A rule in --allowed-tools that names exactly this call of Bash would allow it.'],
  [question, { isManagedOnly: true }, '--permission-mode bypassPermissions would allow it.'],
  [
    question,
    { isManagedOnly: true, refused },
    'Only a rule in the managed settings of this machine could allow it.',
  ],
  [suggested, {}, "--allowed-tools 'Bash(make)' would allow it."],
  [
    suggested,
    { isManagedOnly: true, refused },
    'Only a rule in the managed settings of this machine could allow it.',
  ],
])(
  'advice about a denied call does not suggest what managed settings rule out: %#',
  (asked, limits, advice) => {
    expect(allowance(asked, limits)).toBe(advice);
  },
);
