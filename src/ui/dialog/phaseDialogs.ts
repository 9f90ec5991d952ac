/** Dialogs before and between sessions: trust in a folder, approval of its MCP servers, and the model picker. Pure. */
import type { ConfirmQuestion, EffortChoice, ModelList } from '../../commands/types.ts';
import type { Effort } from '../../protocol/models/wires.ts';
import { revealLine } from '../../protocol/text/reveal.ts';
import type { Boot, ServerQuestion, TrustQuestion } from '../types.ts';
import type { Block, ChoiceDialog, ListedItem } from './choices.ts';
import type { ListDialog } from './dialog.ts';

/** An answer before the session. Ctrl+C and the end of input leave the program instead, so the next start asks again. */
type StartAnswer = boolean | 'quit';

/** The step after such an answer. */
export function stepAfter(
  answer: StartAnswer,
  asked: { answer(yes: boolean): Promise<Boot> },
): Promise<Boot> {
  return answer === 'quit' ? Promise.resolve({ type: 'quit' }) : asked.answer(answer);
}

/** Asks whether to trust a folder. Any other answer than a clear yes means no. */
export function trustDialog(question: TrustQuestion): ChoiceDialog<StartAnswer> {
  return { ...trustChoices(question), quit: 'quit' };
}

function trustChoices(question: TrustQuestion): ChoiceDialog<boolean> {
  const { folder, effects, own = [], isOther = false, before } = question;
  if (before === undefined)
    return dialogOf({
      folder,
      title: 'Do you trust this folder?',
      introduction: introductionOf(isOther, effects.length > 0),
      items: effects.map((text) => ({ sign: 'does', text })),
      own,
      yes: 'Yes, I trust this folder',
      no: refusal(effects.length > 0, own.length > 0),
    });
  if (!before.isRecorded)
    return dialogOf({
      folder,
      title: 'Do you still trust this folder?',
      introduction: 'You trusted it in an earlier version, which did not record these settings:',
      items: effects.map((text) => ({ sign: 'does', text })),
      yes: 'Yes, I trust this folder',
      no: 'No, continue without its settings',
    });
  return dialogOf({
    folder,
    title: 'Do you trust what has changed in this folder?',
    introduction: changesOf(before),
    // Additions come first, however many settings were removed.
    items: [
      ...effects.map((text) => ({ sign: 'added', text }) as const),
      ...(before.changes ?? []).map((text) => ({ sign: 'does', text: `Changed in ${text}` }) as const),
      ...(before.files ?? []).flatMap(({ what, removed, added }) => [
        { sign: 'does', text: what } as const,
        ...removed.map((text) => ({ sign: 'removed', text }) as const),
        ...added.map((text) => ({ sign: 'added', text }) as const),
      ]),
      ...before.gone.map((text) => ({ sign: 'removed', text }) as const),
    ],
    yes: 'Yes, apply the changes',
    no: 'No, continue without the changes',
  });
}

function introductionOf(isOther: boolean, hasEffects: boolean): string | undefined {
  const settings = hasEffects ? 'What its settings would do:' : '';
  const other = 'This is not the folder that you trusted at this path.';
  return (isOther ? `${other} ${settings}`.trim() : settings) || undefined;
}

function refusal(hasEffects: boolean, hasOwn: boolean): string {
  if (!hasOwn) return 'No, continue without its settings';
  return hasEffects ? 'No, ignore its settings, and run mine in the sandbox' : 'No, run them in the sandbox';
}

/** Counts settings and files separately; unchanged settings are not mentioned. */
function changesOf({ added, removed, files = [] }: NonNullable<TrustQuestion['before']>): string {
  const settings = `${added} new, ${removed} gone`;
  if (files.length === 0) return `Changed since you trusted it: ${settings}.`;
  const many = `${files.length} ${files.length === 1 ? 'file' : 'files'} that its settings run`;
  return `Changed since you trusted it: ${many}${added + removed === 0 ? '' : `; settings: ${settings}`}.`;
}

/** Asks whether to use an MCP server. Starting a program or connecting to a host needs a clear yes, too. */
export function serverDialog({
  name,
  source,
  lines,
  isChanged,
  before = lines,
}: ServerQuestion): ChoiceDialog<StartAnswer> {
  const dialog = dialogOf({
    id: `server ${name}`,
    folder: name,
    title: isChanged ? 'Use this changed MCP server?' : 'Use this MCP server?',
    introduction: `${source} defines it${isChanged ? ', differently from when you last decided' : ''}:`,
    items: [
      ...lines.map((text) => ({ sign: before.includes(text) ? 'does' : 'added', text }) as const),
      ...before.filter((text) => !lines.includes(text)).map((text) => ({ sign: 'removed', text }) as const),
    ],
    yes: 'Yes, use it in this folder',
    no: 'No, continue without it',
  });
  return { ...dialog, quit: 'quit' };
}

