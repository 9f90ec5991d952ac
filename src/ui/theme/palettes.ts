/**
 * The colors of each theme. In true color and in the nearest of 256 colors, each has a contrast of at least 4.5 to
 * common backgrounds (7 for high contrast; WCAG 2.2, 1.4.3 and 1.4.6), as checked by `test/ui/theme/contrast.test.ts`.
 * Daltonized themes use blue and orange instead of green and red, after Okabe and Ito.
 */

/** Roles of highlighted code; `highlight.ts` maps tokens to them. */
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

export interface Palette {
  readonly accent: string;
  readonly heading: string;
  readonly dim: string;
  readonly success: string;
  readonly warning: string;
  readonly error: string;
  /** Backgrounds of changed words, behind `success` and `error`. */
  readonly addedWord: string;
  readonly removedWord: string;
  /** Backgrounds of changed lines and of prompts, behind everything else; empty for none. */
  readonly addedLine: string;
  readonly removedLine: string;
  readonly promptLine: string;
  readonly code: Readonly<Record<CodeRole, string>>;
}

export type PaletteName =
  | 'dark'
  | 'light'
  | 'dark-high-contrast'
  | 'light-high-contrast'
  | 'dark-daltonized'
  | 'light-daltonized'
  | 'undecided';

export const palettes: Readonly<Record<PaletteName, Palette>> = {
  dark: {
    accent: '#de9c72',
    heading: '#e0b088',
    dim: '#9c9c9c',
    success: '#7dbb7d',
    warning: '#e0b341',
    error: '#f07878',
    addedWord: '#1c3d22',
    removedWord: '#4f1f1f',
    addedLine: '#10291a',
    removedLine: '#331518',
    promptLine: '#2c2c2c',
    code: {
      keyword: '#c792ea',
      string: '#a5cf85',
      number: '#f0a06c',
      comment: '#9c9c9c',
      title: '#7fb1f0',
      type: '#e8c872',
      variable: '#e88f9a',
      attribute: '#7fc7c9',
      meta: '#9aa0a6',
    },
  },
  light: {
    accent: '#9b4a1d',
    heading: '#8a4a1c',
    dim: '#6b6b6b',
    success: '#226428',
    warning: '#8f6400',
    error: '#a31f25',
    addedWord: '#c4ecc9',
    removedWord: '#fad4d4',
    addedLine: '#e4f7e6',
    removedLine: '#ffefef',
    promptLine: '#eeeeee',
    code: {
      keyword: '#79379b',
      string: '#34732a',
      number: '#9b4d0a',
      comment: '#6d6d6d',
      title: '#1f5fae',
      type: '#7d5c00',
      variable: '#a82f45',
      attribute: '#0f6f72',
      meta: '#5f6368',
    },
  },
  'dark-high-contrast': {
    accent: '#ffae70',
    heading: '#ffd0a0',
    dim: '#c0c0c0',
    success: '#7ee787',
    warning: '#ffd75f',
    error: '#ff9e9e',
    addedWord: '#0f3a17',
    removedWord: '#4a1216',
    addedLine: '#06220c',
    removedLine: '#2c090c',
    promptLine: '#262626',
    code: {
      keyword: '#dfafff',
      string: '#b7f08a',
      number: '#ffb986',
      comment: '#c0c0c0',
      title: '#9fcbff',
      type: '#ffe08a',
      variable: '#ffabb5',
      attribute: '#8fe6e8',
      meta: '#c8ccd0',
    },
  },
  'light-high-contrast': {
    accent: '#742f00',
    heading: '#6b2f00',
    dim: '#4a4a4a',
    success: '#0a5a14',
    warning: '#4e3300',
    error: '#9b0010',
    addedWord: '#d7ffd7',
    removedWord: '#ffe0e0',
    addedLine: '#f4fff4',
    removedLine: '#fff8f8',
    promptLine: '#f0f0f0',
    code: {
      keyword: '#63208a',
      string: '#1e5714',
      number: '#662f00',
      comment: '#4a4a4a',
      title: '#093a73',
      type: '#493500',
      variable: '#8a1230',
      attribute: '#075255',
      meta: '#45494d',
    },
  },
  'dark-daltonized': {
    accent: '#e69f00',
    heading: '#f0c36a',
    dim: '#9c9c9c',
    success: '#56b4e9',
    warning: '#f0e442',
    error: '#ff8a4c',
    addedWord: '#0d3350',
    removedWord: '#4a2408',
    addedLine: '#0a2338',
    removedLine: '#321a08',
    promptLine: '#2c2c2c',
    code: {
      keyword: '#cc9ad0',
      string: '#8cc8f0',
      number: '#f0a860',
      comment: '#9c9c9c',
      title: '#9db4ff',
      type: '#f0e070',
      variable: '#f0a0b8',
      attribute: '#7fd0c0',
      meta: '#9aa0a6',
    },
  },
  'light-daltonized': {
    accent: '#9a5b00',
    heading: '#80500a',
    dim: '#6b6b6b',
    success: '#005a9e',
    warning: '#7d6400',
    error: '#872d00',
    addedWord: '#cfe6ff',
    removedWord: '#ffe2c9',
    addedLine: '#e6f2ff',
    removedLine: '#fff1e4',
    promptLine: '#eeeeee',
    code: {
      keyword: '#8a3a7a',
      string: '#00609a',
      number: '#9b4800',
      comment: '#6d6d6d',
      title: '#3348b0',
      type: '#7a6200',
      variable: '#9b335d',
      attribute: '#00705c',
      meta: '#5f6368',
    },
  },
  /** For an unknown background: colors with equal contrast to black and white. */
  undecided: {
    accent: '#b45e2a',
    heading: '#a76635',
    dim: '#767676',
    success: '#298637',
    warning: '#986e00',
    error: '#d24141',
    addedWord: '',
    removedWord: '',
    addedLine: '',
    removedLine: '',
    promptLine: '',
    code: {
      keyword: '#9e56c2',
      string: '#408432',
      number: '#b85c1c',
      comment: '#767676',
      title: '#3676c8',
      type: '#8e721c',
      variable: '#c74a67',
      attribute: '#1c8285',
      meta: '#767676',
    },
  },
};
