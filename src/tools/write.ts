import * as z from 'zod';
import type { Preview } from '../protocol/permissions.ts';
import type { Tool, ToolContext, ToolOutcome } from '../protocol/tools.ts';
import { defineTool } from './defineTool.ts';
import { diffFiles } from './files/fileDiff.ts';
import { dominantLineEnd, withLineEnd } from './files/lineEnds.ts';
import { saveText, type TextChange } from './files/saveText.ts';
import { loadForChange } from './files/textFile.ts';
import { failure } from './outcomes.ts';
import { absolutePath, shortPath } from './paths.ts';
import { count } from './units.ts';

const input = z.object({ file_path: z.string().min(1), content: z.string() });

/** The tool that writes a whole file. */
export function writeTool(home: string): Tool {
  const path = (filePath: string, context: ToolContext): string =>
    absolutePath(filePath, context.cwd(), home);
  return defineTool({
    name: 'Write',
    description:
      'Create a file, or replace the whole of one that you have read. Prefer Edit for changes to an existing file.',
    input,
    readOnly: false,
    title: (call, context) => shortPath(path(call.file_path, context), context.cwd()),
    access: (call, context) => ({ type: 'write', paths: [path(call.file_path, context)] }),
    preview: (call, context) => preview(path(call.file_path, context), call.content, context),
    run: (call, context) => write(path(call.file_path, context), call.content, context),
  });
}

async function write(path: string, content: string, context: ToolContext): Promise<ToolOutcome> {
  const change = await plan(path, content, context);
  if (typeof change === 'string') return failure(shortPath(path, context.cwd()), change, 'not written');
  if (change.before === change.after) {
    const display = { title: shortPath(path, context.cwd()), summary: 'unchanged' };
    return { status: 'ok', text: `${path} already has this content.`, kind: 'edit', display };
  }
  return saveText(change, context);
}

async function preview(path: string, content: string, context: ToolContext): Promise<Preview> {
  const change = await plan(path, content, context);
  if (typeof change === 'string') return { type: 'text', text: `This will fail: ${change}` };
  const { diff } = await diffFiles(shortPath(path, context.cwd()), change.before, change.after);
  return { type: 'diff', path, diff, isNew: change.before === undefined };
}

/** What would be written, or why nothing can be. Encoding, mark and line ends of an existing file stay. */
async function plan(path: string, content: string, context: ToolContext): Promise<TextChange | string> {
  const loaded = await loadForChange(path, context);
  if (loaded.type === 'refused') return loaded.reason;
  const ownMark = content.startsWith('\uFEFF');
  const text = ownMark ? content.slice(1) : content;
  if (loaded.type === 'missing') {
    const report = `Created ${path} (${count(text === '' ? 0 : text.replace(/\n$/, '').split('\n').length, 'line')}).`;
    return { path, before: undefined, after: text, encoding: 'utf-8', bom: ownMark, report };
  }
  const { file } = loaded;
  const after = text.includes('\r') ? text : withLineEnd(text, dominantLineEnd(file.text));
  const report = `Replaced the content of ${path}.`;
  return { path, before: file.text, after, encoding: file.encoding, bom: file.bom || ownMark, report };
}
