/** Keys in components: the keymap, strokes, and what a stroke means in a dialog. */
import { useInput, useStdin } from 'ink';
import { createContext, useContext, useEffect, useRef, useSyncExternalStore } from 'react';
import { rawInput } from '../terminal/workarounds.ts';
import { type DialogKey, type DialogPlace, defaultKeymap, type Keymap, readDialogKey } from './keymap.ts';
import { type Stroke, strokesOf } from './strokes.ts';

/** The user's keymap, for dialogs; the built-in one where nobody gives another. */
export const KeymapContext = createContext<Keymap>(defaultKeymap);

/** The keymap as the user has it; it may change while the program runs. */
export interface KeysPort {
  current(): Keymap;
  /** Reads the user's bindings; calls `onProblems` now and after each change that has some. Never rejects. */
  follow(onProblems: (problems: readonly string[]) => void): Promise<void>;
  subscribe(listener: () => void): () => void;
}

/** The user's keymap, as it is now. */
export function useKeymap(keys: KeysPort | undefined): Keymap {
  return useSyncExternalStore(keys?.subscribe ?? never, keys?.current ?? builtIn);
}

const never = () => () => {};
const builtIn = (): Keymap => defaultKeymap;

/** Calls `onStroke` for each key and each piece of text while `isActive`; `isAlone`: nothing else came in the same piece. */
export function useStrokes(onStroke: (stroke: Stroke, isAlone: boolean) => void, isActive: boolean): void {
  const raw = useRef('');
  const events = rawInput(useStdin());
  // Before `useInput`, whose listener comes second: by then it is known what arrived.
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
 * Calls `onKey` with what each key means, and gives the keymap for the line of keys. The place is asked for before
 * each key: one chunk of input may hold several, and the first may change what the next one means.
 */
export function useDialogKeys(
  place: () => DialogPlace,
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

/** One that came with others answers nothing, also where one of those brought the question up. */
function isCharacter(stroke: Stroke): boolean {
  return stroke.type === 'text' && [...stroke.text].length === 1;
}

/**
 * After somebody else has stopped and continued the program (`kill -STOP`, then `fg`), the terminal is the shell's in
 * all its modes: `takeBack` takes it and draws anew. Where the terminal was given away anyway, nothing is to be done.
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
