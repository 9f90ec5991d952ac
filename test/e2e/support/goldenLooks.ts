/**
 * Golden screens of one program in a dark and a light terminal: the text must be the same, and each color must be that
 * of one role in both themes. So one file covers both, with colors given by role.
 */
import { expect } from 'vitest';
import { type Palette, palettes } from '../../../src/ui/theme/palettes.ts';
import type { ScreenCell } from '../../ui/screenCells.ts';
import {
  compareGolden,
  drawRows,
  type GoldenOptions,
  type GoldenSource,
  goldenRows,
} from './goldenScreen.ts';

/** One of the two terminals, and the parts of its text that differ. */
export interface Look {
  readonly screen: GoldenSource;
  readonly broken: NonNullable<GoldenOptions['broken']>;
}

export interface Looks {
  readonly dark: Look;
  readonly light: Look;
}

export async function goldenLooks(
  { dark, light }: Looks,
  name: string,
  options: Omit<GoldenOptions, 'broken' | 'letters'> = {},
): Promise<void> {
  const rows = goldenRows(dark.screen, { ...options, broken: dark.broken });
  const others = goldenRows(light.screen, { ...options, broken: light.broken });
  expect(drawRows(others, light.screen, {}), `${name}: a light terminal says what a dark one says`).toBe(
    drawRows(rows, dark.screen, {}),
  );
  const merged = rows.map((row, y) =>
    row.map((cell, x): ScreenCell => ({ ...cell, style: inBoth(cell.style, others[y]?.[x]?.style ?? '') })),
  );
  const strange = merged.flat().filter(({ style }) => style.includes(NO_ROLE));
  expect([...new Set(strange.map(({ style }) => style))], `${name}: every color is that of a role`).toEqual(
    [],
  );
  await compareGolden(drawRows(merged, dark.screen, { ...options, letters }), name, options.folder);
}

const NO_ROLE = 'no role';
const COLOR = /#[\da-f]{6}/g;

/**
 * Formats a style as `bold accent · dark bold #de9c72 · light bold #9b4a1d`; styles without color stay as they are.
 */
function inBoth(dark: string, light: string): string {
  const inLight = light.match(COLOR) ?? [];
  if (dark.replace(COLOR, '') !== light.replace(COLOR, '')) return `${NO_ROLE}: ${dark} and ${light}`;
  if (inLight.length === 0) return dark;
  let at = 0;
  const named = dark.replace(COLOR, (color) => roles.get(`${color} ${inLight[at++]}`) ?? NO_ROLE);
  return described(named, dark, light);
}

const described = (named: string, dark: string, light: string): string =>
  `${named} · dark ${dark} · light ${light}`;

/**
 * The role of each pair of colors. Until the terminal reports its background, both use the colors for an unknown one.
 */
const roles: ReadonlyMap<string, string> = new Map([
  ...pairs(palettes.undecided, palettes.undecided, ' (undecided)'),
  ...pairs(palettes.dark, palettes.light),
]);

function pairs(dark: Palette, light: Palette, note = ''): [string, string][] {
  const other = colorsOf(light);
  return Object.entries(colorsOf(dark)).map(([role, color]) => [`${color} ${other[role]}`, `${role}${note}`]);
}

/** Code roles come first, so that a plain role with the same color provides the name. */
function colorsOf({ code, ...colors }: Palette): Readonly<Record<string, string>> {
  return { ...code, ...colors };
}

/** The same letter for a role on every screen; changed words have the letter of their line. */
const letters: Readonly<Record<string, string>> = {
  bold: 'b',
  ...Object.fromEntries(
    Object.entries({
      accent: 'a',
      dim: 'd',
      success: 's',
      warning: 'w',
      error: 'e',
      keyword: 'k',
      string: 'q',
      number: 'n',
      comment: 'c',
      title: 't',
      type: 'y',
      variable: 'v',
    }).map(([role, letter]) => {
      const [dark = '', light = ''] = [colorsOf(palettes.dark)[role], colorsOf(palettes.light)[role]];
      return [described(role, dark, light), letter];
    }),
  ),
  ...word('success', 'addedWord', '+'),
  ...word('error', 'removedWord', '-'),
};

function word(
  role: 'success' | 'error',
  back: 'addedWord' | 'removedWord',
  letter: string,
): Readonly<Record<string, string>> {
  const style = ({ [role]: color, [back]: behind }: Palette): string => `${color} on ${behind}`;
  return { [described(`${role} on ${back}`, style(palettes.dark), style(palettes.light))]: letter };
}
