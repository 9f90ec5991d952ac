/** Lists with commands of their own, in lines: context items, background tasks, turns to rewind to, sessions. */
import type { Agent } from '../../agent/types.ts';
import { itemsPage } from '../../commands/pages/itemsPage.ts';
import { plainText } from '../../commands/pages/page.ts';
import { tasksPage } from '../../commands/pages/tasksPage.ts';
import type { ContextItem, ItemEdit } from '../../protocol/contextReport.ts';
import type { RewindScope } from '../../protocol/ops.ts';
import type { RewindPlan, TurnRecord } from '../../protocol/rewind.ts';
import { doneText, type EditWish, editFor } from '../items/items.ts';
import type { DialogActionName } from '../keys/dialogActions.ts';
import { count, formatAge } from '../print/numbers.ts';
import { reveal, sanitize, sanitizeLine } from '../print/sanitize.ts';
import { wayDialog } from '../rewind/rewindState.ts';
import type { Picker, PickerSnapshot } from '../sessions/picker.ts';
import { typed } from '../sessions/pickerState.ts';
import { type Dialogue, type DialoguePorts, dialogueOf } from './askDialog.ts';
import { outputWords } from './toolWords.ts';

/** Items that are told, newest first. */
const ITEMS_TOLD = 40;

/** The conversation as items that can be pinned, dropped and restored by their numbers. */
export function items(agent: Agent, { controller, tell }: DialoguePorts): Dialogue {
  const all = agent.items();
  const lines = sanitize(reveal(plainText(itemsPage(all))))
    .split('\n')
    .slice(0, ITEMS_TOLD + 1);
  const close = (): void => controller.closeDialog();
  return {
    tell: [
      ...lines.map((line) => line.trim().replace(/\s{2,}/g, ', ')),
      'p and a number pins an item or unpins it, d drops it, r restores it, as in: d 12. An empty line cancels.',
    ],
    answer(text) {
      if (text === '') {
        close();
        return undefined;
      }
      const [, letter = '', number] = /^([a-z])\w*\s*#?(\d+)$/i.exec(text) ?? [];
      const item = agent.items().find(({ seq }) => seq === Number(number));
      const edit = item === undefined ? undefined : editOf(letter.toLowerCase(), item);
      if (item === undefined || edit === undefined)
        return number === undefined || item !== undefined
          ? 'Write p, d or r and the number of an item, as in: d 12. An empty line cancels.'
          : `There is no item #${number}.`;
      agent.submit({ type: 'edit_item', edit });
      tell(doneText(edit, item, `r ${item.seq}`).replace(' · ', ', '));
      // The list stays open: it is asked again without being told again.
      return '';
    },
    cancel: close,
  };
}

const wishes: Readonly<Record<string, EditWish>> = { p: 'pin', d: 'drop', r: 'restore' };

function editOf(letter: string, item: ContextItem): ItemEdit | undefined {
  const wish = wishes[letter];
  return wish === undefined ? undefined : editFor(wish, item);
}

/** Lines of a task's output that are told. */
const OUTPUT_LINES = 40;

/** What runs in the background: its output, and stopping it. Undefined where there is nothing to ask about. */
export function tasks(agent: Agent, { controller, tell }: DialoguePorts): Dialogue | undefined {
  const close = (): void => controller.closeDialog();
  const lines = sanitize(reveal(plainText(tasksPage(agent.state().tasks)))).split('\n');
  if (agent.state().tasks.length === 0) {
    tell(...lines);
    close();
    return undefined;
  }
  return {
    tell: [
      ...lines.map((line) => line.trim().replace(/\s{2,}/g, ', ')),
      'o and the name of a task tells its output, s stops it, as in: s b1. An empty line cancels.',
    ],
    answer(text) {
      if (text === '') {
        close();
        return undefined;
      }
      const [, action, id = ''] = /^(o|s)\w*\s+(b?\d+)$/i.exec(text) ?? [];
      const name = /^\d/.test(id) ? `b${id}` : id;
      const task = agent.state().tasks.find((one) => one.id === name);
      if (action === undefined)
        return 'Write o or s and the name of a task, as in: o b1. An empty line cancels.';
      if (task === undefined) return `There is no task ${name}.`;
      if (action.toLowerCase() === 'o')
        tell(
          ...outputWords(agent.taskOutput(name)?.text ?? '', OUTPUT_LINES, 'end'),
          `End of the output of ${name}.`,
        );
      else agent.submit({ type: 'stop_task', id: name });
      return '';
    },
    cancel: close,
  };
}

// Going back: the turns by number, then what goes back, with all that it does to the files.

/** Turns that are told; `/rewind 30` goes further. */
const TURNS_TOLD = 20;

