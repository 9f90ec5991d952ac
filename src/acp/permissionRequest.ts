/** Converts a permission question for the protocol, and the client's choice to an answer. Pure. */
import type {
  PermissionOption,
  RequestPermissionResponse,
  ToolCallContent,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { PermissionAnswer, PermissionQuestion, Preview } from '../protocol/permissions.ts';
import { revealHidden } from '../protocol/text/reveal.ts';
import { diffContent } from './diffContent.ts';
import { withoutImages } from './images.ts';
import { textContent, titleLine, wholeFenced } from './text.ts';
import { boundedInput, kindOf, titleOf } from './toolCalls.ts';

/** Shows invisible characters as code points; nothing is left out. */
type Reveal = (text: string, isCommand?: boolean) => string;

/** How a question is shown, as in the terminal. */
export interface Showing {
  readonly reveal: Reveal;
  /** A notice that a preview has such characters; undefined if it has none. */
  readonly notice: (preview: Preview) => string | undefined;
}

/** Maximum characters of a preview. A longer one is denied without asking, since no one would read it. */
const MAX_SHOWN = 400_000;

/** True if a call cannot be shown in full. */
export function isTooLong(preview: Preview): boolean {
  switch (preview.type) {
    case 'diff':
      return preview.diff.length > MAX_SHOWN;
    case 'command':
      return preview.command.length > MAX_SHOWN;
    case 'paths':
      return preview.paths.join('\n').length > MAX_SHOWN;
    case 'plan':
      return preview.plan.length > MAX_SHOWN;
    case 'text':
      return preview.text.length > MAX_SHOWN;
    case 'form':
      return false;
  }
}

const ids = { once: 'allow_once', always: 'allow_always', reject: 'reject_once' } as const;

/** The choices of the terminal's dialog, without the one that would let all sandboxed commands run. */
export function permissionOptions(
  { suggestion, preview }: PermissionQuestion,
  reveal: Reveal,
): PermissionOption[] {
  const isPlan = preview.type === 'plan';
  const always =
    suggestion === undefined
      ? []
      : [[suggestion.label, suggestion.detail].filter((one) => one !== undefined).join(' · ')];
  return [
    { optionId: ids.once, kind: 'allow_once', name: isPlan ? 'Yes, carry out this plan' : 'Yes' },
    ...always.map(
      (name) => ({ optionId: ids.always, kind: 'allow_always', name: titleLine(reveal(name)) }) as const,
    ),
    { optionId: ids.reject, kind: 'reject_once', name: isPlan ? 'No, keep planning' : 'No' },
  ];
}

/** What the client shows above the choices. `id`: the call in this client's list. */
export function permissionCall(id: string, question: PermissionQuestion, showing: Showing): ToolCallUpdate {
  const { reveal } = showing;
  const { tool, input, title, headline, from, preview } = question;
  const about = headline ?? (tool === undefined ? title : titleOf(tool, input));
  const shown = from === undefined ? about : `${about} (subagent ${from})`;
  return {
    toolCallId: id,
    title: titleLine(reveal(shown)),
    kind: tool === undefined ? 'other' : kindOf(tool),
    status: 'pending',
    ...(input === undefined ? {} : { rawInput: boundedInput(input) }),
    content: questionContent(question, showing),
    ...(preview.type === 'diff' ? { locations: [{ path: preview.realPath ?? preview.path }] } : {}),
  };
}

function questionContent(
  { preview, reason, title, worktree }: PermissionQuestion,
  { reveal, notice }: Showing,
): ToolCallContent[] {
  const marked = notice(preview);
  const notes = [
    ...(marked === undefined ? [] : [marked]),
    ...(worktree === undefined ? [] : [`In the worktree ${worktree}`]),
    ...(preview.type === 'diff' && preview.realPath !== undefined
      ? [`${preview.realPath}, through the link ${preview.path}`]
      : []),
    ...reason.split('\n').filter((line) => line.trim() !== ''),
  ];
  const why =
    notes.length === 0 ? [] : [textContent(wholeFenced(notes.map((line) => reveal(line)).join('\n')))];
  // The client shows a diff unchanged.
  const again =
    marked !== undefined && preview.type === 'diff'
      ? [textContent(wholeFenced(revealLines(preview.diff, reveal), 'diff'))]
      : [];
  return [...previewContent(preview, title, reveal), ...again, ...why];
}

/** By line, so that carriage returns at the ends are shown, too. */
const revealLines = (text: string, reveal: Reveal): string =>
  text
    .split('\n')
    .map((line) => reveal(line))
    .join('\n');

function previewContent(preview: Preview, title: string, reveal: Reveal): ToolCallContent[] {
  const text = (shown: string, language?: string): ToolCallContent[] => [
    textContent(wholeFenced(shown, language)),
  ];
  switch (preview.type) {
    case 'diff': {
      const { path, realPath = path, diff, isNew } = preview;
      const changes = diffContent(realPath, diff, isNew);
      return changes.length > 0 ? changes : text(revealLines(diff, reveal), 'diff');
    }
    case 'command': {
      const { command, cwd, description, confinement, changed = [] } = preview;
      const said = description === undefined ? undefined : `The model says: ${description}`;
      const about = [...changed, `in ${cwd}`, confinement, said].filter((one) => one !== undefined);
      return [...text(reveal(command, true), 'sh'), ...text(about.map((line) => reveal(line)).join('\n'))];
    }
    case 'paths':
      return text([preview.verb, ...preview.paths].map((line) => reveal(line)).join('\n'));
    case 'plan':
      return [textContent(withoutImages(revealHidden(preview.plan)))];
    case 'text':
      return text(reveal(preview.text));
    case 'form':
      return text(reveal(title));
  }
}

/** The user's answer. Anything that was not offered denies the call; the client's "cancelled" also ends the turn. */
export function permissionAnswer(
  { outcome }: RequestPermissionResponse,
  options: readonly PermissionOption[],
): PermissionAnswer {
  if (outcome.outcome === 'cancelled') return { behavior: 'deny', interrupt: true };
  const kind = options.find(({ optionId }) => optionId === outcome.optionId)?.kind;
  if (kind === 'allow_once') return { behavior: 'allow' };
  if (kind === 'allow_always') return { behavior: 'allow', remember: true };
  return { behavior: 'deny' };
}
