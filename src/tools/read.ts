import type { FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as z from 'zod';
import { isInside } from '../disk/paths.ts';
import { openRealFile, type ResolvedPath } from '../disk/realFile.ts';
import { type FileFacts, fileStamp, isStampReliable } from '../protocol/files/fileStamp.ts';
import { describeImage, type ImageHeader, MAX_IMAGE_BYTES } from '../protocol/files/images.ts';
import { count } from '../protocol/text/numbers.ts';
import { toolNames } from '../protocol/toolNames.ts';
import type { Tool, ToolContext, ToolOutcome } from '../protocol/tools.ts';
import { defineFileTool } from './defineTool.ts';
import { type LinesRead, readLines } from './files/readLines.ts';
import { type SandboxPathLookup, suggestForMissing } from './files/similarNames.ts';
import { statOf } from './files/textFile.ts';
import { failure, interrupted } from './outcomes.ts';
import { absolutePath, shortPath } from './paths.ts';
import { JUDGED_BYTES, redactorOfUnapproved, type TextRedactor, withoutSecrets } from './redaction.ts';
import { formatBytes } from './units.ts';

const DEFAULT_LINES = 2000;
const MAX_LINE_CHARACTERS = 2000;
const MAX_CHARACTERS = 512 * 1024;
/** Larger files are shown in ranges but cannot be edited, so their hash is not needed. */
const MAX_WHOLE_BYTES = 256 * 1024 * 1024;

const input = z.object({
  file_path: z.string().min(1),
  offset: z.number().int().min(1).optional().describe('first line, from 1'),
  limit: z.number().int().min(1).optional().describe(`lines, default ${DEFAULT_LINES}`),
});
type ReadInput = z.infer<typeof input>;

interface About {
  readonly path: string;
  readonly title: string;
  readonly bytes: number;
  readonly redactor: TextRedactor | undefined;
}

/** Creates the tool that shows a text file with numbered lines, or an image to a model with vision. */
export function readTool(
  home: string,
  sandboxPathOf?: SandboxPathLookup,
  openRedactor?: () => Promise<TextRedactor>,
): Tool {
  return defineFileTool({
    name: toolNames.read,
    description:
      'Read a text file or view an image. Lines are numbered as `number<tab>text`; the numbers are not in the file.',
    input,
    path: (call, context) => absolutePath(call.file_path, context.cwd(), home),
    title: (call, context, path) => titleOf(shortPath(path, context.cwd()), call),
    // Reports a missing file without approval only inside the project, where the model may list names anyway.
    preview: async (place, call, context) => {
      const unreadable = isInside(place.realPath, context.root)
        ? await unreadableOutcome(place, call, context, sandboxPathOf)
        : undefined;
      return unreadable && { type: 'settled', outcome: unreadable };
    },
    run: (place, call, context, grant) =>
      read(place, call, context, sandboxPathOf, () => redactorOfUnapproved(grant, openRedactor)),
  });
}

function titleOf(name: string, { offset, limit }: ReadInput): string {
  if (offset === undefined && limit === undefined) return name;
  const first = offset ?? 1;
  return limit === undefined ? `${name}:${first}-` : `${name}:${first}-${first + limit - 1}`;
}

async function read(
  place: ResolvedPath,
  call: ReadInput,
  context: ToolContext,
  sandboxPathOf: SandboxPathLookup | undefined,
  openRedactor: () => Promise<TextRedactor | undefined>,
): Promise<ToolOutcome> {
  const { path, realPath } = place;
  const title = titleOf(shortPath(path, context.cwd()), call);
  // Opening a pipe or a device could block forever.
  const unreadable = await unreadableOutcome(place, call, context, sandboxPathOf);
  if (unreadable !== undefined) return unreadable;
  const file = await openRealFile(realPath);
  try {
    const info = await file.stat();
    if (!info.isFile()) return special(path, title);
    const redactor = info.size > JUDGED_BYTES ? await openRedactor() : undefined;
    return await readWithCache(file, { path, title, bytes: info.size, redactor }, call, context);
  } catch (error) {
    if (context.signal.aborted) return interrupted(title);
    throw error;
  } finally {
    await file.close();
  }
}

/** The outcome for anything that is not a readable file; undefined if it can be opened. */
async function unreadableOutcome(
  { path, realPath }: ResolvedPath,
  call: ReadInput,
  context: ToolContext,
  sandboxPathOf: SandboxPathLookup | undefined,
): Promise<ToolOutcome | undefined> {
  const title = titleOf(shortPath(path, context.cwd()), call);
  const info = await statOf(realPath);
  if (info === undefined) {
    const hint = await suggestForMissing(
      path,
      resolve(context.root, call.file_path),
      sandboxPathOf?.(realPath),
    );
    return failure(title, `${path} does not exist.`, 'not found', hint);
  }
  if (info.isDirectory()) {
    return failure(
      title,
      `${path} is a directory.`,
      'directory',
      ` Use Glob with path "${path}" to list its files.`,
    );
  }
  return info.isFile() ? undefined : special(path, title);
}

const special = (path: string, title: string): ToolOutcome =>
  failure(title, `${path} is a device, pipe or socket; Read shows regular files only.`);

/** The cached outcome while the file is unchanged; otherwise reads it, and caches the result if that is safe. */
async function readWithCache(
  file: FileHandle,
  about: About,
  call: ReadInput,
  context: ToolContext,
): Promise<ToolOutcome> {
  const { cache } = context;
  const { path, title, redactor } = about;
  if (cache === undefined || redactor !== undefined) return show(file, about, call, context);
  // From the open file: a network file system refreshes attributes when a file is opened.
  const before = await file.stat({ bigint: true });
  const stampOf = (facts: FileFacts): string =>
    `${fileStamp(facts)}:${call.offset ?? ''}:${call.limit ?? ''}`;
  const known = cache.get(path, stampOf(before));
  // The title depends on the current directory of the shell.
  if (known !== undefined) return { ...known, display: { ...known.display, title } };
  const readAtMs = Date.now();
  const shown = await show(file, about, call, context);
  const isSame = stampOf(await file.stat({ bigint: true })) === stampOf(before);
  // Cache only text that was read to the end: the result for an image depends on the model.
  if (isSame && isStampReliable(before, readAtMs) && shown.filesRead !== undefined)
    cache.set(path, stampOf(before), shown);
  return shown;
}

async function show(
  file: FileHandle,
  about: About,
  call: ReadInput,
  context: ToolContext,
): Promise<ToolOutcome> {
  const { path, title, bytes } = about;
  const range = {
    offset: call.offset ?? 1,
    limit: call.limit ?? DEFAULT_LINES,
    maxLineCharacters: MAX_LINE_CHARACTERS,
    maxCharacters: MAX_CHARACTERS,
    maxWholeBytes: MAX_WHOLE_BYTES,
  };
  const result = await readLines(file, bytes, range, context.signal);
  if (result.type === 'image') return imageOutcome(file, about, result.header, context);
  if (result.type === 'text') return outcome(about, call, result);
  const text = `${path} is a binary file (${formatBytes(bytes)}), which Read cannot show. Inspect it with a command such as \`file\` or \`xxd\` if you need to.`;
  return failure(title, text, 'binary');
}

function outcome(
  { path, title, bytes, redactor }: About,
  { offset: first = 1, limit }: ReadInput,
  result: LinesRead,
): ToolOutcome {
  const { lines, totalLines } = result;
  const last = first + lines.length - 1;
  const cut =
    result.cutLines > 0
      ? [`(${count(result.cutLines, 'line')} cut at ${MAX_LINE_CHARACTERS} characters.)`]
      : [];
  const broken = result.valid
    ? []
    : [`(Some bytes are not valid ${result.encoding}; each is shown as \uFFFD.)`];
  const notes = [...cut, ...broken];
  const where: string[] = [];
  if (totalLines === 0) where.push('(The file exists and is empty.)');
  else if (lines.length === 0)
    where.push(`(The file has only ${count(totalLines ?? 0, 'line')}; offset ${first} is past its end.)`);
  else if (totalLines === undefined)
    where.push(`(Lines ${first}-${last} of a file of ${formatBytes(bytes)}; more with offset ${last + 1}.)`);
  else if (last < totalLines)
    where.push(`(Lines ${first}-${last} of ${totalLines}; more with offset ${last + 1}.)`);
  const numbers = lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`);
  const numbered = numbers.length === 0 ? [] : withoutSecrets(numbers.join('\n'), redactor).split('\n');
  return {
    status: 'ok',
    text: [...numbered, ...notes, ...where].join('\n'),
    ...(lines.length === 0
      ? {}
      : { excerpt: { ...(totalLines === undefined ? {} : { totalLines }), notes } }),
    kind: 'file',
    display: {
      title,
      // The title contains an explicit range; the default limit must be shown here.
      summary:
        limit === undefined && lines.length > 0 && totalLines !== undefined && last < totalLines
          ? `lines ${first}-${last} of ${totalLines}`
          : count(lines.length, 'line'),
      ...(totalLines === undefined ? {} : { totalLines }),
    },
    ...(result.hash === undefined ? {} : { filesRead: [{ path, hash: result.hash }] }),
    response: () => ({
      type: 'text',
      file: {
        ...{ filePath: path, numLines: lines.length, startLine: first },
        content: redactor === undefined ? lines.join('\n') : numbered.join('\n').replace(/^ *\d+\t/gm, ''),
        totalLines: totalLines ?? last,
      },
    }),
  };
}

/** The image itself, attached to the result, for a model with vision; only its size and type for any other. */
async function imageOutcome(
  file: FileHandle,
  { path, title, bytes }: { readonly path: string; readonly title: string; readonly bytes: number },
  header: ImageHeader,
  { seesImages }: Pick<ToolContext, 'seesImages'>,
): Promise<ToolOutcome> {
  const facts = `${describeImage(header)}, ${formatBytes(bytes)}`;
  const described = (note: string): ToolOutcome => ({
    status: 'ok',
    text: `${path} is an image (${facts}). ${note}`,
    kind: 'file',
    display: { title, summary: `image, ${facts}` },
  });
  if (seesImages?.() !== true) return described('This model may not support images, so it is not shown.');
  if (bytes > MAX_IMAGE_BYTES)
    return described(
      `It is larger than ${formatBytes(MAX_IMAGE_BYTES)}; make a smaller copy with a command to view it.`,
    );
  // Reads no more than the size measured before, since the file may be growing.
  const data = (await firstBytes(file, bytes)).toString('base64');
  return {
    ...described('It follows in a separate message.'),
    images: [{ path, image: { type: 'image', mediaType: header.mediaType, data } }],
    response: () => ({
      type: 'image',
      file: { base64: data, type: header.mediaType, originalSize: bytes },
    }),
  };
}

async function firstBytes(file: FileHandle, count: number): Promise<Buffer> {
  const buffer = Buffer.alloc(count);
  let filled = 0;
  for (let bytesRead = -1; filled < count && bytesRead !== 0; filled += bytesRead)
    ({ bytesRead } = await file.read(buffer, filled, count - filled, filled));
  return buffer.subarray(0, filled);
}
