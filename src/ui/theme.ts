/** What things look like: named colour functions. Renderers name a role ("added"), never a colour. */
import { Chalk, type ChalkInstance } from 'chalk';

/** Paints text that holds no escape sequences; changes no widths. */
export type Paint = (text: string) => string;

export type ThemeName = 'dark' | 'light' | 'ansi' | 'plain';
export type ThemeSetting = ThemeName | 'auto';

/** Roles of highlighted code; see `highlight.ts` for what maps to which. */
export type CodeRole =
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'title'
  | 'type'
  | 'variable'
  | 'attribute'
  | 'meta';

export interface Theme {
  readonly name: ThemeName;
  /** True where no escape may be written: meaning must then be in the characters. */
  readonly plain: boolean;
  readonly text: Paint;
  readonly strong: Paint;
  readonly italic: Paint;
  readonly underline: Paint;
  readonly strike: Paint;
  readonly dim: Paint;
  readonly accent: Paint;
  readonly heading: Paint;
  readonly user: Paint;
  readonly success: Paint;
  readonly warning: Paint;
  readonly error: Paint;
  readonly link: Paint;
  readonly inlineCode: Paint;
  readonly added: Paint;
  readonly removed: Paint;
  /** The changed words inside an added or removed line. */
  readonly addedWord: Paint;
  readonly removedWord: Paint;
  readonly code: Readonly<Record<CodeRole, Paint>>;
}

/** What of the environment decides about colour; read by `cli` and handed in. */
export interface TerminalColors {
  /** `NO_COLOR` is set and not empty. */
  readonly noColor: boolean;
  /** `TERM`. */
  readonly term?: string | undefined;
  /** `COLORTERM`: `truecolor` or `24bit` where the terminal has them. */
  readonly colorTerm?: string | undefined;
  /** `COLORFGBG`, e.g. `15;0`: the only widespread hint about the background. */
  readonly colorFgBg?: string | undefined;
}

/** The theme for a setting in a terminal. `NO_COLOR` and dumb terminals beat every setting. */
export function chooseTheme(setting: ThemeSetting, terminal: TerminalColors): Theme {
  const level = colorLevel(terminal);
  if (level === 0 || setting === 'plain') return makeTheme('plain', 0);
  if (setting === 'ansi' || level === 1) return makeTheme('ansi', 1);
  return makeTheme(setting === 'auto' ? backgroundOf(terminal.colorFgBg) : setting, level);
}

/** Number of colours: 0 none, 1 = 16, 2 = 256, 3 = 16 million. */
function colorLevel({ noColor, term = '', colorTerm = '' }: TerminalColors): 0 | 1 | 2 | 3 {
  if (noColor || term === 'dumb') return 0;
  if (/^(truecolor|24bit)$/i.test(colorTerm) || /-direct$|kitty|ghostty|alacritty|wezterm/.test(term))
    return 3;
  if (/256/.test(term)) return 2;
  return 1;
}

/** Background numbers 7 and 15 are white; anything else, or nothing, counts as dark. */
function backgroundOf(colorFgBg: string | undefined): 'dark' | 'light' {
  const background = colorFgBg?.split(';').at(-1);
  return background === '7' || background === '15' ? 'light' : 'dark';
}

interface Palette {
  readonly accent: string;
  readonly heading: string;
  readonly dim: string;
  readonly success: string;
  readonly warning: string;
  readonly error: string;
  readonly addedWord: string;
  readonly removedWord: string;
  readonly code: Readonly<Record<CodeRole, string>>;
}

const dark: Palette = {
  accent: '#d98e5f',
  heading: '#e0b088',
  dim: '#8f8f8f',
  success: '#7dbb7d',
  warning: '#e0b341',
  error: '#ef7272',
  addedWord: '#22502a',
  removedWord: '#6b2a2a',
  code: {
    keyword: '#c792ea',
    string: '#a5cf85',
    number: '#f0a06c',
    comment: '#868686',
    title: '#7fb1f0',
    type: '#e8c872',
    variable: '#e88f9a',
    attribute: '#7fc7c9',
    meta: '#9aa0a6',
  },
};

const light: Palette = {
  accent: '#a8501f',
  heading: '#8a4a1c',
  dim: '#6b6b6b',
  success: '#2c7a34',
  warning: '#8f6400',
  error: '#c0262d',
  addedWord: '#bfe8c4',
  removedWord: '#f6c6c6',
  code: {
    keyword: '#8a3fb0',
    string: '#35752b',
    number: '#a3510b',
    comment: '#6e6e6e',
    title: '#1f5fae',
    type: '#7d5c00',
    variable: '#a82f45',
    attribute: '#0f6f72',
    meta: '#5f6368',
  },
};

function makeTheme(name: ThemeName, level: 0 | 1 | 2 | 3): Theme {
  const chalk = new Chalk({ level });
  if (name === 'dark' || name === 'light') return rich(name, chalk, name === 'dark' ? dark : light);
  return sixteen(name, chalk);
}

function rich(name: 'dark' | 'light', chalk: ChalkInstance, palette: Palette): Theme {
  const color = (hex: string): Paint => chalk.hex(hex);
  return {
    ...shared(name, chalk),
    dim: color(palette.dim),
    accent: color(palette.accent),
    heading: chalk.bold.hex(palette.heading),
    success: color(palette.success),
    warning: color(palette.warning),
    error: color(palette.error),
    link: chalk.underline.hex(palette.code.title),
    inlineCode: color(palette.code.title),
    added: color(palette.success),
    removed: color(palette.error),
    addedWord: chalk.hex(palette.success).bgHex(palette.addedWord),
    removedWord: chalk.hex(palette.error).bgHex(palette.removedWord),
    code: {
      keyword: color(palette.code.keyword),
      string: color(palette.code.string),
      number: color(palette.code.number),
      comment: color(palette.code.comment),
      title: color(palette.code.title),
      type: color(palette.code.type),
      variable: color(palette.code.variable),
      attribute: color(palette.code.attribute),
      meta: color(palette.code.meta),
    },
  };
}

/** Only colours that the terminal's own palette defines, so that its owner's taste decides. */
function sixteen(name: 'ansi' | 'plain', chalk: ChalkInstance): Theme {
  return {
    ...shared(name, chalk),
    dim: chalk.dim,
    accent: chalk.yellow,
    heading: chalk.bold.yellow,
    success: chalk.green,
    warning: chalk.yellow,
    error: chalk.red,
    link: chalk.underline.blue,
    inlineCode: chalk.cyan,
    added: chalk.green,
    removed: chalk.red,
    addedWord: chalk.green.inverse,
    removedWord: chalk.red.inverse,
    code: {
      keyword: chalk.magenta,
      string: chalk.green,
      number: chalk.yellow,
      comment: chalk.dim,
      title: chalk.blue,
      type: chalk.yellow,
      variable: chalk.red,
      attribute: chalk.cyan,
      meta: chalk.dim,
    },
  };
}

function shared(name: ThemeName, chalk: ChalkInstance) {
  const same: Paint = (text) => text;
  return {
    name,
    plain: name === 'plain',
    text: same,
    strong: chalk.bold,
    italic: chalk.italic,
    underline: chalk.underline,
    strike: chalk.strikethrough,
    user: chalk.bold,
  };
}
