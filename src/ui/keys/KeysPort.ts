import type { Keymap } from './keymap.ts';

/** The keymap as the user has it; it may change while the program runs. */
export interface KeysPort {
  current(): Keymap;
  /** Reads the user's bindings; calls `onProblems` now and after each change that has some. Never rejects. */
  follow(onProblems: (problems: readonly string[]) => void): Promise<void>;
  subscribe(listener: () => void): () => void;
}
