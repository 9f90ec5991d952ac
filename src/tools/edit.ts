import { resolve } from 'node:path';
import * as z from 'zod';
import type { FilePlace } from '../disk/realFile.ts';
import { toolNames } from '../protocol/toolNames.ts';
import type { Tool, ToolContext, ToolOutcome } from '../protocol/tools.ts';
import { defineFileTool } from './defineTool.ts';
import { matchEdit } from './files/matchEdit.ts';
import { nearestRegion } from './files/nearestRegion.ts';
import { previewChange, saveText, type TextChange } from './files/saveText.ts';
import { suggestForMissing } from './files/similarNames.ts';
import { loadForChange, type TextFile } from './files/textFile.ts';
import { failure } from './outcomes.ts';
import { absolutePath, isBelow, shortPath } from './paths.ts';
import { count } from './units.ts';

const MAX_LINES_LISTED = 20;

const input = z.object({
  file_path: z.string().min(1),
  old_string: z.string().describe('text to replace; empty creates a file'),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
});
type EditInput = z.infer<typeof input>;

/** Creates the tool that replaces text in a file that was read. */
export function editTool(home: string): Tool {
  return defineFileTool({
    name: toolNames.edit,
    description:
      'Replace old_string by new_string in a file that you have read. old_string must be unique: give enough lines around it, or set replace_all.',
    input,
    readOnly: false,
    path: (call, context) => absolutePath(call.file_path, context.cwd(), home),
    title: (_, context, path) => shortPath(path, context.cwd()),
    preview: async (place, call, context) => {
      // Suggest names of other files only inside the project, where the model may list them without approval.
      const change = await plan(place, call, context, isBelow(place.realPath, context.root));
      if (typeof change === 'string') return { type: 'settled', outcome: notChanged(place, change, context) };
      return previewChange(change, context);
    },
    run: async (place, call, context) => {
      const change = await plan(place, call, context, true);
      return typeof change === 'string' ? notChanged(place, change, context) : saveText(change, context);
    },
  });
}

const notChanged = ({ path }: FilePlace, why: string, context: ToolContext): ToolOutcome =>
  failure(shortPath(path, context.cwd()), why, 'not changed');

/** The change to write, or the reason for the model why there is none. */
async function plan(
  place: FilePlace,
  call: EditInput,
  context: ToolContext,
  namesOthers: boolean,
): Promise<TextChange | string> {
  if (call.old_string === call.new_string)
    return 'old_string and new_string are the same: there is nothing to change.';
  const { path } = place;
  const loaded = await loadForChange(place, context);
  if (loaded.type === 'refused') return loaded.reason;
  if (loaded.type === 'missing') {
    if (call.old_string !== '') {
      const hint = namesOthers ? await suggestForMissing(path, resolve(context.root, call.file_path)) : '';
      return `${path} does not exist.${hint}`;
    }
    const made = { place, stamp: undefined, before: undefined, after: call.new_string, bom: false } as const;
    return { ...made, encoding: 'utf-8', report: `Created ${path}.` };
  }
  return planChange(place, call, loaded.file);
}

function planChange(place: FilePlace, call: EditInput, file: TextFile): TextChange | string {
  const { path } = place;
  if (!file.valid) {
    return `${path} has bytes that are not valid ${file.encoding}; an edit would damage them. Use a command (sed, perl, iconv) instead.`;
  }
  const same = { place, stamp: file.stamp, before: file.text, encoding: file.encoding, bom: file.bom };
  if (call.old_string === '') {
    if (file.text !== '')
      return `${path} exists and is not empty. Give the text to replace in old_string, or use Write to replace all of it.`;
    return { ...same, after: call.new_string, report: `Wrote ${path}.` };
  }
  const result = matchEdit(file.text, call.old_string, call.new_string, call.replace_all ?? false);
  switch (result.type) {
    case 'none':
      return notFound(path, call.old_string, file.text);
    case 'ambiguous': {
      const listed = result.lines.slice(0, MAX_LINES_LISTED).join(', ');
      const more = result.lines.length > MAX_LINES_LISTED ? ', …' : '';
      return `old_string occurs ${result.lines.length} times in ${path} (lines ${listed}${more}). Add lines around it until it is unique, or set replace_all.`;
    }
    case 'changed': {
      const times = result.replacements === 1 ? '' : ` (${count(result.replacements, 'replacement')})`;
      if (result.text === file.text)
        return `The file already reads as new_string says, apart from ${result.stage}: nothing to change.`;
      const note =
        result.stage === 'exact'
          ? ''
          : ` old_string matched only when ${result.stage} were ignored; the file's own were kept.`;
      return { ...same, after: result.text, report: `Edited ${path}${times}.${note}` };
    }
  }
}

function notFound(path: string, wanted: string, text: string): string {
  const numbered = wanted.split('\n').every((line) => line === '' || /^ *\d+\t/.test(line));
  const hint = numbered ? ' Leave out the line numbers that Read shows.' : '';
  const region = nearestRegion(text, wanted);
  const shown =
    region === undefined
      ? ' Nothing in the file is like it; Read it again.'
      : ` The nearest lines are:\n${region}`;
  return `old_string was not found in ${path}.${hint}${shown}`;
}
