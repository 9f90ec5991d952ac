/**
 * The user's own keys: what `keybindings.json` says, checked line by line. What cannot be is said and left out; the
 * rest counts. Pure.
 */
import type { KeyContext } from './actions.ts';
import { quote, readBinding } from './bindingRules.ts';
import { type Binding, contextNames, createKeymap, type Keymap } from './keymap.ts';
import { lostWays, withoutLosses } from './lostWays.ts';
import { showKeys } from './notation.ts';

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
    const read = readBinding(line.context, line.keys, line.action);
    if (typeof read === 'string') {
      problems.push(`${quote(line.context)}, ${quote(line.keys)}: ${read}.`);
      continue;
    }
    const place = `${read.context} ${read.keys}`;
    if (seen.has(place))
      problems.push(
        `${quote(line.context)}, ${quote(line.keys)}: this key is bound twice; the last one wins.`,
      );
    seen.add(place);
    changes.push(read);
  }
  const wanted = createKeymap(changes);
  const lost = lostWays(wanted);
  const keymap = lost.length === 0 ? wanted : createKeymap(withoutLosses(changes, lost));
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

/** Keys with an action of their own that used to begin a chord. */
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

/** All that are read together with those that have chords. */
const chordContexts: readonly KeyContext[] = ['Global', 'Chat', 'Autocomplete', 'HistorySearch'];

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
