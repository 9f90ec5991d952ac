import { resolve } from 'node:path';
import * as z from 'zod';
import { isInside } from '../disk/paths.ts';
import type { ResolvedPath } from '../disk/realFile.ts';
import type { EditChecks } from '../protocol/diagnostics.ts';
import { count } from '../protocol/text/numbers.ts';
import { toolNames } from '../protocol/toolNames.ts';
import type { Tool, ToolContext, ToolOutcome } from '../protocol/tools.ts';
import { defineFileTool } from './defineTool.ts';
import { matchEdit, nearestRegion } from './files/matchEdit.ts';
import { previewChange, saveText, type TextChange } from './files/saveText.ts';
import { suggestForMissing } from './files/similarNames.ts';
import { loadForChange } from './files/textFile.ts';
import { failure } from './outcomes.ts';
import { absolutePath, shortPath } from './paths.ts';
import { JUDGED_BYTES, type TextRedactor, withoutSecrets } from './redaction.ts';

const MAX_LINES_LISTED = 20;

const replacement = {
  old_string: z.string().describe('text to replace; empty creates a file'),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
};

const input = z
  .object({
    file_path: z.string().min(1),
    old_string: replacement.old_string.optional(),
    new_string: replacement.new_string.optional(),
    replace_all: replacement.replace_all,
    edits: z
      .array(z.object({ ...replacement, old_string: z.string() }))
      .min(1)
      .max(100)
      .optional()
      .describe('several at once, in order; all or none'),
  })
  .refine(
    ({ old_string, new_string, edits }) =>
      edits === undefined
        ? old_string !== undefined && new_string !== undefined
        : old_string === undefined && new_string === undefined,
    'Pass old_string and new_string, or edits',
  );
type EditInput = z.infer<typeof input>;

interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
}

/** Creates the tool that replaces text in a file that was read. */
export function editTool(
  home: string,
  checks?: EditChecks,
  openRedactor?: () => Promise<TextRedactor>,
): Tool {
  return defineFileTool({
    name: toolNames.edit,
    description:
      'Replace old_string with new_string in a file that you have read. old_string must be unique: include enough surrounding lines, or set replace_all. Use edits for several edits of one file.',
    input,
    path: (call, context) => absolutePath(call.file_path, context.cwd(), home),
    title: (_, context, path) => shortPath(path, context.cwd()),
    preview: async (place, call, context) => {
      // Suggest names of other files only inside the project, where the model may list them without approval.
      const change = await plan(place, call, context, {
        ...{ namesOthers: isInside(place.realPath, context.root), openRedactor },
      });
      if ('why' in change) return { type: 'settled', outcome: notChanged(place, change, context) };
      return previewChange(change, context);
    },
    run: async (place, call, context) => {
      const change = await plan(place, call, context, { namesOthers: true, openRedactor });
      return 'why' in change ? notChanged(place, change, context) : saveText(change, context, checks);
    },
  });
}

/** Why there is no change; `hint`: advice that only the model sees. */
interface NoChange {
  readonly why: string;
  readonly hint?: string | undefined;
}

const notChanged = ({ path }: ResolvedPath, { why, hint }: NoChange, context: ToolContext): ToolOutcome =>
  failure(shortPath(path, context.cwd()), why, 'not changed', hint);

interface PlanOptions {
  /** Whether the reason may name other files. */
  readonly namesOthers: boolean;
  readonly openRedactor: (() => Promise<TextRedactor>) | undefined;
}

