/** Changes one setting in one of the user's two files: reads the value, checks it, and keeps the rest of the file. */
import type { EditScope, SettingEdit, SettingInfo, SettingKind } from '../../protocol/settings/settings.ts';
import { checkValues } from '../checkValues.ts';
import { readSettingsText } from '../files.ts';
import { grantsOf } from '../grants.ts';
import { editLocalFile } from '../localRules.ts';
import { dropReserved } from '../managed.ts';
import { nearest } from '../nearest.ts';
import { createOpenedPaths } from '../openedPaths.ts';
import { parseSettings } from '../parseSettings.ts';
import { settingsFiles } from '../settingsFiles.ts';
import { approveGrants } from '../trust.ts';
import type { Values } from '../types.ts';
import { editSettings, type SaveOutcome } from './editSettings.ts';

interface Places {
  readonly dataRoot: string;
  readonly home: string;
  readonly root: string;
  /** Environment for git, which keeps the local file out of commits. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A setting with this dotted path, or a sentence that says that there is none. */
export function findSetting(settings: readonly SettingInfo[], key: string): SettingInfo | string {
  const found = settings.find((one) => one.key === key);
  if (found !== undefined) return found;
  const inside = settings.filter((one) => one.key.startsWith(`${key}.`));
  if (inside.length > 0) return `${key} is a group: ${inside.map((one) => one.key).join(', ')}.`;
  const owner = settings.find((one) => key.startsWith(`${one.key}.`));
  if (owner !== undefined) return `${key} is a part of ${owner.key}, which is set as a whole, as JSON.`;
  const meant = nearest(
    key,
    settings.map((one) => one.key),
  );
  return `There is no setting ${key}.${meant === undefined ? ' "clawdcode config list" lists them.' : ` Did you mean ${meant}?`}`;
}

/** Reads a typed value; `problem` says what to type instead. */
export function readValue(
  { key, kind, isNullable }: Pick<SettingInfo, 'key' | 'kind' | 'isNullable'>,
  text: string,
): { readonly value: unknown } | { readonly problem: string } {
  const typed = text.trim();
  const value = isNullable && typed === 'null' ? null : parsedValue(kind, typed, text);
  if (value === undefined)
    return { problem: `${key} takes ${wanted(kind)}${isNullable ? ', or null' : ''}.` };
  const [complaint] = checkValues(nested(key, value)).complaints;
  return complaint === undefined ? { value } : { problem: complaint.message.replace(' is ignored', '') };
}

function parsedValue(kind: SettingKind, typed: string, text: string): unknown {
  switch (kind.type) {
    case 'boolean':
      if (/^(?:true|on|yes|1)$/i.test(typed)) return true;
      return /^(?:false|off|no|0)$/i.test(typed) ? false : undefined;
    case 'number': {
      const number = Number(typed.replaceAll('_', ''));
      return typed === '' || !Number.isFinite(number) ? undefined : number;
    }
    case 'choice':
      return kind.values.includes(typed) ? typed : undefined;
    case 'secret':
      return typed === '' ? undefined : typed;
    case 'text':
      return text;
    case 'json':
      return jsonOf(typed);
  }
}

/** JSON, or a plain word, such as `auto` for a setting that also takes numbers. */
function jsonOf(typed: string): unknown {
  try {
    return JSON.parse(typed);
  } catch {
    return /^[\w-]+$/.test(typed) ? typed : undefined;
  }
}

function wanted(kind: SettingKind): string {
  if (kind.type === 'boolean') return 'true or false';
  if (kind.type === 'choice') return `one of ${kind.values.join(', ')}`;
  if (kind.type === 'number') return 'a number';
  return kind.type === 'json' ? 'JSON, such as ["a", "b"]' : 'some text';
}

/** Saves a change. Never writes a file that has a syntax error. */
export async function changeSetting(
  places: Places,
  { key, value, scope }: SettingEdit,
): Promise<SaveOutcome> {
  const refused = value === undefined ? undefined : reservedFor(key, value, scope);
  if (refused !== undefined) return { type: 'refused', message: `Nothing was saved: ${refused}` };
  const path = key.split('.');
  const files = settingsFiles(places);
  if (scope === 'user') return editSettings(files.user, 'user', (values) => changes(values, path, value));
  const saved = await editLocalFile(files.local, (values) => changes(values, path, value), places.env);
  if (saved.type === 'saved' && value !== undefined) await approve(places, files.local, key);
  return saved;
}

/** Removing what is not there changes nothing. */
function changes(values: Values, path: readonly string[], value: unknown) {
  let parent: unknown = values;
  for (const name of path)
    parent = typeof parent === 'object' && parent !== null ? (parent as Values)[name] : undefined;
  return value === undefined && parent === undefined ? [] : [{ path, value }];
}

/** Why a setting does not apply in this file; undefined if it does. */
function reservedFor(key: string, value: unknown, scope: EditScope): string | undefined {
  if (scope === 'local' && ['apiKey', 'headers', 'providers'].includes(key))
    return `"${key}" belongs in your own config.json.`;
  const file = scope === 'user' ? 'config.json' : '.clawdcode.local.json';
  return dropReserved(nested(key, value), file, scope)[0]?.message;
}

/** What the user has just set in a folder that they trust needs no further approval. */
async function approve({ dataRoot, root, home }: Places, file: string, key: string): Promise<void> {
  const source = '.clawdcode.local.json';
  const { values } = parseSettings(await readSettingsText(file), source, 'local');
  const { grantText } = createOpenedPaths({ root, home });
  const grants = grantsOf([{ source, values }], grantText).filter(
    ({ kind }) => kind === key || key.startsWith(`${kind}.`) || kind.startsWith(`${key}.`),
  );
  await approveGrants(dataRoot, root, grants);
}

function nested(key: string, value: unknown): Values {
  const [first = '', ...rest] = key.split('.');
  return { [first]: rest.length === 0 ? value : nested(rest.join('.'), value) };
}
