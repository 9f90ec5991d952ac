import { open } from 'node:fs/promises';
import {
  describeImage,
  HEADER_BYTES,
  type ImageHeader,
  MAX_IMAGE_BYTES,
  readImageHeader,
} from '../../protocol/images.ts';
import type { ToolContext, ToolOutcome } from '../../protocol/tools.ts';
import { formatBytes } from '../units.ts';

/** What a file is, if its first bytes are those of an image. `bytes` is its size. */
export async function sniffImage(path: string, bytes: number): Promise<ImageHeader | undefined> {
  const file = await open(path, 'r');
  try {
    const start = await firstBytes(file, Math.min(bytes, 16));
    if (readImageHeader(start) === undefined) return undefined;
    return readImageHeader(await firstBytes(file, Math.min(bytes, HEADER_BYTES)));
  } finally {
    await file.close();
  }
}

/** The image for a model that sees it, behind the result; its facts for any other. */
export async function imageOutcome(
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
  if (seesImages?.() !== true) return only('This model is not known to see images, so it is not shown.');
  if (bytes > MAX_IMAGE_BYTES)
    return only(
      `It is larger than ${formatBytes(MAX_IMAGE_BYTES)}; make a smaller copy with a command to look at it.`,
    );
  const file = await open(path, 'r');
  try {
    // As large as it was: it may be growing.
    const data = (await firstBytes(file, bytes)).toString('base64');
    return {
      ...only('It follows as a message of its own.'),
      images: [{ path, image: { type: 'image', mediaType: header.mediaType, data } }],
    };
  } finally {
    await file.close();
  }
}

async function firstBytes(file: Awaited<ReturnType<typeof open>>, count: number): Promise<Buffer> {
  const buffer = Buffer.alloc(count);
  let filled = 0;
  for (let got = -1; filled < count && got !== 0; filled += got)
    got = (await file.read(buffer, filled, count - filled, filled)).bytesRead;
  return buffer.subarray(0, filled);
}
