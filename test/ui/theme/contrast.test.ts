/** Contrast as WCAG 2.2 computes it, of every role of every theme, in both color depths. */
import { describe, expect, test } from 'vitest';
import { palettePaints } from '../../../src/ui/theme/paints.ts';
import { type Palette, type PaletteName, palettes } from '../../../src/ui/theme/palettes.ts';

type Rgb = readonly number[];

/** Common backgrounds: black and white, the defaults of editors, Solarized, Nord, One Dark, Catppuccin. */
const dark = ['#000000', '#1e1e1e', '#282c34', '#002b36', '#2e3440'];
const light = ['#ffffff', '#fafafa', '#fdf6e3', '#eff1f5'];

const wanted: Readonly<Record<PaletteName, { backgrounds: readonly string[]; ratio: number }>> = {
  dark: { backgrounds: dark, ratio: 4.5 },
  light: { backgrounds: light, ratio: 4.5 },
  'dark-high-contrast': { backgrounds: ['#000000', '#1e1e1e', '#282c34'], ratio: 7 },
  'light-high-contrast': { backgrounds: ['#ffffff', '#fafafa'], ratio: 7 },
  'dark-daltonized': { backgrounds: dark, ratio: 4.5 },
  'light-daltonized': { backgrounds: light, ratio: 4.5 },
  undecided: { backgrounds: ['#000000', '#ffffff'], ratio: 4.5 },
};

const names = Object.keys(palettes) as PaletteName[];

describe.each(names)('%s', (name) => {
  const { backgrounds, ratio } = wanted[name];
  test.each(textColors(palettes[name]))('%s can be read in true color: %s', (_, hex) => {
    for (const background of backgrounds)
      expect(contrast(rgbOf(hex), rgbOf(background)), background).toBeGreaterThanOrEqual(ratio);
  });

  // The few seconds before the terminal replies have fewer choices: the cube has no such tones.
  const in256 = name === 'undecided' ? 3.5 : ratio;
  test.each(textColors(palettes[name]))('%s can be read in 256 colors: %s', (_, hex) => {
    for (const background of backgrounds)
      expect(contrast(shownIn256(hex), rgbOf(background)), background).toBeGreaterThanOrEqual(in256);
  });

  const { success, error, addedWord, removedWord } = palettes[name];
  if (name !== 'undecided')
    test.each([
      ['added', success, addedWord],
      ['removed', error, removedWord],
    ])('%s words can be read on their own background', (_, hex, back) => {
      expect(contrast(rgbOf(hex), rgbOf(back))).toBeGreaterThanOrEqual(ratio);
      expect(contrast(shownIn256(hex), shownIn256(back))).toBeGreaterThanOrEqual(ratio);
    });

  const { addedLine, removedLine, promptLine, accent, dim, code } = palettes[name];
  if (name !== 'undecided')
    test.each([
      ['added lines', addedLine, [...Object.values(code), dim, success]],
      ['removed lines', removedLine, [...Object.values(code), dim, error]],
      ['prompts', promptLine, [accent]],
    ])('text on %s can be read', (_, back, colors) => {
      for (const hex of colors) {
        expect(contrast(rgbOf(hex), rgbOf(back)), hex).toBeGreaterThanOrEqual(ratio);
        expect(contrast(shownIn256(hex), shownIn256(back)), hex).toBeGreaterThanOrEqual(ratio);
      }
    });
});

test.each(['dark-daltonized', 'light-daltonized'] as const)(
  'added and removed lines of %s differ for users who cannot distinguish red from green',
  (name) => {
    const { success, error } = palettes[name];
    for (const eye of [protanopia, deuteranopia])
      expect(distance(eye, success, error)).toBeGreaterThan(2 * distance(eye, '#2c7a34', '#c0262d'));
  },
);

function textColors(palette: Palette): [string, string][] {
  const {
    addedWord: _,
    removedWord: __,
    addedLine: ___,
    removedLine: ____,
    promptLine: _____,
    ...text
  } = palette;
  const { code, ...roles } = text;
  return [...Object.entries(roles), ...Object.entries(code)];
}

function rgbOf(hex: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

/** What a terminal with 256 colors shows for this color: a gray, or one of a cube of six levels (xterm). */
function shownIn256(hex: string): Rgb {
  const painted = palettePaints({ ...palettes.dark, accent: hex }, 2).accent('x');
  const index = Number(/38;5;(\d+)m/.exec(painted)?.[1]);
  if (index >= 232) return Array(3).fill((index - 232) * 10 + 8);
  const parts = [36, 6, 1].map((unit) => Math.floor((index - 16) / unit) % 6);
  return parts.map((part) => (part === 0 ? 0 : 55 + 40 * part));
}

function linear(part: number): number {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

function luminance([red = 0, green = 0, blue = 0]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function contrast(one: Rgb, other: Rgb): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

/** Full dichromacy in linear RGB (Machado, Oliveira, Fernandes 2009). */
const protanopia = [
  [0.152286, 1.052583, -0.204868],
  [0.114503, 0.786281, 0.099216],
  [-0.003882, -0.048116, 1.051998],
];
const deuteranopia = [
  [0.367322, 0.860646, -0.227968],
  [0.280085, 0.672501, 0.047413],
  [-0.01182, 0.04294, 0.968881],
];

function distance(eye: readonly (readonly number[])[], one: string, other: string): number {
  const seen = (hex: string): number[] => {
    const parts = rgbOf(hex).map(linear);
    return eye.map((row) => row.reduce((sum, share, index) => sum + share * (parts[index] ?? 0), 0));
  };
  const [a, b] = [seen(one), seen(other)];
  return Math.hypot(...a.map((part, index) => part - (b[index] ?? 0)));
}