/** Asks a command's question about what was printed above. */
export function confirmDialog({ title, subject, yes, no }: ConfirmQuestion): ChoiceDialog<boolean> {
  return dialogOf({
    ...{ id: `confirm ${title} ${subject}`, folder: subject, introduction: undefined, items: [] },
    ...{ title, yes, no },
  });
}

const OWN = 'Your own hooks and status line may run code from this folder:';

interface TrustWords {
  readonly id?: string;
  readonly folder: string;
  readonly title: string;
  readonly introduction: string | undefined;
  readonly items: readonly ListedItem[];
  /** See `TrustQuestion.own`. */
  readonly own?: readonly string[];
  readonly yes: string;
  readonly no: string;
}

function dialogOf({
  folder,
  id = `trust ${folder}`,
  title,
  introduction,
  items,
  own = [],
  yes,
  no,
}: TrustWords): ChoiceDialog<boolean> {
  const path = revealLine(folder);
  const asked = `Question: ${title.charAt(0).toLowerCase()}${title.slice(1)} ${path}`;
  const intro = (text: string): Block => ({ type: 'text', text, tone: 'dim' });
  const list = (listed: readonly ListedItem[]): Block => ({
    type: 'list',
    items: listed.map(({ sign, text }) => ({ sign, text: withoutBlanks(revealLine(text)) })),
    more: 'more lines',
  });
  return {
    type: 'choices',
    id,
    title,
    body: [
      { type: 'text', text: asked, only: 'lines' },
      { type: 'path', text: path, only: 'screen' },
      ...(introduction === undefined ? [] : [intro(introduction)]),
      ...(items.length > 0 || own.length === 0 ? [list(items)] : []),
      ...(own.length > 0 ? [intro(OWN), list(own.map((text) => ({ sign: 'does', text })))] : []),
    ],
    choices: [
      { label: yes, letter: 'y', action: 'confirm:yes', isLasting: true, answer: true },
      { label: no, letter: 'n', action: 'confirm:no', answer: false },
    ],
    keepsChoices: true,
    cancel: false,
  };
}

/** Counts long runs of spaces, which would push what follows out of sight. */
function withoutBlanks(text: string): string {
  return text
    .replace(/ {5,}/g, (run) => ` ‹${run.length} spaces› `)
    .replace(
      /(‹U\+[0-9A-F]+›|\\[nrt])\1{4,}/g,
      (run, one: string) => `${one}‹${run.length / one.length} times›`,
    );
}

// The model picker. Pure.

interface PickedModel {
  readonly id: string;
  /** Absent if the user did not change it. */
  readonly effort?: Effort | 'default';
}

/** The answer is a model, or undefined to keep the current one (`used`). */
export function modelsDialog(
  { ids: listed, problem, details = {}, efforts = {} }: ModelList,
  used: string | undefined,
): ListDialog<PickedModel | undefined> {
  // The current model comes first, so that Enter changes nothing.
  const ids = listed.toSorted((a, b) => Number(b === used) - Number(a === used));
  return {
    type: 'list',
    id: 'models',
    title: 'Model',
    items: ids.map((id) => ({
      ...{ label: id === used ? `${id} · in use` : id, name: id, answer: { id } },
      ...(details[id] === undefined ? {} : { detail: details[id] }),
      ...(efforts[id] === undefined ? {} : { variants: effortVariants(id, efforts[id]) }),
    })),
    variant: 'effort',
    noun: 'model',
    empty: problem ?? 'No model found.',
    introduction: (shown) => `${ids.length} models${shown < ids.length ? `, the first ${shown}` : ''}:`,
    canSkip: true,
    cancel: undefined,
  };
}

function effortVariants(id: string, { now, levels }: EffortChoice) {
  const all = [undefined, ...levels];
  const at = Math.max(0, all.indexOf(now));
  const inOrder = [...all.slice(at), ...all.slice(0, at)];
  return inOrder.map((level, index) => ({
    text: level ?? "the model's default",
    answer: index === 0 ? { id } : { id, effort: level ?? ('default' as const) },
  }));
}
