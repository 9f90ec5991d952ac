import type { Theme } from '../theme.ts';

/** The roles the composer paints with; the program's theme has them all. */
export type ComposerTheme = Pick<Theme, 'accent' | 'dim' | 'warning' | 'success' | 'underline'>;
