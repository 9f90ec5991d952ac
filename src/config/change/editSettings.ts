import { constants } from 'node:fs';
import { applyEdits, modify } from 'jsonc-parser';
import { inTurn } from '../../disk/fileTurn.ts';
import { writePrivateFile } from '../../disk/privateFile.ts';
import { MAX_SETTINGS_BYTES, readSettingsText } from '../files.ts';
import { parseSettings } from '../parseSettings.ts';
import type { Layer, Values } from '../types.ts';

/** A change of one setting; `undefined` removes it. */
export interface SettingsChange {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** `refused`: the file is unchanged; the message says why and what to do. */
export type SaveOutcome =
  | { readonly type: 'saved'; readonly file: string }
  | { readonly type: 'refused'; readonly message: string };

/**
 * Changes settings in a file and keeps comments, order and everything else. Creates the file if it is missing. Only the
 * user's own file may be a link: in a folder, a repository or a command could lead the change to settings that apply
 * to more than this folder.
 */
export async function editSettings(
  file: string,
  layer: Layer,
  changesFor: (values: Values) => readonly SettingsChange[],
): Promise<SaveOutcome> {
  try {
    // A project gets no folder for locks.
    return await inTurn(file, { isShared: layer === 'user' }, () => edit(file, layer, changesFor));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refused(`${file} cannot be written (${why}).`);
  }
}

async function edit(
  file: string,
  layer: Layer,
  changesFor: (values: Values) => readonly SettingsChange[],
): Promise<SaveOutcome> {
  const isOwn = layer === 'user';
  const before = await readOrEmpty(file, isOwn ? 0 : constants.O_NOFOLLOW);
  if (before === undefined) return refused(`${file} is a link. Replace it with a regular file.`);
  const { values, broken, problems } = parseSettings(before, file, layer);
  if (broken) return { type: 'refused', message: `Nothing was saved. ${problems[0]?.message ?? ''}`.trim() };
  let text = before.trim() === '' ? '{}\n' : before;
  for (const { path, value } of changesFor(values)) {
    text = applyEdits(text, modify(text, [...path], value, { formattingOptions: formatOf(text) }));
  }
  if (Buffer.byteLength(text) > MAX_SETTINGS_BYTES)
    return refused(`${file} would be larger than ${MAX_SETTINGS_BYTES / 1_000_000} MB.`);
  if (text !== before) await writePrivateFile(file, text, { isLinkReplaced: !isOwn });
  return { type: 'saved', file };
}

const refused = (why: string): SaveOutcome => ({ type: 'refused', message: `Nothing was saved: ${why}` });

/** Empty if there is no file; undefined if it is a link and `flags` say not to follow it. */
async function readOrEmpty(file: string, flags: number): Promise<string | undefined> {
  try {
    return await readSettingsText(file, flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    if (code === 'ELOOP' && flags !== 0) return undefined;
    throw error;
  }
}

/** The file's own indentation and line endings. */
function formatOf(text: string): { insertSpaces: boolean; tabSize: number; eol: string } {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return { insertSpaces: !indent.startsWith('\t'), tabSize: Math.min(8, indent.length), eol };
}
