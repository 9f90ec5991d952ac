/** Reads the user's `keybindings.json` after the first frame, and again whenever it changes. */
import { constants, watch } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { KeysInfo } from '../../commands/types.ts';
import { keyGroups } from '../../ui/keys/keyHints.ts';
import { defaultKeymap, type Keymap } from '../../ui/keys/keymap.ts';
import type { KeysPort } from '../../ui/keys/useKeys.ts';
import type { UserKeys } from '../../ui/keys/userBindings.ts';

/** Maximum bytes of the file. */
const MAX_BYTES = 256 * 1024;

/** Maximum number of problems listed; more would fill the screen. */
const MAX_PROBLEMS = 20;

/** Milliseconds after a change before the file is read: editors write in several steps. */
const SETTLE_MS = 100;

/** Returns the path of the user's keybindings. */
export function keybindingsFile(dataRoot: string): string {
  return join(dataRoot, 'keybindings.json');
}

/** Provides the keys for the screen: the built-in ones until the file is read. */
export function createKeysPort(file: string): KeysPort {
  const listeners = new Set<() => void>();
  let keymap: Keymap = defaultKeymap;
  let said = '';
  return {
    current: () => keymap,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async follow(onProblems) {
      const read = async (): Promise<void> => {
        const keys = await readUserKeys(file);
        keymap = keys.keymap;
        for (const listener of [...listeners]) listener();
        const text = keys.problems.join('\n');
        if (text !== said && text !== '') onProblems(keys.problems);
        said = text;
      };
      watchFile(file, () => void read());
      await read();
    },
  };
}

/** Reads the file again and returns the keys for `/keys`. */
export async function readKeysInfo(file: string, shownAs: string): Promise<KeysInfo> {
  const { keymap, problems } = await readUserKeys(file);
  return { file: shownAs, groups: keyGroups(keymap), problems };
}

/** Reads the user's keys. Never rejects: without a file, the built-in keys apply; problems are listed. */
export async function readUserKeys(file: string): Promise<UserKeys> {
  const text = await readText(file);
  if (text === undefined) return { keymap: defaultKeymap, problems: [] };
  if (text === 'too_large')
    return { keymap: defaultKeymap, problems: ['keybindings.json is too large to be read.'] };
  // Loaded only if there is such a file.
  const [{ parse }, { userKeys }] = await Promise.all([
    import('jsonc-parser'),
    import('../../ui/keys/userBindings.ts'),
  ]);
  const { value, line } = readJson(parse, text);
  if (line !== undefined && (typeof value !== 'object' || value === null))
    return {
      keymap: defaultKeymap,
      problems: [`keybindings.json cannot be read: line ${line} is not valid JSON.`],
    };
  const { keymap, problems } = userKeys(value);
  const broken = line === undefined ? [] : [`Line ${line} is not valid JSON; keys after it may be ignored.`];
  const all = [...broken, ...problems];
  const more = all.length - MAX_PROBLEMS;
  const listed = [...all.slice(0, MAX_PROBLEMS), ...(more > 0 ? [`${more} more errors like these.`] : [])];
  return { keymap, problems: listed.map((problem) => `keybindings.json: ${problem}`) };
}

/** `line`: number of the line with the first mistake, from 1. */
function readJson(
  parse: typeof import('jsonc-parser').parse,
  text: string,
): { readonly value?: unknown; readonly line?: number } {
  const errors: { readonly offset: number }[] = [];
  try {
    const value: unknown = parse(text, errors as never, { allowTrailingComma: true });
    const [first] = errors;
    return first === undefined ? { value } : { value, line: text.slice(0, first.offset).split('\n').length };
  } catch {
    // The parser is recursive, and this file is nested deeper than the stack allows.
    return { line: 1 };
  }
}

/** Returns the file's text; undefined if there is none or it is not readable, such as a pipe that never ends. */
async function readText(file: string): Promise<string | 'too_large' | undefined> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const info = await handle.stat();
      if (!info.isFile()) return undefined;
      return info.size > MAX_BYTES ? 'too_large' : (await handle.readFile('utf8')).replace(/^\uFEFF/, '');
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

/**
 * Watches the folder: editors replace files, and the file may not exist yet. Without the folder, changes are not
 * noticed.
 */
function watchFile(file: string, onChange: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
      if (name !== basename(file)) return;
      clearTimeout(timer);
      timer = setTimeout(onChange, SETTLE_MS);
    });
    watcher.on('error', () => watcher.close());
  } catch {
    // Changes then take effect after a restart.
  }
}
