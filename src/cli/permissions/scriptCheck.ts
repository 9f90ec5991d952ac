/**
 * Checks, before each start of a program that the settings name, that the files of the project it runs are as the user
 * approved them: another session, the user or a `git pull` may have changed them since the settings were loaded. Asks with
 * the lines that differ, once for each change.
 */
import { relative } from 'node:path';
import type { ChangedFile, FileState } from '../../config/types.ts';
import { realpath } from '../../disk/paths.ts';
import type { Access, PermissionBasis, TurnQuestion } from '../../protocol/permissions.ts';
import type { SettingsProgram } from '../../protocol/settingsPrograms.ts';
import { quotedName } from '../../protocol/text/visible.ts';
import { approveFiles, filesRunBy } from './approvedFiles.ts';
import { commandKey, type RecordPlace, recordOf, recordReader } from './approvedRecords.ts';
import { shownChange } from './shownChange.ts';

type Question = Omit<TurnQuestion, 'agentId'>;

/** The user's answer; undefined: there is no user to ask, or the question was withdrawn. */
type Ask = (question: Question) => Promise<boolean | undefined>;

export interface ScriptCheck {
  /** Why the program must not run, as a sentence for the user; undefined if it may. `isUnasked`: nobody was asked. */
  problemOf(
    program: SettingsProgram,
    ask: Ask,
  ): Promise<{ readonly problem: string; readonly isUnasked: boolean } | undefined>;
  /**
   * Called before a call that changes files; returns what to call when it has ended, which never rejects. What the user
   * approves in an edit of a file that was as approved before, they need not approve again.
   */
  editing(access: Access, basis: PermissionBasis): (() => Promise<void>) | undefined;
}

export function createScriptCheck(place: RecordPlace, newId: () => string): ScriptCheck {
  const records = recordReader(place);
  /** Of files whose times differ from those in the record. */
  const seen = new Map<string, FileState>();
  const answers = new Map<string, Promise<boolean | undefined>>();
  const stateOf = (path: string, recorded: FileState | undefined): FileState => {
    const state = recordOf(path, recorded, seen.get(path));
    if (state !== recorded) seen.set(path, state);
    return state;
  };
  const changedBy = (program: SettingsProgram): readonly ChangedFile[] => {
    const { files, commands } = records();
    if (Object.keys(files).length + commands.length === 0) return [];
    const isRecorded = commands.includes(commandKey(program));
    // Its variables are those of the whole environment.
    const { command, args, cwd } = program;
    return filesRunBy({ command, args, cwd }, place).flatMap((path): ChangedFile[] => {
      const before = files[path];
      if (before === undefined && !isRecorded) return [];
      const now = stateOf(path, before);
      if (now.digest === (before?.digest ?? '')) return [];
      return [{ path, name: relative(place.root, path), users: [`your ${program.role}`], before, now }];
    });
  };
  const ownAnswer = (changed: readonly ChangedFile[], program: SettingsProgram, ask: Ask) => {
    const key = JSON.stringify(changed.map(({ path, now }) => [path, now.digest]));
    const answer =
      answers.get(key) ??
      ask(questionAbout(changed, program, newId())).then(async (isApproved) => {
        // The answer holds for this session even if it cannot be stored.
        if (isApproved === true) await approveFiles(place, changed).catch(() => undefined);
        if (isApproved === undefined) answers.delete(key);
        return isApproved;
      });
    answers.set(key, answer);
    return answer;
  };
  return {
    async problemOf(program, ask) {
      const changed = changedBy(program);
      if (changed.length === 0) return undefined;
      const isApproved = await ownAnswer(changed, program, ask);
      if (isApproved === true) return undefined;
      const names = changed.map(({ name }) => quotedName(name)).join(', ');
      const what = `This ${program.role} was not run: ${names} changed since you approved it.`;
      return isApproved === undefined
        ? { problem: `${what} Run clawdcode here to decide.`, isUnasked: true }
        : { problem: `${what} The next start asks again.`, isUnasked: false };
    },
    editing(access, basis) {
      if (access.type !== 'write' || basis !== 'user') return undefined;
      const paths = [...new Set([...access.paths, ...access.paths.map(realpath)])];
      const { files } = records();
      const isAsApproved = (path: string): boolean => {
        const recorded = files[path];
        return recorded !== undefined && stateOf(path, recorded).digest === recorded.digest;
      };
      const edited = paths.filter(isAsApproved);
      if (edited.length === 0) return undefined;
      return () =>
        approveFiles(
          place,
          edited.map((path) => ({
            ...{ path, name: relative(place.root, path), users: [] },
            ...{ before: files[path], now: stateOf(path, files[path]) },
          })),
        ).catch(() => undefined);
    },
  };
}

function questionAbout(changed: readonly ChangedFile[], program: SettingsProgram, id: string): Question {
  const { role, command, args = [] } = program;
  const names = changed.map(({ name }) => quotedName(name)).join(', ');
  const texts = changed.map((one) => {
    const { what, removed, added } = shownChange(one);
    return [what, ...removed.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)].join('\n');
  });
  return {
    id,
    title: `Your ${role}`,
    headline: `Run your ${role}, although ${names} changed?`,
    preview: { type: 'text', text: [[command, ...args].join(' '), ...texts].join('\n\n') },
    reason: `It runs outside the sandbox, and ${changed.length === 1 ? 'this file is' : 'these files are'} not what you approved. With your approval, ${changed.length === 1 ? 'it is' : 'they are'} approved as shown.`,
  };
}
