import { HEADER_BYTES, readImageHeader } from '../../protocol/images.ts';

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Pixels of a PNG, JPEG, GIF or WebP, from its header; undefined where there is none. `base64`: no prefix. */
export function readDimensions(base64: string): ImageSize | undefined {
  const { width, height } =
    readImageHeader(Buffer.from(base64.slice(0, (HEADER_BYTES / 3) * 4), 'base64')) ?? {};
  return width === undefined || height === undefined ? undefined : { width, height };
}
