/** Converts colors to style functions. */
import { Chalk, type ChalkInstance } from 'chalk';
import type { CodeRole, Palette } from './palettes.ts';

export interface ThemePaints {
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
  /** Changed words within an added or removed line. */
  readonly addedWord: Paint;
  readonly removedWord: Paint;
  /** Backgrounds of whole lines, behind other colors; absent if the terminal's background is unknown. */
  readonly addedLine?: Paint;
  readonly removedLine?: Paint;
  readonly promptLine?: Paint;
  readonly code: Readonly<Record<CodeRole, Paint>>;
}

/** Styles text that contains no escape sequences; does not change its width. */
export type Paint = (text: string) => string;

/** Number of colors: 0 none, 1 = 16, 2 = 256, 3 = 16 million. */
export type ColorLevel = 0 | 1 | 2 | 3;

/** Style functions of a palette, for terminals with 256 colors or more. */
export function palettePaints(palette: Palette, level: ColorLevel): ThemePaints {
  const chalk = new Chalk({ level });
  const on = (base: ChalkInstance, hex: string): ChalkInstance =>
    level === 3 ? base.hex(hex) : base.ansi256(nearest256(hex));
  const word = (hex: string, back: string): Paint => {
    if (back === '') return on(chalk.underline, hex);
    return level === 3 ? chalk.hex(hex).bgHex(back) : on(chalk, hex).bgAnsi256(nearest256(back));
  };
  const color = (hex: string): Paint => on(chalk, hex);
  const line = (back: string): Paint => (level === 3 ? chalk.bgHex(back) : chalk.bgAnsi256(nearest256(back)));
  const { code } = palette;
  return {
    ...attributes(chalk),
    dim: color(palette.dim),
    accent: color(palette.accent),
    heading: on(chalk.bold, palette.heading),
    success: color(palette.success),
    warning: color(palette.warning),
    error: color(palette.error),
    link: on(chalk.underline, code.title),
    inlineCode: color(code.title),
    added: color(palette.success),
    removed: color(palette.error),
    addedWord: word(palette.success, palette.addedWord),
    removedWord: word(palette.error, palette.removedWord),
    ...(palette.addedLine === ''
      ? {}
      : {
          addedLine: line(palette.addedLine),
          removedLine: line(palette.removedLine),
          promptLine: line(palette.promptLine),
        }),
    code: {
      keyword: color(code.keyword),
      string: color(code.string),
      number: color(code.number),
      comment: color(code.comment),
      title: color(code.title),
      type: color(code.type),
      variable: color(code.variable),
      attribute: color(code.attribute),
      meta: color(code.meta),
    },
  };
}

/** Uses only the terminal's own 16 colors, as configured by the user. */
export function sixteenPaints(level: 0 | 1): ThemePaints {
  const chalk = new Chalk({ level });
  return {
    ...attributes(chalk),
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

function attributes(chalk: ChalkInstance) {
  const same: Paint = (text) => text;
  return {
    text: same,
    strong: chalk.bold,
    italic: chalk.italic,
    underline: chalk.underline,
    strike: chalk.strikethrough,
    user: chalk.bold,
  };
}

/** The fixed part of the 256 colors: a cube of six levels from 16, 24 grays from 232 (xterm). */
const levels = [0, 95, 135, 175, 215, 255] as const;

type Rgb = readonly [red: number, green: number, blue: number];

/** Parses `#rrggbb` into parts from 0 to 255. */
function rgbOf(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** The color that the terminal shows for an index from 16 to 255. */
function rgbOf256(index: number): Rgb {
  if (index >= 232) {
    const gray = (index - 232) * 10 + 8;
    return [gray, gray, gray];
  }
  const level = (part: number): number => levels[part % 6] ?? 0;
  const at = index - 16;
  return [level(Math.floor(at / 36)), level(Math.floor(at / 6)), level(at)];
}

/** The index of the nearest of these colors; green weighs most, then blue, then red, as for the eye. */
function nearest256(hex: string): number {
  const [red, green, blue] = rgbOf(hex);
  let nearest = 16;
  let least = Infinity;
  for (let index = 16; index < 256; index++) {
    const [r, g, b] = rgbOf256(index);
    const distance = 2 * (r - red) ** 2 + 4 * (g - green) ** 2 + 3 * (b - blue) ** 2;
    if (distance >= least) continue;
    least = distance;
    nearest = index;
  }
  return nearest;
}
