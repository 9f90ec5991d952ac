/** Keys in React components: the keymap, single keys, and keys in dialogs. */
import { useInput, useStdin } from 'ink';
import { createContext, useContext, useEffect, useRef, useSyncExternalStore } from 'react';
import { rawInput } from '../terminal/workarounds.ts';
import { type DialogFocus, type DialogKey, defaultKeymap, type Keymap, readDialogKey } from './keymap.ts';
import { type Stroke, strokesOf } from './strokes.ts';

/** The user's keymap, for dialogs; the built-in one by default. */
export const KeymapContext = createContext<Keymap>(defaultKeymap);

/** The user's keymap, which may change while the program runs. */
export interface KeysPort {
  current(): Keymap;
  /** Reads and watches the user's bindings; calls `onProblems` whenever they contain problems. Never rejects. */
  follow(onProblems: (problems: readonly string[]) => void): Promise<void>;
  subscribe(listener: () => void): () => void;
}

/** Returns the current keymap. */
export function useKeymap(keys: KeysPort | undefined): Keymap {
  return useSyncExternalStore(keys?.subscribe ?? never, keys?.current ?? builtIn);
}

const never = () => () => {};
const builtIn = (): Keymap => defaultKeymap;

/**
 * Calls `onStroke` for each key and each piece of text while `isActive`. `isAlone`: nothing else arrived at the same
 * time.
 */
export function useStrokes(onStroke: (stroke: Stroke, isAlone: boolean) => void, isActive: boolean): void {
  const raw = useRef('');
  const events = rawInput(useStdin());
  // Registered before `useInput`, whose listener then already knows the raw data.
  useEffect(() => {
    if (!isActive || events === undefined) return;
    const onData = (data: string): void => {
      raw.current = data;
    };
    events.on('input', onData);
    return () => events.removeListener('input', onData);
  }, [isActive, events]);
  useInput(
    (input, key) => {
      const strokes = strokesOf(input, key, raw.current);
      for (const stroke of strokes) onStroke(stroke, strokes.length === 1);
    },
    { isActive },
  );
}

/**
 * Calls `onKey` with the meaning of each key, and returns the keymap for hints. Calls `place` before each key: one
 * event may contain several keys, and the first may change the meaning of the next.
 */
export function useDialogKeys(
  place: () => DialogFocus,
  onKey: (key: DialogKey) => void,
  isActive = true,
): Keymap {
  const keymap = useContext(KeymapContext);
  useStrokes((stroke, isAlone) => {
    let left: Stroke | undefined = stroke;
    while (left !== undefined) {
      const where = place();
      const { key, rest } = readDialogKey(keymap, left, where);
      const isOfMore = !isAlone || left !== stroke;
      onKey(where.typing === 'answer' && isOfMore && isCharacter(left) ? { type: 'other' } : key);
      left = rest === '' ? undefined : { type: 'text', text: rest };
    }
  }, isActive);
  return keymap;
}

/** A character that arrived together with others answers nothing, even if one of them opened the question. */
function isCharacter(stroke: Stroke): boolean {
  return stroke.type === 'text' && [...stroke.text].length === 1;
}

/**
 * After the process was stopped and continued from outside (`kill -STOP`, then `fg`), the terminal is in the shell's
 * modes: `takeBack` restores ours and redraws. Does nothing if another program has the terminal.
 */
export function useContinued(
  listen: ((listener: () => void) => () => void) | undefined,
  isGivenAway: () => boolean,
  takeBack: () => Promise<void>,
): void {
  const newest = useRef({ isGivenAway, takeBack });
  newest.current = { isGivenAway, takeBack };
  useEffect(
    () =>
      listen?.(() => {
        if (!newest.current.isGivenAway()) void newest.current.takeBack();
      }),
    [listen],
  );
}
