/**
 * Derives the current goal and progress from entries, and decides when to repeat them: models lose track of a goal that
 * is tens of thousands of tokens back. Pure; the caller appends the reminder.
 */
import * as z from 'zod';
import type { Todo } from '../../protocol/entries/fields.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import { isPrompt } from '../history/atoms.ts';
import { estimateTokens, HIGH } from '../tokens/estimate.ts';
import { truncateToTokens } from '../tokens/truncate.ts';
import { oneLine } from './formatMemories.ts';

const GOAL_CHARACTERS = 200;
/** Maximum tokens of a reminder, by the high estimate. */
const REMINDER_TOKENS = 200;
/** Maximum tokens of the goal; the todo list gets the rest. */
const GOAL_TOKENS = 110;

/**
 * The goal after a message: its first 200 characters on one line, or the previous goal if the message only approves or
 * continues the work ("yes", "continue", "好的"). Undefined if there is no goal yet.
 */
export function extractGoalFromMessage(text: string, previousGoal?: string): string | undefined {
  return isContinuation(text) ? previousGoal : oneLine(text, GOAL_CHARACTERS) || previousGoal;
}

/** The todo list on at most three lines: number of done items, current items, next items. Empty for an empty list. */
export function generateStatusSummary(todos: readonly Todo[]): string {
  if (todos.length === 0) return '';
  const having = (status: Todo['status']): Todo[] => todos.filter((todo) => todo.status === status);
  const open = having('pending');
  const more = open.length > NEXT_SHOWN ? ` (and ${open.length - NEXT_SHOWN} more)` : '';
  const lines = [
    `Todo list: ${having('completed').length} of ${todos.length} done.`,
    named('In progress', having('in_progress').slice(0, NEXT_SHOWN)),
    open.length === 0 ? '' : `${named('Next', open.slice(0, NEXT_SHOWN))}${more}`,
  ];
  return lines.filter((line) => line !== '').join('\n');
}

const NEXT_SHOWN = 2;
/** Maximum characters of a todo item. */
const ITEM_CHARACTERS = 80;

function named(label: string, todos: readonly Todo[]): string {
  if (todos.length === 0) return '';
  return `${label}: ${todos.map(({ content }) => oneLine(content, ITEM_CHARACTERS)).join('; ')}`;
}

interface ActiveTask {
  readonly goal: string | undefined;
  readonly todos: readonly Todo[];
}

/** The current goal and the newest todo list; reads back to the last reminder at most. */
export function activeTask(entries: readonly JSONLEntry[]): ActiveTask {
  let goal: string | undefined;
  let todos: readonly Todo[] | undefined;
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry === undefined || (goal !== undefined && todos !== undefined)) break;
    const reminder = reminderOf(entry);
    goal ??= reminder?.goal ?? goalOf(entry);
    todos ??= reminder?.todos ?? entry.toolResult?.todos;
    // A reminder has the goal and list as of then, so older entries are not needed.
    if (reminder !== undefined) break;
  }
  return { goal, todos: todos ?? [] };
}

/**
 * True if goal and list should be repeated: the goal was last stated (by the user or a reminder) `steps` or more replies
 * ago. A list that changed needs no reminder, since TodoWrite states the new one. `entries` are those in effect, oldest
 * first; reads back about `steps` replies, not the whole session.
 */
export function reminderDue(entries: readonly JSONLEntry[], steps: number): boolean {
  let replies = 0;
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry === undefined) break;
    if (entry.type === 'assistant') replies++;
    if (replies >= steps) return hasSomething(entries);
    if (reminderOf(entry) !== undefined || goalOf(entry) !== undefined) break;
  }
  return false;
}

/** Text of a reminder: quoted, on at most six lines and within 200 tokens. Empty if there is nothing to say. */
export function reminderText(goal: string | undefined, todos: readonly Todo[]): string {
  const status = generateStatusSummary(todos);
  if (goal === undefined && status === '') return '';
  const quoted =
    goal === undefined ? '' : truncateToTokens(oneLine(goal, GOAL_CHARACTERS), GOAL_TOKENS, '…', HIGH);
  const head = quoted === '' ? INTRO : `${INTRO}\nThe user's current goal, in their words: "${quoted}"`;
  const room = REMINDER_TOKENS - estimateTokens(`${head}\n`, HIGH) - 1;
  const rest = truncateToTokens(status, room, '…', HIGH);
  return rest === '' ? head : `${head}\n${rest}`;
}

const INTRO = 'Where the work stands, restated; not a new request.';

