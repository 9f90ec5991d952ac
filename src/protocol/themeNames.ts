/**
 * What the `theme` setting and `/theme` accept. Those that name no background take the terminal's; `default` is
 * another word for `auto`; `ansi` uses the terminal's own sixteen colours, `plain` none.
 */
export const themeSettings = [
  'auto',
  'dark',
  'light',
  'high-contrast',
  'dark-high-contrast',
  'light-high-contrast',
  'daltonized',
  'dark-daltonized',
  'light-daltonized',
  'ansi',
  'plain',
  'default',
] as const;

export type ThemeSetting = (typeof themeSettings)[number];

/** The setting that a typed name means, whatever its case and with blanks or underscores for its hyphens. */
export function parseThemeSetting(text: string): ThemeSetting | undefined {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-');
  return themeSettings.find((setting) => setting === name);
}
