import { useContext } from 'react';
import { useStrokes } from '../input/useStrokes.ts';
import { type DialogKey, type DialogPlace, readDialogKey } from './dialogKeys.ts';
import { KeymapContext } from './KeymapContext.ts';
import type { Keymap } from './keymap.ts';
import type { Stroke } from './strokes.ts';

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