/** The reminder entry; undefined if there is nothing to repeat. */
export function reminderEntry({ goal, todos }: ActiveTask): NewEntry | undefined {
  const content = reminderText(goal, todos);
  if (content === '') return undefined;
  return {
    type: 'user',
    subtype: 'reminder',
    message: { role: 'user', content },
    data: {
      ...(goal === undefined ? {} : { goal }),
      todos: todos.map(({ content, status }) => ({ content, status })),
    },
  };
}

function hasSomething(entries: readonly JSONLEntry[]): boolean {
  const { goal, todos } = activeTask(entries);
  return goal !== undefined || hasOpen(todos);
}

const hasOpen = (todos: readonly Todo[]): boolean => todos.some(({ status }) => status !== 'completed');

/** Goal and list of a reminder; undefined for other entries and for a reminder without a list. */
function reminderOf({ subtype, data }: JSONLEntry): ActiveTask | undefined {
  if (subtype !== 'reminder' || data?.todos === undefined) return undefined;
  return { goal: data.goal, todos: data.todos };
}

const partsSchema = z.array(z.looseObject({ type: z.string(), text: z.string().optional() }));

/** The goal that an entry states: only prompts state one, unless they merely continue the work. */
function goalOf(entry: JSONLEntry): string | undefined {
  if (!isPrompt(entry)) return undefined;
  const { content } = entry.message;
  const text =
    typeof content === 'string'
      ? content
      : (partsSchema.safeParse(content).data ?? []).map((part) => part.text ?? '').join(' ');
  return extractGoalFromMessage(text);
}

// Recognizes messages that only approve or continue the work ("yes", "thanks", "go on") and state no goal.

/** Longer messages state something, whatever their words. */
const MAX_CHARACTERS = 60;

/**
 * True if a message consists only of words such as "yes", "go on" or "好的", or names a choice ("2", "b"). Also true for
 * an empty one, sent with an image or by accident.
 */
function isContinuation(text: string): boolean {
  if (text.length > MAX_CHARACTERS * 4) return false;
  const plain = text.normalize('NFKC').toLowerCase().replace(NOISE, ' ').trim();
  if (plain.length > MAX_CHARACTERS) return false;
  return plain.split(/\s+/).every((part) => part === '' || WORDS.has(part) || isChoice(part) || isCjk(part));
}

/** Everything but letters (with combining marks), digits and the apostrophe of "d'accord". */
const NOISE = /[^\p{L}\p{M}\p{N}'’]+/gu;

const isChoice = (part: string): boolean => /^(?:\d{1,2}|[a-e])$/.test(part);

const lists: readonly string[] = [
  'yes y yep yeah yup ya ok okay k kk sure right correct exactly agreed alright fine good great nice perfect',
  'go on ahead continue proceed resume next do it that so please pls thanks thank you and then keep going',
  "again retry sounds let's lets no n nope not both all none",
  'ja jawohl jo genau gut weiter mach weitermachen bitte danke klar einverstanden nein passt',
  "oui d'accord daccord continue continuez vas-y vas y allez merci bien non",
  'sí si claro vale sigue siga continúa continua continúe adelante gracias dale bueno',
  'sim certo pode continuar prossiga obrigado obrigada não',
  'sì va bene avanti procedi grazie certo',
  'да хорошо ладно ок продолжай продолжайте дальше давай спасибо нет',
  'tak dobrze dalej kontynuuj tak dziękuję doorgaan verder prima goed graag',
  'evet tamam devam et lütfen हाँ ठीक है जारी रखो نعم حسنا تابع استمر',
];

const WORDS: ReadonlySet<string> = new Set(lists.join(' ').split(' '));

/** Words of unspaced scripts, in any number and order. */
const CJK = [
  ...[
    '好的',
    '好',
    '是的',
    '是',
    '对的',
    '对',
    '對',
    '嗯',
    '恩',
    '行',
    '可以',
    '没问题',
    '沒問題',
    '请',
    '請',
  ],
  ...[
    '继续',
    '繼續',
    '接着',
    '下一步',
    '往下',
    '做',
    '吧',
    '了',
    '谢谢',
    '謝謝',
    '不',
    '不是',
    '同意',
    '确认',
  ],
  ...[
    'はい',
    'うん',
    'ええ',
    '続けて',
    '続行',
    '続き',
    'ください',
    '下さい',
    'お願いします',
    '了解',
    'いいえ',
  ],
  ...[
    'ありがとう',
    'です',
    'して',
    '네',
    '예',
    '응',
    '좋아요',
    '좋아',
    '계속',
    '해줘',
    '해',
    '주세요',
    '아니요',
  ],
].sort((a, b) => b.length - a.length);
const CJK_ONLY = new RegExp(`^(?:${CJK.join('|')})+$`, 'u');

const isCjk = (part: string): boolean => CJK_ONLY.test(part);
