/**
 * Validates the user's `keybindings.json`, line by line. Invalid bindings are reported and skipped; the rest apply.
 * Pure.
 */

import { isRecord } from '../../protocol/json.ts';
import { type Action, actions, type KeyContext } from './actions.ts';
import { type DialogContext, listContexts } from './dialogActions.ts';
import { keysIn } from './keyHints.ts';
import {
  type Binding,
  contextNames,
  createKeymap,
  defaultKeymap,
  type Keymap,
  keysOfAction,
} from './keymap.ts';
import { isText, parseKeys, showKeys } from './strokes.ts';

export interface UserKeys {
  readonly keymap: Keymap;
  /** One sentence each, ready to show. */
  readonly problems: readonly string[];
}

/** Maximum bindings read from the file. */
const MAX_BINDINGS = 500;

/**
 * Reads the value of the file: `{ "Chat": { "ctrl+e": "chat:externalEditor", "ctrl+s": null } }`, or the form of other
 * agents, `{ "bindings": [{ "context": "Chat", "bindings": { … } }] }`. null unbinds a key.
 */
export function userKeys(value: unknown): UserKeys {
  const problems: string[] = [];
  const changes: Binding[] = [];
  const seen = new Set<string>();
  const lines = linesOf(value, problems);
  if (lines.length > MAX_BINDINGS) problems.push(`Only the first ${MAX_BINDINGS} bindings apply.`);
  for (const line of lines.slice(0, MAX_BINDINGS)) {
    const read = readBinding(line.context, line.keys, line.action);
    if (typeof read === 'string') {
      problems.push(`${quote(line.context)}, ${quote(line.keys)}: ${read}.`);
      continue;
    }
    const place = `${read.context} ${read.keys}`;
    if (seen.has(place))
      problems.push(
        `${quote(line.context)}, ${quote(line.keys)}: this key is bound twice; the last binding applies.`,
      );
    seen.add(place);
    changes.push(read);
  }
  const wanted = createKeymap(changes);
  const lost = lostActions(wanted);
  const keymap = lost.length === 0 ? wanted : createKeymap(keepingEnter(changes, lost));
  return {
    keymap,
    problems: [...problems, ...hiddenChords(wanted, changes), ...lost.map(({ text }) => text)],
  };
}

interface Line {
  readonly context: string;
  readonly keys: string;
  readonly action: unknown;
}

function linesOf(value: unknown, problems: string[]): readonly Line[] {
  if (!isRecord(value)) {
    problems.push('The file is not an object: { "Chat": { "ctrl+e": "chat:externalEditor" } }.');
    return [];
  }
  const blocks: (readonly [string, unknown])[] = [];
  for (const [name, block] of Object.entries(value)) {
    if (name.startsWith('$')) continue;
    if (name !== 'bindings') blocks.push([name, block]);
    else if (!Array.isArray(block))
      problems.push('"bindings" is a list of { "context": …, "bindings": { … } }.');
    else
      for (const one of block)
        if (isRecord(one) && typeof one.context === 'string') blocks.push([one.context, one.bindings]);
        else problems.push('A block of "bindings" names no context.');
  }
  return blocks.flatMap(([context, bindings]): readonly Line[] => {
    if (!contextNames.some((name) => name === context)) {
      problems.push(`${quote(context)} has no configurable keys; these do: ${contextNames.join(', ')}.`);
      return [];
    }
    if (!isRecord(bindings)) {
      problems.push(`${quote(context)} is not an object of keys and actions.`);
      return [];
    }
    return Object.entries(bindings).map(([keys, action]) => ({ context, keys, action }));
  });
}

/** Reports keys that now have their own action and so hide a chord that starts with them. */
function hiddenChords(wanted: Keymap, changes: readonly Binding[]): readonly string[] {
  const chords = [...wanted.Global.keys(), ...wanted.Chat.keys()].filter((keys) => keys.includes(' '));
  return changes.flatMap(({ context, keys, action }) => {
    const chord =
      action?.command === undefined || !chordContexts.includes(context)
        ? undefined
        : chords.find((one) => one.startsWith(`${keys} `));
    if (chord === undefined) return [];
    return [`${showKeys(keys)} has its own action, so ${showKeys(chord)} cannot be reached any more.`];
  });
}

/** The contexts that are looked up together with those that have chords. */
const chordContexts: readonly KeyContext[] = ['Global', 'Chat', 'Autocomplete', 'HistorySearch'];

// Which actions a key may have in a context. Pure.

/**
 * Returns one line of the file as a binding, or the reason why it is invalid. `wanted`: an action's name, null, or any
 * other value in the file.
 */
function readBinding(contextName: string, written: string, wanted: unknown): Binding | string {
  const context = contextName as KeyContext;
  const parsed = parseKeys(written);
  if (parsed.type === 'impossible') return parsed.reason;
  const { keys } = parsed;
  const builtIn = defaultKeymap[context].get(keys);
  // Repeating the default is not a mistake.
  if (builtIn !== undefined && builtIn.name === wanted) return { context, keys, action: builtIn };
  const reason = reasonAgainstKey(keys, context);
  if (reason !== undefined) return reason;
  if (wanted === null) return { context, keys, action: null };
  if (typeof wanted !== 'string') return 'an action is a name in quotes, or null';
  const action = actions.find(({ name }) => name === wanted);
  if (action === undefined) return `there is no action ${quote(wanted)}; /keys lists them`;
  return reasonAgainstAction(action, keys, context) ?? { context, keys, action };
}

