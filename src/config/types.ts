/** The words of the config room. */

import type { PermissionMode } from '../protocol/permissions.ts';
import type { Settings } from './schema.ts';

/** One thing that needs the user's word. Two grants are the same when all three fields are. */
export interface Grant {
  /** What it is: the dotted path of the setting. */
  readonly kind: string;
  /** What was agreed to, whole: a rule, a path, `NAME=value`, or the value (as JSON unless it is text). */
  readonly text: string;
  /** The file that it stands in, as shown to people. */
  readonly source: string;
}

/** Where a value came from; later ones win. */
export type Layer = 'user' | 'project' | 'local' | 'environment' | 'flag' | 'managed';

/** Something that a person should correct; everything else counts all the same. */
export interface Problem {
  readonly layer: Layer;
  /** What to name to the person: a file as shown, the name of a variable or of a flag. */
  readonly file: string;
  /** Dotted path of the setting, absent when the whole file is meant. */
  readonly key?: string;
  /** The setting that a name which is none was probably meant for. */
  readonly meant?: string;
  /** 1-based. */
  readonly line?: number;
  readonly column?: number;
  /** What is wrong and how to put it right; names file and key. */
  readonly message: string;
}

/** A permission rule and where it was written; the same shape as in the permissions room. */
export interface SettingsRule {
  readonly text: string;
  readonly behavior: 'allow' | 'ask' | 'deny';
  readonly source: string;
  /** Of managed settings: nothing lifts it. */
  readonly managed?: true;
  /** The directory that "/x" in a file pattern is relative to. */
  readonly base: string;
}

/** What a file of the folder would do, and the user has not agreed to; ignored until they have. */
export interface UntrustedSetting {
  readonly file: string;
  readonly key: string;
  /** The value, or what of it waits, short enough to show. */
  readonly value: string;
  /** One sentence for the question: what trusting it would allow. */
  readonly effect: string;
  /** Rules, folders, variables … in the value. */
  readonly count: number;
}

/** A file that was looked for. */
export interface SettingsFile {
  readonly layer: Layer;
  readonly path: string;
  /** As shown to people: relative to the project, or with `~`. */
  readonly name: string;
  readonly state: 'loaded' | 'missing' | 'broken';
}

export interface LoadedSettings {
  readonly settings: Settings;
  /** All rules, in the order of the layers. */
  readonly rules: readonly SettingsRule[];
  readonly problems: readonly Problem[];
  /** Dotted key → the file, variable or flag that set it; absent for defaults. */
  readonly sources: Readonly<Record<string, string>>;
  readonly files: readonly SettingsFile[];
  readonly untrusted: readonly UntrustedSetting[];
  /** Everything in the folder's files that needs the user's word, whether they have given it or not. */
  readonly grants: readonly Grant[];
  /** Modes that cannot be had, each with why: a sentence ready to show. */
  readonly refusedModes: Readonly<Partial<Record<PermissionMode, string>>>;
  /** The mistake that hides which endpoint was meant, where none that counts is named; absent where all is well. */
  readonly misread?: Problem;
}

/** What one layer says: checked values, as written, without defaults. */
export type Values = Record<string, unknown>;
