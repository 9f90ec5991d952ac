/** Lists with their own commands in plain mode: context items, background tasks, turns to rewind to, sessions. */
import type { Agent } from '../../agent/types.ts';
import { itemsPage, type Page, plainLines } from '../../commands/pages/page.ts';
import { tasksPage } from '../../commands/tasks.ts';
import type { RewindPlan, TurnRecord } from '../../protocol/checkpoints.ts';
import type { ContextItem } from '../../protocol/contextReport.ts';
import type { RewindScope } from '../../protocol/ops.ts';
import type { TaskInfo } from '../../protocol/tasks.ts';
import { count } from '../../protocol/text/numbers.ts';
import { doneText, type EditChoice, editFor } from '../items/items.ts';
import type { DialogActionName } from '../keys/dialogActions.ts';
import { sanitizeLine, shownText } from '../print/sanitize.ts';
import { restoreDialog, turnFacts } from '../rewind/rewindState.ts';
import type { Picker, PickerSnapshot } from '../sessions/picker.ts';
import { typed } from '../sessions/pickerState.ts';
import { hitFacts, sessionFacts } from '../sessions/sessionRows.ts';
import { type Dialogue, type DialoguePorts, dialogueOf } from './askDialog.ts';
import { outputText } from './plainPrinter.ts';

/** A list whose rows take commands: a letter and a row's name. An empty line closes it. */
interface CommandList<Row> {
  /** One line per row, and the totals. */
  readonly lines: readonly string[];
  /** The available letters, as in "o prints its output, s stops it". */
  readonly introduction: string;
  /** The syntax, as in "d, and a number". */
  readonly usage: string;
  readonly commands: Readonly<Record<string, (row: Row) => void>>;
  /** `name` consists of digits, possibly after a letter. Called again for each line, since rows come and go. */
  readonly find: (name: string) => Row | undefined;
  readonly missing: (name: string) => string;
  readonly close: () => void;
}

function commandDialogue<Row>(list: CommandList<Row>): Dialogue {
  return {
    tell: [
      ...list.lines.map((line) => line.trim().replace(/\s{2,}/g, ', ')),
      `${list.introduction} An empty line cancels.`,
    ],
    answer(text) {
      if (text === '') {
        list.close();
        return undefined;
      }
      const [, letter = '', name = ''] = /^([a-z])[a-z]*\s*#?(b?\d+)$/i.exec(text) ?? [];
      const command = list.commands[letter.toLowerCase()];
      if (command === undefined) return `Type ${list.usage}. An empty line cancels.`;
      const row = list.find(name);
      if (row === undefined) return list.missing(name);
      command(row);
      // The list stays open but is not read out again.
      return '';
    },
    cancel: list.close,
  };
}

/** The lines of a page that is read out as a list. */
const pageWords = (page: Page): readonly string[] => plainLines(page).map((line) => shownText(line));

/** Maximum items read out, newest first. */
const ITEMS_TOLD = 40;

/** The conversation as items that can be pinned, dropped and restored by number. */
export function items(agent: Agent, { controller, tell }: DialoguePorts): Dialogue {
  const command =
    (choice: EditChoice) =>
    (item: ContextItem): void => {
      const edit = editFor(choice, item);
      agent.submit({ type: 'edit_item', edit });
      tell(doneText(edit, item, `r ${item.seq}`).replace(' · ', ', '));
    };
  return commandDialogue({
    lines: pageWords(itemsPage(agent.items())).slice(0, ITEMS_TOLD + 1),
    introduction: 'p and a number pins or unpins an item, d drops it, r restores it; for example: d 12.',
    usage: "p, d or r and an item's number; for example: d 12",
    commands: { p: command('pin'), d: command('drop'), r: command('restore') },
    find: (name) => agent.items().find(({ seq }) => String(seq) === name),
    missing: (name) => `There is no item #${name}.`,
    close: () => controller.closeDialog(),
  });
}

/** Maximum lines of a task's output read out. */
const OUTPUT_LINES = 40;

