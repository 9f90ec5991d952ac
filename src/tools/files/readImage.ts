import type { FileHandle } from 'node:fs/promises';
import { describeImage, type ImageHeader, MAX_IMAGE_BYTES } from '../../protocol/files/images.ts';
import type { ToolContext, ToolOutcome } from '../../protocol/tools.ts';
import { formatBytes } from '../units.ts';

/** The image itself, attached to the result, for a model with vision; only its size and type for any other. */
export async function imageOutcome(
  file: FileHandle,
  { path, title, bytes }: { readonly path: string; readonly title: string; readonly bytes: number },
  header: ImageHeader,
  { seesImages }: Pick<ToolContext, 'seesImages'>,
): Promise<ToolOutcome> {
  const facts = `${describeImage(header)}, ${formatBytes(bytes)}`;
  const only = (why: string): ToolOutcome => ({
    status: 'ok',
    text: `${path} is an image (${facts}). ${why}`,
    kind: 'file',
    display: { title, summary: `image, ${facts}` },
  });
  if (seesImages?.() !== true) return only('This model may not support images, so it is not shown.');
  if (bytes > MAX_IMAGE_BYTES)
    return only(
      `It is larger than ${formatBytes(MAX_IMAGE_BYTES)}; make a smaller copy with a command to look at it.`,
    );
  // Reads no more than the size measured before, since the file may be growing.
  const data = (await firstBytes(file, bytes)).toString('base64');
  return {
    ...only('It follows as a message of its own.'),
    images: [{ path, image: { type: 'image', mediaType: header.mediaType, data } }],
  };
}

async function firstBytes(file: FileHandle, count: number): Promise<Buffer> {
  const buffer = Buffer.alloc(count);
  let filled = 0;
  for (let got = -1; filled < count && got !== 0; filled += got)
    got = (await file.read(buffer, filled, count - filled, filled)).bytesRead;
  return buffer.subarray(0, filled);
}
