/** Opens a text in the user's editor, in a file that only the user can read. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { realpath } from '../../disk/paths.ts';
import { openRealFile } from '../../disk/realFile.ts';
import type { EditOutcome } from '../../ui/types.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { type LookUpPlace, ownEnvironment } from '../process/lookUp.ts';

interface EditorPlace extends LookUpPlace, Pick<AppPaths, 'cwd'> {
  /** The program's own data folder: out of reach for the model's commands, unlike a temporary folder. */
  readonly dataRoot: string;
}

/** Maximum size of the edited text, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The shell's exit code if there is no such program. */
const NOT_FOUND = 127;

/**
 * Opens `text` in `$VISUAL` or `$EDITOR`, including their arguments, on this process's terminal, and returns what was
 * saved. The caller has released the terminal.
 */
export async function editText(text: string, place: EditorPlace): Promise<EditOutcome> {
  const { env, dataRoot } = place;
  const editor = [env.VISUAL, env.EDITOR].find((name) => name !== undefined && name.trim() !== '');
  if (editor === undefined)
    return failed('No editor is set. Set VISUAL or EDITOR, for example: export EDITOR="nano"');
  let folder: string | undefined;
  try {
    const drafts = join(dataRoot, 'drafts');
    await mkdir(drafts, { recursive: true, mode: 0o700 });
    folder = realpath(await mkdtemp(join(drafts, 'draft-')));
    const file = join(folder, 'prompt.md');
    await writeFile(file, text, { mode: 0o600, flag: 'wx' });
    const problem = await run(editor, file, place);
    if (problem !== undefined) return failed(`${problem} The draft is unchanged.`);
    const saved = await savedIn(file);
    if (saved === undefined)
      return failed('The editor saved something that is not text or is too long. The draft is unchanged.');
    // Editors add a line break at the end.
    return { type: 'edited', text: text.endsWith('\n') ? saved : saved.replace(/\r?\n$/, '') };
  } catch (error) {
    return failed(`The draft could not be edited: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/**
 * Returns undefined if the file is too long or not a regular file. Other programs, including sandboxed commands, may
 * write to temporary folders, so links are not followed: one could lead to a file that its creator cannot read.
 */
async function savedIn(file: string): Promise<string | undefined> {
  const handle = await openRealFile(file);
  try {
    const info = await handle.stat();
    return info.isFile() && info.size <= MAX_BYTES ? await handle.readFile('utf8') : undefined;
  } finally {
    await handle.close();
  }
}

/** Returns the problem, if any. The shell splits the editor's arguments, as it does for git. */
function run(editor: string, file: string, place: EditorPlace): Promise<string | undefined> {
  const { cwd } = place;
  const env = ownEnvironment(place);
  const isWindows = process.platform === 'win32';
  const child = isWindows
    ? spawn(`${editor} "${file}"`, { shell: true, stdio: 'inherit', cwd, env })
    : spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', cwd, env });
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(`The editor (${editor}) could not be started: ${error.message}.`));
    child.on('close', (code, signal) => {
      if (code === 0) resolve(undefined);
      else if (code === NOT_FOUND) resolve(`The editor (${editor}) was not found.`);
      else resolve(`The editor (${editor}) ended with ${signal ?? `exit code ${code}`}.`);
    });
  });
}

const failed = (message: string): EditOutcome => ({ type: 'failed', message });
