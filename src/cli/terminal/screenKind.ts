/** Chooses between full screen, plain and headless mode by the terminal and the user's choice. Loads almost nothing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Streams {
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
}

interface ScreenFlags {
  /** The flag `--ax-screen-reader`. */
  readonly screenReader: boolean;
  /** A prompt was given on the command line. */
  readonly hasPrompt: boolean;
}

type ScreenKind =
  | { readonly type: 'screen' }
  /** Plain mode, without redraws; `isEditing` if cursor keys can edit the line being typed. */
  | { readonly type: 'linear'; readonly isEditing: boolean }
  /** Like `-p`. */
  | { readonly type: 'print' }
  /** The reason, ready to show; exit code 42. */
  | { readonly type: 'none'; readonly message: string };

type Environment = Readonly<Record<string, string | undefined>>;

export async function screenKind(
  flags: ScreenFlags,
  { stdinIsTerminal, stdoutIsTerminal }: Streams,
  env: Environment,
  dataRoot: string,
): Promise<ScreenKind> {
  const isTerminal = stdinIsTerminal && stdoutIsTerminal;
  const isDumb = isDumbTerminal(env.TERM);
  // If requested explicitly, plain mode works on pipes, too: an editor may run it that way.
  if (flags.screenReader) return { type: 'linear', isEditing: isTerminal && !isDumb };
  // Piped input is the prompt or a part of it; piped output is the answer.
  if (!stdinIsTerminal) return { type: 'print' };
  if (!stdoutIsTerminal) {
    if (flags.hasPrompt) return { type: 'print' };
    const message =
      'standard output is not a terminal, so a conversation is not possible. To print an answer, give a prompt: clawdcode -p "…"';
    return { type: 'none', message };
  }
  if (isDumb) return { type: 'linear', isEditing: false };
  if (env.INK_SCREEN_READER === 'true' || (await isScreenReaderSet(dataRoot)))
    return { type: 'linear', isEditing: true };
  return { type: 'screen' };
}

/** True for terminals that cannot move the cursor: shells in editors, teletypes, and terminals without a type. */
export function isDumbTerminal(term: string | undefined): boolean {
  return term === undefined || /^(?:|dumb|unknown|emacs|network|teletype)$/.test(term);
}

/**
 * Reads just this setting from the user's file before the settings are loaded: they are parsed after the first frame,
 * and whether there is a first frame depends on this setting. The parser for JSON with comments is loaded only if the
 * file names the setting. Problems in the file are reported later, when the settings are read.
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