/** The change to write, or why there is none. */
async function plan(
  place: ResolvedPath,
  call: EditInput,
  context: ToolContext,
  { namesOthers, openRedactor }: PlanOptions,
): Promise<TextChange | NoChange> {
  const edits: readonly Replacement[] = call.edits ?? [
    { old_string: call.old_string ?? '', new_string: call.new_string ?? '', replace_all: call.replace_all },
  ];
  const [only] = edits;
  if (edits.length === 1 && only?.old_string === only?.new_string) return { why: SAME };
  const { path } = place;
  const loaded = await loadForChange(place, context);
  if (loaded.type === 'refused') return loaded;
  if (loaded.type === 'missing' && edits[0]?.old_string !== '') {
    const hint = namesOthers ? await suggestForMissing(path, resolve(context.root, call.file_path)) : '';
    return { why: `${path} does not exist.`, hint };
  }
  const file = loaded.type === 'missing' ? undefined : loaded.file;
  if (file?.valid === false) {
    const why = `${path} has bytes that are not valid ${file.encoding}; an edit would damage them.`;
    return { why, hint: ' Use a command (sed, perl, iconv) instead.' };
  }
  const { stamp, text: before, encoding = 'utf-8', bom = false } = file ?? {};
  const applied = applyEdits(edits, before ?? '', path);
  // Read redacts a file of this size, and the reason may quote lines of it.
  if (typeof applied === 'string')
    return {
      why:
        Buffer.byteLength(before ?? '') > JUDGED_BYTES
          ? withoutSecrets(applied, await openRedactor?.())
          : applied,
    };
  const verb = file === undefined ? 'Created' : before === '' ? 'Wrote' : 'Edited';
  const report = `${verb} ${path}${verb === 'Edited' ? applied.report : '.'}`;
  // Several edits replace no single text, so report the entire file before and after.
  const response =
    edits.length === 1
      ? {
          ...{ oldString: only?.old_string, newString: only?.new_string },
          replaceAll: only?.replace_all ?? false,
        }
      : { oldString: before ?? '', newString: applied.text, replaceAll: false };
  return { place, stamp, before, after: applied.text, encoding, bom, report, response };
}

const SAME = 'old_string and new_string are the same: there is nothing to change.';

interface Applied {
  readonly text: string;
  /** The rest of the report after the path, for the model. */
  readonly report: string;
}

/** Applies the edits in order, each to the result of the previous ones. If one fails, all fail. */
function applyEdits(edits: readonly Replacement[], before: string, path: string): Applied | string {
  let text = before;
  let replacements = 0;
  const notes: string[] = [];
  for (const [index, edit] of edits.entries()) {
    const done = applyEdit(edit, text, path);
    if (typeof done === 'string')
      return edits.length === 1
        ? done
        : `Edit ${index + 1} of ${edits.length} failed, so nothing was changed. ${done}`;
    text = done.text;
    replacements += done.replacements;
    if (done.note !== '') notes.push(edits.length === 1 ? done.note : ` Edit ${index + 1}:${done.note}`);
  }
  if (text === before && before !== '') return 'The edits undo each other: there is nothing to change.';
  const counted =
    edits.length > 1
      ? ` (${count(edits.length, 'edit')}, ${count(replacements, 'replacement')})`
      : replacements === 1
        ? ''
        : ` (${count(replacements, 'replacement')})`;
  return { text, report: `${counted}.${notes.join('')}` };
}

/** The text after one edit, or the reason why it does not apply, for the model. */
function applyEdit(
  { old_string: oldText, new_string: newText, replace_all: replacesAll = false }: Replacement,
  text: string,
  path: string,
): { readonly text: string; readonly replacements: number; readonly note: string } | string {
  if (oldText === newText) return SAME;
  if (oldText === '') {
    return text === ''
      ? { text: newText, replacements: 1, note: '' }
      : `${path} exists and is not empty. Put the text to replace into old_string, or use Write to replace the entire file.`;
  }
  const result = matchEdit(text, oldText, newText, replacesAll);
  switch (result.type) {
    case 'none':
      return notFound(path, oldText, text);
    case 'ambiguous': {
      const listed = result.lines.slice(0, MAX_LINES_LISTED).join(', ');
      const more = result.lines.length > MAX_LINES_LISTED ? ', …' : '';
      return `old_string occurs ${result.lines.length} times in ${path} (lines ${listed}${more}). Add lines around it until it is unique, or set replace_all.`;
    }
    case 'changed': {
      const { stage, replacements } = result;
      if (result.text === text)
        return `The file already contains new_string, apart from ${stage}: nothing to change.`;
      const note =
        stage === 'exact'
          ? ''
          : ` old_string matched only with ${stage} ignored; those of the file were kept.`;
      return { text: result.text, replacements, note };
    }
  }
}

function notFound(path: string, wanted: string, text: string): string {
  const numbered = wanted.split('\n').every((line) => line === '' || /^ *\d+\t/.test(line));
  const hint = numbered ? ' Leave out the line numbers that Read adds.' : '';
  const region = nearestRegion(text, wanted);
  const shown =
    region === undefined
      ? ' Nothing in the file is similar; Read it again.'
      : ` The most similar lines are:\n${region}`;
  return `old_string was not found in ${path}.${hint}${shown}`;
}