/** Background tasks: shows their output or stops them. Undefined if there are none. */
export function tasks(agent: Agent, { controller, tell }: DialoguePorts): Dialogue | undefined {
  const all = agent.state().tasks;
  const lines = pageWords(tasksPage(all));
  if (all.length === 0) {
    tell(...lines);
    controller.closeDialog();
    return undefined;
  }
  const idOf = (name: string): string => (/^\d/.test(name) ? `b${name}` : name);
  return commandDialogue<TaskInfo>({
    lines,
    introduction: "o and a task's name prints its output, s stops it; for example: s b1.",
    usage: "o or s and a task's name; for example: o b1",
    commands: {
      o: ({ id }) =>
        tell(
          ...outputText(agent.taskOutput(id)?.text ?? '', OUTPUT_LINES, 'end'),
          `End of the output of ${id}.`,
        ),
      s: ({ id }) => agent.submit({ type: 'stop_task', id }),
    },
    find: (name) => agent.state().tasks.find(({ id }) => id === idOf(name)),
    missing: (name) => `There is no task ${idOf(name)}.`,
    close: () => controller.closeDialog(),
  });
}

// Rewind: choose a turn by number, then what to restore, with the effect on files.

/** Maximum turns printed; `/rewind 30` reaches older ones. */
const TURNS_TOLD = 20;

/** Loads the turns or the plan, then asks. */
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
  const canUndo = agent.canUndoRewind();
  ports.ask({
    tell: [
      'Question: rewind to before which turn? 1 is the latest.',
      ...newest.map((turn, index) => {
        const { asked, age, changes } = turnFacts(turn, new Date(ports.now()));
        return `${index + 1}. ${asked.slice(0, 100)}; ${limitNote(age, changes)}`;
      }),
      `Answer with a number${canUndo ? '; u undoes the last rewind' : ''}. An empty line cancels.`,
    ],
    answer(text) {
      if (text === '') close();
      else if (canUndo && text.toLowerCase() === 'u') {
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
    dialogueOf(restoreDialog(plan, agent.state().root), (way) => {
      if (way === 'cancel') close();
      else if (way === 'fork') ports.controller.forkBefore(turn);
      else submit(way);
    }),
  );
}

// The list of sessions, driven by the same picker as on the full screen.

/** Maximum sessions or hits read out; the others can be found by search. */
const MAX_SESSIONS = 15;

/** Asks once the list is loaded. */
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

  const press = (name: DialogActionName): void => picker.press({ type: 'action', name }, MAX_SESSIONS);
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
  const search = (text: string, isSearch: boolean): void => {
    empty();
    if (isSearch) press('sessions:search');
    // The trailing space makes the last word an exact match.
    if (text !== '') picker.paste(isSearch ? `${text} ` : text);
    once(settled);
  };

  const listed = (snapshot: PickerSnapshot): Dialogue => {
    const rows = snapshot.isSearch ? snapshot.hits.visible : snapshot.list.visible;
    return {
      tell: [
        head(snapshot, rows.length),
        ...rowWords(snapshot, new Date(ports.now())),
        'Answer with a number to open one, or f and a number to fork it.',
        'Words search titles; / and words search all content. An empty line cancels.',
      ],
      answer(text) {
        if (text === '') leave();
        else if (/^(?:f\s*)?\d{1,4}$/i.test(text)) {
          const number = Number(text.replace(/\D/g, ''));
          if (number < 1 || number > Math.min(MAX_SESSIONS, rows.length))
            return `There is no number ${number} in the list.`;
          take(number - 1, /^f/i.test(text));
        } else search(text.replace(/^\//, '').trim(), text.startsWith('/'));
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
  const limitNote = many > MAX_SESSIONS ? `, the first ${MAX_SESSIONS}` : '';
  return `${what}${about}${limitNote}:`;
}

function rowWords(snapshot: PickerSnapshot, now: Date): string[] {
  if (snapshot.isSearch)
    return snapshot.hits.visible.slice(0, MAX_SESSIONS).map((hit, index) => {
      const { title, who, snippet } = hitFacts(hit, now);
      return `${index + 1}. ${title}: ${who} said ${snippet}`;
    });
  return snapshot.list.visible.slice(0, MAX_SESSIONS).map((session, index) => {
    const { title, age, prompts, branch, isArchived } = sessionFacts(session, now);
    const isOpen = session.id === snapshot.currentId;
    const facts = limitNote(
      age,
      prompts,
      branch && `branch ${branch}`,
      isOpen ? 'open here' : '',
      isArchived ? 'archived' : '',
    );
    return `${index + 1}. ${title}; ${facts}`;
  });
}

/** Joins the non-empty facts. */
function limitNote(...facts: readonly string[]): string {
  return facts.filter((fact) => fact !== '').join(', ');
}
