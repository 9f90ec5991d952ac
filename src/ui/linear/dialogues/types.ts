/** The words of dialogues: what is asked, and what becomes of a line that answers it. */
import type { Controller } from '../../controller/types.ts';

export interface Dialogue {
  /** Told when it is asked, a line each. */
  readonly tell: readonly string[];
  /** What is typed does not show. */
  readonly isSecret?: boolean;
  /** `text` is trimmed. What it gives back is told, and the question stands: the line was no answer. */
  answer(text: string): string | undefined;
  /** Ctrl+C, or the end of the input. */
  cancel(): void;
}

export interface DialoguePorts {
  readonly controller: Controller;
  /** Asks this next. */
  readonly ask: (dialogue: Dialogue) => void;
  readonly tell: (...lines: readonly string[]) => void;
  /** A terminal has shown what was typed, and nothing can take that back. */
  readonly showsAnswers: boolean;
  /** Milliseconds. */
  readonly now: () => number;
}