/** Quotes text from the file for the terminal, shortened. */
const quote = (text: string): string => `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;

const writing: readonly KeyContext[] = ['Global', 'Chat', 'Autocomplete', 'HistorySearch'];

/** There must always be a way to stop, to quit and to close. */
const fixedKeys: readonly string[] = ['ctrl+c', 'ctrl+d', 'escape'];

/** Characters that start commands, shell commands and file names are text. */
const signs: readonly string[] = ['/', '!', '@'];

function reasonAgainstKey(keys: string, context: KeyContext): string | undefined {
  const isWriting = writing.includes(context);
  // The transcript scrolls with Ctrl+D.
  const fixed = context === 'Transcript' ? fixedKeys.filter((key) => key !== 'ctrl+d') : fixedKeys;
  if (keys.split(' ').some((key) => fixed.includes(key)))
    return `${showKeys(keys)} is reserved: there must always be a way to interrupt and to quit`;
  if (isWriting && signs.includes(keys))
    return `${keys} begins ${keys === '@' ? 'the name of a file' : 'a command'}`;
  if (!isWriting && keys.includes(' ')) return `${context} has single keys only`;
  if ((context === 'Confirmation' || context === 'Question') && /^\d$/.test(keys))
    return 'digits choose numbered answers';
  if (context === 'Form' && isText(keys)) return `${showKeys(keys)} is text there`;
  return undefined;
}

function reasonAgainstAction(action: Action, keys: string, context: KeyContext): string | undefined {
  // In the search and in dialogs, actions that leave may get more keys.
  if (action.isFixed === true && writing.includes(action.context) && action.context !== 'HistorySearch')
    return `the keys of ${action.name} stay as they are`;
  if (!fits(action, context)) return `${action.name} belongs to ${action.context}`;
  if (approving.includes(action.name) && !isDeliberate(keys))
    return `${action.name} confirms something, so its key must have Ctrl or Alt, or be F1 to F12`;
  return undefined;
}

/**
 * An action may be bound in its own context; `Global` and `Chat` are interchangeable, and `Select` actions may be bound
 * in any list.
 */
function fits(action: Action, context: KeyContext): boolean {
  const both: readonly KeyContext[] = ['Global', 'Chat'];
  if (action.context === context || (both.includes(action.context) && both.includes(context))) return true;
  return action.context === 'Select' && listContexts.includes(context as DialogContext);
}

const approving: readonly string[] = [
  'confirm:accept',
  'confirm:yes',
  'confirm:always',
  'confirm:sandbox',
  'confirm:cycleMode',
  'question:accept',
];

/** True for keys that are not used for typing or moving the cursor. */
function isDeliberate(keys: string): boolean {
  return /^(?:ctrl|alt)\+/.test(keys) || /^(?:shift\+)?f\d+$/.test(keys);
}

// Actions that must keep a key, whatever the file says: sending, and accepting the selection. Pure.

/** An action that has Enter by default and now has no key left. */
interface LostAction {
  /** The contexts in which changes of Enter are undone. */
  readonly contexts: readonly KeyContext[];
  /** One sentence, ready to show. */
  readonly text: string;
}

/** Finds such actions. Characters do not count as keys here: they may be text. */
function lostActions(keymap: Keymap): readonly LostAction[] {
  const lost: LostAction[] = [];
  if (!keysOfAction(keymap, 'chat:submit').some((keys) => !isText(keys)))
    lost.push({ contexts: ['Global', 'Chat'], text: 'No key is bound to send any more; Enter still works.' });
  for (const { contexts, action } of dialogs)
    if (!keysIn(keymap, { contexts, typing: 'text' }, action).some((keys) => !isText(keys)))
      lost.push({
        contexts,
        text: `No key in ${contexts[0]} is bound to ${action} any more; Enter still works.`,
      });
  return lost;
}

/** The changes without those that take Enter away from a needed action. */
function keepingEnter(changes: readonly Binding[], lost: readonly LostAction[]): readonly Binding[] {
  return changes.filter(
    ({ keys, context }) => keys !== 'enter' || !lost.some(({ contexts }) => contexts.includes(context)),
  );
}

const dialogs: readonly {
  readonly contexts: readonly DialogContext[];
  readonly action: 'select:accept' | 'confirm:accept' | 'question:accept' | 'form:submit';
}[] = [
  { contexts: ['Select'], action: 'select:accept' },
  ...listContexts.map((list) => ({ contexts: [list, 'Select'] as const, action: 'select:accept' as const })),
  { contexts: ['Confirmation'], action: 'confirm:accept' },
  { contexts: ['Question'], action: 'question:accept' },
  { contexts: ['Form'], action: 'form:submit' },
];
