import { createContext } from 'react';
import { defaultKeymap, type Keymap } from './keymap.ts';

/** The user's keymap, for dialogs; the built-in one where nobody gives another. */
export const KeymapContext = createContext<Keymap>(defaultKeymap);
