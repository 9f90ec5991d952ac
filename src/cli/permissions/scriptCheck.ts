/**
 * Checks, before each start of a program that the settings name, that the project files it runs are as the user
 * approved them: another session, the user or a `git pull` may have changed them since the settings were loaded. Asks
 * once for each change, showing the lines that differ.
 */
import { relative } from 'node:path';
import type { ChangedFile, FileState } from '../../config/types.ts';
import { realpath } from '../../disk/paths.ts';
import type { Access, PermissionBasis, TurnQuestion } from '../../protocol/permissions.ts';
import type { SettingsProgram } from '../../protocol/settingsPrograms.ts';
import { quotedName } from '../../protocol/text/visible.ts';
import { approveFiles } from './approvedFiles.ts';
import {
  commandKey,
  isApprovedContent,
  type RecordPlace,
  recordOf,
  recordReader,
} from './approvedRecords.ts';
import { commandText, coveredFiles } from './executedFiles.ts';
import { shownChange } from './shownChange.ts';

type Question = Omit<TurnQuestion, 'agentId'>;

/** The user's answer; undefined: there is no user to ask, or the question was withdrawn. */
type Ask = (question: Question) => Promise<boolean | undefined>;

/** What is known about the scripts that a program runs. */
type ScriptState =
  | { readonly type: 'approved' }
  /** The program must not run. `problem`: a sentence for the user; `isUnasked`: the user was not asked. */
  | { readonly type: 'changed'; readonly problem: string; readonly isUnasked: boolean };

export interface ScriptCheck {
  /** Whether a program runs a file whose change the user did not approve at the start. */
  heldSinceStart(program: SettingsProgram): ScriptState | undefined;
  stateOf(program: SettingsProgram, ask: Ask): Promise<ScriptState>;
  /**
   * Called before a call that changes files; returns the function to call when it has ended, which never rejects. If a
   * file was unchanged since its approval, an edit that the user approves needs no second approval.
   */
  editing(access: Access, basis: PermissionBasis): (() => Promise<void>) | undefined;
}

/** `excluded`: see `coveredFiles`. `declined`: what had changed at the start, and was not approved. */
export function createScriptCheck(
  place: RecordPlace,
  excluded: readonly string[],
  newId: () => string,
  declined: readonly ChangedFile[] = [],
): ScriptCheck {
  const isDeclined = ({ path, now }: ChangedFile): boolean =>
    declined.some((one) => one.path === path && one.now.digest === now.digest);
  const records = recordReader(place);
  /** States of files whose times differ from those in the record. */
  const seen = new Map<string, FileState>();
  const answers = new Map<string, Promise<boolean | undefined>>();
  const fileState = (path: string, recorded: FileState | undefined): FileState => {
    const state = recordOf(path, recorded, seen.get(path));
    if (state !== recorded) seen.set(path, state);
    return state;
  };
  /** The files that differ from what the user approved; undefined if there are too many to look at. */
  const changedFor = (program: SettingsProgram): readonly ChangedFile[] | undefined => {
    const { files, commands, isIncomplete = false } = records();
    const { role, command, args, cwd, ofFolder } = program;
    if (ofFolder === undefined && !isIncomplete && Object.keys(files).length + commands.length === 0)
      return [];
    // Without `env`: programs of other settings get the entire environment.
    const written = ofFolder ?? { command, args, cwd };
    const isRecorded = isIncomplete || commands.includes(commandKey(written));
    // As the settings define it, which is what the user approved, and as it starts now.
    const texts = ofFolder === undefined ? [written] : [written, { command, args, cwd, env: ofFolder.env }];
    const excepted = excluded.includes(commandText(written)) ? texts.map(commandText) : [];
    const found = texts.map((text) => coveredFiles(text, place, excepted));
    if (ofFolder !== undefined && found.some(({ isCut }) => isCut)) return undefined;
    const built = found.flatMap((one) => one.built);
    return [...new Set(found.flatMap(({ files }) => files))].flatMap((path): ChangedFile[] => {
      const before = files[path];
      if (before === undefined && !isRecorded) return [];
      const now = fileState(path, before);
      if (isApprovedContent(now.digest, before)) return [];
      const builtFor = built.includes(path) ? { builtFor: commandText(written) } : {};
      return [{ path, name: relative(place.root, path), users: [`your ${role}`], before, now, ...builtFor }];
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
    heldSinceStart(program) {
      if (declined.length === 0) return undefined;
      const changed = changedFor(program)?.filter(isDeclined) ?? [];
      return changed.length === 0
        ? undefined
        : unasked(`${notRun(program, changed)} Run clawdcode here to decide.`);
    },
    async stateOf(program, ask) {
      const changed = changedFor(program);
      if (changed === undefined)
        return unasked(
          `This ${program.role} was not run: it names more files, or longer scripts, than can be checked for changes. Name fewer, or move it to your own config.json.`,
        );
      const isApproved = changed.length === 0 || (await ownAnswer(changed, program, ask));
      if (isApproved === true) return { type: 'approved' };
      const what = notRun(program, changed);
      return isApproved === undefined
        ? unasked(`${what} Run clawdcode here to decide.`)
        : { type: 'changed', problem: `${what} The next start asks again.`, isUnasked: false };
    },
    editing(access, basis) {
      if (access.type !== 'write' || basis !== 'user') return undefined;
      const paths = [...new Set([...access.paths, ...access.paths.map(realpath)])];
      const { files } = records();
      const isAsApproved = (path: string): boolean => {
        const recorded = files[path];
        return recorded !== undefined && isApprovedContent(fileState(path, recorded).digest, recorded);
      };
      const edited = paths.filter(isAsApproved);
      if (edited.length === 0) return undefined;
      return () =>
        approveFiles(
          place,
          edited.map((path) => ({
            ...{ path, name: relative(place.root, path), users: [] },
            ...{ before: files[path], now: fileState(path, files[path]) },
          })),
        ).catch(() => undefined);
    },
  };
}

const unasked = (problem: string): ScriptState => ({ type: 'changed', problem, isUnasked: true });

const notRun = ({ role }: SettingsProgram, changed: readonly ChangedFile[]): string =>
  `This ${role} was not run: ${changed.map(({ name }) => quotedName(name)).join(', ')} changed since you approved it.`;

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
    headline: `Run your ${role} even though ${names} changed?`,
    preview: { type: 'text', text: [[command, ...args].join(' '), ...texts].join('\n\n') },
    reason: `It runs outside the sandbox, and ${changed.length === 1 ? 'this file is' : 'these files are'} not what you approved. If you allow it, ${changed.length === 1 ? 'it is' : 'they are'} approved as shown.`,
  };
}
