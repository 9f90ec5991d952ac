/** Interprets a submitted line: a prompt, a shell command or a slash command. No React, no screen. */
import { interpret, unknownCommandText } from '../../commands/interpret.ts';
import type { Page } from '../../commands/pages/page.ts';
import type { CommandHost, ConfirmQuestion } from '../../commands/types.ts';
import type { TurnRecord } from '../../protocol/checkpoints.ts';
import type { ImagePart } from '../../protocol/files/images.ts';
import type { SettingEdit, SettingInfo } from '../../protocol/settings/settings.ts';
import type { ThemeSetting } from '../../protocol/settings/themeNames.ts';
import type { Print } from './view.ts';

/** Work that remains for the screen after a line was submitted. */
export type InputEffect =
  | { readonly type: 'none' }
  | { readonly type: 'print'; readonly print: Print }
  | { readonly type: 'dialog'; readonly dialog: 'resume' | 'model' | 'items' | 'tasks' }
  | { readonly type: 'confirm'; readonly page: Page; readonly question: ConfirmQuestion }
  | { readonly type: 'config'; readonly settings: readonly SettingInfo[] }
  | { readonly type: 'apply_setting'; readonly edit: SettingEdit; readonly text: string }
  | { readonly type: 'rewind'; readonly turn?: TurnRecord }
  | { readonly type: 'set_theme'; readonly setting?: ThemeSetting }
  | { readonly type: 'open_session'; readonly target: 'new' | { readonly id: string } }
  | { readonly type: 'fork_session'; readonly uptoSeq?: number }
  | { readonly type: 'toggle_vim' }
  | { readonly type: 'exit' };

/**
 * True if a line would run a shell command, or change more than the session. A prompt from the command line that would
 * do so waits for Enter: a script may have put untrusted text there.
 */
export function waitsForEnter(text: string, { commands }: Pick<CommandHost, 'commands'>): boolean {
  const meaning = interpret(text, commands);
  return (
    meaning.type === 'shell' ||
    (meaning.type === 'command' && meaning.command.needsUser?.(meaning.args) !== undefined)
  );
}

/** Runs a submitted line. `display` is the text as the composer showed it, with large pastes folded. */
export async function runInput(
  draft: { readonly text: string; readonly display: string; readonly images?: readonly ImagePart[] },
  host: CommandHost,
  echo: (command: string) => void,
): Promise<InputEffect> {
  const { agent } = host;
  if (draft.text.trim() === '!') return notice('info', 'Type a command after the !, for example !git status');
  const meaning = interpret(draft.text, host.commands);
  switch (meaning.type) {
    case 'prompt': {
      const hint = noteHint(meaning.text, agent);
      agent.submit({
        type: 'prompt',
        text: meaning.text,
        display: draft.display,
        ...(draft.images === undefined || draft.images.length === 0 ? {} : { images: draft.images }),
      });
      return hint;
    }
    case 'shell':
      agent.submit({ type: 'shell', command: meaning.command });
      return { type: 'none' };
    case 'unknown':
      echo(draft.text);
      return notice('error', unknownCommandText(meaning));
    case 'command': {
      if (meaning.command.isPrompt !== true) echo(draft.text);
      const result = await meaning.command.run(meaning.args, host);
      switch (result.type) {
        case 'op':
          agent.submit(result.op);
          if (result.op.type === 'compact' && result.op.preview === true) return notice('info', PREVIEWING);
          return remarked(await result.remark?.().catch(() => undefined));
        case 'notice':
          return notice(result.level ?? 'info', result.text);
        case 'page':
          return { type: 'print', print: { type: 'page', page: result.page } };
        case 'dialog':
          if (result.dialog === 'confirm') return { ...result, type: 'confirm' };
          if (result.dialog === 'config') return { type: 'config', settings: result.settings };
          if (result.dialog !== 'rewind') return { type: 'dialog', dialog: result.dialog };
          return { type: 'rewind', ...(result.turn === undefined ? {} : { turn: result.turn }) };
        case 'setting_changed':
          return { ...result, type: 'apply_setting' };
        default:
          return result;
      }
    }
  }
}

/** In other agents, a line like `# use tabs` is a note to remember. Hints at our command, once per session. */
function noteHint(text: string, agent: CommandHost['agent']): InputEffect {
  const isNote = (line: string): boolean => /^# \S.*$/.test(line);
  const isLater = agent
    .entries()
    .some(
      ({ type, message }) =>
        type === 'user' && typeof message.content === 'string' && isNote(message.content),
    );
  if (!isNote(text) || isLater) return { type: 'none' };
  return notice('info', 'Sent as a prompt. /memory add NOTE keeps a note for later sessions.');
}

/** Printed right away, because the model may take a while to send its first word. */
const PREVIEWING = 'Writing a summary to show what /compact would do; Esc stops it. Nothing has changed.';

function remarked(remark: string | undefined): InputEffect {
  return remark === undefined ? { type: 'none' } : notice('warning', remark);
}

function notice(level: 'info' | 'warning' | 'error', text: string): InputEffect {
  return { type: 'print', print: { type: 'notice', level, text } };
}
