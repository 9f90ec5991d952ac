import { applyEdits, modify } from 'jsonc-parser';
import { inTurn } from '../../disk/fileTurn.ts';
import { writePrivateFile } from '../../disk/privateFile.ts';
import { readSettingsText } from '../files.ts';
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

/** Changes settings in a file and keeps comments, order and everything else. Creates the file if it is missing. */
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
    return { type: 'refused', message: `Nothing was saved: ${file} cannot be written (${why}).` };
  }
}

async function edit(
  file: string,
  layer: Layer,
  changesFor: (values: Values) => readonly SettingsChange[],
): Promise<SaveOutcome> {
  const before = await readOrEmpty(file);
  const { values, broken, problems } = parseSettings(before, file, layer);
  if (broken) return { type: 'refused', message: `Nothing was saved. ${problems[0]?.message ?? ''}`.trim() };
  let text = before.trim() === '' ? '{}\n' : before;
  for (const { path, value } of changesFor(values)) {
    text = applyEdits(text, modify(text, [...path], value, { formattingOptions: formatOf(text) }));
  }
  if (text !== before) await writePrivateFile(file, text);
  return { type: 'saved', file };
}

async function readOrEmpty(file: string): Promise<string> {
  try {
    return await readSettingsText(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** The file's own indentation and line endings. */
function formatOf(text: string): { insertSpaces: boolean; tabSize: number; eol: string } {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return { insertSpaces: !indent.startsWith('\t'), tabSize: Math.min(8, indent.length), eol };
}
