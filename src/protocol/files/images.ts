/** Image formats, sizes and headers as models accept them. Images are identified by their bytes, never by name. */
import type { ContentPart } from '../messages.ts';

export type ImagePart = Extract<ContentPart, { type: 'image' }>;

type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

export interface ImageHeader {
  readonly mediaType: ImageType;
  /** Pixels; absent if the header is truncated or invalid. */
  readonly width?: number;
  readonly height?: number;
}

/** Maximum bytes of an image: the most that hosted endpoints accept (Anthropic's limit for one image). */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

/** Enough bytes for any header: the frame of a JPEG follows its thumbnail and color profile. */
export const HEADER_BYTES = 192 * 1024;

/** Identifies an image by its bytes; undefined for anything but PNG, JPEG, GIF and WebP. */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const mediaType = mediaTypeOf(bytes);
  if (mediaType === undefined) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const size = readers[mediaType](view);
    return size === undefined || size.width < 1 || size.height < 1 ? { mediaType } : { mediaType, ...size };
  } catch (error) {
    // The header is truncated.
    if (error instanceof RangeError) return { mediaType };
    throw error;
  }
}

/** Returns for example `PNG, 800×600`; the dimensions only if known. */
export function describeImage({ mediaType, width, height }: ImageHeader): string {
  const format = mediaType === 'image/webp' ? 'WebP' : mediaType.replace('image/', '').toUpperCase();
  return width === undefined || height === undefined ? format : `${format}, ${width}×${height}`;
}

/** Returns the placeholder of an image in a prompt: `[Image #1]`. */
export function imageLabel(number: number): string {
  return `[Image #${number}]`;
}

/** Returns the numbers of the images that a text mentions, in order, without duplicates. */
export function imageNumbersIn(text: string): readonly number[] {
  return [...new Set([...text.matchAll(/\[Image #(\d{1,6})\]/g)].map(([, digits]) => Number(digits)))];
}

function mediaTypeOf(bytes: Uint8Array): ImageType | undefined {
  const has = (at: number, ...values: readonly number[]): boolean =>
    values.every((value, index) => bytes[at + index] === value);
  if (has(0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png';
  if (has(0, 0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (has(0, 0x47, 0x49, 0x46, 0x38)) return 'image/gif';
  if (has(0, 0x52, 0x49, 0x46, 0x46) && has(8, 0x57, 0x45, 0x42, 0x50)) return 'image/webp';
  return undefined;
}

type Size = { readonly width: number; readonly height: number };

const readers: Readonly<Record<ImageType, (view: DataView) => Size | undefined>> = {
  'image/png': (view) =>
    view.getUint32(12) === 0x49484452 ? { width: view.getUint32(16), height: view.getUint32(20) } : undefined,
  'image/gif': (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  'image/webp': webp,
  'image/jpeg': jpeg,
};

function webp(view: DataView): Size | undefined {
  const kind = view.getUint32(12);
  if (kind === 0x56503858) return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
  if (kind === 0x5650384c) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (kind !== 0x56503820) return undefined;
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

function jpeg(view: DataView): Size | undefined {
  let at = 2;
  for (;;) {
    const marker = view.getUint16(at);
    if (marker >> 8 !== 0xff) return undefined;
    if (marker === 0xffff) at++;
    else if (isFrame(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    else at += 2 + view.getUint16(at + 2);
  }
}

/** True for any start-of-frame marker; three markers in that range have other meanings. */
function isFrame(marker: number): boolean {
  return marker >= 0xffc0 && marker <= 0xffcf && marker !== 0xffc4 && marker !== 0xffc8 && marker !== 0xffcc;
}
