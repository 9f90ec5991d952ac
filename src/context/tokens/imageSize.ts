export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Pixels of a PNG, JPEG, GIF or WebP, from its header; undefined where there is none. `base64`: no prefix. */
export function readDimensions(base64: string): ImageSize | undefined {
  const bytes = Buffer.from(base64.slice(0, HEADER_CHARACTERS), 'base64');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return png(view) ?? gif(view) ?? webp(view) ?? jpeg(view);
  } catch (error) {
    // A header that ends too soon.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** 192 kB: the frame of a JPEG lies behind its thumbnail and colour profile. */
const HEADER_CHARACTERS = 262_144;

function png(view: DataView): ImageSize | undefined {
  if (view.getUint32(0) !== 0x89504e47 || view.getUint32(12) !== 0x49484452) return undefined;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

function gif(view: DataView): ImageSize | undefined {
  if (view.getUint32(0) !== 0x47494638) return undefined;
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function webp(view: DataView): ImageSize | undefined {
  if (view.getUint32(0) !== 0x52494646 || view.getUint32(8) !== 0x57454250) return undefined;
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

function jpeg(view: DataView): ImageSize | undefined {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  let at = 2;
  for (;;) {
    const marker = view.getUint16(at);
    if (marker >> 8 !== 0xff) return undefined;
    if (marker === 0xffff) at++;
    else if (isFrame(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    else at += 2 + view.getUint16(at + 2);
  }
}

/** Start of frame, of whatever kind; three markers among them mean something else. */
function isFrame(marker: number): boolean {
  return marker >= 0xffc0 && marker <= 0xffcf && marker !== 0xffc4 && marker !== 0xffc8 && marker !== 0xffcc;
}
