/** Which way a conversation is held, from the terminal and what its user asked for. Loads next to nothing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Streams {
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
}

export interface ScreenWishes {
  /** `--ax-screen-reader`. */
  readonly screenReader: boolean;
  /** Something was asked on the command line. */
  readonly hasPrompt: boolean;
}

export type ScreenKind =
  | { readonly type: 'screen' }
  /** Without redraws; `isEditing` where the typed line may use cursor keys. */
  | { readonly type: 'linear'; readonly isEditing: boolean }
  /** As with `-p`. */
  | { readonly type: 'print' }
  /** Why not, ready to show; exit code 42. */
  | { readonly type: 'none'; readonly message: string };

type Environment = Readonly<Record<string, string | undefined>>;

export async function screenKind(
  wishes: ScreenWishes,
  { stdinIsTerminal, stdoutIsTerminal }: Streams,
  env: Environment,
  dataRoot: string,
): Promise<ScreenKind> {
  const isTerminal = stdinIsTerminal && stdoutIsTerminal;
  const isDumb = isDumbTerminal(env.TERM);
  // Asked for in so many words, it works on pipes too: an editor may run it that way.
  if (wishes.screenReader) return { type: 'linear', isEditing: isTerminal && !isDumb };
  // What is piped in is the prompt, or a part of it; what is piped out is the answer.
  if (!stdinIsTerminal) return { type: 'print' };
  if (!stdoutIsTerminal) {
    if (wishes.hasPrompt) return { type: 'print' };
    const message =
      'standard output is not a terminal, so there is nothing to hold a conversation on. To print an answer, give a prompt: clawdcode -p "…"';
    return { type: 'none', message };
  }
  if (isDumb) return { type: 'linear', isEditing: false };
  if (env.INK_SCREEN_READER === 'true' || (await isScreenReaderSet(dataRoot)))
    return { type: 'linear', isEditing: true };
  return { type: 'screen' };
}

/** Terminals that cannot move their cursor: shells in editors, teletypes, and what says nothing of itself. */
export function isDumbTerminal(term: string | undefined): boolean {
  return term === undefined || /^(?:|dumb|unknown|emacs|network|teletype)$/.test(term);
}

/**
 * A look at the user's own settings before they are read: they are parsed behind the first frame, and whether
 * there is one depends on this. What takes JSON with comments is loaded only where the setting is named. What is
 * wrong with the file is told later, where settings are read.
 */
async function isScreenReaderSet(dataRoot: string): Promise<boolean> {
  const file = join(dataRoot, 'config.json');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return false;
  }
  if (!text.includes('"screenReader"')) return false;
  const { parseSettings } = await import('../../config/parseSettings.ts');
  return parseSettings(text, file, 'user').values.screenReader === true;
}
