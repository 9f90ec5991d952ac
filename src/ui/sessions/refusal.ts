/** The dialog for a session that cannot be resumed here, with the alternatives. Pure. */
import { localTime } from '../../protocol/text/localTime.ts';
import type { Choice, ChoiceDialog } from '../dialog/choices.ts';
import { formatAge } from '../print/numbers.ts';

/** Why a session was not opened. */
export type Refusal =
  /** Another process has it open; `holder` is unknown while that process starts or exits. */
  | { readonly why: 'locked'; readonly holder: SessionHolder | undefined; readonly canRead: boolean }
  /** It belongs to another project, whose folder may be gone. */
  | {
      readonly why: 'elsewhere';
      readonly root: string | undefined;
      readonly isGone: boolean;
      readonly canRead: boolean;
    };

interface SessionHolder {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601, UTC. */
  readonly since: string;
}

/** Where "back" leads. */
export type RefusalBack = 'list' | 'session' | 'new';
export type RefusalAnswer = 'read' | 'fork' | 'write' | 'back';

/** The dialog: who has the session open or where it belongs, and what to do instead. */
export function refusalDialog(
  {
    refusal,
    id,
    title,
    back,
  }: {
    readonly refusal: Refusal;
    readonly id: string;
    readonly title: string | undefined;
    readonly back: RefusalBack;
  },
  now: Date,
): ChoiceDialog<RefusalAnswer> {
  const name = title === undefined || title.trim() === '' ? `Session ${id}` : title;
  return {
    type: 'choices',
    id: `refused ${id}`,
    title: name,
    body: [
      { type: 'text', text: `Cannot be resumed here: ${name}`, only: 'lines' },
      ...refusalText(refusal, now).map((text) => ({ type: 'text', text }) as const),
    ],
    choices: refusalChoices(refusal, back),
    keepsChoices: true,
    hint: { escape: back === 'new' ? 'Esc starts a new session' : 'Esc goes back' },
    cancel: 'back',
  };
}

/** The paragraphs above the choices; unsanitized. */
function refusalText(refusal: Refusal, now: Date): readonly string[] {
  if (refusal.why === 'locked') {
    const { holder } = refusal;
    if (holder === undefined) return ['This session is open in another clawdcode.'];
    const since = new Date(holder.since);
    return [
      `Another clawdcode has it open: process ${holder.pid} on ${holder.host}, since ${clock(since)} (${formatAge(since, now)}).`,
    ];
  }
  const { root, isGone } = refusal;
  if (root === undefined) return ['It belongs to another project, and its log no longer says which.'];
  if (isGone) return [`It belongs to ${root}, which is no longer there.`];
  return [`It belongs to another project: ${root}`, 'To resume it there, start clawdcode in that folder.'];
}

function refusalChoices(
  refusal: Refusal,
  back: RefusalBack,
): readonly (Choice & { readonly answer: RefusalAnswer })[] {
  const copy =
    refusal.why === 'locked'
      ? 'a new session with the same history; the original is not affected'
      : 'a new session in this project with the same history';
  const isGone = refusal.why === 'elsewhere' && refusal.isGone;
  return [
    ...(isGone
      ? [
          {
            answer: 'write' as const,
            label: 'Resume it in this project',
            letter: 'g',
            detail: 'files it mentions may not exist here',
          },
        ]
      : []),
    ...(refusal.canRead
      ? [{ answer: 'read' as const, label: 'Read it', letter: 'r', detail: 'nothing can be sent or changed' }]
      : []),
    { answer: 'fork', label: 'Fork it and continue', letter: 'f', detail: copy },
    { answer: 'back', label: backLabels[back], letter: 'b' },
  ];
}

const backLabels: Readonly<Record<RefusalBack, string>> = {
  list: 'Back to the list',
  session: 'Back to the open session',
  new: 'Start a new session',
};

function clock(date: Date): string {
  return Number.isNaN(date.getTime()) ? 'an unknown time' : localTime(date);
}
