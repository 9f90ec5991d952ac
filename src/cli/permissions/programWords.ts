/** Messages about a program in the settings that does not simply run with the user's rights. Pure. */
import type { TurnQuestion } from '../../protocol/permissions.ts';
import type { HeldRun, SettingsProgram } from '../../protocol/settingsPrograms.ts';

/** The reason: files that it may run were changed without approval, or it may run code of a folder that the user has not trusted. */
export type ProgramConcern = 'changed' | 'untrusted';

const REASONS: Readonly<Record<ProgramConcern, string>> = {
  changed: 'files that it may run were changed without your approval',
  untrusted: 'it may run code of this folder, which you have not trusted',
};

/** The message that a program was not run. `why`: why there is no sandbox for it. */
export function heldProgram(
  { role, command, args }: SettingsProgram,
  concern: ProgramConcern,
  why: string,
  isUnasked: boolean,
): HeldRun {
  const text = args === undefined ? command : [command, ...args].join(' ');
  const problem = `This ${role} was not run: ${REASONS[concern]}, and there is no sandbox for it (${why}). ${remedy(text, concern)}`;
  return { type: 'held', problem, isUnasked };
}

/** What to do about a program that failed in the sandbox. `cause`: what the sandbox prevented, if known. */
export function confinedAdvice(command: string, concern: ProgramConcern, cause: string | undefined): string {
  const because = `because ${concern === 'changed' ? 'files were changed without your approval' : REASONS[concern]}`;
  return `It ran in the sandbox${cause === undefined ? '' : `: ${cause}`}, ${because}. ${remedy(command, concern)}`;
}

/** The line for the user about the first program of theirs that runs in the sandbox for this reason. */
export function confinedNotice({ role, command, args }: SettingsProgram, concern: ProgramConcern): string {
  const text = [command, ...(args ?? [])].join(' ');
  const name = [role, quotedCommand(text)].join(' ').trim();
  return `Your ${name} runs in the sandbox: ${REASONS[concern]}. ${remedy(text, concern)}`;
}

/** The question if there is no sandbox. */
export function programQuestion(
  { role, cwd }: SettingsProgram,
  concern: ProgramConcern,
  text: string,
  id: string,
): Omit<TurnQuestion, 'agentId'> {
  const { what, reason } = QUESTIONS[concern];
  const headline = `Run your ${role} even though ${what}?`;
  return {
    ...{ id, headline, reason },
    title: `Your ${role}`,
    preview: { type: 'command', command: text, cwd, confinement: 'Runs without a sandbox.' },
  };
}

const QUESTIONS: Readonly<Record<ProgramConcern, { readonly what: string; readonly reason: string }>> = {
  changed: {
    what: 'files were changed',
    reason:
      'It may run project files, and some were changed without your approval. Your answer applies until the session ends; /hooks reviewed stops these prompts.',
  },
  untrusted: {
    what: 'you have not trusted this folder',
    reason:
      'It may run code that it finds in this folder. Your answer applies until the session ends; trusting the folder, or adding it to sandbox.excludedCommands in your own config.json, stops these prompts.',
  },
};

const MAX_SHOWN = 80;

function remedy(command: string, concern: ProgramConcern): string {
  const shown = quotedCommand(command) || 'its command';
  if (concern === 'untrusted')
    return `To let it run outside the sandbox, trust the folder when clawdcode starts here (/hooks ask makes it ask again), or add ${shown} to sandbox.excludedCommands in your own config.json.`;
  return `Once you have reviewed the changes, /hooks reviewed lets it run outside the sandbox; so does adding ${shown} to sandbox.excludedCommands in your own config.json.`;
}

/** The command in quotes; empty if it is too long. */
export function quotedCommand(command: string): string {
  return command.length <= MAX_SHOWN ? JSON.stringify(command) : '';
}
