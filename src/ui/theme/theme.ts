/** The style functions of the UI. Renderers use a role ("added"), never a color. */
import type { ThemeSetting } from '../../protocol/settings/themeNames.ts';
import { type ColorLevel, palettePaints, sixteenPaints, type ThemePaints } from './paints.ts';
import { type PaletteName, palettes } from './palettes.ts';

export type { ThemeSetting } from '../../protocol/settings/themeNames.ts';

/** The theme in use, after the setting was applied to a terminal. */
type ThemeName = PaletteName | 'ansi' | 'plain';

export type Background = 'dark' | 'light';

export interface Theme extends ThemePaints {
  readonly name: ThemeName;
  /** True if no escape sequences may be written: all meaning must be in the text. */
  readonly plain: boolean;
  /** The inputs from which the theme was made, to derive another one when either changes. */
  readonly setting: ThemeSetting;
  readonly terminal: TerminalColors;
}

/** The parts of the environment that determine colors; read by `cli`. */
export interface TerminalColors {
  /** `NO_COLOR` is set and not empty, or `--no-color` was given. */
  readonly noColor: boolean;
  /** `FORCE_COLOR`, which overrides `NO_COLOR`: a level from 0 to 3, or any other value for "some colors". */
  readonly forceColor?: string | undefined;
  /** `TERM`. */
  readonly term?: string | undefined;
  /** `COLORTERM`: `truecolor` or `24bit` if the terminal supports them. */
  readonly colorTerm?: string | undefined;
  /** `TERM_PROGRAM`, or an equivalent. */
  readonly program?: string | undefined;
  /** `COLORFGBG`, such as `15;0`: a hint about the background that some terminals set at start. */
  readonly colorFgBg?: string | undefined;
  /** The background reported by the terminal; overrides the hint. */
  readonly background?: Background | undefined;
  /** True until the terminal has answered the query for its background, or the wait is over. */
  readonly mayAnswer?: boolean | undefined;
}

/** Chooses the theme for a setting and a terminal. `NO_COLOR` and dumb terminals override every setting. */
export function chooseTheme(setting: ThemeSetting, terminal: TerminalColors): Theme {
  const level = colorLevel(terminal);
  const made = { setting, terminal };
  if (level === 0 || setting === 'plain') return { ...made, name: 'plain', plain: true, ...sixteenPaints(0) };
  if (level === 1 || setting === 'ansi') return { ...made, name: 'ansi', plain: false, ...sixteenPaints(1) };
  const name = paletteOf(setting, backgroundOf(terminal));
  return { ...made, name, plain: false, ...palettePaints(palettes[name], level) };
}

/** The same setting, once the terminal has reported its background or the wait is over (undefined). */
export function withBackground(theme: Theme, background: Background | undefined): Theme {
  return chooseTheme(theme.setting, { ...theme.terminal, background, mayAnswer: false });
}

/** Another setting for the same terminal. */
export function withSetting(theme: Theme, setting: ThemeSetting): Theme {
  return chooseTheme(setting, theme.terminal);
}

/** True for settings that adapt to the terminal's background. */
export function followsTerminal(setting: ThemeSetting): boolean {
  return ['auto', 'default', 'high-contrast', 'daltonized'].includes(setting);
}

function paletteOf(
  setting: Exclude<ThemeSetting, 'ansi' | 'plain'>,
  background: Background | undefined,
): PaletteName {
  if (!followsTerminal(setting)) return setting as PaletteName;
  if (background === undefined) return 'undecided';
  return setting === 'auto' || setting === 'default'
    ? background
    : (`${background}-${setting}` as PaletteName);
}

/** Undefined while the terminal may still answer; after that, dark if there is no hint. */
function backgroundOf({ background, colorFgBg, mayAnswer }: TerminalColors): Background | undefined {
  if (background !== undefined) return background;
  const hint = colorFgBg?.split(';').at(-1) ?? '';
  // Of the sixteen colors, 7 and 9 to 15 are bright, as in Vim; 8 is a dark gray.
  if (/^\d+$/.test(hint)) return Number(hint) === 7 || Number(hint) > 8 ? 'light' : 'dark';
  return mayAnswer === true ? undefined : 'dark';
}

/**
 * The number of colors to use. `--no-color` and `FORCE_COLOR` are meant for this run, so they override `NO_COLOR`,
 * which applies to all programs; Node does the same.
 */
export function colorLevel(terminal: TerminalColors): ColorLevel {
  const { noColor, forceColor } = terminal;
  if (forceColor === undefined) return noColor ? 0 : levelOf(terminal);
  if (forceColor === '0' || forceColor === 'false') return 0;
  if (forceColor === '1' || forceColor === '2' || forceColor === '3') return Number(forceColor) as ColorLevel;
  return Math.max(1, levelOf(terminal)) as ColorLevel;
}

/** The terminal's capability, judged by its names. */
function levelOf({ term = '', colorTerm = '', program = '' }: TerminalColors): ColorLevel {
  if (term === 'dumb') return 0;
  if (/^(truecolor|24bit)$/i.test(colorTerm) || /-direct$|kitty|ghostty|alacritty|wezterm|foot/.test(term))
    return 3;
  if (/^(iTerm\.app|WezTerm|vscode|ghostty|WindowsTerminal)$/.test(program)) return 3;
  return /256/.test(term) || program === 'Apple_Terminal' ? 2 : 1;
}
