import * as z from 'zod';
import type { ResolvedPath } from '../disk/realFile.ts';
import type { EditChecks } from '../protocol/diagnostics.ts';
import { countLines } from '../protocol/text/countLines.ts';
import { count } from '../protocol/text/numbers.ts';
import { toolNames } from '../protocol/toolNames.ts';
import type { Tool, ToolContext } from '../protocol/tools.ts';
import { defineFileTool } from './defineTool.ts';
import { dominantLineEnd, withLineEnd } from './files/lineEnds.ts';
import { type PlannedChange, previewChange, saveText } from './files/saveText.ts';
import { loadForChange } from './files/textFile.ts';
import { failure } from './outcomes.ts';
import { absolutePath, shortPath } from './paths.ts';

const input = z.object({ file_path: z.string().min(1), content: z.string() });

/** Creates the tool that writes an entire file. */
export function writeTool(home: string, checks?: EditChecks): Tool {
  return defineFileTool({
    name: toolNames.write,
    description:
      'Create a file, or overwrite one that you have read. Prefer Edit for changes to an existing file.',
    input,
    path: (call, context) => absolutePath(call.file_path, context.cwd(), home),
    title: (_, context, path) => shortPath(path, context.cwd()),
    preview: async (place, call, context) => {
      const planned = await plan(place, call.content, context);
      return planned.type === 'settled' ? planned : previewChange(planned.change, context);
    },
    run: async (place, call, context) => {
      const planned = await plan(place, call.content, context);
      return planned.type === 'settled' ? planned.outcome : saveText(planned.change, context, checks);
    },
  });
}

/**
 * The change to write, or the outcome if there is none. Keeps the encoding, byte order mark and line endings of an
 * existing file.
 */
async function plan(place: ResolvedPath, content: string, context: ToolContext): Promise<PlannedChange> {
  const { path } = place;
  const title = shortPath(path, context.cwd());
  const loaded = await loadForChange(place, context);
  if (loaded.type === 'refused')
    return { type: 'settled', outcome: failure(title, loaded.why, 'not written', loaded.hint) };
  const hasBom = content.startsWith('\uFEFF');
  const text = hasBom ? content.slice(1) : content;
  if (loaded.type === 'missing') {
    const report = `Created ${path} (${count(countLines(text), 'line')}).`;
    const created = {
      place,
      stamp: undefined,
      before: undefined,
      after: text,
      encoding: 'utf-8',
      report,
      response: { type: 'create', content },
    } as const;
    return { type: 'change', change: { ...created, bom: hasBom } };
  }
  const { file } = loaded;
  const after = text.includes('\r') ? text : withLineEnd(text, dominantLineEnd(file.text));
  if (after === file.text) {
    const report = `${path} already has this content.`;
    const display = { title, summary: 'unchanged' };
    return { type: 'settled', outcome: { status: 'ok', text: report, kind: 'edit', display } };
  }
  const report = `Replaced the content of ${path}.`;
  const { stamp, encoding } = file;
  const response = { type: 'update', content };
  const bom = file.bom || hasBom;
  const change = { place, stamp, before: file.text, after, encoding, bom, report, response };
  return { type: 'change', change };
}
