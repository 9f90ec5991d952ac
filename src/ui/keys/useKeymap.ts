import { useSyncExternalStore } from 'react';
import type { KeysPort } from './KeysPort.ts';
import { defaultKeymap, type Keymap } from './keymap.ts';

/** The user's keymap, as it is now. */
export function useKeymap(keys: KeysPort | undefined): Keymap {
  return useSyncExternalStore(keys?.subscribe ?? never, keys?.current ?? builtIn);
}

const never = () => () => {};
const builtIn = (): Keymap => defaultKeymap;
