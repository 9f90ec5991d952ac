/**
 * Terminal features besides text (notifications, progress, title), detected by environment variables, and the user's
 * settings for them.
 */
import type { SettingsPrograms } from '../../protocol/settingsPrograms.ts';
import { sanitizeLine } from '../../ui/print/sanitize.ts';
import { type Attention, isPlainConsole, type NotificationChannel } from '../../ui/terminal/sequences.ts';
import { type ProgramContext, programEnvironment } from '../process/commandVariables.ts';
import { spawnProgram } from '../process/spawnProgram.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface AttentionSettings {
  readonly notifications: 'auto' | NotificationChannel | 'off';
  readonly notificationCommand: string | null;
  /** A settings file of the folder names that command. */
  readonly isNotifierOfFolder?: boolean;
  readonly terminalTitle: boolean;
  readonly terminalProgress: boolean;
}

/** `place.secretEnv`: variables that the user's notification command does not get, besides the program's own keys. */
export function attentionOf(
  settings: AttentionSettings,
  place: ProgramContext,
  programs?: SettingsPrograms,
): Attention {
  const { env } = place;
  const { notifications, notificationCommand: command, isNotifierOfFolder: isOfFolder = false } = settings;
  return {
    title: settings.terminalTitle && !isPlainConsole(env.TERM),
    progress: settings.terminalProgress && showsProgress(env),
    notifications: notifications === 'auto' ? channelOf(env) : notifications,
    multiplexer: multiplexerOf(env),
    ...(command === null
      ? {}
      : {
          notify: (message, session) =>
            runNotifier({ command, isOfFolder }, message, session, place, programs),
        }),
  };
}

function multiplexerOf(env: Env): Attention['multiplexer'] {
  if (env.TMUX) return 'tmux';
  return env.STY ? 'screen' : undefined;
}

/**
 * True for terminals that show OSC 9;4; others show it as a notification with the text "4;3". ConEmu (its documentation
 * of escape codes), Windows Terminal 1.6 (Microsoft's page on progress bar sequences), WezTerm and Ghostty 1.2
 * (according to Cargo's list), iTerm2 3.6.6 (its release notes), Konsole 26.04 and VTE 0.80 (their merge requests). A
 * multiplexer keeps the outer terminal's variables but does not pass the sequences on.
 */
function showsProgress(env: Env): boolean {
  if (multiplexerOf(env) !== undefined) return false;
  if (env.WT_SESSION || env.ConEmuANSI === 'ON') return true;
  if (Number(env.VTE_VERSION) >= 8000 || Number(env.KONSOLE_VERSION) >= 260400) return true;
  const isSince = (major: number, minor: number, patch: number): boolean => {
    const [a = 0, b = 0, c = 0] = (env.TERM_PROGRAM_VERSION ?? '')
      .split('.')
      .map((part) => Number.parseInt(part, 10) || 0);
    return a > major || (a === major && (b > minor || (b === minor && c >= patch)));
  };
  switch (env.TERM_PROGRAM) {
    case 'WezTerm':
      return true;
    case 'ghostty':
      return isSince(1, 2, 0);
    case 'iTerm.app':
      return isSince(3, 6, 6);
    default:
      return false;
  }
}

/** Returns how the terminal shows notifications; the bell works everywhere. */
function channelOf(env: Env): NotificationChannel {
  if (multiplexerOf(env) !== undefined) return 'bell';
  if (env.TERM === 'xterm-kitty' || env.KITTY_WINDOW_ID) return 'osc99';
  if (env.TERM_PROGRAM === 'iTerm.app' || env.TERM_PROGRAM === 'ghostty' || env.TERM === 'xterm-ghostty')
    return 'osc9';
  if (env.TERM_PROGRAM === 'WezTerm' || /^(foot|rxvt-unicode)/.test(env.TERM ?? '')) return 'osc777';
  return 'bell';
}

/** Timeout of a notifier, in milliseconds. */
const NOTIFIER_MS = 10_000;

/** Maximum characters of an environment variable; the system limits one to slightly above a hundred thousand. */
const MAX_CHARACTERS = 1000;

/** Removes characters that an environment variable cannot hold: with them, nothing would be started. */
function plain(text: string): string {
  return sanitizeLine(text).slice(0, MAX_CHARACTERS).toWellFormed();
}

/** Starts the notifier without waiting for it. Its output is dropped, because the screen is in use. */
function runNotifier(
  given: { readonly command: string; readonly isOfFolder: boolean },
  message: string,
  session: string,
  place: ProgramContext,
  programs: SettingsPrograms | undefined,
): void {
  void spawnProgram({
    ...given,
    role: 'notification command',
    cwd: place.root,
    env: {
      ...programEnvironment(place),
      CLAWDCODE: '1',
      CLAWDCODE_MESSAGE: plain(message),
      CLAWDCODE_SESSION: plain(session),
    },
    stdio: 'ignore',
    options: { timeout: NOTIFIER_MS, windowsHide: true },
    programs,
  }).then(
    (started) => {
      if ('problem' in started) return;
      started.child.on('error', () => {});
      started.child.unref();
    },
    () => undefined,
  );
}
