/** From colours to painting functions. */
import { Chalk, type ChalkInstance } from 'chalk';
import type { Paint, ThemePaints } from '../theme.ts';
import type { ColorLevel } from './colorLevel.ts';
import { nearest256 } from './colors256.ts';
import type { Palette } from './palettes.ts';

/** Paints of a palette, for terminals with 256 colours or more. */
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

/** Only colours that the terminal's own palette defines, so that its owner's taste decides. */
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
