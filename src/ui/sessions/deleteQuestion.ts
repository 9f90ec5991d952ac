/** The question before a session is deleted: what it is, what goes, what stays. Pure. */
import type { SessionRecord } from '../../protocol/sessions.ts';
import { type Choice, choiceLines } from '../components/choices.ts';
import { ruled } from '../components/permissionLayout.ts';
import { count, formatAge, formatBytes } from '../print/numbers.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { wrapText } from '../print/spans.ts';
import type { Theme } from '../theme/theme.ts';

/** No comes first: it is what an Enter too many takes. */
export const deleteChoices: readonly Choice[] = [
  { label: 'No, keep it', letter: 'n', action: 'confirm:no' },
  { label: 'Yes, delete it permanently', letter: 'y', action: 'confirm:yes' },
];

/** At most `rows` lines, the choices among them. */
export function deleteLines(
  session: SessionRecord,
  selected: number,
  room: { readonly width: number; readonly rows: number; readonly theme: Theme; readonly now: Date },
  archiveKey: string | undefined,
): string[] {
  const { width, rows, theme, now } = room;
  const title = sanitizeLine(session.title) || '(no title)';
  const facts = [
    formatAge(session.updatedAt, now),
    count(session.promptCount, 'request'),
    formatBytes(session.bytes),
  ].join(' · ');
  const key = archiveKey === undefined ? '' : ` (${archiveKey})`;
  const goes = `This frees ${formatBytes(session.bytes)}, and large outputs that no other session has. Files that it changed stay as they are. Nothing brings the session back${session.isArchived ? '.' : `; archiving it${key} keeps it and takes less room.`}`;
  const said = [
    ...wrapText(`“${title}”`, width, theme.strong).slice(0, 3),
    ...wrapText(facts, width, theme.dim),
    '',
    ...wrapText(goes, width),
    '',
  ];
  const answers = choiceLines(deleteChoices, selected, width, theme);
  const space = Math.max(1, rows - answers.length - 1);
  return [ruled('Delete this session?', width, theme), ...said.slice(0, space), ...answers];
}
