/** Settings as data: for lists, dialogs and changes of them. */

/** How a value is entered. */
export type SettingKind =
  | { readonly type: 'boolean' }
  | { readonly type: 'choice'; readonly values: readonly string[] }
  | { readonly type: 'number' }
  | { readonly type: 'text' }
  /** Never displayed. */
  | { readonly type: 'secret' }
  /** A list or an object: JSON. */
  | { readonly type: 'json' };

export interface SettingInfo {
  /** Dotted path. */
  readonly key: string;
  /** The first part of the path; empty for a single value. */
  readonly group: string;
  readonly description: string;
  readonly kind: SettingKind;
  readonly isNullable: boolean;
  /** From the files as they are now; undefined if it is not set and has no default. */
  readonly value: unknown;
  /** True if this process still uses another value. */
  readonly isPending: boolean;
  readonly defaultValue: unknown;
  /** The file, variable or flag, in display form; undefined for the default. */
  readonly source: string | undefined;
  /** Position of the source among the layers; see `overrideOf`. */
  readonly rank: number;
}

/** The preferences of the screen: settings with the value true or false whose changes apply at once. */
export const screenPreferences = ['vim', 'showReasoning', 'reducedMotion'] as const;
export type ScreenPreference = (typeof screenPreferences)[number];

/** The user's files that can be edited. */
export type EditScope = 'user' | 'local';

/** `value` undefined = remove it from the file. */
export interface SettingEdit {
  readonly key: string;
  readonly value: unknown;
  readonly scope: EditScope;
}
