/**
 * The user's own keys: what `keybindings.json` says, checked line by line. What cannot be is said and left out; the
 * rest counts. Pure.
 */
import { type Action, actions, type KeyContext } from './actions.ts';
import { type Binding, createKeymap, type Keymap, keysOfAction } from './keymap.ts';
import { parseKeys, showKeys } from './notation.ts';

export interface UserKeys {
  readonly keymap: Keymap;
  /** One sentence each, ready to show. */
  readonly problems: readonly string[];
}

/** Changes that are read of one file. */
const MAX_BINDINGS = 500;

/**
 * Reads the value of the file: `{ "Chat": { "ctrl+e": "chat:externalEditor", "ctrl+s": null } }`, or the same as
 * other agents have it, `{ "bindings": [{ "context": "Chat", "bindings": { … } }] }`. null takes a key's action away.
 */
export function userKeys(value: unknown): UserKeys {
  const problems: string[] = [];
  const changes: Binding[] = [];
  const seen = new Set<string>();
  const lines = linesOf(value, problems);
  if (lines.length > MAX_BINDINGS) problems.push(`Only the first ${MAX_BINDINGS} bindings count.`);
  for (const line of lines.slice(0, MAX_BINDINGS)) {
    const read = readLine(line);
    if (typeof read === 'string') {
      problems.push(`${quote(line.context)}, ${quote(line.keys)}: ${read}.`);
      continue;
    }
    const place = `${read.context} ${read.keys}`;
    if (seen.has(place))
      problems.push(
        `${quote(line.context)}, ${quote(line.keys)}: this key stands there twice; the last one counts.`,
      );
    seen.add(place);
    changes.push(read);
  }
  return { ...reachable(changes), problems: [...problems, ...unreachable(changes)] };
}

interface Line {
  readonly context: string;
  readonly keys: string;
  readonly action: unknown;
}

const contexts: Readonly<Record<string, KeyContext>> = {
  Global: 'Global',
  Chat: 'Chat',
  Autocomplete: 'Autocomplete',
  HistorySearch: 'HistorySearch',
};

/** There must always be a way to stop, to leave and to close. */
const fixedKeys: readonly string[] = ['ctrl+c', 'ctrl+d', 'escape'];

/** What begins commands, shell commands and file names is text. */
const signs: readonly string[] = ['/', '!', '@'];

function linesOf(value: unknown, problems: string[]): readonly Line[] {
  if (!isRecord(value)) {
    problems.push('The file holds no object: { "Chat": { "ctrl+e": "chat:externalEditor" } }.');
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
    if (contexts[context] === undefined) {
      problems.push(
        `${quote(context)} has no keys that can be changed; these have: ${Object.keys(contexts).join(', ')}.`,
      );
      return [];
    }
    if (!isRecord(bindings)) {
      problems.push(`${quote(context)} is no object of keys and actions.`);
      return [];
    }
    return Object.entries(bindings).map(([keys, action]) => ({ context, keys, action }));
  });
}

/** The binding, or why there can be none. */
function readLine({ context: contextName, keys: written, action: wanted }: Line): Binding | string {
  const context = contexts[contextName] ?? 'Chat';
  const parsed = parseKeys(written);
  if (parsed.type === 'impossible') return parsed.reason;
  const { keys } = parsed;
  if (keys.split(' ').some((key) => fixedKeys.includes(key)))
    return `${showKeys(keys)} stays as it is: there must always be a way to stop and to leave`;
  if (signs.includes(keys)) return `${keys} begins ${keys === '@' ? 'the name of a file' : 'a command'}`;
  if (wanted === null) return { context, keys, action: null };
  if (typeof wanted !== 'string') return 'an action is a name in quotes, or null';
  const action = actions.find(({ name }) => name === wanted);
  if (action === undefined) return `there is no action ${quote(wanted)}; /keys lists them`;
  if (action.isFixed === true && action.command.type !== 'search')
    return `the keys of ${action.name} stay as they are`;
  if (!fits(action, context)) return `${action.name} belongs to ${action.context}`;
  return { context, keys, action };
}

/** Writing is global but for the popup and the search. */
function fits(action: Action, context: KeyContext): boolean {
  const writing: readonly KeyContext[] = ['Global', 'Chat'];
  return action.context === context || (writing.includes(action.context) && writing.includes(context));
}

/** The keymap; where nothing would send any more, Enter still does. */
function reachable(changes: readonly Binding[]): { readonly keymap: Keymap } {
  const keymap = createKeymap(changes);
  if (keysOfAction(keymap, SUBMIT).length > 0) return { keymap };
  return { keymap: createKeymap(changes.filter(({ keys }) => keys !== 'enter')) };
}

const SUBMIT = 'chat:submit';

function unreachable(changes: readonly Binding[]): readonly string[] {
  const wanted = createKeymap(changes);
  const chords = [...wanted.Global.keys(), ...wanted.Chat.keys()].filter((keys) => keys.includes(' '));
  const hidden = changes.flatMap(({ keys, action }) => {
    const chord = action === null ? undefined : chords.find((one) => one.startsWith(`${keys} `));
    if (chord === undefined) return [];
    return [
      `${showKeys(keys)} has an action of its own, so that ${showKeys(chord)} cannot be reached any more.`,
    ];
  });
  if (keysOfAction(wanted, SUBMIT).length > 0) return hidden;
  return [...hidden, 'No key would send any more: Enter still does.'];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Shortened: the file's text goes to the terminal. */
const quote = (text: string): string => `“${text.length > 60 ? `${text.slice(0, 60)}…` : text}”`;
