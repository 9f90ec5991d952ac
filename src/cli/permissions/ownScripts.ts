/**
 * Finds out whether a shell script of the user's own runs code of the project in which it starts. Their scripts may do
 * anything, so only what they visibly start counts: programs that work on projects, and files of the project.
 */
import { resolve } from 'node:path';
import { readFileNow, statOf } from '../../disk/fileLookups.ts';
import { isForProjects, tableName } from '../../permissions/options/programTable.ts';
import { isShellName } from '../../permissions/options/runnerNames.ts';
import { projectVariables } from '../../protocol/settingsPrograms.ts';
import { runsOfText } from './runPrograms.ts';
import { ANY, type KnownVariables } from './shellText.ts';

interface Place {
  readonly root: string;
  readonly home: string;
  /** True for a path to code of the project. */
  readonly isIn: (path: string) => boolean;
}

/** More than the scripts of any user start each other. */
const MAX_SCRIPTS = 50;
const MAX_SCRIPT_BYTES = 200_000;

/** Reads the script at a path, and the scripts elsewhere that it starts. */
export function runsProjectCode(path: string, place: Place): boolean {
  const scripts = new Set([path]);
  // More are added while it is iterated.
  for (const script of scripts) {
    const text = readFileNow(script, MAX_SCRIPT_BYTES)?.toString('utf8');
    if (text === undefined || (script !== path && !looksLikeShell(script, text))) continue;
    const { programs, executed } = runsOfText(text, variablesOf(script, place));
    if ([...programs].some(worksOnProjects)) return true;
    for (const name of executed.keys()) {
      if (name.startsWith(ANY)) continue;
      const path = resolve(place.root, name.replace(/^~(?=\/)/, place.home));
      // Of a name that is known in part, the folder counts.
      const known = path.replace(/[\uE000\uE001].*$/s, '');
      if (known === path && statOf(path)?.isFile() !== true) continue;
      if (place.isIn(known)) return true;
      if (known === path) scripts.add(path);
    }
    if (scripts.size > MAX_SCRIPTS) return true;
  }
  return false;
}

/** AppleScript, Perl and Ruby load no code from the current folder. */
function worksOnProjects(program: string): boolean {
  const name = tableName(program);
  return isForProjects(name) && !isShellName(name) && !/^(?:osascript|perl|ruby)$/.test(name);
}

const looksLikeShell = (path: string, text: string): boolean =>
  /^#![^\n]*\b(?:ba|da|z|k)?sh\b/.test(text) || (!text.startsWith('#!') && /\.(?:ba|z|k)?sh$/.test(path));

function variablesOf(script: string, { root, home }: Place): KnownVariables {
  const known = {
    ...projectVariables(root),
    HOME: home,
    SHELL: 'sh',
    0: script,
    BASH_SOURCE: script,
    '@': ANY,
  };
  return new Map(Object.entries(known).map(([name, text]) => [name, new Set([text])]));
}
