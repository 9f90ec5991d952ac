/** What things look like: named colour functions. Renderers name a role ("added"), never a colour. */
import type { ThemeSetting } from '../../protocol/themeNames.ts';
import { type ColorLevel, palettePaints, sixteenPaints, type ThemePaints } from './paints.ts';
import { type PaletteName, palettes } from './palettes.ts';

export type { ThemeSetting } from '../../protocol/themeNames.ts';

/** What a setting comes to in a terminal. */
type ThemeName = PaletteName | 'ansi' | 'plain';

export type Background = 'dark' | 'light';

export interface Theme extends ThemePaints {
  readonly name: ThemeName;
  /** True where no escape may be written: meaning must then be in the characters. */
  readonly plain: boolean;
  /** What it was made from, so that another can be made when one of both changes. */
  readonly setting: ThemeSetting;
  readonly terminal: TerminalColors;
}

/** What of the environment decides about colour; read by `cli` and handed in. */
export interface TerminalColors {
  /** `NO_COLOR` is set and not empty, or `--no-color` was given. */
  readonly noColor: boolean;
  /** `FORCE_COLOR`, which beats `NO_COLOR`: a level from 0 to 3, or anything for "some". */
  readonly forceColor?: string | undefined;
  /** `TERM`. */
  readonly term?: string | undefined;
  /** `COLORTERM`: `truecolor` or `24bit` where the terminal has them. */
  readonly colorTerm?: string | undefined;
  /** `TERM_PROGRAM`, or what stands for it. */
  readonly program?: string | undefined;
  /** `COLORFGBG`, e.g. `15;0`: a hint about the background that some terminals set when they start. */
  readonly colorFgBg?: string | undefined;
  /** What the terminal itself answered: beats the hint. */
  readonly background?: Background | undefined;
  /** It was asked, or will be, and has not answered yet. */
  readonly mayAnswer?: boolean | undefined;
}

/** The theme for a setting in a terminal. `NO_COLOR` and dumb terminals beat every setting. */
export function chooseTheme(setting: ThemeSetting, terminal: TerminalColors): Theme {
  const level = colorLevel(terminal);
  const made = { setting, terminal };
  if (level === 0 || setting === 'plain') return { ...made, name: 'plain', plain: true, ...sixteenPaints(0) };
  if (level === 1 || setting === 'ansi') return { ...made, name: 'ansi', plain: false, ...sixteenPaints(1) };
  const name = paletteOf(setting, backgroundOf(terminal));
  return { ...made, name, plain: false, ...palettePaints(palettes[name], level) };
}

/** The same setting where the terminal has told its background, or will not tell it any more (undefined). */
export function withBackground(theme: Theme, background: Background | undefined): Theme {
  return chooseTheme(theme.setting, { ...theme.terminal, background, mayAnswer: false });
}

/** Another setting in the same terminal. */
export function withSetting(theme: Theme, setting: ThemeSetting): Theme {
  return chooseTheme(setting, theme.terminal);
}

/** True for settings that take the terminal's background. */
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

/** Undefined while the terminal may still answer; after that, and without any hint, it counts as dark. */
function backgroundOf({ background, colorFgBg, mayAnswer }: TerminalColors): Background | undefined {
  if (background !== undefined) return background;
  const hint = colorFgBg?.split(';').at(-1) ?? '';
  // Of the sixteen colours, 7 and 9 to 15 are bright, as Vim takes them; 8 is a dark grey.
  if (/^\d+$/.test(hint)) return Number(hint) === 7 || Number(hint) > 8 ? 'light' : 'dark';
  return mayAnswer === true ? undefined : 'dark';
}

/**
 * How many colours may be used. `--no-color` and `FORCE_COLOR` are somebody's word for this very run, so they come
 * before `NO_COLOR`, which is for all programs (Node decides the same way).
 */
export function colorLevel(terminal: TerminalColors): ColorLevel {
  const { noColor, forceColor } = terminal;
  if (forceColor === undefined) return noColor ? 0 : levelOf(terminal);
  if (forceColor === '0' || forceColor === 'false') return 0;
  if (forceColor === '1' || forceColor === '2' || forceColor === '3') return Number(forceColor) as ColorLevel;
  return Math.max(1, levelOf(terminal)) as ColorLevel;
}

/** What the terminal can, as far as its names tell. */
function levelOf({ term = '', colorTerm = '', program = '' }: TerminalColors): ColorLevel {
  if (term === 'dumb') return 0;
  if (/^(truecolor|24bit)$/i.test(colorTerm) || /-direct$|kitty|ghostty|alacritty|wezterm|foot/.test(term))
    return 3;
  if (/^(iTerm\.app|WezTerm|vscode|ghostty|WindowsTerminal)$/.test(program)) return 3;
  return /256/.test(term) || program === 'Apple_Terminal' ? 2 : 1;
}
