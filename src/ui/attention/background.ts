/** The theme follows the terminal's own background: asked once, and whenever the terminal says that it has changed. */
import { type Background, type Theme, withBackground } from '../theme/theme.ts';
import { isPlainConsole } from './plainConsole.ts';
import type { TerminalInput } from './terminalInput.ts';

export interface BackgroundPorts {
  readonly input: TerminalInput;
  theme(): Theme;
  setTheme(theme: Theme): void;
}

/** OSC 11 asks for the background, DA1 for what every terminal answers: then nothing more is waited for. */
const QUESTION = '\u001B]11;?\u001B\\\u001B[c';

/** Milliseconds after which the theme no longer waits; an answer that comes later still counts. */
const PATIENCE_MS = 200;

/** Returns what ends it. */
export function followBackground({ input, theme, setTheme }: BackgroundPorts): () => void {
  const adopt = (background: Background | undefined): void => {
    const { terminal } = theme();
    if (terminal.mayAnswer === true || background !== terminal.background)
      setTheme(withBackground(theme(), background));
  };
  const settle = (): void => {
    clearTimeout(timer);
    if (theme().terminal.mayAnswer === true) adopt(undefined);
  };
  const timer = setTimeout(settle, PATIENCE_MS);
  const unsubscribe = input.onReply((reply) => {
    if (reply.type === 'background' || reply.type === 'scheme') adopt(reply.background);
    else if (reply.type === 'attributes') settle();
  });
  input.ask(QUESTION);
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}

/** Whether it is worth asking: not a terminal that shows no colours, nor one that prints what it does not know. */
export function answersQuestions({ plain, terminal }: Theme): boolean {
  return !plain && !isPlainConsole(terminal.term);
}
