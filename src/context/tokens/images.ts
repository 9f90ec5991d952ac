/**
 * Tokens of an image by its real size: OpenAI charges by tiles of 512 pixels (85 plus 170 per tile, after scaling into
 * 2,048 pixels and the shorter side to 768), others about a token per 750 pixels, up to 1,568 pixels per side.
 */
import { HEADER_BYTES, readImageHeader } from '../../protocol/files/images.ts';

export function imageTokens(base64: string, byTiles: boolean): number {
  const size = readDimensions(base64);
  if (size === undefined || size.width < 1 || size.height < 1) return UNREADABLE;
  return byTiles ? tileTokens(size.width, size.height) : areaTokens(size.width, size.height);
}

/** Between the prices of small and large images. */
const UNREADABLE = 1200;

function tileTokens(width: number, height: number): number {
  const fit = Math.min(1, 2048 / Math.max(width, height));
  const shorter = Math.min(width, height) * fit;
  const scale = fit * Math.min(1, 768 / shorter);
  const tiles = Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
  return 85 + 170 * tiles;
}

const MAX_AREA_TOKENS = 1600;

function areaTokens(width: number, height: number): number {
  const scale = Math.min(1, 1568 / Math.max(width, height));
  return Math.min(MAX_AREA_TOKENS, Math.ceil((width * height * scale * scale) / 750));
}

interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Size in pixels of a PNG, JPEG, GIF or WebP, from its header; undefined without a valid one. `base64`: no prefix. */
export function readDimensions(base64: string): ImageSize | undefined {
  const { width, height } =
    readImageHeader(Buffer.from(base64.slice(0, (HEADER_BYTES / 3) * 4), 'base64')) ?? {};
  return width === undefined || height === undefined ? undefined : { width, height };
}
