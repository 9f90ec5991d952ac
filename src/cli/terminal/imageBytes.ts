import { MAX_IMAGE_BYTES, readImageHeader } from '../../protocol/files/images.ts';
import type { ImageRead } from '../../ui/input/images.ts';

/** Returns an image if models accept its format and size. */
export function imageOf(bytes: Buffer, name: string): ImageRead {
  const header = readImageHeader(bytes);
  if (header === undefined) return { type: 'none' };
  if (bytes.length > MAX_IMAGE_BYTES) return tooLarge(name, bytes.length);
  const image = { type: 'image', mediaType: header.mediaType, data: bytes.toString('base64') } as const;
  return { type: 'image', image, header, bytes: bytes.length };
}

/** Returns the message for an image that is too large to send. */
export function tooLarge(name: string, bytes: number): ImageRead {
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  return {
    type: 'refused',
    message: `${name} has ${size}; models take images up to ${MAX_IMAGE_BYTES / 1024 / 1024} MB. Make a smaller copy (1,600 pixels are enough).`,
  };
}