/** Reads what it needs, then asks. */
export async function rewind(
  agent: Agent,
  turn: TurnRecord | undefined,
  ports: DialoguePorts,
): Promise<void> {
  const close = (): void => ports.controller.closeDialog();
  try {
    if (turn === undefined) return askTurn(agent, await agent.turns(TURNS_TOLD), ports);
    const plan = await agent.planRewind(turn.uuid);
    if (plan !== undefined) return askWay(agent, plan, ports);
    ports.tell('Error: that turn is no longer part of the conversation.');
  } catch (error) {
    ports.tell(
      `Error: the session cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  close();
}

function askTurn(agent: Agent, turns: readonly TurnRecord[], ports: DialoguePorts): void {
  const close = (): void => ports.controller.closeDialog();
  const newest = turns.toReversed();
  if (newest.length === 0) {
    ports.tell('No prompts yet, so there is nothing to rewind to.');
    close();
    return;
  }
  ports.ask({
    tell: [
      'Question: rewind to before which turn? 1 is the latest.',
      ...newest.map(
        ({ text, timestamp, files }, index) =>
          `${index + 1}. ${sanitizeLine(text).slice(0, 100)}; ${formatAge(new Date(timestamp), new Date(ports.now()))}${files === 0 ? '' : `, ${files} files changed`}`,
      ),
      'Answer with a number; u undoes the last rewind. An empty line cancels.',
    ],
    answer(text) {
      if (text === '') close();
      else if (text.toLowerCase() === 'u') {
        agent.submit({ type: 'undo_rewind' });
        close();
      } else {
        const chosen = /^\d+$/.test(text) ? newest[Number(text) - 1] : undefined;
        if (chosen === undefined) return 'Answer with the number of a turn, or an empty line.';
        void rewind(agent, chosen, ports);
      }
      return undefined;
    },
    cancel: close,
  });
}

function askWay(agent: Agent, plan: RewindPlan, ports: DialoguePorts): void {
  const { turn } = plan;
  const close = (): void => ports.controller.closeDialog();
  const submit = (scope: RewindScope): void => {
    agent.submit({ type: 'rewind', to: turn.uuid, scope });
    close();
  };
  ports.ask(
    dialogueOf(wayDialog(plan, agent.state().root), (way) => {
      if (way === 'cancel') close();
      else if (way === 'fork') ports.controller.forkBefore(turn);
      else submit(way);
    }),
  );
}

// The list of sessions, driven by the picker of the screen.

/** Sessions or hits that are told at once; words find the others. */
const SESSIONS_TOLD = 15;

/** Asks once the list is there. */
export function pick(picker: Picker, ports: DialoguePorts): void {
  const once = (isReady: (snapshot: PickerSnapshot) => boolean): void => {
    const tryNow = (): boolean => {
      const snapshot = picker.snapshot();
      if (!isReady(snapshot)) return false;
      unsubscribe();
      ports.ask(listed(snapshot));
      return true;
    };
    let unsubscribe: () => void = () => undefined;
    if (tryNow()) return;
    unsubscribe = picker.subscribe(tryNow);
  };
  const settled = ({ isLoading, isSearching, isSearch, searched }: PickerSnapshot): boolean =>
    !isLoading && !isSearching && (!isSearch || searched !== '');

  const press = (name: DialogActionName): void => picker.press({ type: 'action', name }, SESSIONS_TOLD);
  const empty = (): void => {
    for (let left = 3; left > 0; left--) {
      const snapshot = picker.snapshot();
      if (typed(snapshot) === '' && !snapshot.isSearch) return;
      press('select:cancel');
    }
  };
  const leave = (): void => {
    empty();
    press('select:cancel');
  };
  const take = (index: number, isFork: boolean): void => {
    press('select:first');
    for (let step = 0; step < index; step++) press('select:next');
    press(isFork ? 'sessions:fork' : 'select:accept');
  };
  const look = (text: string, isSearch: boolean): void => {
    empty();
    if (isSearch) press('sessions:search');
    // The blank at the end says that the word is whole.
    if (text !== '') picker.paste(isSearch ? `${text} ` : text);
    once(settled);
  };

  const listed = (snapshot: PickerSnapshot): Dialogue => {
    const rows = snapshot.isSearch ? snapshot.hits.visible : snapshot.list.visible;
    return {
      tell: [
        head(snapshot, rows.length),
        ...rowWords(snapshot, new Date(ports.now())),
        'Answer with a number to open one, f and a number to fork it, words to search titles, / and words to search all content. An empty line cancels.',
      ],
      answer(text) {
        if (text === '') leave();
        else if (/^(?:f\s*)?\d{1,4}$/i.test(text)) {
          const number = Number(text.replace(/\D/g, ''));
          if (number < 1 || number > Math.min(SESSIONS_TOLD, rows.length))
            return `There is no number ${number} in the list.`;
          take(number - 1, /^f/i.test(text));
        } else look(text.replace(/^\//, '').trim(), text.startsWith('/'));
        return undefined;
      },
      cancel: leave,
    };
  };
  once(settled);
}

function head(snapshot: PickerSnapshot, many: number): string {
  const what = snapshot.isSearch ? count(many, 'hit') : count(many, 'session');
  const words = typed(snapshot);
  const about = words === '' ? '' : ` for ${JSON.stringify(sanitizeLine(words))}`;
  const told = many > SESSIONS_TOLD ? `, the first ${SESSIONS_TOLD}` : '';
  return `${what}${about}${told}:`;
}

function rowWords(snapshot: PickerSnapshot, now: Date): string[] {
  if (snapshot.isSearch)
    return snapshot.hits.visible
      .slice(0, SESSIONS_TOLD)
      .map(
        ({ session, who, snippet }, index) =>
          `${index + 1}. ${sanitizeLine(session.title)}: ${sanitizeLine(who)} said ${sanitizeLine(snippet)}`,
      );
  return snapshot.list.visible.slice(0, SESSIONS_TOLD).map((session, index) => {
    const facts = [
      formatAge(session.updatedAt, now),
      count(session.promptCount, 'prompt'),
      ...(session.gitBranch === undefined ? [] : [`branch ${sanitizeLine(session.gitBranch)}`]),
      ...(session.id === snapshot.currentId ? ['open here'] : []),
      ...(session.isArchived ? ['archived'] : []),
    ];
    return `${index + 1}. ${sanitizeLine(session.title)}; ${facts.join(', ')}`;
  });
}
